package gate_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

// The tests of this file are faults that other systems had, each by its
// smallest trigger. More of them stand beside the stage that they touch.

const ticket = `{"type":"object","properties":{"id":{"type":"integer"},"draft":{"type":"boolean"},"title":{"type":"string"},
	"min_price":{"type":"number"},"labels":{"type":"array","items":{"type":"string"}}}}`

func ticketTool(t *testing.T, e *entered, coerce bool) *holdfast.Tool {
	return tool(t, "ticket", holdfast.Read, ticket, e.answers(`{}`), &holdfast.ToolOptions{Coerce: coerce})
}

func TestBugB2_ListSentAsAString(t *testing.T) {
	var e entered
	h := open(t, nil, ticketTool(t, &e, false))
	v := h.one("ticket", `{"labels":"[\"a\"]"}`)
	want(t, v, holdfast.Rejected, holdfast.InvalidArguments, gate.Validate)
	if len(v.Outcome.Problems) != 1 || v.Outcome.Problems[0].Path != "/labels" {
		t.Errorf("problems = %+v, want one at /labels", v.Outcome.Problems)
	}
	want(t, h.one("ticket", `{"title":"[\"a\"]"}`), holdfast.OK, "", gate.Execute)
	if e.args[0] != `{"title":"[\"a\"]"}` {
		t.Errorf("a string field arrived as %s", e.args[0])
	}
}

func TestBugB3_FalseInAStringNeverBecomesTrue(t *testing.T) {
	var e entered
	h := open(t, nil, ticketTool(t, &e, false))
	want(t, h.one("ticket", `{"draft":"false","id":"12"}`), holdfast.Rejected, holdfast.InvalidArguments, gate.Validate)
	h = open(t, nil, ticketTool(t, &e, true))
	v := h.one("ticket", `{"draft":"false","id":"12"}`)
	want(t, v, holdfast.OK, "", gate.Execute)
	if e.args[0] != `{"draft":false,"id":12}` || len(h.entry(v.LedgerID).Coerced) != 2 {
		t.Errorf("handler got %s, recorded changes %+v", e.args[0], h.entry(v.LedgerID).Coerced)
	}
	want(t, h.one("ticket", `{"draft":"yes"}`), holdfast.Rejected, holdfast.InvalidArguments, gate.Validate)
}

func TestBugB4_NullForAnOptionalField(t *testing.T) {
	var e entered
	h := open(t, nil, ticketTool(t, &e, false))
	v := h.one("ticket", `{"title":"x","min_price":null}`)
	want(t, v, holdfast.Rejected, holdfast.InvalidArguments, gate.Validate)
	if !strings.Contains(v.Observation.Content(), "leave it out") && !strings.Contains(v.Observation.Content(), "omit") {
		t.Errorf("observation = %s, want it to say that the field can be left out", v.Observation.Content())
	}
	h = open(t, nil, ticketTool(t, &e, true))
	v = h.one("ticket", `{"title":"x","min_price":null}`)
	want(t, v, holdfast.OK, "", gate.Execute)
	if e.args[0] != `{"title":"x"}` || len(h.entry(v.LedgerID).Coerced) != 1 {
		t.Errorf("handler got %s, recorded changes %+v", e.args[0], h.entry(v.LedgerID).Coerced)
	}
}

func TestBugB8_HalfACallOfACutReplyNeverRuns(t *testing.T) {
	var e entered
	h := open(t, nil, tool(t, "write_file", holdfast.Write, "", e.answers(`{}`), nil))
	half := call("write_file", `{"path":"a","text":"half`)
	half.Complete = false
	r := h.round(half)
	r.Complete, r.Ending = false, "cut"
	v := h.put(r, nil)[0]
	want(t, v, holdfast.Rejected, holdfast.IncompleteResponse, gate.Complete)
	contains(t, "observation", v.Observation.Content(), "cut, by its length limit")
	if e.times() != 0 {
		t.Error("it ran")
	}
}

func TestBugB9_MissingRequiredFieldNeverReachesTheHandler(t *testing.T) {
	var e entered
	h := open(t, nil, tool(t, "pay", holdfast.Write, `{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}`, e.answers(`{}`), nil))
	for _, args := range []string{``, `{}`, `{"X":"a"}`} {
		want(t, h.one("pay", args), holdfast.Rejected, holdfast.InvalidArguments, gate.Validate)
	}
	if e.times() != 0 {
		t.Error("it ran")
	}
}

func TestBugB11_OnlyWhatCanBeReadInOneWayIsCoerced(t *testing.T) {
	var e entered
	h := open(t, nil, ticketTool(t, &e, true))
	for _, text := range []string{`"1.5"`, `"abc"`, `" 5"`, `"75,5"`, `""`, `true`} {
		want(t, h.one("ticket", `{"id":`+text+`}`), holdfast.Rejected, holdfast.InvalidArguments, gate.Validate)
	}
	want(t, h.one("ticket", `{"id":"5"}`), holdfast.OK, "", gate.Execute)
	if !slices.Equal(e.args, []string{`{"id":5}`}) {
		t.Errorf("handler got %v", e.args)
	}
}

func TestBugC3_FaultyCallsGoBackToTheModel(t *testing.T) {
	var e entered
	h := open(t, nil, lookTool(t, &e))
	for _, c := range []holdfast.Call{call("look", `{`), call("look", `{"n":"x"}`), call("nope", `{}`)} {
		if v := h.put(h.round(c), nil)[0]; !v.Answer || !v.Observation.Error || v.Outcome.Next == "" {
			t.Errorf("verdict = %+v, want an answer that says what to do next", v)
		}
	}
}

func TestBugE2_DeniedCallCannotBeApprovedLater(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, always()))
	r := h.round(call("put", `{"n":1}`))
	id := h.put(r, nil)[0].ApprovalID
	if _, err := h.ledger.Deny(t.Context(), id, "ben", "no"); err != nil {
		t.Fatal(err)
	}
	h.resume(r)
	var decided *ledger.DecidedError
	if _, err := h.ledger.Approve(t.Context(), id, "ben", ""); !errors.As(err, &decided) {
		t.Errorf("Approve() after Deny() = %v", err)
	}
	h.resume(r)
	if e.times() != 0 {
		t.Error("it ran")
	}
}

func TestBugE6_LostResponseIsNotRetried(t *testing.T) {
	var e entered
	h := open(t, nil, tool(t, "send", holdfast.Write, "", e.fails(errors.New("read tcp: i/o timeout")), nil))
	want(t, h.one("send", `{}`), holdfast.Uncertain, holdfast.ToolError, gate.Execute)
	if e.times() != 1 {
		t.Errorf("handler entered %d times, want 1", e.times())
	}
}

func TestBugE8_KeyComesFromTheCallNotFromItsID(t *testing.T) {
	var e entered
	h := open(t, nil, tool(t, "refund", holdfast.Write, "", e.answers(`{}`), nil))
	a := h.put(h.round(withID(call("refund", `{"order":7,"cents":500}`), "call_1")), nil)[0]
	b := h.put(h.round(withID(call("refund", `{"cents":5e2,"order":7}`), "call_2")), nil)[0]
	if a.Key != b.Key || !b.Outcome.Replayed || e.times() != 1 {
		t.Errorf("keys = %q and %q, handler entered %d times", a.Key, b.Key, e.times())
	}
}

func TestBugE10_EveryPendingIDExists(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, always()))
	v := h.put(h.round(withID(call("put", `{"n":1}`), "")), nil)[0]
	if v.CallID == "" || v.ApprovalID == "" || v.LedgerID == "" {
		t.Fatalf("verdict = %+v, want every id", v)
	}
	if a := h.approval(v.ApprovalID); a.EntryID != v.LedgerID || h.entry(v.LedgerID).ApprovalID != v.ApprovalID || h.entry(v.LedgerID).CallID != v.CallID {
		t.Errorf("approval = %+v, entry = %+v", a, h.entry(v.LedgerID))
	}
}

// A guardrail or a retry around a round must not run again what ran (the first
// row of the list of duplicated effects).
func TestRoundPutThroughTwiceHasItsEffectsOnce(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, nil))
	r := h.round(withID(call("put", `{"n":1}`), "a"), withID(call("put", `{"n":2}`), "b"))
	h.put(r, nil)
	h.put(r, nil)
	h.resume(r)
	if e.times() != 2 {
		t.Errorf("handler entered %d times, want 2", e.times())
	}
}

func TestStoredRoundWithAForgedApprovalRunsNothing(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, always()))
	first := h.put(h.round(call("put", `{"n":1}`)), nil)[0]
	h.approve(first.ApprovalID)
	// Another place cannot use it, whatever its caller claims.
	v := h.put(h.round(call("put", `{"n":2}`)), &gate.RoundOptions{Resume: true})[0]
	want(t, v, holdfast.Pending, holdfast.ApprovalPending, gate.Approve)
	if v.ApprovalID == first.ApprovalID || e.times() != 0 {
		t.Errorf("approval = %q, handler entered %d times", v.ApprovalID, e.times())
	}
}

func TestHandlerSeesTheValueThatWasValidated(t *testing.T) {
	var raw, command string
	h := open(t, nil, tool(t, "sh", holdfast.Read, `{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`,
		func(_ context.Context, args schema.Value) (holdfast.Result, error) {
			var in struct {
				Command string `json:"command"`
			}
			if err := schema.Decode(args, &in); err != nil {
				return holdfast.Result{}, err
			}
			raw, command = string(args.Raw()), in.Command
			return holdfast.Result{}, nil
		}, nil))
	text := `{ "COMMAND":"rm -rf /", "command" : "echo ok" , "n": 1.0 }`
	want(t, h.one("sh", text), holdfast.OK, "", gate.Execute)
	if raw != text || command != "echo ok" {
		t.Errorf("handler got %s and command %q, want %s and what the schema names", raw, command, text)
	}
}
