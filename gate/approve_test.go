package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

func always() *holdfast.ToolOptions {
	return &holdfast.ToolOptions{Approval: &holdfast.ApprovalRule{}}
}

func TestCode_approval_pending(t *testing.T) {
	var e, after entered
	h := open(t, nil, putTool(t, &e, always()), lookTool(t, &after))
	r := h.round(withID(call("look", `{}`), "a"), call("put", `{"n":1}`), withID(call("look", `{}`), "c"), withID(call("put", `{"n":2}`), "d"))
	vs := h.put(r, nil)
	want(t, vs[0], holdfast.OK, "", gate.Execute)
	want(t, vs[1], holdfast.Pending, holdfast.ApprovalPending, gate.Approve)
	if !vs[2].Waiting || !vs[3].Waiting || vs[1].Answer || vs[2].Answer || e.times() != 0 || after.times() != 1 {
		t.Errorf("behind a pending call: %+v; entered %d and %d times", vs[2:], e.times(), after.times())
	}
	a := h.approval(vs[1].ApprovalID)
	if a.State != ledger.Waiting || a.Tool != "put" || string(a.Arguments) != `{"n":1}` || a.Why == "" || a.EntryID != vs[1].LedgerID {
		t.Errorf("approval = %+v", a)
	}

	still := h.resume(r)
	want(t, still[1], holdfast.Pending, holdfast.ApprovalPending, gate.Approve)
	if still[1].ApprovalID != a.ID || !still[2].Waiting || e.times() != 0 {
		t.Errorf("resumed before a decision: %+v", still[1])
	}

	h.approve(a.ID)
	if e.times() != 0 {
		t.Error("approving ran the call; it only decides")
	}
	vs = h.resume(r)
	want(t, vs[1], holdfast.OK, "", gate.Execute)
	want(t, vs[2], holdfast.OK, "", gate.Execute)
	want(t, vs[3], holdfast.Pending, holdfast.ApprovalPending, gate.Approve)
	if vs[0].Outcome.Replayed || after.times() != 2 || e.times() != 1 {
		t.Errorf("resumed: replayed %v, entered %d and %d times", vs[0].Outcome.Replayed, after.times(), e.times())
	}
	if h.approval(a.ID).State != ledger.Consumed {
		t.Errorf("approval is %s, want consumed", h.approval(a.ID).State)
	}
	h.approve(vs[3].ApprovalID)
	for i, v := range h.resume(r) {
		want(t, v, holdfast.OK, "", gate.Execute)
		if v.Outcome.Replayed || !v.Answer {
			t.Errorf("call %d: replayed %v, answer %v", i, v.Outcome.Replayed, v.Answer)
		}
	}
	h.resume(r)
	if e.times() != 2 || after.times() != 2 {
		t.Errorf("entered %d and %d times, want 2 and 2", e.times(), after.times())
	}
}

func TestNoWaitTellsPendingAndGoesOn(t *testing.T) {
	var e, after entered
	h := open(t, nil, putTool(t, &e, always()), lookTool(t, &after))
	vs := h.put(h.round(call("put", `{"n":1}`), call("look", `{}`)), &gate.RoundOptions{NoWait: true})
	want(t, vs[0], holdfast.Pending, holdfast.ApprovalPending, gate.Approve)
	want(t, vs[1], holdfast.OK, "", gate.Execute)
	if !vs[0].Answer {
		t.Error("a pending call of a caller that does not wait is not answered")
	}
	contains(t, "observation", vs[0].Observation.Content(), `"executed":false`, `"approval_id":"`+vs[0].ApprovalID+`"`)
}

func TestSameWriteProposedAgainWhilePendingJoinsItsApproval(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, always()))
	first := h.put(h.round(call("put", `{"n":1}`)), &gate.RoundOptions{NoWait: true})[0]
	second := h.put(h.round(call("put", `{"n":1}`)), &gate.RoundOptions{NoWait: true})[0]
	want(t, second, holdfast.Pending, holdfast.ApprovalPending, gate.Claim)
	if second.ApprovalID != first.ApprovalID || second.LedgerID != first.LedgerID {
		t.Errorf("approval = %q of %q, want %q of %q", second.ApprovalID, second.LedgerID, first.ApprovalID, first.LedgerID)
	}
}

func TestBugE3_ApprovalWaitsThroughARestart(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, always()))
	r := h.round(call("put", `{"n":1}`))
	id := h.put(r, nil)[0].ApprovalID
	h = h.again(putTool(t, &e, always()))
	h.approve(id)
	want(t, h.resume(r)[0], holdfast.OK, "", gate.Execute)
	h = h.again(putTool(t, &e, always()))
	want(t, h.resume(r)[0], holdfast.OK, "", gate.Execute)
	if e.times() != 1 {
		t.Errorf("handler entered %d times, want 1", e.times())
	}
}

func TestCode_approval_denied(t *testing.T) {
	var e, after entered
	h := open(t, nil, putTool(t, &e, always()), lookTool(t, &after))
	r := h.round(call("put", `{"n":1}`), call("look", `{}`))
	id := h.put(r, nil)[0].ApprovalID
	if _, err := h.ledger.Deny(t.Context(), id, "ben", "wrong day"); err != nil {
		t.Fatal(err)
	}
	vs := h.resume(r)
	want(t, vs[0], holdfast.Rejected, holdfast.ApprovalDenied, gate.Approve)
	contains(t, "message", vs[0].Outcome.Message, "wrong day")
	want(t, vs[1], holdfast.OK, "", gate.Execute)
	var decided *ledger.DecidedError
	if _, err := h.ledger.Approve(t.Context(), id, "eve", ""); !errors.As(err, &decided) { // E2
		t.Errorf("approving what was denied = %v, want a *DecidedError", err)
	}
	want(t, h.resume(r)[0], holdfast.Rejected, holdfast.ApprovalDenied, gate.Approve)
	if e.times() != 0 {
		t.Errorf("handler entered %d times", e.times())
	}
	if got := h.entry(vs[0].LedgerID); got.State != ledger.StateRejected || got.Sealed != nil {
		t.Errorf("entry = %+v, want rejected and nothing sealed", got)
	}
}

func TestCode_approval_expired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e, after entered
		h := open(t, nil, putTool(t, &e, &holdfast.ToolOptions{Approval: &holdfast.ApprovalRule{Expires: time.Hour}}), lookTool(t, &after))
		r := h.round(call("put", `{"n":1}`), call("look", `{}`))
		id := h.put(r, nil)[0].ApprovalID
		h.approve(id)
		time.Sleep(2 * time.Hour)
		vs := h.resume(r)
		want(t, vs[0], holdfast.Rejected, holdfast.ApprovalExpired, gate.Approve)
		want(t, vs[1], holdfast.OK, "", gate.Execute)
		if e.times() != 0 {
			t.Errorf("handler entered %d times", e.times())
		}
	})
}

func TestCode_approval_void(t *testing.T) {
	t.Run("withdrawn elsewhere", func(t *testing.T) {
		var e entered
		h := open(t, nil, putTool(t, &e, always()))
		r := h.round(call("put", `{"n":1}`))
		v := h.put(r, nil)[0]
		if err := h.ledger.Withdraw(t.Context(), v.ApprovalID, holdfast.Reject(holdfast.ApprovalVoid, "Withdrawn.", "")); err != nil {
			t.Fatal(err)
		}
		if v := h.resume(r)[0]; v.Outcome.Status != holdfast.Rejected || v.Outcome.Code != holdfast.ApprovalVoid {
			t.Errorf("outcome = %+v, want rejected as approval_void", v.Outcome)
		}
	})
	t.Run("no new approval can be opened", func(t *testing.T) {
		var e entered
		version := func(v string) *holdfast.Tool {
			o := always()
			o.Version = v
			return putTool(t, &e, o)
		}
		h := open(t, nil, version("1"))
		r := h.round(call("put", `{"n":1}`))
		id := h.put(r, nil)[0].ApprovalID
		h.approve(id)
		h = h.again(version("2"))
		h.store.set(errBroken)
		h.store.failAt = h.store.updates + 1
		v := h.resume(r)[0]
		want(t, v, holdfast.Rejected, holdfast.ApprovalVoid, gate.Approve)
		contains(t, "message", v.Outcome.Message, "the tool's definition")
		if e.times() != 0 {
			t.Errorf("handler entered %d times", e.times())
		}
	})
}

func TestApprovalOfSomethingElseIsVoidAndAskedAnew(t *testing.T) {
	found := `{"old":75}`
	var e entered
	version := "1"
	made := func() *holdfast.Tool {
		return putTool(t, &e, &holdfast.ToolOptions{
			Version: version,
			Precondition: func(context.Context, schema.Value) (holdfast.Finding, error) {
				return holdfast.Finding{NeedsApproval: true, Why: "it would overwrite a value", Shown: json.RawMessage(found)}, nil
			},
		})
	}
	rows := map[string]struct {
		change  func(r *gate.Round)
		changed string
	}{
		"definition":   {func(*gate.Round) { version = "2" }, "the tool's definition"},
		"precondition": {func(*gate.Round) { found = `{"old":76}` }, "what the precondition found"},
		"arguments (E5)": {func(r *gate.Round) {
			r.Calls = []holdfast.Call{call("put", `{"n":999}`)}
		}, "the arguments"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			e, found, version = entered{}, `{"old":75}`, "1"
			h := open(t, nil, made())
			r := h.round(call("put", `{"n":1}`))
			old := h.put(r, nil)[0]
			h.approve(old.ApprovalID)
			row.change(&r)
			h = h.again(made())
			v := h.resume(r)[0]
			want(t, v, holdfast.Pending, holdfast.ApprovalPending, gate.Approve)
			if v.ApprovalID == old.ApprovalID || e.times() != 0 {
				t.Fatalf("approval = %q, handler entered %d times", v.ApprovalID, e.times())
			}
			a := h.approval(v.ApprovalID)
			if a.Replaces != old.ApprovalID || !slices.Contains(a.Changed, row.changed) || len(a.Changed) != 1 {
				t.Errorf("approval replaces %q and says that %q changed, want %q and %q", a.Replaces, a.Changed, old.ApprovalID, row.changed)
			}
			if got := h.approval(old.ApprovalID).State; got != ledger.Void {
				t.Errorf("old approval is %s, want void", got)
			}
			h.approve(a.ID)
			want(t, h.resume(r)[0], holdfast.OK, "", gate.Execute)
			if e.times() != 1 {
				t.Errorf("handler entered %d times, want 1", e.times())
			}
		})
	}
}

func TestApprovalOfOnePrincipalIsNotAnothers(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, always()))
	r := h.round(call("put", `{"n":1}`))
	h.approve(h.put(r, nil)[0].ApprovalID)
	r.Principal.ID = "eve"
	want(t, h.resume(r)[0], holdfast.Rejected, holdfast.KeyConflict, gate.Claim)
	if e.times() != 0 {
		t.Errorf("handler entered %d times", e.times())
	}
}

func TestPreconditionIsAskedAgainDirectlyBeforeTheStart(t *testing.T) {
	t.Run("a new need", func(t *testing.T) {
		var e entered
		asked := 0
		h := open(t, nil, putTool(t, &e, &holdfast.ToolOptions{
			Precondition: func(context.Context, schema.Value) (holdfast.Finding, error) {
				asked++
				return holdfast.Finding{NeedsApproval: asked == 2}, nil
			},
		}))
		v := h.one("put", `{"n":1}`)
		want(t, v, holdfast.Pending, holdfast.ApprovalPending, gate.Approve)
		if e.times() != 0 || asked != 2 {
			t.Errorf("handler entered %d times, precondition asked %d times", e.times(), asked)
		}
	})
	t.Run("another answer after the approval", func(t *testing.T) {
		var e entered
		asked := 0
		h := open(t, nil, putTool(t, &e, &holdfast.ToolOptions{
			Precondition: func(context.Context, schema.Value) (holdfast.Finding, error) {
				asked++
				shown := `{"old":1}`
				if asked == 3 { // resumed: asked in approve, and then before the start
					shown = `{"old":2}`
				}
				return holdfast.Finding{NeedsApproval: true, Shown: json.RawMessage(shown)}, nil
			},
		}))
		r := h.round(call("put", `{"n":1}`))
		first := h.put(r, nil)[0]
		h.approve(first.ApprovalID)
		v := h.resume(r)[0]
		want(t, v, holdfast.Pending, holdfast.ApprovalPending, gate.Approve)
		if v.ApprovalID == first.ApprovalID || e.times() != 0 {
			t.Errorf("approval = %q after %q, handler entered %d times", v.ApprovalID, first.ApprovalID, e.times())
		}
	})
	t.Run("of a read too", func(t *testing.T) {
		asked := 0
		var e entered
		h := open(t, nil, tool(t, "look", holdfast.Read, "", e.answers(`{}`), &holdfast.ToolOptions{
			Precondition: func(context.Context, schema.Value) (holdfast.Finding, error) {
				asked++
				return holdfast.Finding{NeedsApproval: asked == 2}, nil
			},
		}))
		vs := h.put(h.round(call("look", `{}`), withID(call("look", `{}`), "b")), nil)
		want(t, vs[0], holdfast.Pending, holdfast.ApprovalPending, gate.Approve)
		if !vs[1].Waiting {
			t.Error("the read behind it does not wait")
		}
	})
}

func TestCode_precondition_failed(t *testing.T) {
	rows := map[string]func(context.Context, schema.Value) (holdfast.Finding, error){
		"error": func(context.Context, schema.Value) (holdfast.Finding, error) {
			return holdfast.Finding{}, errors.New("table is locked")
		},
		"panic":  func(context.Context, schema.Value) (holdfast.Finding, error) { panic("oops") },
		"goexit": func(context.Context, schema.Value) (holdfast.Finding, error) { runtime.Goexit(); panic("unreachable") },
		"timeout": func(ctx context.Context, _ schema.Value) (holdfast.Finding, error) {
			<-ctx.Done()
			return holdfast.Finding{}, ctx.Err()
		},
		"not JSON": func(context.Context, schema.Value) (holdfast.Finding, error) {
			return holdfast.Finding{Shown: []byte("{")}, nil
		},
	}
	for name, look := range rows {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var e entered
				h := open(t, nil, putTool(t, &e, &holdfast.ToolOptions{Precondition: look}))
				v := h.one("put", `{"n":1}`)
				want(t, v, holdfast.Rejected, holdfast.PreconditionFailed, gate.Approve)
				if e.times() != 0 {
					t.Errorf("handler entered %d times", e.times())
				}
				if name == "error" {
					contains(t, "message", v.Outcome.Message, "table is locked")
				}
			})
		})
	}
	t.Run("key function", func(t *testing.T) {
		for _, key := range []func(schema.Value) (string, error){
			func(schema.Value) (string, error) { return "", errors.New("no order") },
			func(schema.Value) (string, error) { return "", nil },
			func(schema.Value) (string, error) { return "a\nb", nil },
			func(schema.Value) (string, error) { panic("oops") },
		} {
			var e entered
			h := open(t, nil, putTool(t, &e, &holdfast.ToolOptions{Key: key}))
			want(t, h.one("put", `{"n":1}`), holdfast.Rejected, holdfast.PreconditionFailed, gate.Approve)
		}
	})
	t.Run("approval rule", func(t *testing.T) {
		var e entered
		h := open(t, nil, putTool(t, &e, &holdfast.ToolOptions{Approval: &holdfast.ApprovalRule{Needs: func(schema.Value) bool { panic("oops") }}}))
		want(t, h.one("put", `{"n":1}`), holdfast.Rejected, holdfast.PreconditionFailed, gate.Approve)
	})
}

func TestUnresolvedOtherWriteOfTheToolNeedsAPersonWhoKnowsIt(t *testing.T) {
	made := func(e *entered, apart bool) *holdfast.Tool {
		return tool(t, "charge", holdfast.Write, "", func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
			if e.add(ctx, args) == 1 {
				return holdfast.Result{}, errors.New("connection reset")
			}
			return holdfast.Result{JSON: []byte(`{}`)}, nil
		}, &holdfast.ToolOptions{TellsApart: apart})
	}
	var e entered
	h := open(t, nil, made(&e, false))
	lost := h.one("charge", `{"n":1}`)
	want(t, lost, holdfast.Uncertain, holdfast.ToolError, gate.Execute)
	r := h.round(call("charge", `{"n":2}`))
	v := h.put(r, nil)[0]
	want(t, v, holdfast.Pending, holdfast.ApprovalPending, gate.Approve)
	if a := h.approval(v.ApprovalID); a.Unresolved != lost.LedgerID {
		t.Errorf("approval names %q, want %q", a.Unresolved, lost.LedgerID)
	}
	contains(t, "message", v.Outcome.Message, lost.LedgerID)
	h.approve(v.ApprovalID)
	want(t, h.resume(r)[0], holdfast.OK, "", gate.Execute)

	var apart entered
	h = open(t, nil, made(&apart, true))
	h.one("charge", `{"n":1}`)
	want(t, h.one("charge", `{"n":2}`), holdfast.OK, "", gate.Execute)
}

func TestWaitingHoldsNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e entered
		h := open(t, nil, putTool(t, &e, always()))
		before := runtime.NumGoroutine()
		for range 10_000 {
			r := h.round(call("put", `{"n":1}`))
			r.Turn = h.rounds
			h.put(r, nil)
		}
		synctest.Wait()
		if after := runtime.NumGoroutine(); after > before {
			t.Errorf("%d goroutines wait with 10,000 approvals", after-before)
		}
	})
}
