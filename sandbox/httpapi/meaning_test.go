package httpapi

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/sandbox"
)

// statuses answers /NNN with that status.
func statuses(t *testing.T) (string, sandbox.Limits) {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		status, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(status)
		if status != 204 {
			_, _ = w.Write([]byte("some  words\x1b[2J\nof it"))
		}
	})
}

func TestStatusOfAWrite(t *testing.T) {
	url, limits := statuses(t)
	declared := []StatusRule{{Match: "402", Means: NoEffect}, {Match: "5xx", Means: NoEffect}, {Match: "503", Means: Unknown}, {Match: "409", Means: Effect}}
	for _, row := range []struct {
		status   int
		byItself string
		declared string
	}{
		{200, "done", "done"},
		{201, "done", "done"},
		{202, "done", "done"},
		{204, "done", "done"},
		{301, "unknown", "unknown"},
		{307, "unknown", "unknown"},
		{400, "no effect", "no effect"},
		{401, "no effect", "no effect"},
		{402, "unknown", "no effect"},
		{403, "no effect", "no effect"},
		{404, "no effect", "no effect"},
		{408, "unknown", "unknown"},
		{409, "unknown", "done"},
		{422, "no effect", "no effect"},
		{425, "unknown", "unknown"},
		{429, "no effect", "no effect"},
		{500, "unknown", "no effect"},
		{502, "unknown", "no effect"},
		{503, "unknown", "unknown"},
	} {
		for rules, want := range map[bool]string{false: row.byItself, true: row.declared} {
			s := Spec{URL: url + "/" + strconv.Itoa(row.status), Body: arguments}
			if rules {
				s.Status = declared
			}
			_, err := run(t, runner(t, s, holdfast.Write, limits, nil))
			if got := known(err); got != want {
				t.Errorf("%d of a write, declared %t: %s (%v), want %s", row.status, rules, got, err, want)
			}
			if err != nil && row.status > 308 && !strings.Contains(err.Error(), "some words[2J of it") {
				t.Errorf("%d: error %q, want what the server said, on one line and without control characters", row.status, err)
			}
		}
	}
}

func TestStatusOfARead(t *testing.T) {
	url, limits := statuses(t)
	for _, row := range []struct {
		status int
		rules  []StatusRule
		want   string
	}{
		{200, nil, "ok"},
		{204, nil, "ok"},
		{304, nil, "failed"},
		{404, nil, "failed"},
		{404, []StatusRule{{Match: "404", Means: OK, Result: json.RawMessage(`{"found":[]}`)}}, `{"found":[]}`},
		{429, nil, "retry after 7s"},
		{500, nil, "retry after 7s"},
		{501, nil, "failed"},
		{503, nil, "retry after 7s"},
		{503, []StatusRule{{Match: "5xx", Means: Failed}}, "failed"},
		{404, []StatusRule{{Match: "4xx", Means: Retry}}, "retry after 7s"},
	} {
		r, err := run(t, runner(t, Spec{URL: url + "/" + strconv.Itoa(row.status), Status: row.rules}, holdfast.Read, limits, nil))
		got := "failed"
		transient := (*holdfast.TransientError)(nil)
		switch {
		case errors.As(err, &transient):
			got = "retry after " + transient.After.String()
		case err == nil && r.JSON != nil && row.rules != nil:
			got = string(r.JSON)
		case err == nil:
			got = "ok"
		}
		if got != row.want {
			t.Errorf("%d of a read with %v: %s (%v), want %s", row.status, row.rules, got, err, row.want)
		}
	}
}

// What is known of a write follows from how far it came.
func TestEffectOfABrokenWrite(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	for _, row := range []struct {
		name   string
		answer func(c net.Conn)
		want   string
	}{
		{"nobody listens", nil, "no effect"},
		{"closed without an answer", func(net.Conn) {}, "unknown"},
		{"reset", func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }, "unknown"},
		{"cut within the head", func(c net.Conn) { _, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-")) }, "unknown"},
		{"cut within the body", func(c net.Conn) {
			_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"done\":"))
		}, "unknown"},
		{"cut within a chunk", func(c net.Conn) {
			_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{\"do"))
		}, "unknown"},
		{"no HTTP", func(c net.Conn) { _, _ = c.Write([]byte("SSH-2.0-OpenSSH_9.2\r\n")) }, "unknown"},
		{"two lengths", func(c net.Conn) {
			_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"))
		}, "unknown"},
		{"a refusal that is cut", func(c net.Conn) {
			_, _ = c.Write([]byte("HTTP/1.1 422 Unprocessable Content\r\nContent-Length: 100\r\n\r\nno"))
		}, "no effect"},
		{"whole", func(c net.Conn) { _, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")) }, "done"},
	} {
		t.Run(row.name, func(t *testing.T) {
			url, limits := "http://"+closed.Addr().String(), sandbox.Limits{Hosts: []string{closed.Addr().String()}}
			if row.answer != nil {
				url, limits = raw(t, row.answer)
			}
			_, err := run(t, runner(t, Spec{URL: url, Body: arguments}, holdfast.Write, limits, nil))
			if got := known(err); got != row.want {
				t.Errorf("%s (%v), want %s", got, err, row.want)
			}
		})
	}
}

// A request is never repeated beneath the gate, whatever its method and key.
func TestAWriteIsSentOnce(t *testing.T) {
	for _, method := range []string{"POST", "PUT", "DELETE", "GET"} {
		came := make(chan struct{}, 10)
		url, limits := raw(t, func(net.Conn) { came <- struct{}{} })
		r := runner(t, Spec{Method: method, URL: url}, holdfast.Write, limits, nil)
		for range 2 {
			if _, err := run(t, r); known(err) != "unknown" {
				t.Errorf("%s: %v, want an unknown effect", method, err)
			}
		}
		if n := len(came); n != 2 {
			t.Errorf("%s: two runs made %d requests, want 2", method, n)
		}
	}
}

func TestKeyOfAWriteIsSent(t *testing.T) {
	var got []string
	url, limits := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Idempotency-Key")+"|"+r.Header.Get("X-Payout"))
	})
	for _, s := range []Spec{{URL: url}, {URL: url, KeyHeader: "X-Payout"}} {
		if _, err := run(t, runner(t, s, holdfast.Write, limits, nil)); err != nil {
			t.Fatalf("Run = %v", err)
		}
	}
	if _, err := run(t, runner(t, Spec{URL: url}, holdfast.Read, limits, nil)); err != nil {
		t.Fatalf("Run = %v", err)
	}
	if want := "key-1| |key-1 |"; strings.Join(got, " ") != want {
		t.Errorf("keys sent = %q, want %q", strings.Join(got, " "), want)
	}
}

// A server that cannot prove who it is gets nothing.
func TestUnverifiedServer(t *testing.T) {
	came := false
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { came = true }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	limits := sandbox.Limits{Hosts: []string{strings.TrimPrefix(s.URL, "https://")}}
	_, err := run(t, runner(t, Spec{URL: s.URL}, holdfast.Write, limits, nil))
	if known(err) != "no effect" || came || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("Run = %v, request came %t; want the certificate refused before anything is sent", err, came)
	}
}

func TestProbe(t *testing.T) {
	url, limits := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/by-key/key 1":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"charge":7}`))
		case "/broken":
			w.WriteHeader(http.StatusInternalServerError)
		case "/elsewhere":
			http.Redirect(w, r, "/by-key/key%201", http.StatusFound)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	for _, row := range []struct {
		path   string
		rules  []StatusRule
		effect holdfast.EffectState
		failed bool
	}{
		{"/by-key/${key}", nil, holdfast.Happened, false},
		{"/elsewhere", nil, holdfast.Happened, false},
		{"/none/{id}", nil, holdfast.DidNotHappen, false},
		{"/broken", nil, "", true},
		{"/broken", []StatusRule{{Match: "500", Means: NoEffect}}, holdfast.DidNotHappen, false},
		{"/none/{id}", []StatusRule{{Match: "404", Means: Unknown}}, "", true},
	} {
		p, err := NewProbe(Spec{URL: url + row.path, Status: row.rules}, input(t), limits, nil)
		if err != nil {
			t.Fatalf("NewProbe = %v", err)
		}
		c, err := p.Ask(t.Context(), "key 1", value(t, `{"id":"A7"}`))
		if c.Effect != row.effect || (err != nil) != row.failed {
			t.Errorf("%s with %v = %q, %v; want %q", row.path, row.rules, c.Effect, err, row.effect)
		}
		if c.Effect == holdfast.Happened && (c.Result == nil || string(c.Result.JSON) != `{"charge":7}`) {
			t.Errorf("%s: result %+v, want what the API holds of the write", row.path, c.Result)
		}
		if c.Effect != "" && !strings.Contains(c.Evidence, "answered") {
			t.Errorf("%s: evidence %q, want what was asked and answered", row.path, c.Evidence)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "999999999": time.Hour, "-3": 0, "soon": 0, "Mon, 02 Jan 2006 15:04:05 GMT": 0,
	} {
		if got := retryAfter(&http.Response{Header: http.Header{"Retry-After": {text}}}); got != want {
			t.Errorf("retryAfter(%q) = %v, want %v", text, got, want)
		}
	}
}
