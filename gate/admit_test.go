package gate_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

// moody is a write that fails without effect while bad is set.
func moody(t *testing.T, e *entered, bad *bool) *holdfast.Tool {
	return tool(t, "moody", holdfast.Write, `{"type":"object","properties":{"n":{"type":"integer"}}}`,
		func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
			e.add(ctx, args)
			if *bad {
				return holdfast.Result{}, holdfast.WithoutEffect(errors.New("no"))
			}
			return holdfast.Result{JSON: []byte(`{}`)}, nil
		}, nil)
}

func TestCode_circuit_open(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e entered
		bad := true
		h := open(t, nil, moody(t, &e, &bad), lookTool(t, &entered{}))
		for range 5 { // neither of these counts
			want(t, h.one("moody", `{"n":"x"}`), holdfast.Rejected, holdfast.InvalidArguments, gate.Validate)
		}
		for range 3 {
			want(t, h.one("moody", `{"n":1}`), holdfast.Failed, holdfast.ToolError, gate.Execute)
		}
		time.Sleep(20 * time.Second)
		v := h.one("moody", `{"n":1}`)
		want(t, v, holdfast.Rejected, holdfast.CircuitOpen, gate.Admit)
		contains(t, "next", v.Outcome.Next, "40 seconds")
		want(t, h.one("look", `{}`), holdfast.OK, "", gate.Execute) // another tool's circuit
		time.Sleep(41 * time.Second)
		want(t, h.one("moody", `{"n":1}`), holdfast.Failed, holdfast.ToolError, gate.Execute)
		want(t, h.one("moody", `{"n":1}`), holdfast.Rejected, holdfast.CircuitOpen, gate.Admit)
		time.Sleep(61 * time.Second)
		bad = false
		want(t, h.one("moody", `{"n":1}`), holdfast.OK, "", gate.Execute)
		bad = true
		for range 2 {
			want(t, h.one("moody", `{"n":2}`), holdfast.Failed, holdfast.ToolError, gate.Execute)
		}
		if e.times() != 7 {
			t.Errorf("handler entered %d times, want 7", e.times())
		}
	})
}

func TestReplayIsAnsweredWhileTheCircuitIsOpen(t *testing.T) {
	var e entered
	bad := false
	h := open(t, nil, moody(t, &e, &bad))
	h.one("moody", `{"n":1}`)
	bad = true
	for range 3 {
		h.one("moody", `{"n":2}`)
	}
	want(t, h.one("moody", `{"n":2}`), holdfast.Rejected, holdfast.CircuitOpen, gate.Admit)
	want(t, h.one("moody", `{"n":1}`), holdfast.OK, "", gate.Claim)
}

func TestCancellationDoesNotOpenTheCircuit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, nil, tool(t, "slow", holdfast.Read, "", func(ctx context.Context, _ schema.Value) (holdfast.Result, error) {
			<-ctx.Done()
			return holdfast.Result{}, ctx.Err()
		}, nil))
		for range 4 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			want(t, h.putIn(ctx, h.round(call("slow", `{}`)), nil)[0], holdfast.Failed, holdfast.Cancelled, gate.Execute)
			cancel()
		}
	})
}

func TestCode_rate_limited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e entered
		h := open(t, &gate.Options{Admitter: gate.NewCounter(&gate.CounterLimits{Rate: 2, Per: time.Minute})}, lookTool(t, &e))
		h.one("look", `{}`)
		time.Sleep(20 * time.Second)
		h.one("look", `{}`)
		v := h.one("look", `{}`)
		want(t, v, holdfast.Rejected, holdfast.RateLimited, gate.Admit)
		contains(t, "next", v.Outcome.Next, "40 seconds")
		time.Sleep(41 * time.Second)
		want(t, h.one("look", `{}`), holdfast.OK, "", gate.Execute)
		want(t, h.one("look", `{}`), holdfast.Rejected, holdfast.RateLimited, gate.Admit)
	})
}

func TestCode_budget_exceeded(t *testing.T) {
	var e entered
	h := open(t, &gate.Options{Admitter: gate.NewCounter(&gate.CounterLimits{Budget: 2})}, putTool(t, &e, nil))
	h.one("put", `{"n":1}`)
	h.one("put", `{"n":1}`) // replayed: costs nothing
	h.one("put", `{"n":2}`)
	want(t, h.one("put", `{"n":3}`), holdfast.Rejected, holdfast.BudgetExceeded, gate.Admit)
	r := h.round(call("put", `{"n":3}`))
	r.Run = "another run"
	want(t, h.put(r, nil)[0], holdfast.OK, "", gate.Execute)
}

type admitter struct {
	admission gate.Admission
	ended     []holdfast.Outcome
	panics    bool
}

func (a *admitter) Admit(context.Context, gate.Proposal) gate.Admission {
	if a.panics {
		panic("oops")
	}
	return a.admission
}
func (a *admitter) Ended(_ gate.Proposal, o holdfast.Outcome) { a.ended = append(a.ended, o) }

func TestAdmitterIsToldEveryEndOnce(t *testing.T) {
	var e entered
	a := new(admitter)
	h := open(t, &gate.Options{Admitter: a}, putTool(t, &e, nil))
	h.one("put", `{"n":1}`)
	h.one("put", `{"n":1}`)
	h.one("put", `{"n":"x"}`)
	if len(a.ended) != 1 || a.ended[0].Status != holdfast.OK {
		t.Errorf("ended = %+v, want one ok", a.ended)
	}
	a.panics = true
	v := h.one("put", `{"n":2}`)
	if v.Outcome.Status != holdfast.Rejected || v.Stage != gate.Admit || e.times() != 1 {
		t.Errorf("with an admitter that panics: %+v", v)
	}
}

func TestCode_cancelled(t *testing.T) {
	t.Run("before anything", func(t *testing.T) {
		var e entered
		h := open(t, nil, lookTool(t, &e), putTool(t, &e, nil))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, v := range h.putIn(ctx, h.round(call("look", `{}`), call("put", `{"n":1}`)), nil) {
			want(t, v, holdfast.Rejected, holdfast.Cancelled, gate.Authorise)
			if h.entry(v.LedgerID).State != ledger.StateRejected {
				t.Errorf("entry of a cancelled call is %s", h.entry(v.LedgerID).State)
			}
		}
		if e.times() != 0 {
			t.Errorf("handlers entered %d times", e.times())
		}
	})
	stages := map[gate.Stage]func(cancel func()) (*gate.Options, *holdfast.ToolOptions){
		gate.Authorise: func(cancel func()) (*gate.Options, *holdfast.ToolOptions) {
			return &gate.Options{Authorizer: authorizer(func(context.Context, gate.Proposal) (gate.Ruling, error) {
				cancel()
				return gate.Ruling{Allow: true}, nil
			})}, nil
		},
		gate.Approve: func(cancel func()) (*gate.Options, *holdfast.ToolOptions) {
			return nil, &holdfast.ToolOptions{Precondition: func(ctx context.Context, _ schema.Value) (holdfast.Finding, error) {
				cancel()
				return holdfast.Finding{}, ctx.Err()
			}}
		},
		gate.Admit: func(cancel func()) (*gate.Options, *holdfast.ToolOptions) {
			return nil, &holdfast.ToolOptions{Approval: &holdfast.ApprovalRule{Needs: func(schema.Value) bool {
				cancel()
				return false
			}}}
		},
	}
	for stage, made := range stages {
		t.Run("in "+string(stage), func(t *testing.T) {
			var e entered
			ctx, cancel := context.WithCancel(t.Context())
			o, to := made(cancel)
			h := open(t, o, putTool(t, &e, to))
			vs := h.putIn(ctx, h.round(call("put", `{"n":1}`), withID(call("put", `{"n":2}`), "b")), nil)
			want(t, vs[0], holdfast.Rejected, holdfast.Cancelled, stage)
			want(t, vs[1], holdfast.Rejected, holdfast.Cancelled, gate.Authorise)
			if e.times() != 0 {
				t.Errorf("handler entered %d times", e.times())
			}
		})
	}
	t.Run("between the start and the handler", func(t *testing.T) {
		var e entered
		h := open(t, nil, putTool(t, &e, nil))
		ctx, cancel := context.WithCancel(t.Context())
		h.store.after = cancel
		v := h.putIn(ctx, h.round(call("put", `{"n":1}`)), nil)[0]
		want(t, v, holdfast.Rejected, holdfast.Cancelled, gate.Execute)
		if e.times() != 0 || h.entry(v.LedgerID).State != ledger.StateRejected {
			t.Errorf("handler entered %d times, entry is %s", e.times(), h.entry(v.LedgerID).State)
		}
		want(t, h.one("put", `{"n":1}`), holdfast.OK, "", gate.Execute)
	})
	t.Run("while it runs", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			wait := func(ctx context.Context, _ schema.Value) (holdfast.Result, error) {
				<-ctx.Done()
				return holdfast.Result{}, ctx.Err()
			}
			h := open(t, nil, tool(t, "look", holdfast.Read, "", wait, nil), tool(t, "put", holdfast.Write, "", wait, nil),
				tool(t, "other", holdfast.Read, "", wait, nil))
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			vs := h.putIn(ctx, h.round(call("look", `{}`), withID(call("look", `{"n":2}`), "b"), call("put", `{}`)), nil)
			want(t, vs[0], holdfast.Failed, holdfast.Cancelled, gate.Execute)
			want(t, vs[1], holdfast.Failed, holdfast.Cancelled, gate.Execute)
			want(t, vs[2], holdfast.Rejected, holdfast.Cancelled, gate.Authorise)

			ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			vs = h.putIn(ctx, h.round(call("put", `{}`), call("other", `{}`)), nil)
			want(t, vs[0], holdfast.Uncertain, holdfast.Cancelled, gate.Execute)
			want(t, vs[1], holdfast.Rejected, holdfast.Cancelled, gate.Authorise)
			if h.entry(vs[0].LedgerID).State != ledger.StateUncertain {
				t.Errorf("entry of a cancelled write is %s, want uncertain", h.entry(vs[0].LedgerID).State)
			}
		})
	})
}

func TestCode_ledger_unavailable(t *testing.T) {
	for name, fail := range map[string]error{"unavailable": ledger.ErrUnavailable, "broken": errBroken} {
		t.Run(name, func(t *testing.T) {
			var wrote, read entered
			h := open(t, nil, putTool(t, &wrote, nil), lookTool(t, &read), tool(t, "ask", holdfast.Agent, "", wrote.answers(`{}`), nil))
			h.store.set(fail)
			want(t, h.one("put", `{"n":1}`), holdfast.Rejected, holdfast.LedgerUnavailable, gate.Admit)
			want(t, h.one("ask", `{}`), holdfast.Rejected, holdfast.LedgerUnavailable, gate.Admit)
			want(t, h.one("look", `{}`), holdfast.OK, "", gate.Execute) // a read's result is told anyway
			if wrote.times() != 0 || read.times() != 1 {
				t.Errorf("handlers entered %d and %d times, want 0 and 1", wrote.times(), read.times())
			}
		})
	}
	t.Run("approval cannot be opened", func(t *testing.T) {
		var e entered
		h := open(t, nil, putTool(t, &e, always()))
		h.store.failAt, h.store.fail = h.store.updates+1, errBroken
		want(t, h.one("put", `{"n":1}`), holdfast.Rejected, holdfast.LedgerUnavailable, gate.Admit)
	})
	t.Run("start not acknowledged", func(t *testing.T) {
		var e entered
		h := open(t, nil, putTool(t, &e, nil))
		h.store.failNext = "after"
		want(t, h.one("put", `{"n":1}`), holdfast.Rejected, holdfast.LedgerUnavailable, gate.Admit)
		if e.times() != 0 {
			t.Fatal("handler entered though its start was not acknowledged")
		}
		// The start was durable; the same write must not stay blocked for good.
		h.one("put", `{"n":2}`)
		want(t, h.one("put", `{"n":1}`), holdfast.OK, "", gate.Execute)
	})
}
