package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
	"github.com/holdfast-go/holdfast/schema"
)

var me = holdfast.Principal{Tenant: "home", ID: "ana"}

// house is a gate with what stands around it, for one test.
type house struct {
	t       *testing.T
	gate    *gate.Gate
	ledger  *ledger.Ledger
	store   *flakyStore
	catalog *holdfast.Catalog
	rounds  int
}

var overSQLite = flag.Bool("sqlite", false, "run the tests over a ledger in a SQLite file instead of in memory")

// open makes a house of the tools; o may be nil.
func open(t *testing.T, o *gate.Options, tools ...*holdfast.Tool) *house {
	t.Helper()
	if !*overSQLite {
		return openOver(t, &flakyStore{Store: memory.New(nil)}, o, tools...)
	}
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return openOver(t, &flakyStore{Store: store}, o, tools...)
}

func openOver(t *testing.T, store *flakyStore, o *gate.Options, tools ...*holdfast.Tool) *house {
	t.Helper()
	catalog, err := holdfast.NewCatalog("", tools...)
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.New(t.Context(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := gate.New(catalog, l, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // as the process's end would
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		_ = g.Close(ended)
	})
	return &house{t: t, gate: g, ledger: l, store: store, catalog: catalog}
}

// again is a house over the same store after this one's process died.
func (h *house) again(tools ...*holdfast.Tool) *house {
	h.t.Helper()
	h.store.kill()
	next := openOver(h.t, &flakyStore{Store: h.store.Store}, nil, tools...)
	next.rounds = h.rounds
	return next
}

// round is the next round of turn 1, complete.
func (h *house) round(calls ...holdfast.Call) gate.Round {
	h.rounds++
	return gate.Round{
		Run: "run", Turn: 1, Number: h.rounds, Calls: calls, Complete: true, Ending: "ended", Principal: me,
	}
}

func (h *house) put(r gate.Round, o *gate.RoundOptions) []gate.Verdict {
	h.t.Helper()
	return h.putIn(h.t.Context(), r, o)
}

func (h *house) putIn(ctx context.Context, r gate.Round, o *gate.RoundOptions) []gate.Verdict {
	h.t.Helper()
	vs, err := h.gate.Round(ctx, r, o)
	if err != nil {
		h.t.Fatalf("Round() = %v", err)
	}
	if len(vs) != len(r.Calls) {
		h.t.Fatalf("Round() gave %d verdicts for %d calls", len(vs), len(r.Calls))
	}
	return vs
}

// one puts a single call through in a round of its own.
func (h *house) one(name, args string) gate.Verdict {
	h.t.Helper()
	return h.put(h.round(call(name, args)), nil)[0]
}

func (h *house) entry(id string) ledger.Entry {
	h.t.Helper()
	e, err := h.ledger.Entry(context.WithoutCancel(h.t.Context()), id)
	if err != nil {
		h.t.Fatalf("Entry(%q) = %v", id, err)
	}
	return e
}

// call is a complete function call; its id is made of its name.
func call(name, args string) holdfast.Call {
	return holdfast.Call{ID: "id_" + name, Name: name, Kind: holdfast.FunctionCall, Arguments: args, Complete: true}
}

func withID(c holdfast.Call, id string) holdfast.Call {
	c.ID = id
	return c
}

// tool makes a tool; src may be "" for any object.
func tool(t *testing.T, name string, effect holdfast.Effect, src string, h holdfast.Handler, o *holdfast.ToolOptions) *holdfast.Tool {
	t.Helper()
	if src == "" {
		src = `{"type":"object"}`
	}
	s, err := schema.Compile([]byte(src), nil)
	if err != nil {
		t.Fatalf("Compile(%s) = %v", src, err)
	}
	made, err := holdfast.NewTool(name, "A tool for a test.", s, effect, time.Second, h, o)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// counter counts how often a handler was entered, and with what.
type entered struct {
	mu   sync.Mutex
	args []string
	keys []string
}

func (e *entered) add(ctx context.Context, args schema.Value) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.args = append(e.args, string(args.Raw()))
	e.keys = append(e.keys, holdfast.CallInfoFrom(ctx).Key)
	return len(e.args)
}

func (e *entered) times() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.args)
}

// answers is a handler that counts and hands back a fixed JSON.
func (e *entered) answers(text string) holdfast.Handler {
	return func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
		e.add(ctx, args)
		return holdfast.Result{JSON: json.RawMessage(text)}, nil
	}
}

func (e *entered) fails(err error) holdfast.Handler {
	return func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
		e.add(ctx, args)
		return holdfast.Result{}, err
	}
}

// want checks status, code and stage of a verdict, and that the observation is
// well formed.
func want(t *testing.T, v gate.Verdict, status holdfast.Status, code holdfast.Code, stage gate.Stage) {
	t.Helper()
	if v.Outcome.Status != status || v.Outcome.Code != code {
		t.Fatalf("outcome of %s = %s %q, want %s %q; message: %s", v.Tool, v.Outcome.Status, v.Outcome.Code, status, code, v.Outcome.Message)
	}
	if v.Stage != stage {
		t.Errorf("stage of %s (%s) = %q, want %q", v.Tool, code, v.Stage, stage)
	}
	if status == holdfast.OK && code == "" && !v.Outcome.Replayed {
		return
	}
	if v.Outcome.Message == "" {
		t.Errorf("outcome %s %q has no message", status, code)
	}
	var seen struct {
		Outcome  holdfast.Status
		Code     holdfast.Code
		Executed *bool
		Message  string
	}
	if err := json.Unmarshal([]byte(v.Observation.Content()), &seen); err != nil {
		t.Fatalf("observation %s is not one JSON object: %v", v.Observation.Content(), err)
	}
	if seen.Outcome != status || seen.Code != code {
		t.Errorf("observation = %s, want outcome %q and code %q", v.Observation.Content(), status, code)
	}
	if len(seen.Message) > 700 {
		t.Errorf("message has %d bytes: %s", len(seen.Message), seen.Message)
	}
}

// flakyStore is a store that can be made to fail or hang.
type flakyStore struct {
	ledger.Store

	mu       sync.Mutex
	fail     error  // of every access
	failNext string // of Update: "before" the change, or "after" it
	dead     bool
	releases []func()
	updates  int
	failAt   int           // the Update of that number fails with fail; 0: all of them
	after    func()        // after each Update
	before   func() string // what becomes of this Update: "before", "after", "death before", "death after"
}

type ctx = context.Context

var errBroken = errors.New("disk is on fire")

func (s *flakyStore) set(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = err
}

// kill lets go of what the store's process held, as its death would.
func (s *flakyStore) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead = true
	for _, release := range s.releases {
		release()
	}
}

func (s *flakyStore) Hold(ctx context.Context, owner string) (func(), error) {
	release, err := s.Store.Hold(ctx, owner)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releases = append(s.releases, release)
	return release, err
}

func (s *flakyStore) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	s.mu.Lock()
	s.updates++
	fail, when := s.fail, s.failNext
	if s.dead {
		fail = ledger.ErrUnavailable
	}
	if s.failAt > 0 && s.failAt != s.updates {
		fail = nil
	}
	s.failNext = ""
	if s.before != nil && !s.dead {
		when = s.before()
	}
	s.mu.Unlock()
	switch {
	case when == "death before":
		s.kill()
		return errBroken
	case when == "death after":
		err := s.Store.Update(ctx, fn)
		s.kill()
		return errors.Join(errBroken, err)
	case when == "before":
		return errBroken
	case when == "after":
		if err := s.Store.Update(ctx, fn); err != nil {
			return err
		}
		return errBroken
	case fail != nil:
		return fail
	}
	err := s.Store.Update(ctx, fn)
	if s.after != nil {
		s.after()
	}
	return err
}

func (s *flakyStore) View(ctx context.Context, fn func(ledger.Tx) error) error {
	s.mu.Lock()
	fail := s.fail
	if s.failAt > 0 {
		fail = nil
	}
	s.mu.Unlock()
	if fail != nil {
		return fail
	}
	return s.Store.View(ctx, fn)
}

func (s *flakyStore) Close() error { return nil }

func contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%s = %q, want %q in it", what, text, p)
		}
	}
}

func (h *house) approve(id string) {
	h.t.Helper()
	if _, err := h.ledger.Approve(h.t.Context(), id, "ben", ""); err != nil {
		h.t.Fatalf("Approve(%q) = %v", id, err)
	}
}

func (h *house) resume(r gate.Round) []gate.Verdict {
	h.t.Helper()
	return h.put(r, &gate.RoundOptions{Resume: true})
}

func (h *house) approval(id string) ledger.Approval {
	h.t.Helper()
	a, err := h.ledger.Approval(h.t.Context(), id)
	if err != nil {
		h.t.Fatalf("Approval(%q) = %v", id, err)
	}
	return a
}
