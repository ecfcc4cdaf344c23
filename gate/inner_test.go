package gate_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

// sub is an agent tool's handler that waits for an approval of its own call,
// which is one of another run, until that is decided.
type sub struct {
	entered
	h     *house
	ids   []string // LedgerID of each time it was entered
	waits string   // the approval, once it was asked
	ended bool     // it was entered with a context that had ended
	takes time.Duration
}

func (s *sub) handle(ctx context.Context, args schema.Value) (holdfast.Result, error) {
	s.add(ctx, args)
	info := holdfast.CallInfoFrom(ctx)
	s.ids = append(s.ids, info.LedgerID)
	if s.ended = ctx.Err() != nil; s.ended {
		return holdfast.Result{}, context.Cause(ctx)
	}
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return holdfast.Result{}, context.Cause(ctx)
	}
	if s.waits == "" {
		_, a, err := s.h.ledger.OpenApproval(ctx, ledger.Entry{
			Run: "inner", Turn: 1, Round: 1, Tool: "put", Effect: holdfast.Write, Principal: info.Principal, Key: "k", ArgumentsDigest: "d",
		}, ledger.Approval{Digest: "x"})
		if err != nil {
			return holdfast.Result{}, err
		}
		s.waits = a.ID
	}
	a, err := s.h.ledger.Approval(ctx, s.waits)
	if err != nil {
		return holdfast.Result{}, err
	}
	if a.State == ledger.Waiting {
		return holdfast.Result{}, &gate.NoAnswer{Code: holdfast.ApprovalPending, ApprovalID: a.ID, Message: "a call of put waits for a person"}
	}
	return holdfast.Result{Text: "done: " + string(a.State)}, nil
}

func (s *sub) tool(t *testing.T) *holdfast.Tool {
	return tool(t, "ask", holdfast.Agent, "", s.handle, nil)
}

func TestParkedAgentCallIsPendingAndGoesOnOnceItsInnerCallIsDecided(t *testing.T) {
	s, after := &sub{}, &entered{}
	h := open(t, nil, s.tool(t), lookTool(t, after))
	s.h = h
	r := h.round(call("ask", `{}`), call("look", `{}`))
	vs := h.put(r, nil)
	want(t, vs[0], holdfast.Pending, holdfast.ApprovalPending, gate.Execute)
	if yes := vs[0].Outcome.Executed(); yes == nil || !*yes || vs[0].ApprovalID != s.waits || vs[0].Answer || !vs[1].Waiting {
		t.Errorf("verdicts = %+v, want the call parked as executed, naming approval %s, and the read behind it waiting", vs, s.waits)
	}
	if e := h.entry(vs[0].LedgerID); e.State != ledger.StateParked || e.Owner != "" || e.Outcome.ApprovalID != s.waits {
		t.Errorf("entry = %+v, want it parked, with the approval and without an owner", e)
	}
	h.resume(r)
	if s.times() != 1 {
		t.Errorf("the handler was entered %d times while nothing was decided, want 1", s.times())
	}
	// Another process goes on, and this one lives.
	other := openOver(t, &flakyStore{Store: h.store.Store}, nil, s.tool(t), lookTool(t, after))
	h.approve(s.waits)
	vs = other.resume(r)
	want(t, vs[0], holdfast.OK, "", gate.Execute)
	want(t, vs[1], holdfast.OK, "", gate.Execute)
	if len(s.ids) != 2 || s.ids[0] != s.ids[1] || vs[0].LedgerID != s.ids[0] || vs[0].Outcome.Result.Text != "done: approved" {
		t.Errorf("entered as %q, told %+v, want the same entry gone on with", s.ids, vs[0])
	}
	h.resume(r)
	if s.times() != 2 || after.times() != 1 {
		t.Errorf("handlers entered %d and %d times, want 2 and 1", s.times(), after.times())
	}
}

func TestCancellingAParkedCallEntersItsHandlerWithAContextThatEnded(t *testing.T) {
	s, after := &sub{}, &entered{}
	h := open(t, nil, s.tool(t), lookTool(t, after))
	s.h = h
	r := h.round(call("ask", `{}`), call("look", `{}`))
	h.put(r, nil)
	vs, err := h.gate.Cancel(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	want(t, vs[0], holdfast.Failed, holdfast.Cancelled, gate.Execute)
	want(t, vs[1], holdfast.Rejected, holdfast.Cancelled, gate.Admit)
	if !s.ended || s.times() != 2 || after.times() != 0 {
		t.Errorf("handler entered %d times, at last with an ended context: %t; the read %d times", s.times(), s.ended, after.times())
	}
	want(t, h.resume(r)[0], holdfast.Failed, holdfast.Cancelled, gate.Execute)
	if s.times() != 2 {
		t.Errorf("entered again after it was cancelled")
	}
}

func TestParkedCallThatIsForbiddenMeanwhileIsEnded(t *testing.T) {
	s := &sub{}
	allow := true
	o := &gate.Options{Authorizer: authorizer(func(context.Context, gate.Proposal) (gate.Ruling, error) {
		return gate.Ruling{Allow: allow}, nil
	})}
	h := open(t, o, s.tool(t))
	s.h = h
	r := h.round(call("ask", `{}`))
	h.put(r, nil)
	h.approve(s.waits)
	allow = false
	v := h.resume(r)[0]
	want(t, v, holdfast.Failed, holdfast.NotPermitted, gate.Execute)
	contains(t, "message", v.Outcome.Message, "had begun and was ended")
	if !s.ended {
		t.Error("the handler was not told to end what waits in it")
	}
}

// The clock of a parked call stands still: only what it ran counts.
func TestParkedTimeIsNotTakenFromTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sub{takes: 600 * time.Millisecond} // of one second
		h := open(t, nil, s.tool(t))
		s.h = h
		r := h.round(call("ask", `{}`))
		want(t, h.put(r, nil)[0], holdfast.Pending, holdfast.ApprovalPending, gate.Execute)
		time.Sleep(time.Hour)
		h.approve(s.waits)
		s.takes = 300 * time.Millisecond
		want(t, h.resume(r)[0], holdfast.OK, "", gate.Execute)

		s = &sub{takes: 600 * time.Millisecond}
		h = open(t, nil, s.tool(t))
		s.h = h
		r = h.round(call("ask", `{}`))
		want(t, h.put(r, nil)[0], holdfast.Pending, holdfast.ApprovalPending, gate.Execute)
		h.approve(s.waits)
		want(t, h.resume(r)[0], holdfast.Failed, holdfast.Timeout, gate.Execute) // 600 ms and 600 ms
	})
}

func TestAgentWithoutAnAnswerIsFailedWithItsCode(t *testing.T) {
	made := tool(t, "ask", holdfast.Agent, "", func(ctx context.Context, _ schema.Value) (holdfast.Result, error) {
		gate.ReportInner(ctx, holdfast.Inner{Tool: "put", Status: holdfast.OK, LedgerID: "1"})
		return holdfast.Result{}, &gate.NoAnswer{Code: holdfast.LimitExceeded, Message: "it reached its limit of 4 rounds"}
	}, nil)
	v := open(t, nil, made).one("ask", `{}`)
	want(t, v, holdfast.Failed, holdfast.LimitExceeded, gate.Execute)
	contains(t, "observation", v.Observation.Content(), "ask gave no answer: it reached its limit of 4 rounds.", `"calls":[{"tool":"put","outcome":"ok"`)
}

// Two processes resume a parked call at once: one goes on, the other waits.
func TestTwoProcessesResumeAParkedCall(t *testing.T) {
	s := &sub{}
	h := open(t, nil, s.tool(t))
	s.h = h
	r := h.round(call("ask", `{}`))
	h.put(r, nil)
	h.approve(s.waits)
	var other *house
	var between gate.Verdict
	slow := tool(t, "ask", holdfast.Agent, "", func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
		between = other.resume(r)[0]
		return s.handle(ctx, args)
	}, nil)
	other = openOver(t, &flakyStore{Store: h.store.Store}, nil, s.tool(t))
	first := openOver(t, &flakyStore{Store: h.store.Store}, nil, slow)
	want(t, first.resume(r)[0], holdfast.OK, "", gate.Execute)
	if !between.Waiting || s.times() != 2 {
		t.Errorf("the second process was told %+v, handler entered %d times; want it waiting, and 2", between, s.times())
	}
}

// A parked call whose tool is gone ends, rather than waiting for ever.
func TestParkedCallWhoseToolIsGoneEnds(t *testing.T) {
	s, e := &sub{}, &entered{}
	h := open(t, nil, s.tool(t))
	s.h = h
	r := h.round(call("ask", `{}`))
	id := h.put(r, nil)[0].LedgerID
	other := openOver(t, &flakyStore{Store: h.store.Store}, nil, lookTool(t, e))
	want(t, other.resume(r)[0], holdfast.Rejected, holdfast.UnknownTool, gate.Lookup)
	if got := h.entry(id).State; got != ledger.StateRejected {
		t.Errorf("entry is %s, want rejected", got)
	}
}

func TestParkingThatTheLedgerDoesNotTakeIsTriedAgain(t *testing.T) {
	s := &sub{}
	h := open(t, nil, s.tool(t))
	s.h = h
	r := h.round(call("ask", `{}`))
	h.store.failAt, h.store.fail = 3, errors.New("no") // start, open approval, park
	v := h.put(r, nil)[0]
	want(t, v, holdfast.Pending, holdfast.ApprovalPending, gate.Execute)
	h.store.set(nil)
	if err := h.gate.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := h.entry(v.LedgerID).State; got != ledger.StateParked {
		t.Errorf("entry is %s, want parked once the ledger takes it", got)
	}
	if !slices.Contains(s.ids, v.LedgerID) {
		t.Errorf("entered as %q, told as %s", s.ids, v.LedgerID)
	}
}
