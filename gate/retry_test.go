package gate_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/schema"
)

// busy fails in passing until it was entered so many times.
func busy(e *entered, failures int, after time.Duration) holdfast.Handler {
	return func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
		if e.add(ctx, args) <= failures {
			return holdfast.Result{}, &holdfast.TransientError{Err: errors.New("busy"), After: after}
		}
		return holdfast.Result{JSON: []byte(`{}`)}, nil
	}
}

func TestReadsAreRetried(t *testing.T) {
	for _, row := range []struct {
		name     string
		effect   holdfast.Effect
		failures int
		after    time.Duration
		retries  int
		status   holdfast.Status
		times    int
		atLeast  time.Duration
		atMost   time.Duration
	}{
		{"once", holdfast.Read, 1, 0, 0, holdfast.OK, 2, 50 * time.Millisecond, 100 * time.Millisecond},
		{"twice", holdfast.Read, 2, 0, 0, holdfast.OK, 3, 150 * time.Millisecond, 300 * time.Millisecond},
		{"two are all by default", holdfast.Read, 9, 0, 0, holdfast.Failed, 3, 150 * time.Millisecond, 300 * time.Millisecond},
		{"as often as the tool says", holdfast.Read, 9, 0, 1, holdfast.Failed, 2, 50 * time.Millisecond, 100 * time.Millisecond},
		{"never, where the tool says so", holdfast.Read, 9, 0, -1, holdfast.Failed, 1, 0, 0},
		{"not before the server wants it", holdfast.Read, 1, 400 * time.Millisecond, 0, holdfast.OK, 2, 400 * time.Millisecond, 400 * time.Millisecond},
		{"not after the timeout", holdfast.Read, 1, 1100 * time.Millisecond, 0, holdfast.Failed, 1, 0, 0},
		{"not beyond the timeout in all", holdfast.Read, 99, 0, 50, holdfast.Failed, 4, 300 * time.Millisecond, time.Second},
		{"a write, never", holdfast.Write, 1, 0, 0, holdfast.Uncertain, 1, 0, 0},
		{"an agent call, never", holdfast.Agent, 1, 0, 0, holdfast.Failed, 1, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var e entered
				h := open(t, nil, tool(t, "x", row.effect, "", busy(&e, row.failures, row.after), &holdfast.ToolOptions{Retries: row.retries}))
				begin := time.Now()
				v := h.one("x", `{}`)
				if v.Outcome.Status != row.status || e.times() < row.times || e.times() > row.times+1 || e.times() > row.times && row.times < 4 {
					t.Errorf("%s after %d runs, want %s after %d", v.Outcome.Status, e.times(), row.status, row.times)
				}
				if v.Attempts != e.times() {
					t.Errorf("told %d attempts, want %d", v.Attempts, e.times())
				}
				if took := time.Since(begin); took < row.atLeast || took > row.atMost {
					t.Errorf("took %v, want between %v and %v", took, row.atLeast, row.atMost)
				}
			})
		})
	}
}

func TestOnlyWhatSaysSoIsRetried(t *testing.T) {
	for name, handle := range map[string]holdfast.Handler{
		"a plain error": new(entered).fails(errors.New("no such table")),
		"a panic":       func(context.Context, schema.Value) (holdfast.Result, error) { panic("oops") },
		"an error that panics": func(context.Context, schema.Value) (holdfast.Result, error) {
			return holdfast.Result{}, evilError{}
		},
		"a timeout": func(ctx context.Context, _ schema.Value) (holdfast.Result, error) {
			<-ctx.Done()
			return holdfast.Result{}, &holdfast.TransientError{Err: ctx.Err()}
		},
		"too large a result": func(context.Context, schema.Value) (holdfast.Result, error) {
			return holdfast.Result{Text: "much"}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, nil, tool(t, "x", holdfast.Read, "", handle, &holdfast.ToolOptions{HandlerBytes: 1}))
				if v := h.one("x", `{}`); v.Attempts != 1 || v.Outcome.Status != holdfast.Failed {
					t.Errorf("%s after %d attempts, want failed after 1", v.Outcome.Status, v.Attempts)
				}
			})
		})
	}
}

// evilError breaks whoever looks into it.
type evilError struct{}

func (evilError) Error() string { return "evil" }
func (evilError) As(any) bool   { panic("oops") }

func TestARetryIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e entered
		h := open(t, nil, tool(t, "x", holdfast.Read, "", busy(&e, 9, 500*time.Millisecond), nil))
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		begin := time.Now()
		want(t, h.putIn(ctx, h.round(call("x", `{}`)), nil)[0], holdfast.Failed, holdfast.Cancelled, gate.Execute)
		if took := time.Since(begin); e.times() != 1 || took != 100*time.Millisecond {
			t.Errorf("entered %d times in %v, want once, and no pause after the cancellation", e.times(), took)
		}
	})
}

// Three calls that were each tried several times are three failures.
func TestRetriesAreOneFailureToTheCircuit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e entered
		h := open(t, nil, tool(t, "x", holdfast.Read, "", busy(&e, 99, 0), nil))
		for range 3 {
			want(t, h.one("x", `{}`), holdfast.Failed, holdfast.ToolError, gate.Execute)
		}
		want(t, h.one("x", `{}`), holdfast.Rejected, holdfast.CircuitOpen, gate.Admit)
		if e.times() != 9 {
			t.Errorf("handler entered %d times, want 9: three times three", e.times())
		}
	})
}

func TestTheModelIsToldWhenToTryAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, nil, tool(t, "x", holdfast.Read, "", busy(new(entered), 9, 30*time.Second), nil))
		v := h.one("x", `{}`)
		contains(t, "next", v.Outcome.Next, "in 30 seconds at the earliest")
	})
}

func TestCounterForgetsRuns(t *testing.T) {
	k := gate.NewCounter(&gate.CounterLimits{Budget: 1})
	admit := func(run string) holdfast.Code {
		return k.Admit(t.Context(), gate.Proposal{Name: "x", Run: run}).Code
	}
	if admit("first") != "" || admit("first") != holdfast.BudgetExceeded {
		t.Fatal("a budget of 1 does not hold")
	}
	for i := range 30_000 {
		if code := admit(string(rune(i)) + "run"); code != "" && i < 0xd800 {
			t.Fatalf("run %d = %s", i, code)
		}
	}
	if code := admit("first"); code != "" {
		t.Errorf("a run from long ago = %s, want it forgotten, or the memory grows for ever", code)
	}
}

// A write that was refused for now is told when it may come again, and not run
// again by itself.
func TestAWriteThatWasRefusedForNow(t *testing.T) {
	var e entered
	refused := holdfast.WithoutEffect(&holdfast.TransientError{Err: errors.New("too many"), After: 30 * time.Second})
	h := open(t, nil, tool(t, "x", holdfast.Write, "", e.fails(refused), nil))
	v := h.one("x", `{}`)
	want(t, v, holdfast.Failed, holdfast.ToolError, gate.Execute)
	contains(t, "next", v.Outcome.Next, "in 30 seconds at the earliest")
	if e.times() != 1 {
		t.Errorf("handler entered %d times, want once", e.times())
	}
}
