package gate_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

// shop is a write whose effect a confirm function can look for.
type shop struct {
	mu      sync.Mutex
	effects int
	says    holdfast.EffectState // "": what is true
	asked   []time.Time
	entered entered
	handle  func(ctx context.Context) error
	hangs   chan struct{} // confirm waits for it, if there is one
}

func (s *shop) tool(t *testing.T, o holdfast.ToolOptions) *holdfast.Tool {
	o.Confirm = func(_ context.Context, key string, _ schema.Value) (holdfast.Confirmation, error) {
		if s.hangs != nil {
			<-s.hangs
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked = append(s.asked, time.Now())
		says := s.says
		if says == "" {
			says = holdfast.DidNotHappen
			if s.effects > 0 {
				says = holdfast.Happened
			}
		}
		return holdfast.Confirmation{Effect: says, Result: &holdfast.Result{JSON: []byte(`{"order":7}`)}, Evidence: "order 7 under " + key}, nil
	}
	return tool(t, "order", holdfast.Write, `{"type":"object","properties":{"pin":{"type":"string","writeOnly":true}}}`, func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
		s.entered.add(ctx, args)
		if err := s.handle(ctx); err != nil {
			return holdfast.Result{}, err
		}
		return holdfast.Result{JSON: []byte(`{}`)}, nil
	}, &o)
}

func (s *shop) happens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.effects++
}

func (s *shop) timesAsked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

func (h *house) reconfirm(ids ...string) []gate.Verdict {
	h.t.Helper()
	list, err := h.gate.Reconfirm(h.t.Context(), ids...)
	if err != nil {
		h.t.Fatalf("Reconfirm() = %v", err)
	}
	return list
}

// runs starts the gate's loop, until the test's end.
func (h *house) runs() (stop func()) {
	ctx, cancel := context.WithCancel(h.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := h.gate.Run(ctx); !errors.Is(err, context.Canceled) {
			h.t.Errorf("Run() = %v", err)
		}
	}()
	return func() { cancel(); <-ended }
}

// killed is the house after the process died within the handler, once that had
// done its work or before.
func killed(t *testing.T, s *shop, o holdfast.ToolOptions, args string, done bool) (*house, string) {
	t.Helper()
	var h *house
	var id string
	s.handle = func(ctx context.Context) error {
		id = holdfast.CallInfoFrom(ctx).LedgerID
		if done {
			s.happens()
		}
		h.store.kill()
		return nil
	}
	h = open(t, nil, s.tool(t, o))
	h.one("order", args)
	s.handle = func(context.Context) error { s.happens(); return nil }
	s.asked = nil // by the process that died
	return h.again(s.tool(t, o)), id
}

func TestReconfirm_a_write_whose_process_died_and_that_happened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shop
		h, id := killed(t, &s, holdfast.ToolOptions{}, `{"n":1}`, true)
		want(t, h.one("order", `{"n":1}`), holdfast.Rejected, holdfast.UnresolvedWrite, gate.Claim)
		asked := h.reconfirm()
		if len(asked) != 1 || asked[0].Outcome.Status != holdfast.OK || h.entry(id).State != ledger.StateOK {
			t.Fatalf("Reconfirm() = %+v, want it ok", asked)
		}
		v := h.one("order", `{"n":1}`)
		if !v.Outcome.Replayed || v.LedgerID != id || s.entered.times() != 1 || s.effects != 1 {
			t.Errorf("the same write = replayed %t, %d runs, %d effects; want it replayed, one and one", v.Outcome.Replayed, s.entered.times(), s.effects)
		}
		contains(t, "observation", v.Observation.Content(), `{"order":7}`)
		story, err := h.ledger.Events(t.Context(), id)
		if err != nil || story[len(story)-1].Who != "confirm function" {
			t.Errorf("story = %+v, %v; want it to say who resolved it", story, err)
		}
		if again := h.reconfirm(); len(again) != 0 {
			t.Errorf("Reconfirm() = %+v, want nothing left to ask", again)
		}
	})
}

func TestReconfirm_tells_the_observer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := shop{says: holdfast.Unknown}
		h, id := killed(t, &s, holdfast.ToolOptions{}, `{"n":1}`, true)
		e := &ear{}
		h.gate = openOver(t, &flakyStore{Store: h.store.Store}, &gate.Options{Observe: e.observe}, s.tool(t, holdfast.ToolOptions{})).gate
		h.reconfirm()
		h.reconfirm() // not its turn yet: nobody is asked, and nothing told
		s.says = ""
		h.reconfirm(id)
		if got, want := e.outcomes(), "order ok, order uncertain unconfirmed"; got != want || len(e.begun) != 2 {
			t.Fatalf("told of %s after %d begins, want %s, each begun", got, len(e.begun), want)
		}
		for i, p := range e.ended {
			if p.Verdict.LedgerID != id || p.Definition == nil || p.Stage != gate.Confirm || len(p.Took) != 1 || p.Run != "run" {
				t.Errorf("end %d = %+v, want it of entry %s, in confirm alone", i, p, id)
			}
		}
		h.reconfirm(id)
		if len(e.begun) != 2 {
			t.Error("told of a write that is resolved, which nobody was asked about")
		}
	})
}

func TestReconfirm_a_no_counts_only_after_the_time_in_flight(t *testing.T) {
	for _, row := range []struct {
		name     string
		inFlight time.Duration
		counts   time.Duration // since the write became uncertain
	}{
		{"the tool's timeout, after a crash", 0, time.Second},
		{"what the tool states", time.Minute, time.Minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s shop
				h, id := killed(t, &s, holdfast.ToolOptions{InFlight: row.inFlight}, `{"n":1}`, false)
				begin := h.entry(id).End
				stop := h.runs()
				defer stop()
				for h.entry(id).State == ledger.StateUncertain && time.Since(begin) < time.Hour {
					time.Sleep(100 * time.Millisecond)
				}
				took := time.Since(begin)
				if h.entry(id).State != ledger.StateFailed || took < row.counts || took > 3*row.counts+10*time.Second {
					t.Errorf("%s after %v, want failed soon after %v", h.entry(id).State, took, row.counts)
				}
				want(t, h.one("order", `{"n":1}`), holdfast.OK, "", gate.Confirm)
				if s.effects != 1 {
					t.Errorf("%d effects, want 1", s.effects)
				}
			})
		})
	}
}

// A "no" that came too early would have let the model order twice.
func TestReconfirm_a_late_effect_is_seen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shop
		s.handle = func(context.Context) error {
			time.AfterFunc(10*time.Second, s.happens)
			return errors.New("connection reset")
		}
		h := open(t, nil, s.tool(t, holdfast.ToolOptions{InFlight: 30 * time.Second}))
		stop := h.runs()
		defer stop()
		v := h.one("order", `{}`)
		want(t, v, holdfast.Uncertain, holdfast.Unconfirmed, gate.Confirm)
		contains(t, "message", v.Outcome.Message, "may still come")
		contains(t, "next", v.Outcome.Next, "a check, or a person, has to find out")
		time.Sleep(time.Minute)
		if got := h.entry(v.LedgerID); got.State != ledger.StateOK {
			t.Errorf("entry is %s, want ok: the effect came within the time in flight", got.State)
		}
		if h.one("order", `{}`); s.entered.times() != 1 || s.effects != 1 {
			t.Errorf("%d runs, %d effects, want 1 and 1", s.entered.times(), s.effects)
		}
	})
}

func TestReconfirm_backs_off_and_ends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := shop{says: holdfast.Unknown}
		h, id := killed(t, &s, holdfast.ToolOptions{}, `{}`, true)
		stop := h.runs()
		time.Sleep(24 * time.Hour)
		stop()
		if n := s.timesAsked(); n != 16 || h.entry(id).Asked != 16 {
			t.Errorf("asked %d times, recorded %d; want 16", n, h.entry(id).Asked)
		}
		for i := 2; i < len(s.asked); i++ {
			before, after := s.asked[i-1].Sub(s.asked[i-2]), s.asked[i].Sub(s.asked[i-1])
			if after < before || after > 2*before+5*time.Second || after > time.Hour+10*time.Second {
				t.Errorf("pause %d is %v after %v, want about twice, and at most an hour", i, after, before)
			}
		}
		s.says = ""
		if asked := h.reconfirm(); len(asked) != 0 {
			t.Errorf("Reconfirm() = %+v, want it left to a person", asked)
		}
		if asked := h.reconfirm(id); len(asked) != 1 || asked[0].Outcome.Status != holdfast.OK {
			t.Errorf("Reconfirm(id) = %+v, want it asked when a person wants it", asked)
		}
	})
}

func TestReconfirm_several_processes_take_turns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := shop{says: holdfast.Unknown}
		h, id := killed(t, &s, holdfast.ToolOptions{}, `{}`, true)
		var stops []func()
		for range 3 {
			other := openOver(t, &flakyStore{Store: h.store.Store}, nil, s.tool(t, holdfast.ToolOptions{}))
			stops = append(stops, other.runs())
		}
		time.Sleep(10 * time.Minute)
		for _, stop := range stops {
			stop()
		}
		if n := s.timesAsked(); n < 7 || n > 9 || h.entry(id).Asked != n {
			t.Errorf("three processes asked %d times in 10 minutes, recorded %d; want what one would", n, h.entry(id).Asked)
		}
		if slices.ContainsFunc(s.asked[1:], func(at time.Time) bool { return at.Equal(s.asked[0]) }) {
			t.Error("two asked at once")
		}
	})
}

func TestReconfirm_not_while_its_handler_still_runs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shop
		s.handle = func(context.Context) error { // ignores its cancellation
			time.Sleep(time.Hour)
			s.happens()
			return nil
		}
		h := open(t, nil, s.tool(t, holdfast.ToolOptions{}))
		v := h.one("order", `{}`)
		want(t, v, holdfast.Uncertain, holdfast.Unconfirmed, gate.Confirm)
		other := openOver(t, &flakyStore{Store: h.store.Store}, nil, s.tool(t, holdfast.ToolOptions{}))
		stop, stopOther := h.runs(), other.runs()
		time.Sleep(50 * time.Minute)
		if got := h.entry(v.LedgerID).State; got != ledger.StateUncertain {
			t.Fatalf("entry is %s while its handler runs, want uncertain", got)
		}
		time.Sleep(2 * time.Hour)
		stop()
		stopOther()
		if got := h.entry(v.LedgerID).State; got != ledger.StateOK || s.entered.times() != 1 {
			t.Errorf("entry is %s after %d runs, want ok after one", got, s.entered.times())
		}
	})
}

func TestReconfirm_what_cannot_be_asked_says_why(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shop
		h, secret := killed(t, &s, holdfast.ToolOptions{}, `{"pin":"1234"}`, true)
		if asked := h.reconfirm(); len(asked) != 0 || s.timesAsked() != 0 {
			t.Errorf("Reconfirm() = %+v, want what cannot be asked left alone", asked)
		}
		asked := h.reconfirm(secret)
		if len(asked) != 1 {
			t.Fatalf("Reconfirm(id) = %+v, want one answer", asked)
		}
		want(t, asked[0], holdfast.Uncertain, holdfast.Unconfirmed, gate.Confirm)
		contains(t, "message", asked[0].Outcome.Message, "secrets are masked")
		if _, err := h.gate.Reconfirm(t.Context(), "nobody"); !errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("Reconfirm(nobody) = %v, want ErrNotFound", err)
		}
	})
}

func TestReconfirm_a_person_is_faster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shop
		h, id := killed(t, &s, holdfast.ToolOptions{}, `{}`, true)
		s.hangs = make(chan struct{})
		done := make(chan []gate.Verdict)
		go func() {
			list, _ := h.gate.Reconfirm(t.Context())
			done <- list
		}()
		time.Sleep(100 * time.Millisecond)
		e := h.entry(id)
		said := holdfast.Outcome{Status: holdfast.Failed, Code: holdfast.NoEffect, Message: "x"}
		if _, err := h.ledger.Resolve(t.Context(), id, e.Fence, said, "bea", "not on the statement"); err != nil {
			t.Fatalf("Resolve() = %v", err)
		}
		close(s.hangs)
		if list := <-done; len(list) != 1 || list[0].Outcome.Status != holdfast.Uncertain {
			t.Errorf("Reconfirm() = %+v, want its answer to be too late", list)
		}
		if got := h.entry(id).State; got != ledger.StateFailed {
			t.Errorf("entry is %s, want what the person said", got)
		}
	})
}

func TestReconfirm_bad_confirm_functions(t *testing.T) {
	for name, confirm := range map[string]confirmFunc{
		"panics": func(context.Context, string, schema.Value) (holdfast.Confirmation, error) { panic("oops") },
		"fails": func(context.Context, string, schema.Value) (holdfast.Confirmation, error) {
			return holdfast.Confirmation{Effect: holdfast.DidNotHappen}, errors.New("cannot look")
		},
		"hangs": func(ctx context.Context, _ string, _ schema.Value) (holdfast.Confirmation, error) {
			<-ctx.Done()
			return holdfast.Confirmation{}, ctx.Err()
		},
		"talks nonsense": says("maybe"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var e entered
				h := open(t, nil, tool(t, "x", holdfast.Write, "", e.fails(errors.New("reset")), &holdfast.ToolOptions{Confirm: confirm}))
				v := h.one("x", `{}`)
				time.Sleep(time.Minute)
				if asked := h.reconfirm(); len(asked) != 1 || asked[0].Outcome.Code != holdfast.Unconfirmed || h.entry(v.LedgerID).State != ledger.StateUncertain {
					t.Errorf("Reconfirm() = %+v, entry %s; want it uncertain, and why", asked, h.entry(v.LedgerID).State)
				}
			})
		})
	}
}
