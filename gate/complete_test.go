package gate_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
)

func lookTool(t *testing.T, e *entered) *holdfast.Tool {
	return tool(t, "look", holdfast.Read, `{"type":"object","properties":{"n":{"type":"integer"}}}`, e.answers(`{"seen":true}`), nil)
}

func putTool(t *testing.T, e *entered, o *holdfast.ToolOptions) *holdfast.Tool {
	return tool(t, "put", holdfast.Write, `{"type":"object","properties":{"n":{"type":"integer"}}}`, e.answers(`{"stored":true}`), o)
}

func TestCode_incomplete_response(t *testing.T) {
	for _, ending := range []string{"cut", "filtered", "broken", ""} {
		t.Run("reply "+ending, func(t *testing.T) {
			var e entered
			h := open(t, nil, lookTool(t, &e), putTool(t, &e, nil))
			cut := call("put", `{"n":`)
			cut.Complete = false
			r := h.round(call("look", `{}`), cut)
			r.Complete, r.Ending = false, ending
			for _, v := range h.put(r, nil) {
				want(t, v, holdfast.Rejected, holdfast.IncompleteResponse, gate.Complete)
				if !v.Answer {
					t.Error("a call of a cut reply is not answered")
				}
				if ending == "cut" {
					contains(t, "message", v.Outcome.Message, "cut, by its length limit")
				}
			}
			if e.times() != 0 {
				t.Errorf("handlers entered %d times", e.times())
			}
		})
	}
	t.Run("call alone", func(t *testing.T) {
		var e entered
		h := open(t, nil, lookTool(t, &e))
		cut := withID(call("look", `{}`), "second")
		cut.Complete = false
		vs := h.put(h.round(call("look", `{}`), cut), nil)
		want(t, vs[0], holdfast.OK, "", gate.Execute)
		want(t, vs[1], holdfast.Rejected, holdfast.IncompleteResponse, gate.Complete)
	})
}

func TestCode_unsupported_call(t *testing.T) {
	var e entered
	h := open(t, nil, lookTool(t, &e))
	for _, kind := range []holdfast.CallKind{holdfast.CustomCall, holdfast.BuiltinCall, "", "other"} {
		c := call("look", `{}`)
		c.Kind = kind
		v := h.put(h.round(c), nil)[0]
		want(t, v, holdfast.Rejected, holdfast.UnsupportedCall, gate.Complete)
	}
	c := call("look", `{}`)
	c.Problem = holdfast.UnsupportedCall
	want(t, h.put(h.round(c), nil)[0], holdfast.Rejected, holdfast.UnsupportedCall, gate.Complete)
	if e.times() != 0 {
		t.Errorf("handler entered %d times", e.times())
	}
}

func TestProviderExecutedCallsAreNotOurs(t *testing.T) {
	var e entered
	h := open(t, nil, lookTool(t, &e))
	theirs := call("web_search", `{}`)
	theirs.Kind, theirs.ProviderExecuted = holdfast.BuiltinCall, true
	vs := h.put(h.round(theirs, call("look", `{}`)), nil)
	if v := vs[0]; !v.Skipped || v.Answer || v.Outcome.Status != "" {
		t.Errorf("verdict of a call that the provider ran = %+v, want skipped and unanswered", v)
	}
	want(t, vs[1], holdfast.OK, "", gate.Execute)
	if vs[1].Observation.Position != 1 {
		t.Errorf("position = %d, want 1", vs[1].Observation.Position)
	}
}

func TestCode_duplicate_call_id(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, nil), lookTool(t, &e))
	vs := h.put(h.round(withID(call("put", `{"n":1}`), "x"), withID(call("look", `{}`), "y"), withID(call("put", `{"n":1}`), "x"), withID(call("look", `{}`), "x")), nil)
	want(t, vs[1], holdfast.OK, "", gate.Execute)
	want(t, vs[2], holdfast.Rejected, holdfast.DuplicateCallID, gate.Complete)
	want(t, vs[3], holdfast.Rejected, holdfast.DuplicateCallID, gate.Complete)
	if !vs[0].Answer || vs[2].Answer || vs[3].Answer {
		t.Errorf("answers = %v %v %v, want only the first", vs[0].Answer, vs[2].Answer, vs[3].Answer)
	}
	var seen struct {
		Outcome string
		Result  json.RawMessage
		Also    []struct{ Outcome, Code string }
	}
	if err := json.Unmarshal(vs[0].Observation.JSON, &seen); err != nil {
		t.Fatal(err)
	}
	if seen.Outcome != "ok" || string(seen.Result) != `{"stored":true}` || len(seen.Also) != 2 || seen.Also[0].Code != "duplicate_call_id" {
		t.Errorf("the id's one result = %s", vs[0].Observation.JSON)
	}
	if e.times() != 2 {
		t.Errorf("handlers entered %d times, want 2", e.times())
	}
}

func TestDuplicateIDsOfACutReplyHaveOneResult(t *testing.T) {
	var e entered
	h := open(t, nil, lookTool(t, &e))
	r := h.round(withID(call("look", `{}`), "x"), withID(call("look", `{}`), "x"))
	r.Complete, r.Ending = false, "cut"
	vs := h.put(r, nil)
	if !vs[0].Answer || vs[1].Answer {
		t.Errorf("answers = %v %v, want only the first", vs[0].Answer, vs[1].Answer)
	}
}

func TestCode_too_many_calls(t *testing.T) {
	var e entered
	h := open(t, nil, lookTool(t, &e))
	var calls []holdfast.Call
	for i := range 70 { // each another: one read may answer for several
		calls = append(calls, withID(call("look", fmt.Sprintf(`{"n":%d}`, i)), fmt.Sprint(i)))
	}
	for i, v := range h.put(h.round(calls...), nil) {
		if i < 64 {
			want(t, v, holdfast.OK, "", gate.Execute)
		} else {
			want(t, v, holdfast.Rejected, holdfast.TooManyCalls, gate.Complete)
		}
		if !v.Answer {
			t.Errorf("call %d is not answered", i)
		}
	}
}

func TestMissingIDsAreMintedFromTheirPlace(t *testing.T) {
	var e entered
	h := open(t, nil, lookTool(t, &e))
	r := h.round(withID(call("look", `{}`), ""), withID(call("look", `{"n":1}`), "call_1_1_2"), withID(call("look", `{"n":2}`), ""))
	vs := h.put(r, nil)
	seen := map[string]bool{}
	for i, v := range vs {
		if v.CallID == "" || seen[v.CallID] || v.Observation.CallID != v.CallID {
			t.Errorf("id %d = %q, observation's %q", i, v.CallID, v.Observation.CallID)
		}
		seen[v.CallID] = true
		want(t, v, holdfast.OK, "", gate.Execute)
	}
	for i, v := range h.put(r, &gate.RoundOptions{Resume: true}) {
		if v.CallID != vs[i].CallID {
			t.Errorf("id %d told again = %q, want %q", i, v.CallID, vs[i].CallID)
		}
	}
}

func TestIDUsedInAnEarlierTurnIsNoDuplicate(t *testing.T) {
	var e entered
	h := open(t, nil, lookTool(t, &e))
	want(t, h.one("look", `{}`), holdfast.OK, "", gate.Execute)
	r := h.round(call("look", `{"n":2}`))
	r.Turn, r.Number = 2, 1
	want(t, h.put(r, nil)[0], holdfast.OK, "", gate.Execute)
	if e.times() != 2 {
		t.Errorf("handler entered %d times, want 2", e.times())
	}
}

func TestCodecProblemIsTold(t *testing.T) {
	var e entered
	h := open(t, nil, lookTool(t, &e))
	for _, code := range []holdfast.Code{holdfast.IncompleteResponse, holdfast.DuplicateCallID, holdfast.UnreadableArguments} {
		c := call("look", `{}`)
		c.Problem = code
		want(t, h.put(h.round(c), nil)[0], holdfast.Rejected, code, gate.Complete)
	}
}
