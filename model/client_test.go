package model_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/model"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/anthropic"
	"github.com/holdfast-go/holdfast/wire/google"
)

func event(kind, data string) string { return "event: " + kind + "\ndata: " + data + "\n\n" }

var (
	start   = event("message_start", `{"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":3,"output_tokens":1}}}`)
	text    = event("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
	delta   = event("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}`)
	blockOK = event("content_block_stop", `{"type":"content_block_stop","index":0}`)
	ended   = event("message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}`) +
		event("message_stop", `{"type":"message_stop"}`)
	whole = start + text + delta + blockOK + ended
)

// trip answers requests within the test, one function a try.
type trip struct {
	tries []func(r *http.Request) (*http.Response, error)
	n     atomic.Int32
	at    []time.Time
}

func (f *trip) RoundTrip(r *http.Request) (*http.Response, error) {
	i := int(f.n.Add(1)) - 1
	f.at = append(f.at, time.Now())
	if i >= len(f.tries) {
		return nil, errors.New("asked too often")
	}
	return f.tries[i](r)
}

func says(status int, h http.Header, body io.Reader) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		if h == nil {
			h = http.Header{}
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(body), Request: r}, nil
	}
}

// bound is a body that ends when its request's context does.
func bound(next func(p []byte) (int, error)) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(&ctxReader{r.Context(), next}), Request: r}, nil
	}
}

type ctxReader struct {
	ctx  context.Context
	next func(p []byte) (int, error)
}

func (c *ctxReader) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, c.ctx.Err()
	}
	n, err := c.next(p)
	if n < 0 { // wait for ever
		<-c.ctx.Done()
		return 0, c.ctx.Err()
	}
	return n, err
}

func drip(every time.Duration, piece string) func(p []byte) (int, error) {
	return func(p []byte) (int, error) { time.Sleep(every); return copy(p, piece), nil }
}

func newClient(t *testing.T, rt http.RoundTripper, o model.Options) *model.Client {
	t.Helper()
	o.Key, o.HTTPClient = "k", &http.Client{Transport: rt}
	c, err := model.New(anthropic.Messages{}, "claude-test", &o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ask(ctx context.Context, c *model.Client) (*wire.Reply, error) {
	return c.Reply(ctx, &wire.Request{Items: []wire.Item{{User: "hi"}}, Stream: true}, nil)
}

func TestReply_streamed_and_whole_are_one_path(t *testing.T) {
	for name, body := range map[string]string{
		"streamed": whole,
		"whole":    `{"id":"m","type":"message","role":"assistant","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":5}}`,
	} {
		f := &trip{tries: []func(*http.Request) (*http.Response, error){says(200, nil, strings.NewReader(body))}}
		reply, err := ask(t.Context(), newClient(t, f, model.Options{}))
		if err != nil || reply.Text != "hi" || !reply.Complete || *reply.Usage.Output != 5 {
			t.Errorf("%s: Reply = %+v, %v", name, reply, err)
		}
	}
}

func TestReply_shows_what_streams(t *testing.T) {
	f := &trip{tries: []func(*http.Request) (*http.Response, error){says(200, nil, strings.NewReader(whole))}}
	shown := ""
	c := newClient(t, f, model.Options{})
	_, err := c.Reply(t.Context(), &wire.Request{Items: []wire.Item{{User: "hi"}}, Stream: true}, func(e wire.Event) { shown += e.Text })
	if err != nil || shown != "hi" {
		t.Errorf("shown = %q, %v, want hi", shown, err)
	}
}

// Pitfall 33: half a reply asked for again would be two replies' calls.
func TestReply_retries_only_while_nothing_was_received(t *testing.T) {
	overloaded := `{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`
	type try = func(*http.Request) (*http.Response, error)
	ok := func() try { return says(200, nil, strings.NewReader(whole)) }
	lost := func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }
	for name, c := range map[string]struct {
		tries []try
		asked int
		good  bool
		least time.Duration
	}{
		"529, then well":          {[]try{says(529, nil, strings.NewReader(overloaded)), ok()}, 2, true, 250 * time.Millisecond},
		"429 with Retry-After":    {[]try{says(429, http.Header{"Retry-After": {"7"}}, strings.NewReader(overloaded)), ok()}, 2, true, 7 * time.Second},
		"429 that asks too long":  {[]try{says(429, http.Header{"Retry-After": {"3600"}}, strings.NewReader(overloaded)), ok()}, 1, false, 0},
		"500 for ever":            {[]try{says(500, nil, strings.NewReader("")), says(500, nil, strings.NewReader("")), says(500, nil, strings.NewReader("")), says(500, nil, strings.NewReader(""))}, 4, false, 0},
		"400 is not asked again":  {[]try{says(400, nil, strings.NewReader(overloaded)), ok()}, 1, false, 0},
		"told not to ask again":   {[]try{says(500, http.Header{"X-Should-Retry": {"false"}}, strings.NewReader(overloaded)), ok()}, 1, false, 0},
		"no connection, then one": {[]try{lost, ok()}, 2, true, 250 * time.Millisecond},
		"nothing but the header":  {[]try{says(200, nil, strings.NewReader("")), ok()}, 2, true, 0},
		"dies in mid-reply":       {[]try{says(200, nil, io.MultiReader(strings.NewReader(start+text+delta), iotestErr{})), ok()}, 1, false, 0},
		"a redirect":              {[]try{says(307, http.Header{"Location": {"http://elsewhere/"}}, strings.NewReader("")), ok()}, 1, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &trip{tries: c.tries}
				began := time.Now()
				reply, err := ask(t.Context(), newClient(t, f, model.Options{}))
				if int(f.n.Load()) != c.asked || (err == nil) != c.good {
					t.Errorf("asked %d times, %v, want %d times and well: %t", f.n.Load(), err, c.asked, c.good)
				}
				if c.good && !reply.Complete {
					t.Errorf("reply = %+v", reply)
				}
				if took := time.Since(began); took < c.least {
					t.Errorf("took %v, want at least %v", took, c.least)
				}
			})
		})
	}
}

type iotestErr struct{}

func (iotestErr) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

func TestReply_that_breaks_off_is_handed_back_as_broken(t *testing.T) {
	for name, body := range map[string]io.Reader{
		"reset":           io.MultiReader(strings.NewReader(start+text+delta), iotestErr{}),
		"ends too soon":   strings.NewReader(start + text + delta),
		"error in stream": strings.NewReader(start + event("error", `{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`)),
	} {
		f := &trip{tries: []func(*http.Request) (*http.Response, error){says(200, nil, body)}}
		reply, err := ask(t.Context(), newClient(t, f, model.Options{}))
		if err == nil || reply == nil || reply.Ending != wire.Broken || reply.Complete {
			t.Errorf("%s: Reply = %+v, %v, want a broken reply and an error", name, reply, err)
		}
	}
}

func TestReply_holds_its_time_limits(t *testing.T) {
	endless := strings.Repeat(delta, 50)
	for name, c := range map[string]struct {
		next   func(p []byte) (int, error)
		most   int64 // MiB
		within time.Duration
		want   string
	}{
		"never answers":            {func([]byte) (int, error) { return -1, nil }, 1, 301 * time.Second, "nothing was received for 5m0s"},
		"slow drip":                {drip(time.Second, ": "), 1, 601 * time.Second, "no whole reply within 10m0s"},
		"an endless line":          {drip(time.Millisecond, strings.Repeat("a", 30000)), 24, 601 * time.Second, ""},
		"an endless stream":        {drip(0, start+text+endless), 2, 601 * time.Second, "larger than"},
		"endless tiny frames":      {drip(0, "data:\n\n"), 2, 601 * time.Second, "larger than"},
		"stalls after some events": {stall(start + text + delta), 1, 301 * time.Second, "nothing was received for 5m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				began := time.Now()
				f := &trip{tries: []func(*http.Request) (*http.Response, error){bound(c.next)}}
				_, err := ask(t.Context(), newClient(t, f, model.Options{Retries: -1, MaxBytes: c.most << 20}))
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("Reply = %v, want an error with %q", err, c.want)
				}
				if took := time.Since(began); took > c.within {
					t.Errorf("took %v, want at most %v", took, c.within)
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 64<<20 {
					t.Errorf("holds %d MiB more than before", grown>>20)
				}
			})
		})
	}
}

func stall(first string) func(p []byte) (int, error) {
	sent := false
	return func(p []byte) (int, error) {
		if sent {
			return -1, nil
		}
		sent = true
		return copy(p, first), nil
	}
}

func TestReply_ends_with_its_caller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("the person left")
		time.AfterFunc(3*time.Second, func() { cancel(why) })
		f := &trip{tries: []func(*http.Request) (*http.Response, error){bound(stall(start))}}
		reply, err := ask(ctx, newClient(t, f, model.Options{}))
		if !errors.Is(err, why) || reply == nil || reply.Complete {
			t.Errorf("Reply = %+v, %v, want a broken reply and %v", reply, err, why)
		}
	})
}

func TestReply_uses_a_connection_again(t *testing.T) {
	var conns atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, whole) }))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			conns.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	c, err := model.New(anthropic.Messages{}, "m", &model.Options{BaseURL: s.URL, HTTPClient: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := ask(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if conns.Load() != 1 {
		t.Errorf("%d connections for 3 replies, want 1", conns.Load())
	}
}

func TestReply_closes_a_connection_that_stays_open(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, whole)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer s.Close()
	c, err := model.New(anthropic.Messages{}, "m", &model.Options{BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	if reply, err := ask(t.Context(), c); err != nil || !reply.Complete {
		t.Errorf("Reply = %+v, %v, want a whole reply though the server never closes", reply, err)
	}
}

// Gemini has no end sign but the connection's end; its finish reason makes the
// reply whole all the same.
func TestReply_that_is_whole_does_not_wait_for_a_connection_that_stays_open(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := `data: {"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}]}` + "\n\n"
		f := &trip{tries: []func(*http.Request) (*http.Response, error){bound(stall(body))}}
		c, err := model.New(google.Gemini{}, "m", &model.Options{Key: "k", HTTPClient: &http.Client{Transport: f}})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		reply, err := ask(t.Context(), c)
		if err != nil || !reply.Complete || reply.Text != "hi" {
			t.Errorf("Reply = %+v, %v, want a whole reply", reply, err)
		}
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func TestNew_sends_a_key_to_its_own_vendor_only(t *testing.T) {
	for name, c := range map[string]struct {
		o       model.Options
		env     map[string]string
		url     string
		key     string
		wantErr string
	}{
		"the vendor's own":         {model.Options{}, map[string]string{"ANTHROPIC_API_KEY": "e"}, "https://api.anthropic.com/v1/messages", "e", ""},
		"no key":                   {model.Options{}, nil, "", "", "ANTHROPIC_API_KEY"},
		"an address by option":     {model.Options{BaseURL: "http://local:1/v1/"}, map[string]string{"ANTHROPIC_API_KEY": "e"}, "http://local:1/v1/messages", "", ""},
		"an address and its key":   {model.Options{BaseURL: "http://local:1", Key: "mine"}, nil, "http://local:1/v1/messages", "mine", ""},
		"the environment's":        {model.Options{}, map[string]string{"ANTHROPIC_API_KEY": "e", "ANTHROPIC_BASE_URL": "https://proxy/x"}, "https://proxy/x/v1/messages", "e", ""},
		"not an address":           {model.Options{BaseURL: "ftp://x"}, nil, "", "", "no http"},
		"a path that repeats none": {model.Options{BaseURL: "http://local/v1beta"}, nil, "http://local/v1beta/v1/messages", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var url, key string
			c.o.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				url, key = r.URL.String(), r.Header.Get("X-Api-Key")
				return says(200, nil, strings.NewReader(whole))(r)
			})}
			c.o.Env = func(name string) string { return c.env[name] }
			m, err := model.New(anthropic.Messages{}, "m", &c.o)
			if c.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), c.wantErr) {
					t.Errorf("New = %v, want an error with %q", err, c.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ask(t.Context(), m); err != nil || url != c.url || key != c.key {
				t.Errorf("asked %s with key %q, %v; want %s with %q", url, key, err, c.url, c.key)
			}
		})
	}
}

type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestStatusError_tells_what_the_provider_said(t *testing.T) {
	for body, want := range map[string]string{
		`{"type":"error","error":{"type":"invalid_request_error","message":"no such thing"}}`: "status 400: provider: invalid_request_error: no such thing",
		"<html>" + strings.Repeat("é", 400):                                                   "http_400",
	} {
		f := &trip{tries: []func(*http.Request) (*http.Response, error){says(400, nil, strings.NewReader(body))}}
		_, err := ask(t.Context(), newClient(t, f, model.Options{}))
		var refused *model.StatusError
		if !errors.As(err, &refused) || refused.Status != 400 || !strings.Contains(err.Error(), want) || len(err.Error()) > 600 {
			t.Errorf("Reply = %v, want a StatusError with %q", err, want)
		}
		if strings.Contains(fmt.Sprint(err), "\"k\"") {
			t.Errorf("the key is in %v", err)
		}
	}
}
