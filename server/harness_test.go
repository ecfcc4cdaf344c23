package server

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/examples/coach"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
	"github.com/holdfast-go/holdfast/model"
	"github.com/holdfast-go/holdfast/model/scripted"
	"github.com/holdfast-go/holdfast/server/console"
	"github.com/holdfast-go/holdfast/wire/anthropic"
)

var (
	ana   = holdfast.Principal{Tenant: "gym", ID: "ana"}
	today = time.Date(2024, 4, 11, 13, 0, 0, 0, time.UTC)
)

// served is a server that answers, and a client of it.
type served struct {
	t      testing.TB
	server *Server
	ledger *ledger.Ledger
	base   string
	header http.Header
}

// serve serves the coach over a ledger in memory.
func serve(t testing.TB, scenario string, change func(*Options)) *served {
	t.Helper()
	client := scriptedModel(t, scenario)
	store := memory.New(nil)
	l, err := ledger.New(t.Context(), store, nil)
	if err != nil {
		t.Fatalf("ledger.New = %v", err)
	}
	v := serveOver(t, l, client, change)
	t.Cleanup(func() {
		v.server.Close()
		if err := l.Close(); err != nil {
			t.Errorf("Ledger.Close = %v", err)
		}
	})
	return v
}

// scriptedModel plays a scenario; "" is the coach's own, without its pace.
func scriptedModel(t testing.TB, scenario string) *model.Client {
	t.Helper()
	text := "scenario: test\n" + scenario
	if scenario == "" {
		text = strings.Replace(string(coach.Scenario()), "pace: 12ms\n", "", 1)
	}
	play, err := scripted.Parse([]byte(text))
	if err != nil {
		t.Fatalf("scripted.Parse = %v", err)
	}
	client, err := model.New(anthropic.Messages{}, "scripted", &model.Options{
		BaseURL: "http://scripted.invalid", Retries: -1, HTTPClient: &http.Client{Transport: scripted.New(play, nil)},
	})
	if err != nil {
		t.Fatalf("model.New = %v", err)
	}
	return client
}

// serveOver is a process over a ledger that may outlive it.
func serveOver(t testing.TB, l *ledger.Ledger, m agent.Model, change func(*Options)) *served {
	t.Helper()
	c, err := coach.Open(t.Context(), filepath.Join(t.TempDir(), "coach.db"), &coach.Options{Location: time.UTC})
	if err != nil {
		t.Fatalf("coach.Open = %v", err)
	}
	g, err := gate.New(c.Catalog(), l, nil)
	if err != nil {
		t.Fatalf("gate.New = %v", err)
	}
	o := &Options{
		Agent:   agent.Options{System: func() string { return c.System(today) }},
		Catalog: "coach", Model: "scripted", Scripted: true, Principal: ana, Page: console.New(), Grace: time.Second,
	}
	if change != nil {
		change(o)
	}
	s, err := New(g, l, m, o)
	if err != nil {
		t.Fatalf("New = %v", err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Close()
		web.Close()
		if err := g.Close(context.Background()); err != nil {
			t.Errorf("Gate.Close = %v", err)
		}
		if err := c.Close(); err != nil {
			t.Errorf("Coach.Close = %v", err)
		}
	})
	return &served{t: t, server: s, ledger: l, base: web.URL, header: http.Header{}}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) into(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal(a.body, v); err != nil {
		t.Fatalf("body %q = %v", a.body, err)
	}
}

func (a answer) field(t testing.TB, name string) string {
	t.Helper()
	var v map[string]any
	a.into(t, &v)
	s, _ := v[name].(string)
	return s
}

func (v *served) ask(method, path, body string) answer {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, values := range v.header {
		r.Header[name] = values
		if name == "Host" {
			r.Host = values[0]
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Fatalf("%s %s = %v", method, path, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatalf("%s %s = %v", method, path, err)
	}
	a := answer{resp.StatusCode, resp.Header, text}
	v.documented(method, path, a)
	return a
}

// want is ask, and fails unless the status is that.
func (v *served) want(status int, method, path, body string) answer {
	v.t.Helper()
	a := v.ask(method, path, body)
	if a.status != status {
		v.t.Fatalf("%s %s %s = %d %s, want %d", method, path, body, a.status, a.body, status)
	}
	return a
}

func (v *served) newRun() string {
	v.t.Helper()
	return v.want(http.StatusCreated, "POST", "/v1/runs", "{}").field(v.t, "run")
}

// told is an event as a client reads it.
type told struct {
	id, name string
	data     string
}

// stream is a client's open event stream.
type stream struct {
	t      testing.TB
	lines  *bufio.Reader
	cancel context.CancelFunc
	route  string
	read   int
}

func (v *served) listen(run, last string) *stream {
	v.t.Helper()
	return v.listenAt("/v1/runs/{run}/events", run, last)
}

// listenAt opens the stream of a route.
func (v *served) listenAt(route, run, last string) *stream {
	v.t.Helper()
	ctx, cancel := context.WithCancel(v.t.Context())
	v.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, v.base+strings.Replace(route, "{run}", run, 1), nil)
	if err != nil {
		v.t.Fatal(err)
	}
	maps.Copy(r.Header, v.header)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Fatalf("listening = %v", err)
	}
	v.t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		v.t.Fatalf("listening = %d %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	return &stream{v.t, bufio.NewReaderSize(resp.Body, 4096), cancel, route, 0}
}

// next is the next event; ok is false at the stream's end.
func (s *stream) next() (e told, ok bool) {
	s.t.Helper()
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return e, false
		}
		line = strings.TrimSuffix(line, "\n")
		field, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && e.name != "":
			s.documentedEvent(e)
			return e, true
		case field == "id":
			e.id = value
		case field == "event":
			e.name = value
		case field == "data":
			e.data = value
		}
	}
}

// until reads events to the first of that name.
func (s *stream) until(name string) []told {
	s.t.Helper()
	var all []told
	for {
		e, ok := s.next()
		if !ok {
			s.t.Fatalf("the stream ended before an event %q; it told %v", name, all)
		}
		all = append(all, e)
		if e.name == name {
			return all
		}
	}
}

func (v *served) say(run, message string) {
	v.t.Helper()
	body, err := json.Marshal(map[string]string{"message": message})
	if err != nil {
		v.t.Fatal(err)
	}
	v.want(http.StatusAccepted, "POST", "/v1/runs/"+run+"/turns", string(body))
}
