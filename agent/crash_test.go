package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/ledger"
)

// dying is a store whose process ends at one of its writes: before the write is
// durable or after, as told. From then on it answers nothing.
type dying struct {
	ledger.Store
	left  int // writes until the end; 0: never
	after bool
	dead  bool
}

var errDied = errors.New("the process died")

func (d *dying) Update(ctx context.Context, fn func(tx ledger.Tx) error) error {
	if d.dead {
		return errDied
	}
	if d.left > 0 {
		if d.left--; d.left == 0 {
			d.dead = true
			if d.after {
				if err := d.Store.Update(ctx, fn); err != nil {
					return err
				}
			}
			return errDied
		}
	}
	return d.Store.Update(ctx, fn)
}

func (d *dying) View(ctx context.Context, fn func(tx ledger.Tx) error) error {
	if d.dead {
		return errDied
	}
	return d.Store.View(ctx, fn)
}

const crashing = `
rules:
  - when: {message: go}
    reasoning: I shall.
    calls:
      - {name: find, arguments: {q: a}}
      - {name: store, arguments: {name: a, grams: 1}}
      - {name: buy, arguments: {name: b, grams: 2}}
      - {name: store, arguments: {name: c, grams: 3}}
  - when: {after: buy, step: 1}
    calls: [{name: store, arguments: {name: d, grams: 4}}, {name: find, arguments: {q: b}}]
  - when: {after: store, step: 2}
    say: "done"
`

// toTheEnd drives run r on, approving what waits, until its turn ended.
func (s *stage) toTheEnd() (agent.Result, error) {
	for {
		r, err := s.agent.Resume(s.t.Context(), "r")
		if errors.Is(err, agent.ErrNoOpenTurn) {
			turns, err := s.ledger.Turns(s.t.Context(), "r")
			if err == nil && len(turns) == 0 {
				r, err = s.agent.Turn(s.t.Context(), "r", "go")
			} else if err == nil {
				last := turns[len(turns)-1]
				r = agent.Result{End: agent.End(last.End), Answer: last.Answer}
			}
			if err != nil || r.End != agent.Pending {
				return r, err
			}
		}
		if err != nil && !errors.Is(err, agent.ErrNoOpenTurn) || r.End != agent.Pending {
			return r, err
		}
		if _, err := s.ledger.Approve(s.t.Context(), r.ApprovalID, "ana", ""); err != nil {
			return r, err
		}
	}
}

// The process ends at each of its writes in turn, before it is durable and
// after: whoever comes next goes on to the end from the record alone, no write
// runs twice, and the provider takes every request.
func TestTurn_survives_the_end_of_its_process_at_every_write(t *testing.T) {
	for _, codec := range codecs() {
		t.Run(codec.API(), func(t *testing.T) {
			for _, after := range []bool{false, true} {
				writes := 0
				for n := 1; ; n++ {
					s := newStage(t, codec, crashing, agent.Options{})
					store := &dying{Store: s.store, left: n, after: after}
					if !s.crashAt(store) {
						break
					}
					writes++
					s.survives(n, after)
				}
				if writes < 12 {
					t.Errorf("the turn made only %d writes; want more to die at", writes)
				}
			}
		})
	}
}

// crashAt runs the conversation over a store that dies, and reports whether it
// did.
func (s *stage) crashAt(store *dying) bool {
	s.t.Helper()
	if err := s.ledger.Close(); err != nil {
		s.t.Fatal(err)
	}
	s.openOver(store)
	if _, err := s.toTheEnd(); err != nil && !store.dead {
		s.t.Fatal(err)
	}
	// What the dead process still tries must not reach the store, and its lock
	// on its owner goes with it.
	ctx, cancel := context.WithCancel(s.t.Context())
	cancel()
	_ = s.gate.Close(ctx)
	_ = s.ledger.Close()
	return store.dead
}

func (s *stage) survives(n int, after bool) {
	s.t.Helper()
	s.open()
	r, err := s.toTheEnd()
	if err != nil || r.End != agent.Answer || r.Answer != "done" {
		s.t.Errorf("died at write %d (after: %t), then: %s %q %s %v, %v", n, after, r.End, r.Answer, r.Message, r.Err, err)
	}
	ran := slices.DeleteFunc(s.ran(), func(call string) bool { return !strings.HasPrefix(call, "store") })
	slices.Sort(ran)
	if twice := len(ran) - len(slices.Compact(slices.Clone(ran))); twice > 0 {
		s.t.Errorf("died at write %d (after: %t): %d writes ran twice: %q", n, after, twice, ran)
	}
	entries, err := s.ledger.Entries(s.t.Context(), ledger.Filter{Run: "r"})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range entries {
		if e.Outcome == nil {
			s.t.Errorf("died at write %d (after: %t): call of %s is %s without an outcome", n, after, e.Tool, e.State)
		}
	}
	if err := s.gate.Close(s.t.Context()); err != nil {
		s.t.Error(err)
	}
	if err := s.ledger.Close(); err != nil {
		s.t.Error(err)
	}
}
