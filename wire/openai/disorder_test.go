package openai_test

import (
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/openai"
)

// sse is a stream of these events.
func sse(events ...string) string {
	return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n"
}

// A reply that says length may not say tool_calls after it.
func TestAVetoIsNotTakenBack(t *testing.T) {
	r := chat(sse(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"length"}]}`,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, `[DONE]`))
	if r.Complete || r.Stop != "length" || r.Ending != wire.Cut {
		t.Errorf("reply is complete %v with stop %q, want it cut by length", r.Complete, r.Stop)
	}
}

// More of a call after the stop word needs an end sign of its own: the stream may
// have broken within it.
func TestACallAfterTheStopWordNeedsAnotherEndSign(t *testing.T) {
	call := `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":""}}]}}]}`
	stop := `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`
	if r := chat(sse(stop, call)); r.Complete {
		t.Errorf("reply whose last call came after the stop word is complete: %+v", r.Calls)
	}
	for _, end := range []string{stop, `[DONE]`} {
		if r := chat(sse(stop, call, end)); !r.Complete || len(r.Calls) != 1 {
			t.Errorf("reply that ends after it with %s is not complete", end)
		}
	}
}

// The end sign came before what it ends: {} must not run in its place.
func TestACallThatGoesOnAfterDoneIsNoReply(t *testing.T) {
	r := chat(sse(`{"id":"x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}}]}`, `[DONE]`,
		`{"id":"x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"amount\":5}"}}]}}]}`))
	if r.Complete || r.Err == nil || r.Err.Code != "out_of_order" {
		t.Errorf("reply is complete %v, %v, want out_of_order", r.Complete, r.Err)
	}
}

// A choice's index may be any number and stand behind all else, and costs no time.
func TestManyMembersBeforeANegativeIndex(t *testing.T) {
	b := []byte(`{"choices":[{`)
	for range 300_000 {
		b = append(b, `"a":1,`...)
	}
	b = append(b, `"delta":{"content":"hi"},"finish_reason":"stop","index":-1}]}`...)
	if r := chat(sse(string(b), `[DONE]`)); r.Text != "hi" || !r.Complete {
		t.Errorf("text = %q, complete %v", r.Text, r.Complete)
	}
}

// Responses: what is done stays, whatever comes again; and one number for all
// items does not make one call of two.
func TestADoneItemDoesNotChange(t *testing.T) {
	item := func(event, call, args string) string {
		return `{"type":"response.output_item.` + event + `","output_index":0,"item":{"type":"function_call","id":"fc_` + call + `","call_id":"` + call + `","name":"f","arguments":"` + args + `"}}`
	}
	end := `{"type":"response.completed","response":{"status":"completed"}}`
	for name, events := range map[string][]string{
		"added again":            {item("done", "a", `{\"n\":1}`), item("added", "a", ""), end},
		"done again, otherwise":  {item("done", "a", `{\"n\":1}`), item("done", "a", `{\"n\":2}`), end},
		"deltas come after done": {item("added", "a", ""), item("done", "a", `{\"n\":1}`), `{"type":"response.function_call_arguments.delta","output_index":0,"delta":"x"}`, end},
	} {
		r := responses(sse(events...))
		if len(r.Calls) != 1 || r.Calls[0].Arguments != `{"n":1}` || !r.Calls[0].Complete {
			t.Errorf("%s: calls = %+v, want one with its own arguments", name, r.Calls)
		}
	}
	if r := responses(sse(item("added", "a", ""), item("done", "a", ""), `{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{}"}`, end)); r.Calls[0].Complete {
		t.Error("a call whose arguments came after its end is complete")
	}
	if r := responses(sse(item("added", "a", ""), item("done", "a", `{}`), item("added", "b", ""), item("done", "b", `{\"n\":2}`), end)); len(r.Calls) != 2 || r.Calls[1].Arguments != `{"n":2}` {
		t.Errorf("two items of one number: calls = %+v, want two", r.Calls)
	}
}

// An index that no list has is an error, where fragments would else go to the
// call that stands last; one that is written oddly is what it says.
func TestIndicesAreReadAsWhatTheySay(t *testing.T) {
	delta := func(index, id, args string) string {
		name := ""
		if id != "" {
			name = "f" + id
		}
		return `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":` + index + `,"id":"` + id + `","function":{"name":"` + name + `","arguments":"` + args + `"}}]}}]}`
	}
	stop := `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`
	for _, row := range []struct{ one, two, want string }{
		{"1e30", "2e30", ""},
		{"99999999999999999999", "99999999999999999998", ""},
		{"0.5", "1.5", ""},
		{"{}", "[]", ""},
		{"0.0", "1.0", "a fa {}; b fb {}"},
		{`"0"`, `"1"`, "a fa {}; b fb {}"},
		{"-7", "-8", "a fa {}; b fb {}"},
		{"9007199254740993", "9007199254740992", "a fa {}; b fb {}"},
	} {
		r := chat(sse(delta(row.one, "a", "{"), delta(row.two, "b", "{"), delta(row.one, "", "}"), delta(row.two, "", "}"), stop))
		if row.want == "" {
			if r.Complete || r.Err == nil {
				t.Errorf("indices %s and %s: calls %q, complete %v, want an error", row.one, row.two, calls(r), r.Complete)
			}
			continue
		}
		if strings.ReplaceAll(calls(r), " !", "") != row.want || !r.Complete {
			t.Errorf("indices %s and %s: calls %q, complete %v, want %q", row.one, row.two, calls(r), r.Complete, row.want)
		}
	}
}

// Only the first choice is read, also where none has an index.
func TestChoicesWithoutAnIndexAreNotOne(t *testing.T) {
	r := chat(`{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"},{"message":{"tool_calls":[{"id":"b","function":{"name":"g","arguments":"{}"}}]},"finish_reason":"length"}]}`)
	wantCalls(t, r, "a f {}")
}

// A call that a server writes in the old form and in the new is one call.
func TestAFunctionCallAmongTheToolCallsIsOne(t *testing.T) {
	for _, args := range []string{`{\"n\":1}`, `{\"n\":2}`} {
		r := chat(`{"choices":[{"message":{"function_call":{"name":"f","arguments":"{\"n\":1}"},"tool_calls":[{"id":"a","function":{"name":"f","arguments":"` + args + `"}}]},"finish_reason":"stop"}]}`)
		twice := parsed(t, r, 0, "problem") == `"duplicate_call_id"`
		if len(r.Calls) != 2 || twice != (args == `{\"n\":1}`) || parsed(t, r, 1, "problem") != "null" {
			t.Errorf("with %s: %s", args, wire.ParseJSON(r))
		}
	}
}

// The message is the first body's own, also when more bytes overwrite where it
// stood.
func TestAWholeBodysMessageIsKept(t *testing.T) {
	const message = `{"role":"assistant","content":"the first"}`
	first := `{"choices":[{"index":0,"message":` + message + `,"finish_reason":"stop"}]}`
	d := openai.Chat{}.NewDecoder()
	for _, piece := range []string{first[:20], first[20:], `{"x":"` + strings.Repeat("y", 70), "zz"} {
		d.Feed([]byte(piece))
	}
	if r := d.Close(); string(r.Message) != message || r.Text != "the first" {
		t.Errorf("message = %s, text %q, want %s", r.Message, r.Text, message)
	}
}
