package gate_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

func TestOwnRecordedOutcomeIsNotAReplay(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, nil), lookTool(t, &e))
	r := h.round(call("put", `{"n":1}`), call("look", `{}`), call("nope", `{}`), withID(call("put", `{"n":1}`), "twin"))
	first := h.put(r, nil)
	h = h.again(putTool(t, &e, nil), lookTool(t, &e))
	for i, v := range h.resume(r) {
		if v.Outcome.Status != first[i].Outcome.Status || v.Outcome.Code != first[i].Outcome.Code || v.Outcome.Replayed ||
			v.LedgerID != first[i].LedgerID || v.Observation.Content() != first[i].Observation.Content() || v.Key != first[i].Key || !v.Answer {
			t.Errorf("resumed call %d = %+v, want %+v", i, v, first[i])
		}
	}
	if e.times() != 3 {
		t.Errorf("handlers entered %d times, want 3", e.times())
	}
}

func TestCrashBetweenTwoCallsGoesOnWithTheSecond(t *testing.T) {
	var e entered
	var h *house
	died := false
	made := func() []*holdfast.Tool {
		return []*holdfast.Tool{putTool(t, &e, nil), tool(t, "die", holdfast.Read, "", func(context.Context, schema.Value) (holdfast.Result, error) {
			if !died {
				died = true
				h.store.kill() // from here on nothing is recorded
			}
			return holdfast.Result{JSON: []byte(`{}`)}, nil
		}, nil)}
	}
	h = open(t, nil, made()...)
	r := h.round(call("put", `{"n":1}`), call("die", `{}`), withID(call("put", `{"n":2}`), "b"))
	vs := h.put(r, nil)
	want(t, vs[2], holdfast.Rejected, holdfast.LedgerUnavailable, gate.Admit)
	h = h.again(made()...)
	vs = h.resume(r)
	for _, v := range vs {
		want(t, v, holdfast.OK, "", gate.Execute)
		if v.Outcome.Replayed {
			t.Error("told as a replay")
		}
	}
	if e.times() != 2 {
		t.Errorf("handler entered %d times, want 2", e.times())
	}
}

func TestBugE1_CrashAfterTheEffectIsUncertainAndNeverRunAgain(t *testing.T) {
	var e entered
	var h *house
	made := func() *holdfast.Tool {
		return tool(t, "put", holdfast.Write, "", func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
			e.add(ctx, args)
			h.store.kill()
			return holdfast.Result{JSON: []byte(`{}`)}, nil
		}, always())
	}
	h = open(t, nil, made())
	r := h.round(call("put", `{"n":1}`))
	h.approve(h.put(r, nil)[0].ApprovalID)
	h.resume(r)
	h = h.again(made())
	for range 2 {
		v := h.resume(r)[0]
		if v.Outcome.Status != holdfast.Uncertain || v.Outcome.Code != holdfast.Unrecorded || !v.Answer {
			t.Errorf("resumed after a crash = %+v, want uncertain", v.Outcome)
		}
	}
	if e.times() != 1 {
		t.Errorf("handler entered %d times, want 1", e.times())
	}
}

func TestCrashedReadsAndAgentCallsRunAgain(t *testing.T) {
	for _, effect := range []holdfast.Effect{holdfast.Read, holdfast.Agent} {
		for _, o := range []*holdfast.ToolOptions{nil, always()} {
			var e entered
			var h *house
			made := func() *holdfast.Tool {
				return tool(t, "x", effect, "", func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
					if e.add(ctx, args) == 1 {
						h.store.kill()
					}
					return holdfast.Result{JSON: []byte(`{}`)}, nil
				}, o)
			}
			h = open(t, nil, made())
			r := h.round(call("x", `{}`))
			v := h.put(r, nil)[0]
			if o != nil {
				h.approve(v.ApprovalID)
				h.resume(r)
			}
			h = h.again(made())
			v = h.resume(r)[0]
			want(t, v, holdfast.OK, "", gate.Execute)
			if e.times() != 2 {
				t.Errorf("%s: handler entered %d times, want 2", effect, e.times())
			}
			if got := h.entry(v.LedgerID).State; got != ledger.StateOK {
				t.Errorf("%s: entry is %s", effect, got)
			}
		}
	}
}

func TestCallThatRunsElsewhereIsLeftToIt(t *testing.T) {
	for _, effect := range []holdfast.Effect{holdfast.Write, holdfast.Agent} {
		entering, release := make(chan struct{}), make(chan struct{})
		var e, after entered
		made := []*holdfast.Tool{tool(t, "slow", effect, "", func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
			e.add(ctx, args)
			close(entering)
			<-release
			return holdfast.Result{JSON: []byte(`{}`)}, nil
		}, nil), lookTool(t, &after)}
		h := open(t, nil, made...)
		r := h.round(call("slow", `{}`), call("look", `{}`))
		done := make(chan []gate.Verdict)
		go func() { done <- h.put(r, nil) }()
		<-entering
		other := openOver(t, &flakyStore{Store: h.store.Store}, nil, made...)
		vs := other.resume(r)
		if !vs[0].Waiting || !vs[1].Waiting || vs[0].Answer || vs[1].Answer {
			t.Errorf("%s: resumed by another process = %+v", effect, vs)
		}
		close(release)
		<-done
		if e.times() != 1 || after.times() != 1 {
			t.Errorf("%s: handlers entered %d and %d times, want 1 and 1", effect, e.times(), after.times())
		}
	}
}

func TestApprovedCallPassesEveryStageAgain(t *testing.T) {
	var e entered
	allow := true
	o := &gate.Options{Authorizer: authorizer(func(context.Context, gate.Proposal) (gate.Ruling, error) {
		return gate.Ruling{Allow: allow}, nil
	})}
	h := open(t, o, putTool(t, &e, always()))
	r := h.round(call("put", `{"n":1}`))
	id := h.put(r, nil)[0].ApprovalID
	h.approve(id)
	allow = false
	v := h.resume(r)[0]
	want(t, v, holdfast.Rejected, holdfast.NotPermitted, gate.Authorise)
	if e.times() != 0 || h.approval(id).State != ledger.Withdrawn {
		t.Errorf("handler entered %d times, approval is %s", e.times(), h.approval(id).State)
	}
	allow = true
	want(t, h.resume(r)[0], holdfast.Rejected, holdfast.NotPermitted, gate.Authorise)
}

func TestCancelRejectsThePendingCallAndItsSiblings(t *testing.T) {
	var e, after entered
	h := open(t, nil, putTool(t, &e, always()), lookTool(t, &after))
	r := h.round(withID(call("look", `{}`), "a"), call("put", `{"n":1}`), call("look", `{}`), withID(call("put", `{"n":2}`), "d"))
	id := h.put(r, nil)[1].ApprovalID
	vs, err := h.gate.Cancel(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	want(t, vs[0], holdfast.OK, "", gate.Execute)
	for _, v := range vs[1:] {
		if v.Outcome.Status != holdfast.Rejected || v.Outcome.Code != holdfast.Cancelled || !v.Answer {
			t.Errorf("call %d = %+v, want rejected as cancelled", v.Position, v.Outcome)
		}
		if got := h.entry(v.LedgerID).State; got != ledger.StateRejected {
			t.Errorf("entry of call %d is %s", v.Position, got)
		}
	}
	if h.approval(id).State != ledger.Withdrawn {
		t.Errorf("approval is %s, want withdrawn", h.approval(id).State)
	}
	for i, v := range h.resume(r) {
		if v.Outcome.Code != vs[i].Outcome.Code {
			t.Errorf("resumed after cancelling, call %d = %+v", i, v.Outcome)
		}
	}
	if e.times() != 0 || after.times() != 1 {
		t.Errorf("handlers entered %d and %d times", e.times(), after.times())
	}
}

func TestCancelOfAnApprovedCallStopsItBeforeItsStart(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, always()))
	r := h.round(call("put", `{"n":1}`))
	id := h.put(r, nil)[0].ApprovalID
	h.approve(id)
	if _, err := h.gate.Cancel(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	v := h.resume(r)[0]
	if v.Outcome.Code != holdfast.Cancelled || e.times() != 0 {
		t.Errorf("outcome = %+v, handler entered %d times", v.Outcome, e.times())
	}
}

func TestBugE4_AnswersToTwoApprovalsAreNotSwapped(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, always()))
	r := h.round(withID(call("put", `{"n":1}`), "a"), withID(call("put", `{"n":2}`), "b"))
	vs := h.put(r, &gate.RoundOptions{NoWait: true})
	if _, err := h.ledger.Deny(t.Context(), vs[0].ApprovalID, "ben", "no"); err != nil {
		t.Fatal(err)
	}
	h.approve(vs[1].ApprovalID)
	vs = h.resume(r)
	want(t, vs[0], holdfast.Rejected, holdfast.ApprovalDenied, gate.Approve)
	want(t, vs[1], holdfast.OK, "", gate.Execute)
	if e.times() != 1 || e.args[0] != `{"n":2}` {
		t.Errorf("handler got %v", e.args)
	}
}

func TestTwoProcessesResumeTheSameRound(t *testing.T) {
	for name, effect := range map[string]holdfast.Effect{"write": holdfast.Write, "read": holdfast.Read, "agent": holdfast.Agent} {
		t.Run(name, func(t *testing.T) {
			var e entered
			made := func(confirm func()) *holdfast.Tool {
				return tool(t, "x", effect, "", e.answers(`{"id":7}`), &holdfast.ToolOptions{
					Approval: &holdfast.ApprovalRule{Needs: func(schema.Value) bool {
						if confirm != nil {
							confirm()
						}
						return true
					}, Rule: "always"},
				})
			}
			h := open(t, nil, made(nil))
			r := h.round(call("x", `{}`))
			h.approve(h.put(r, nil)[0].ApprovalID)
			// The other one resumes, from first to last, while this one is about to start.
			var between gate.Verdict
			raced := false
			other := openOver(t, &flakyStore{Store: h.store.Store}, nil, made(nil))
			late := openOver(t, &flakyStore{Store: h.store.Store}, nil, made(func() {
				if !raced {
					raced = true
					between = other.resume(r)[0]
				}
			}))
			v := late.resume(r)[0]
			want(t, between, holdfast.OK, "", gate.Execute)
			if v.Outcome.Status != holdfast.OK || v.Outcome.Replayed || v.LedgerID != between.LedgerID || e.times() != 1 {
				t.Errorf("the slower one tells %+v (waiting %v), handler entered %d times", v.Outcome, v.Waiting, e.times())
			}
		})
	}
}

func TestASlowerProcessDoesNotSpeakOverTheOutcome(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, nil))
	r := h.round(call("put", `{}`))
	ok := h.put(r, nil)[0]
	slower := h.entry(ok.LedgerID)
	taken := holdfast.Reject(holdfast.InProgress, "it runs elsewhere", "wait")
	slower.ID, slower.Outcome = "", &taken
	if _, err := h.ledger.Record(t.Context(), slower); err != nil {
		t.Fatal(err)
	}
	v := h.resume(r)[0]
	want(t, v, holdfast.OK, "", gate.Execute)
	if v.LedgerID != ok.LedgerID {
		t.Errorf("resumed as entry %s, want %s", v.LedgerID, ok.LedgerID)
	}
}

func TestCallCancelledElsewhereIsToldSo(t *testing.T) {
	var e entered
	var h, other *house
	var r gate.Round
	raced := false
	made := tool(t, "put", holdfast.Write, "", e.answers(`{}`), &holdfast.ToolOptions{Approval: &holdfast.ApprovalRule{Needs: func(schema.Value) bool {
		if other != nil && !raced {
			raced = true
			if _, err := other.gate.Cancel(t.Context(), r); err != nil {
				t.Error(err)
			}
		}
		return true
	}, Rule: "always"}})
	h = open(t, nil, made)
	r = h.round(call("put", `{"n":1}`))
	h.approve(h.put(r, nil)[0].ApprovalID)
	other = openOver(t, &flakyStore{Store: h.store.Store}, nil, made)
	v := h.resume(r)[0]
	if v.Outcome.Status != holdfast.Rejected || v.Outcome.Code != holdfast.Cancelled || e.times() != 0 {
		t.Errorf("outcome = %+v, handler entered %d times", v.Outcome, e.times())
	}
}

func TestInterruptedAgentCallThatMayNotGoOnEnds(t *testing.T) {
	var e entered
	var h *house
	allow := true
	o := func() *gate.Options {
		return &gate.Options{Authorizer: authorizer(func(context.Context, gate.Proposal) (gate.Ruling, error) {
			return gate.Ruling{Allow: allow}, nil
		})}
	}
	made := tool(t, "ask", holdfast.Agent, "", func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
		e.add(ctx, args)
		h.store.kill()
		return holdfast.Result{}, nil
	}, nil)
	h = open(t, o(), made)
	r := h.round(call("ask", `{}`))
	h.put(r, nil)
	allow = false
	next := openOver(t, &flakyStore{Store: h.store.Store}, o(), made)
	want(t, next.resume(r)[0], holdfast.Failed, holdfast.NotPermitted, gate.Execute)
	want(t, next.resume(r)[0], holdfast.Failed, holdfast.NotPermitted, gate.Execute)
}
