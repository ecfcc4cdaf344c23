package openai_test

// Faults of other systems, as inputs. The names say which.

import (
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/openai"
)

func TestBugA1_NewIDAtUsedIndexOpensNewCall(t *testing.T) {
	wantCalls(t, chat(chunks(`"tool_calls"`,
		call(`{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}`),
		call(`{"index":0,"id":"b","function":{"name":"y","arguments":"{}"}}`),
	)), "a x {}; b y {}")
}

func TestBugA2_NamesOfParallelCallsAreNotGlued(t *testing.T) {
	wantCalls(t, chat(chunks(`"tool_calls"`,
		call(`{"index":0,"id":"a","function":{"name":"search","arguments":""}}`),
		call(`{"index":1,"id":"b","function":{"name":"search","arguments":""}}`),
		call(`{"index":0,"function":{"arguments":"{\"q\":"}}`),
		call(`{"index":1,"function":{"arguments":"{\"q\":"}}`),
		call(`{"index":0,"function":{"arguments":"1}"}}`),
		call(`{"index":1,"function":{"arguments":"2}"}}`),
	)), `a search {"q":1}; b search {"q":2}`)
}

func TestBugA3_G3_SeveralValuesInOneArgumentTextAreUnreadable(t *testing.T) {
	r := chat(chunks(`"tool_calls"`,
		call(`{"index":0,"id":"a","function":{"name":"x","arguments":"{\"q\":1}"}}`),
		call(`{"index":0,"function":{"arguments":"{\"q\":2}"}}`),
	))
	wantCalls(t, r, `a x {"q":1}{"q":2}`)
	if got := parsed(t, r, 0, "problem"); got != `"unreadable_arguments"` {
		t.Errorf("problem = %s, want unreadable_arguments", got)
	}
}

func TestBugA5_B8_CallsOfACutReplyStandButDoNotRun(t *testing.T) {
	wantCalls(t, chat(chunks(`"length"`,
		call(`{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}`),
		call(`{"index":1,"id":"b","function":{"name":"y","arguments":"{\"path\":\"a\",\"text\":\"half"}}`),
	)), `a x {} !; b y {"path":"a","text":"half !`)
}

func TestBugA6_A10_MissingIDsGetOneThatResultAndCallShare(t *testing.T) {
	r := chat(chunks(`"tool_calls"`,
		call(`{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}`),
		call(`{"index":1,"id":null,"function":{"name":"y","arguments":"{}"}}`),
	))
	wantCalls(t, r, "a x {};  y {}")
	wantIn(t, next(t, openai.Chat{}, r), `"id":"a"`, `"id":"hf0001001"`, `"tool_call_id":"a"`, `"tool_call_id":"hf0001001"`)
}

func TestBugA7_ResponsesItemsNeedNoItemID(t *testing.T) {
	r := responses(`{"object":"response","status":"completed","output":[` +
		`{"type":"function_call","call_id":"c1","name":"x","arguments":"{}"},{"type":"function_call","call_id":"c2","name":"y","arguments":"{}"}]}`)
	wantCalls(t, r, "c1 x {}; c2 y {}")
	wantIn(t, next(t, openai.Responses{}, r), `"call_id":"c1"`, `"call_id":"c2"`, `_output","call_id":"c1"`, `_output","call_id":"c2"`)
}

func TestBugA8_AnEntryThatSaysNothingIsNoCall(t *testing.T) {
	r := chat(`{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"","function":{}},{"id":"c1","function":{"name":"q","arguments":"{}"}}]},"finish_reason":"stop"}]}`)
	wantCalls(t, r, "c1 q {}")
}

func TestBugA9_AnIDUsedInAnEarlierTurnIsNotSentTwice(t *testing.T) {
	turn := func(name string) *wire.Reply {
		return chat(chunks(`"tool_calls"`, call(`{"index":0,"id":"call_8","function":{"name":"`+name+`","arguments":"{}"}}`)))
	}
	a, b := turn("a"), turn("b")
	result := []holdfast.Observation{{CallID: "call_8", Text: "done"}}
	got := history(t, openai.Chat{}, wire.Item{Reply: a}, wire.Item{Results: result}, wire.Item{Reply: b}, wire.Item{Results: result})
	wantIn(t, got, `"id":"call_8"`, `"tool_call_id":"call_8"`, `"id":"hf0002000"`, `"tool_call_id":"hf0002000"`)
}

func TestBugB1_B10_Pitfall5_NoArgumentTextIsAnEmptyObject(t *testing.T) {
	for _, arguments := range []string{`"arguments":""`, `"arguments":null`, `"arguments":" "`, `"other":1`} {
		r := chat(chunks(`"tool_calls"`, call(`{"index":0,"id":"a","function":{"name":"x",`+arguments+`}}`)))
		if got := parsed(t, r, 0, "arguments"); got != "{}" {
			t.Errorf("%s parses as %s, want {}", arguments, got)
		}
		wantIn(t, next(t, openai.Chat{}, r), `"arguments":"{}"`)
	}
}

func TestBugB7_ALoneSurrogateNeverEntersTheHistory(t *testing.T) {
	for _, arguments := range []string{`{\"d\":\"a\\ud99cb\"}`, `{\"d\":\"a\ud99cb\"}`} {
		r := chat(chunks(`"tool_calls"`, call(`{"index":0,"id":"a","function":{"name":"x","arguments":"`+arguments+`"}}`)))
		if got := parsed(t, r, 0, "problem"); got != `"unreadable_arguments"` {
			t.Errorf("problem of %s = %s, want unreadable_arguments", arguments, got)
		}
		got := next(t, openai.Chat{}, r)
		wantNotIn(t, got, "ud99c")
		if !strings.Contains(got, "\uFFFD") && !strings.Contains(got, `\ufffd`) {
			t.Errorf("history has nothing in the surrogate's place:\n%s", got)
		}
	}
}

func TestBugC4_Pitfall2_CallsRunWhateverTheStopWordSays(t *testing.T) {
	three := call(`{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"x","arguments":"{}"}},{"index":2,"id":"c","function":{"name":"x","arguments":"{}"}}`)
	for _, finish := range []string{`"stop"`, `"other"`, `""`, `null`, `"function_call"`} {
		wantCalls(t, chat(chunks(finish, three)), "a x {}; b x {}; c x {}")
	}
	for _, finish := range []string{`"length"`, `"content_filter"`, `"error"`, `"function_call_filter: MALFORMED_FUNCTION_CALL"`} {
		wantCalls(t, chat(chunks(finish, three)), "a x {} !; b x {} !; c x {} !")
	}
}

func TestBugC7_ToolCallsWithoutCallsEndsLikeAnyReply(t *testing.T) {
	r := chat(chunks(`"tool_calls"`, `{"content":""}`))
	if !r.Complete || len(r.Calls) != 0 || r.Message != nil {
		t.Errorf("complete %v with %d calls and message %s, want complete, none, none", r.Complete, len(r.Calls), r.Message)
	}
}

func TestBugD1_D5_EveryCallHasOneResultAlsoAfterACancel(t *testing.T) {
	r := chat(chunks(`"tool_calls"`,
		call(`{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}`),
		call(`{"index":1,"id":"b","function":{"name":"y","arguments":"{}"}}`)))
	failed := []holdfast.Observation{{CallID: "b", Position: 1, Error: true, Text: "failed"}}
	wantIn(t, history(t, openai.Chat{}, wire.Item{Reply: r}, wire.Item{Results: failed}, wire.Item{User: "again"}),
		`"tool_call_id":"a","content":"{\"outcome\":\"uncertain\"`, `"tool_call_id":"b","content":"failed"`, `"role":"user"`)
}

func TestBugD2_Pitfall22_ACallThatTheProviderRanIsNotOursToAnswer(t *testing.T) {
	r := responses(`{"object":"response","status":"completed","output":[` +
		`{"type":"shell_call","call_id":"s1","action":{}},{"type":"shell_call_output","call_id":"s1","output":[]},` +
		`{"type":"function_call","call_id":"c1","name":"x","arguments":"{}"}]}`)
	wantCalls(t, r, "s1 shell_call {} !; c1 x {}")
	if got := next(t, openai.Responses{}, r); strings.Count(got, `"s1"`) != 2 {
		t.Errorf("history answers what the provider ran:\n%s", got)
	}
}

func TestBugD4_ResultsStandInCallOrder(t *testing.T) {
	r := chat(chunks(`"tool_calls"`,
		call(`{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}`),
		call(`{"index":1,"id":"b","function":{"name":"y","arguments":"{}"}}`)))
	finished := []holdfast.Observation{{CallID: "b", Position: 1, Text: "2"}, {CallID: "a", Position: 0, Text: "1"}}
	wantIn(t, history(t, openai.Chat{}, wire.Item{Reply: r}, wire.Item{Results: finished}), `"content":"1"`, `"content":"2"`)
}

func TestBugF1_F9_ADottedNameIsEncodedAndComesBack(t *testing.T) {
	set := toolSet(t, openai.Chat{}, nil, tool(t, "catalog.get-entity", `{"type":"object"}`), tool(t, "a/b", `{"type":"object"}`), tool(t, "a_b", `{"type":"object"}`))
	wantIn(t, string(set.Tools[0]), `"name":"catalog_get-entity"`)
	if got := set.Names["catalog_get-entity"]; got != "shop.catalog.get-entity" {
		t.Errorf("catalog_get-entity stands for %q, want shop.catalog.get-entity", got)
	}
	if len(set.Names) != 3 || set.Names["a_b"] != "shop.a_b" {
		t.Errorf("names = %v: a/b and a_b are not told apart", set.Names)
	}
}

func TestBugF2_Pitfall27_LongNamesWithOnePrefixStayTwo(t *testing.T) {
	long := strings.Repeat("n", 64)
	tools := func() wire.ToolSet {
		return toolSet(t, openai.Chat{}, nil, tool(t, long+"_first", `{"type":"object"}`), tool(t, long+"_other", `{"type":"object"}`))
	}
	set := tools()
	if len(set.Names) != 2 {
		t.Errorf("names = %v, want two", set.Names)
	}
	for name := range set.Names {
		if !takenName.MatchString(name) || tools().Names[name] == "" {
			t.Errorf("name %q is not taken, or another after a restart", name)
		}
	}
}

func TestBugF5_F6_StrictOnlyWhereTheSchemaIsStrictAsItStands(t *testing.T) {
	for _, tt := range []struct {
		name, input string
		strict      bool
	}{
		{"closed, all required", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`, true},
		{"closed and empty", `{"type":"object","properties":{},"additionalProperties":false}`, true},
		{"no properties at all", `{"type":"object"}`, false},
		{"an optional property", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"],"additionalProperties":false}`, false},
		{"open", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, false},
		{"open within", `{"type":"object","properties":{"a":{"type":"object","properties":{}}},"required":["a"],"additionalProperties":false}`, false},
		{"oneOf within", `{"type":"object","properties":{"a":{"oneOf":[{"type":"string"}]}},"required":["a"],"additionalProperties":false}`, false},
		{"a format that it does not know", `{"type":"object","properties":{"a":{"type":"string","format":"regex"}},"required":["a"],"additionalProperties":false}`, false},
	} {
		set := toolSet(t, openai.Responses{}, &wire.ToolOptions{Strict: true}, tool(t, "x", tt.input))
		if got := strings.Contains(string(set.Tools[0]), `"strict":true`); got != tt.strict {
			t.Errorf("%s: strict = %v, want %v in %s", tt.name, got, tt.strict, set.Tools[0])
		}
		wantIn(t, string(set.Tools[0]), `"properties":{`)
	}
}
