package model_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/model"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/anthropic"
	"github.com/holdfast-go/holdfast/wire/bedrock"
	"github.com/holdfast-go/holdfast/wire/google"
	"github.com/holdfast-go/holdfast/wire/openai"
)

// flood is a server that sends begin and then piece without end, up to most
// bytes, and watches how much memory the process holds meanwhile.
type flood struct {
	begin, piece string
	most         int64
	sent         atomic.Int64
	peak         atomic.Uint64
}

func (f *flood) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, f.begin)
	block := []byte(strings.Repeat(f.piece, max(1, 1<<20/len(f.piece))))
	for f.sent.Load() < f.most {
		n, err := w.Write(block)
		f.sent.Add(int64(n))
		f.peak.Store(max(f.peak.Load(), heap()))
		if err != nil {
			return
		}
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestReply_of_a_hostile_server_costs_little: a gigabyte is not read to its end,
// a million frames are read in order, and neither is kept.
func TestReply_of_a_hostile_server_costs_little(t *testing.T) {
	const gigabyte, most = 1 << 30, 64 << 20 / scale
	chunk := `data: {"choices":[{"index":0,"delta":{"content":"hello"}}]}` + "\n\n"
	for _, row := range []struct {
		name   string
		codec  wire.Codec
		server *flood
		want   string // in the error
		bytes  int64  // that may be sent
		memory uint64 // that may be held beyond what was before
	}{
		{"a line of a gigabyte", anthropic.Messages{}, &flood{begin: "data: ", piece: "a", most: gigabyte}, "larger than", most, 96 << 20},
		{"a JSON body of a gigabyte", google.Gemini{}, &flood{begin: `{"candidates":"`, piece: "a", most: gigabyte}, "larger than", most, 96 << 20},
		{"an event stream of a gigabyte", bedrock.Converse{}, &flood{begin: "\x00\xff\xff\xff", piece: "\x00", most: gigabyte}, "larger than", most, 96 << 20},
		{"an endless stream of text", openai.Chat{}, &flood{piece: chunk, most: gigabyte}, "larger than", most, 96 << 20},
		{"a million frames of nothing", anthropic.Messages{}, &flood{piece: "data: {}\n\n", most: 10_000_000 / scale}, "without its end sign", gigabyte, 32 << 20},
		{"a million empty lines", openai.Responses{}, &flood{piece: "\n", most: 1_000_000}, "", gigabyte, 32 << 20},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := httptest.NewServer(row.server)
			defer s.Close()
			c, err := model.New(row.codec, "m", &model.Options{BaseURL: s.URL, Retries: -1, Timeout: time.Minute, MaxBytes: min(row.bytes, most)})
			if err != nil {
				t.Fatal(err)
			}
			runtime.GC()
			before := heap()
			reply, err := c.Reply(t.Context(), &wire.Request{Items: []wire.Item{{User: "hi"}}, Stream: true}, nil)
			if err == nil || !strings.Contains(err.Error(), row.want) || reply != nil && reply.Complete {
				t.Errorf("Reply = complete %t, %v, want an error with %q", reply != nil && reply.Complete, err, row.want)
			}
			s.CloseClientConnections()
			held, sent := row.server.peak.Load()-min(row.server.peak.Load(), before), row.server.sent.Load()
			t.Logf("%d MiB were sent, at most %d MiB held", sent>>20, held>>20)
			if sent > row.bytes+16<<20 || held > row.memory {
				t.Errorf("%d MiB were sent and %d MiB held, want at most %d and %d", sent>>20, held>>20, row.bytes>>20, row.memory>>20)
			}
		})
	}
}

// A server that never ends its answer, and one that never begins it, hold a
// caller that leaves no longer than that takes.
func TestReply_does_not_wait_for_a_server_that_ignores_its_caller(t *testing.T) {
	for name, begin := range map[string]string{"before a byte": "", "within the reply": start + text + delta} {
		t.Run(name, func(t *testing.T) {
			asked, end := make(chan struct{}), make(chan struct{})
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if begin != "" {
					_, _ = io.WriteString(w, begin)
					w.(http.Flusher).Flush()
				}
				close(asked)
				<-end // whatever becomes of the request
			}))
			defer s.Close()
			defer close(end)
			c, err := model.New(anthropic.Messages{}, "m", &model.Options{BaseURL: s.URL})
			if err != nil {
				t.Fatal(err)
			}
			why := errors.New("the person left")
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() { <-asked; cancel(why) }()
			reply, err := ask(ctx, c)
			if !errors.Is(err, why) || reply != nil && reply.Complete {
				t.Errorf("Reply = %+v, %v, want %v", reply, err, why)
			}
		})
	}
}
