package httpapi

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/sandbox"
	"github.com/holdfast-go/holdfast/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inputSchema is what the tools of these tests take.
const inputSchema = `{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"n":{"type":["number","null"]},"tags":{"type":"array"},"pin":{"type":"string","writeOnly":true}}}`

func input(t *testing.T) *schema.Schema {
	t.Helper()
	s, err := schema.Compile([]byte(inputSchema), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func value(t *testing.T, text string) schema.Value {
	t.Helper()
	v, err := schema.Read([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// serve answers with h, and names the server as a declared host.
func serve(t *testing.T, h http.HandlerFunc) (string, sandbox.Limits) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL, sandbox.Limits{Hosts: []string{strings.TrimPrefix(s.URL, "http://")}}
}

// raw answers each connection with bytes of its own making, once the head of a
// request has come.
func raw(t *testing.T, answer func(c net.Conn)) (string, sandbox.Limits) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.SetDeadline(time.Now().Add(10 * time.Second))
			_, _ = c.Read(make([]byte, 64<<10))
			answer(c)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-ended })
	return "http://" + l.Addr().String(), sandbox.Limits{Hosts: []string{l.Addr().String()}}
}

func runner(t *testing.T, s Spec, effect holdfast.Effect, limits sandbox.Limits, o *Options) *Runner {
	t.Helper()
	r, err := New(s, input(t), effect, limits, o)
	if err != nil {
		t.Fatalf("New = %v", err)
	}
	return r
}

// run runs a call of the argument id, under a key.
func run(t *testing.T, r *Runner) (holdfast.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	return r.Run(holdfast.WithCallInfo(ctx, holdfast.CallInfo{Key: "key-1"}), value(t, `{"id":"A7"}`))
}

var arguments = json.RawMessage(`"arguments"`)

// known says what an error tells of the effect.
func known(err error) string {
	switch {
	case err == nil:
		return "done"
	case holdfast.HasNoEffect(err):
		return "no effect"
	}
	return "unknown"
}
