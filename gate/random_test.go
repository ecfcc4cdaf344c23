package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/schema"
)

var randomRuns = flag.Int("random", 150, "how many random lives TestRandomLives plays")

// world is what the handlers did, by key: the truth that outcomes are held to.
type world struct {
	mu      sync.Mutex
	entered map[string]int // by key, how often a write's handler was entered
	noted   map[string]int // by key, how often it said that nothing happened
}

// life is one run whose process may die at any handler and any write to the
// ledger, and whose approvals are answered at random.
type life struct {
	*house
	rng   *rand.Rand
	world *world
	mu    sync.Mutex // rng's, in handlers that run in parallel
	tools []*holdfast.Tool
}

func (l *life) roll(n int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rng.IntN(n)
}

func (l *life) handler(ctx context.Context, _ schema.Value) (holdfast.Result, error) {
	key := holdfast.CallInfoFrom(ctx).Key
	l.world.mu.Lock()
	l.world.entered[key]++
	l.world.mu.Unlock()
	switch l.roll(8) {
	case 0:
		return holdfast.Result{}, errors.New("connection reset")
	case 1:
		l.world.mu.Lock()
		l.world.noted[key]++
		l.world.mu.Unlock()
		return holdfast.Result{}, holdfast.WithoutEffect(errors.New("declined"))
	case 2:
		panic("oops")
	case 3:
		l.store.kill()
	}
	return holdfast.Result{JSON: json.RawMessage(`{"done":true}`)}, nil
}

func newLife(t *testing.T, seed uint64) *life {
	l := &life{rng: rand.New(rand.NewPCG(seed, 1)), world: &world{entered: map[string]int{}, noted: map[string]int{}}}
	o := func(o holdfast.ToolOptions) *holdfast.ToolOptions { return &o }
	l.tools = []*holdfast.Tool{
		tool(t, "look", holdfast.Read, "", l.handler, nil),
		tool(t, "put", holdfast.Write, `{"type":"object","properties":{"n":{"type":"integer"}}}`, l.handler, nil),
		tool(t, "pay", holdfast.Write, "", l.handler, always()),
		tool(t, "beep", holdfast.Write, "", l.handler, o(holdfast.ToolOptions{Repeats: true, TellsApart: true})),
		tool(t, "peek", holdfast.Read, "", l.handler, always()),
		tool(t, "ask", holdfast.Agent, "", l.handler, nil),
	}
	l.house = open(t, &gate.Options{Admitter: new(quiet)}, l.tools...)
	return l
}

// quiet admits everything: circuits would end most lives early.
type quiet struct{}

func (*quiet) Admit(context.Context, gate.Proposal) gate.Admission { return gate.Admission{} }
func (*quiet) Ended(gate.Proposal, holdfast.Outcome)               {}

func (l *life) restart() {
	rounds := l.rounds
	l.store.kill()
	l.house = openOver(l.t, &flakyStore{Store: l.store.Store}, &gate.Options{Admitter: new(quiet)}, l.tools...)
	l.rounds = rounds
}

func (l *life) proposal() gate.Round {
	var calls []holdfast.Call
	for i := range 1 + l.roll(6) {
		names := []string{"look", "put", "put", "pay", "beep", "peek", "ask", "putt"}
		texts := []string{`{"n":1}`, `{"n":1}`, ` {"n": 1.0}`, `{"n":2}`, `{"n":3}`, `{"n":"x"}`, `{"n":`}
		id := fmt.Sprint(i)
		if l.roll(10) == 0 {
			id = "0"
		}
		calls = append(calls, withID(call(names[l.roll(len(names))], texts[l.roll(len(texts))]), id))
	}
	r := l.round(calls...)
	if l.roll(15) == 0 {
		r.Complete, r.Ending = false, "cut"
	}
	return r
}

// play puts a round through until every call of it is answered.
func (l *life) play(r gate.Round) []gate.Verdict {
	vs := l.put(r, nil)
	for range 200 {
		switch {
		case l.store.killed() || l.roll(6) == 0:
			l.restart()
		case l.settled(vs):
			return vs
		}
		for _, v := range vs {
			if v.ApprovalID == "" || v.Outcome.Status != holdfast.Pending {
				continue
			}
			switch l.roll(4) {
			case 0:
				_, _ = l.ledger.Deny(l.t.Context(), v.ApprovalID, "ben", "no")
			case 1, 2:
				_, _ = l.ledger.Approve(l.t.Context(), v.ApprovalID, "ben", "")
			}
		}
		vs = l.resume(r)
	}
	l.t.Fatalf("round %d never ends: %+v", r.Number, vs)
	return nil
}

func (s *flakyStore) killed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead
}

func (l *life) settled(vs []gate.Verdict) bool {
	for _, v := range vs {
		if v.Waiting || v.Outcome.Status == holdfast.Pending {
			return false
		}
	}
	return true
}

func (l *life) check(r gate.Round, vs []gate.Verdict) {
	l.t.Helper()
	results := map[string]int{}
	for i, v := range vs {
		if v.Position != i || v.Outcome.Status == "" {
			l.t.Errorf("verdict %d = %+v", i, v)
		}
		if v.Answer {
			results[v.CallID]++
		}
		text := v.Observation.Content()
		if !utf8.ValidString(text) || v.Observation.JSON != nil && !json.Valid(v.Observation.JSON) {
			l.t.Errorf("observation %d = %q", i, text)
		}
	}
	for _, c := range r.Calls {
		if results[c.ID] != 1 {
			l.t.Errorf("round %d: id %q has %d results, want 1: %+v", r.Number, c.ID, results[c.ID], vs)
		}
	}
	// A recorded outcome stands: told again, it is the same.
	for i, v := range l.resume(r) {
		if v.Outcome.Status != vs[i].Outcome.Status || v.Outcome.Code != vs[i].Outcome.Code {
			l.t.Errorf("round %d, call %d told again = %+v, first %+v", r.Number, i, v.Outcome, vs[i].Outcome)
		}
	}
}

// Whatever dies when: a write is entered at most once more than it was known to
// have had no effect, and every id of every round is answered exactly once.
func TestRandomLives(t *testing.T) {
	for seed := range *randomRuns {
		l := newLife(t, uint64(seed))
		for range 4 {
			r := l.proposal()
			vs := l.play(r)
			if l.store.killed() {
				l.restart()
			}
			l.check(r, vs)
		}
		for key, times := range l.world.entered {
			if key != "" && times > 1+l.world.noted[key] {
				t.Errorf("seed %d: key %s was entered %d times with %d known to have had no effect", seed, key, times, l.world.noted[key])
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
