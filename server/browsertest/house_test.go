package browsertest

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/examples/coach"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
	"github.com/holdfast-go/holdfast/model"
	"github.com/holdfast-go/holdfast/model/scripted"
	"github.com/holdfast-go/holdfast/policy"
	"github.com/holdfast-go/holdfast/server"
	"github.com/holdfast-go/holdfast/server/console"
	"github.com/holdfast-go/holdfast/server/token"
	"github.com/holdfast-go/holdfast/wire"
)

var ana = holdfast.Principal{Tenant: "gym", ID: "ana"}

// today is the day of every conversation.
var today = time.Date(2024, 4, 11, 13, 0, 0, 0, time.UTC)

// house is a served coach over two files that outlive the process that is
// played here.
type house struct {
	t        testing.TB
	dir      string
	codec    wire.Codec
	scenario *scripted.Scenario
	catalog  *holdfast.Catalog // nil: the coach's
	token    string
	address  string            // also after a restart
	provider http.RoundTripper // nil: the scenario's

	mu     sync.Mutex
	failAt map[coach.Point]error

	ledger *ledger.Ledger
	tokens *token.Ring
	ended  func()
}

// open serves a scenario; "" is the coach's own, without its pace.
func open(t testing.TB, codec wire.Codec, scenario string) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir(), codec: codec, failAt: map[coach.Point]error{}}
	text := "scenario: test\n" + scenario
	if scenario == "" {
		text = strings.Replace(string(coach.Scenario()), "pace: 12ms\n", "", 1)
	}
	h.play(text)
	h.start()
	t.Cleanup(func() { h.ended() })
	return h
}

func (h *house) play(scenario string) {
	h.t.Helper()
	var err error
	if h.scenario, err = scripted.Parse([]byte(scenario)); err != nil {
		h.t.Fatalf("scripted.Parse = %v", err)
	}
}

// fail makes the coach's store fail; with nil it is mended.
func (h *house) fail(err error, at ...coach.Point) {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.failAt)
	for _, p := range at {
		h.failAt[p] = err
	}
}

func (h *house) fault(at coach.Point) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failAt[at]
}

// start is a process that begins.
func (h *house) start() {
	h.t.Helper()
	ctx := context.Background()
	store, err := sqlite.Open(ctx, filepath.Join(h.dir, "ledger.db"), nil)
	h.must("sqlite.Open", err)
	h.ledger, err = ledger.New(ctx, store, nil)
	h.must("ledger.New", err)
	c, err := coach.Open(ctx, filepath.Join(h.dir, "coach.db"), &coach.Options{Location: time.UTC, Fault: h.fault})
	h.must("coach.Open", err)
	catalog, label := c.Catalog(), "coach"
	if h.catalog != nil {
		catalog, label = h.catalog, "hostile"
	}
	g, err := gate.New(catalog, h.ledger, &gate.Options{Authorizer: policy.NewBook(h.ledger, nil)})
	h.must("gate.New", err)
	provider := h.provider
	if provider == nil {
		provider = scripted.New(h.scenario, nil)
	}
	client, err := model.New(h.codec, "scripted", &model.Options{
		BaseURL: "http://scripted.invalid", Retries: -1, HTTPClient: &http.Client{Transport: provider},
	})
	h.must("model.New", err)
	ring, err := token.Open("", nil)
	h.must("token.Open", err)
	h.tokens = ring
	if h.token != "" {
		h.must("Give", ring.Give(h.token, token.Token{Principal: ana, Scopes: token.Scopes()}))
	}
	s, err := server.New(g, h.ledger, client, &server.Options{
		Agent:   agent.Options{System: func() string { return c.System(today) }},
		Catalog: label, Model: "scripted", Scripted: true, Hints: h.scenario.Hints(), Principal: ana, Tokens: ring, Page: console.New(),
		Grace: 2 * time.Second,
	})
	h.must("server.New", err)
	if h.address == "" {
		h.address = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", h.address)
	h.must("Listen", err)
	h.address = l.Addr().String()
	serving, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- s.Serve(serving, l) }()
	h.ended = func() {
		stop()
		err := <-done
		if err != nil {
			h.t.Errorf("Serve = %v", err)
		}
		if err := g.Close(ctx); err != nil {
			h.t.Errorf("Gate.Close = %v", err)
		}
		if err := h.ledger.Close(); err != nil {
			h.t.Errorf("Ledger.Close = %v", err)
		}
		if err := store.Close(); err != nil {
			h.t.Errorf("Store.Close = %v", err)
		}
		if err := c.Close(); err != nil {
			h.t.Errorf("Coach.Close = %v", err)
		}
	}
}

func (h *house) must(what string, err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatalf("%s = %v", what, err)
	}
}

// restart is the end of this process and the begin of another, at the same
// address.
func (h *house) restart() {
	h.t.Helper()
	h.ended()
	h.start()
}

func (h *house) url(path string) string { return "http://" + h.address + path }

// rows are what a query of the coach's file gives, each as one text.
func (h *house) rows(query string, args ...any) []string {
	h.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.ToSlash(filepath.Join(h.dir, "coach.db"))+"?mode=ro")
	h.must("opening the coach's file", err)
	defer db.Close()
	rows, err := db.Query(query, args...)
	h.must(query, err)
	defer rows.Close()
	columns, err := rows.Columns()
	h.must(query, err)
	var out []string
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		h.must(query, rows.Scan(into...))
		out = append(out, strings.TrimSpace(fmt.Sprintln(values...)))
	}
	h.must(query, rows.Err())
	return out
}

// calls are the ledger's calls in order, each as "tool state code".
func (h *house) calls() []string {
	h.t.Helper()
	entries, err := h.ledger.Entries(h.t.Context(), ledger.Filter{InOrder: true, Limit: 1000})
	h.must("Entries", err)
	var out []string
	for _, e := range entries {
		line := e.Tool + " " + string(e.State)
		if e.Outcome != nil && e.Outcome.Code != "" {
			line += " " + string(e.Outcome.Code)
		}
		out = append(out, line)
	}
	return out
}
