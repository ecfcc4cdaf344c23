package gate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/schema"
)

// slowRead takes a while, and counts.
func slowRead(t *testing.T, e *entered, o *holdfast.ToolOptions) *holdfast.Tool {
	return tool(t, "slow", holdfast.Read, "", func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
		n := e.add(ctx, args)
		select {
		case <-time.After(100 * time.Millisecond):
			return holdfast.Result{Text: fmt.Sprint("answer ", n)}, nil
		case <-ctx.Done():
			return holdfast.Result{}, ctx.Err()
		}
	}, o)
}

// as is a round of one call for a principal in a run of its own.
func as(p holdfast.Principal, run, args string) gate.Round {
	return gate.Round{Run: run, Turn: 1, Number: 1, Complete: true, Ending: "ended", Principal: p, Calls: []holdfast.Call{call("slow", args)}}
}

func TestEqualReadsAtTheSameTimeRunOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e entered
		h := open(t, nil, slowRead(t, &e, nil))
		other := holdfast.Principal{Tenant: me.Tenant, ID: "ben"}
		rounds := []gate.Round{
			as(me, "a", `{"n":1}`), as(me, "b", `{ "n": 1.0 }`), as(me, "c", `{"n":1e0}`), // one read
			as(me, "d", `{"n":2}`), as(other, "e", `{"n":1}`), as(holdfast.Principal{Tenant: "work", ID: me.ID}, "f", `{"n":1}`),
		}
		verdicts := make([]gate.Verdict, len(rounds))
		var wg sync.WaitGroup
		for i, r := range rounds {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				verdicts[i] = h.put(r, nil)[0]
			})
		}
		wg.Wait()
		if e.times() != 4 {
			t.Errorf("handler entered %d times, want 4: one principal's equal reads are one, and nobody else's", e.times())
		}
		for i, v := range verdicts {
			attempts := 1
			if i == 1 || i == 2 {
				attempts = 0
			}
			if v.Outcome.Status != holdfast.OK || v.Attempts != attempts || (i < 3) != (v.Observation.Content() == "answer 1") {
				t.Errorf("read %d = %s after %d attempts: %s", i, v.Outcome.Status, v.Attempts, v.Observation.Content())
			}
			if h.entry(v.LedgerID).State != "ok" {
				t.Errorf("read %d has no entry of its own", i)
			}
		}
		h.put(as(me, "g", `{"n":1}`), nil)
		if e.times() != 5 {
			t.Errorf("handler entered %d times, want a later read to run: nothing says that it may be kept", e.times())
		}
	})
}

func TestACancelledReadDoesNotAnswerForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e entered
		h := open(t, nil, slowRead(t, &e, nil))
		var wg sync.WaitGroup
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			want(t, h.putIn(ctx, as(me, "a", `{}`), nil)[0], holdfast.Failed, holdfast.Cancelled, gate.Execute)
		})
		wg.Go(func() {
			time.Sleep(time.Millisecond)
			if v := h.put(as(me, "b", `{}`), nil)[0]; v.Observation.Content() != "answer 2" {
				t.Errorf("the second read = %s, want it to run by itself once the first was cancelled", v.Observation.Content())
			}
		})
		wg.Go(func() {
			time.Sleep(2 * time.Millisecond)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			want(t, h.putIn(ctx, as(me, "c", `{}`), nil)[0], holdfast.Rejected, holdfast.Cancelled, gate.Admit)
		})
		wg.Wait()
	})
}

func TestKeptReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e entered
		h := open(t, nil, slowRead(t, &e, &holdfast.ToolOptions{CacheFor: time.Minute}))
		steps := []struct {
			name   string
			after  time.Duration
			round  gate.Round
			times  int
			answer string
		}{
			{"first", 0, as(me, "a", `{"n":1}`), 1, "answer 1"},
			{"again, in another run", 0, as(me, "b", `{"n":1.0}`), 1, "answer 1"},
			{"other arguments", 0, as(me, "c", `{"n":2}`), 2, "answer 2"},
			{"another person", 0, as(holdfast.Principal{Tenant: me.Tenant, ID: "ben"}, "d", `{"n":1}`), 3, "answer 3"},
			{"another tenant", 0, as(holdfast.Principal{Tenant: "work", ID: me.ID}, "e", `{"n":1}`), 4, "answer 4"},
			{"just within its time", 59 * time.Second, as(me, "f", `{"n":1}`), 4, "answer 1"},
			{"after its time", 2 * time.Second, as(me, "g", `{"n":1}`), 5, "answer 5"},
		}
		for _, s := range steps {
			time.Sleep(s.after)
			v := h.put(s.round, nil)[0]
			if e.times() != s.times || v.Observation.Content() != s.answer {
				t.Errorf("%s: entered %d times, told %q; want %d, %q", s.name, e.times(), v.Observation.Content(), s.times, s.answer)
			}
		}
	})
}

func TestFailuresAreNotKept(t *testing.T) {
	var e entered
	h := open(t, nil, tool(t, "slow", holdfast.Read, "", e.fails(errors.New("no")), &holdfast.ToolOptions{CacheFor: time.Minute}))
	for range 2 {
		want(t, h.one("slow", `{}`), holdfast.Failed, holdfast.ToolError, gate.Execute)
	}
	if e.times() != 2 {
		t.Errorf("handler entered %d times, want 2: what failed is asked again", e.times())
	}
}

func TestKeptReadsStayWithinTheirBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e entered
		big := strings.Repeat("x", 1000)
		h := open(t, &gate.Options{CacheBytes: 8 << 10}, tool(t, "slow", holdfast.Read, "", func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
			e.add(ctx, args)
			if n, _ := args.Get("n"); n.Text() == "99" {
				return holdfast.Result{Text: strings.Repeat(big, 5)}, nil
			}
			return holdfast.Result{Text: big}, nil
		}, &holdfast.ToolOptions{CacheFor: time.Hour}))
		ask := func(n int) { h.put(as(me, fmt.Sprint("run", h.rounds, n, e.times()), fmt.Sprintf(`{"n":%d}`, n)), nil) }
		for n := range 20 {
			ask(n)
			ask(0) // the one that is asked for stays
		}
		if e.times() != 20 {
			t.Errorf("handler entered %d times, want 20: what is used is kept", e.times())
		}
		ask(1)
		ask(99)
		ask(99)
		if e.times() != 23 {
			t.Errorf("handler entered %d times, want 23: the oldest is forgotten, and what is too large is not kept", e.times())
		}
	})
}

func TestNothingIsKeptWhereNobodyWantsIt(t *testing.T) {
	var e entered
	h := open(t, &gate.Options{CacheBytes: -1}, tool(t, "slow", holdfast.Read, "", e.answers(`{}`), &holdfast.ToolOptions{CacheFor: time.Hour}))
	h.one("slow", `{}`)
	h.one("slow", `{}`)
	if e.times() != 2 {
		t.Errorf("handler entered %d times, want 2", e.times())
	}
}

// A result that another call may not have is not kept from it by permission, and
// that is asked for every call.
func TestAKeptReadIsAuthorised(t *testing.T) {
	var e entered
	allowed := true
	h := open(t, &gate.Options{Authorizer: rulingFunc(func() gate.Ruling { return gate.Ruling{Allow: allowed} })},
		tool(t, "slow", holdfast.Read, "", e.answers(`{}`), &holdfast.ToolOptions{CacheFor: time.Hour}))
	want(t, h.one("slow", `{}`), holdfast.OK, "", gate.Execute)
	allowed = false
	want(t, h.one("slow", `{}`), holdfast.Rejected, holdfast.NotPermitted, gate.Authorise)
}

type rulingFunc func() gate.Ruling

func (f rulingFunc) Authorize(context.Context, gate.Proposal) (gate.Ruling, error) { return f(), nil }

// Several that wait for one failure are one failure to the circuit, and while that
// is open, what is kept is still told.
func TestSharedReadsAndTheCircuit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e entered
		bad := false
		h := open(t, nil, tool(t, "slow", holdfast.Read, "", func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
			e.add(ctx, args)
			time.Sleep(10 * time.Millisecond)
			if bad {
				return holdfast.Result{}, errors.New("down")
			}
			return holdfast.Result{JSON: []byte(`{}`)}, nil
		}, &holdfast.ToolOptions{CacheFor: time.Hour}))
		want(t, h.one("slow", `{"kept":1}`), holdfast.OK, "", gate.Execute)
		bad = true
		var calls []holdfast.Call
		for i := range 5 {
			calls = append(calls, withID(call("slow", `{}`), fmt.Sprint(i)))
		}
		for i, v := range h.put(h.round(calls...), nil) {
			if v.Outcome.Code != holdfast.ToolError {
				t.Errorf("read %d = %s %s, want the one failure told to all", i, v.Outcome.Status, v.Outcome.Code)
			}
		}
		for range 2 {
			want(t, h.one("slow", `{}`), holdfast.Failed, holdfast.ToolError, gate.Execute)
		}
		want(t, h.one("slow", `{}`), holdfast.Rejected, holdfast.CircuitOpen, gate.Admit)
		want(t, h.one("slow", `{"kept":1}`), holdfast.OK, "", gate.Admit)
		if e.times() != 4 {
			t.Errorf("handler entered %d times, want 4", e.times())
		}
	})
}
