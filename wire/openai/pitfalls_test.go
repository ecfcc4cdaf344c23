package openai_test

// Pitfalls of the formats, one test each.

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/openai"
)

func TestPitfall1_ACutCallWithoutArgumentsIsNotAnEmptyObject(t *testing.T) {
	r := chat(chunks(`"length"`, call(`{"index":0,"id":"a","function":{"name":"x","arguments":""}}`)))
	if r.Complete || r.Calls[0].Complete || r.Ending != wire.Cut || parsed(t, r, 0, "arguments") != "null" {
		t.Errorf("cut call: complete %v, ending %s, arguments %s; want not complete, cut, null", r.Calls[0].Complete, r.Ending, parsed(t, r, 0, "arguments"))
	}
}

func TestPitfall3_ParallelCallsWithIndexZeroOrNone(t *testing.T) {
	for _, index := range []string{`"index":0,`, `"index":null,`, ``} {
		wantCalls(t, chat(chunks(`"tool_calls"`,
			call(`{`+index+`"id":"a","function":{"name":"x","arguments":"{\"n\":1}"}}`),
			call(`{`+index+`"id":"b","function":{"name":"x","arguments":"{\"n\":"}}`),
			call(`{`+index+`"function":{"arguments":"2}"}}`),
		)), `a x {"n":1}; b x {"n":2}`)
	}
	wantCalls(t, chat(chunks(`"tool_calls"`,
		call(`{"function":{"name":"x","arguments":"{\"n\":1}"}}`),
		call(`{"function":{"name":"x","arguments":"{\"n\":2}"}}`),
	)), ` x {"n":1};  x {"n":2}`)
}

func TestPitfall4_NameAndIDRepeatedInEachFragment(t *testing.T) {
	wantCalls(t, chat(chunks(`"tool_calls"`,
		call(`{"index":0,"id":"a","function":{"name":"llm_version","arguments":"{"}}`),
		call(`{"index":0,"id":"a","function":{"name":"llm_version","arguments":"}"}}`),
		call(`{"index":0,"id":"","function":{"name":"","arguments":null}}`),
	)), "a llm_version {}")
}

func TestPitfall6_ArgumentsThatAreAnObjectKeepTheirSource(t *testing.T) {
	wantCalls(t, chat(chunks(`"tool_calls"`, call(`{"index":0,"id":"a","function":{"name":"x","arguments":{"n": 9007199254740993 }}}`))),
		`a x {"n": 9007199254740993 }`)
}

func TestPitfall7_OfSeveralChoicesOnlyTheFirstIsDecoded(t *testing.T) {
	r := chat(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"n\":"}}]}}]}` + "\n\n" +
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"n\":9}"}}]},"index":1}]}` + "\n\n" +
		`data: {"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"stop"},{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n")
	wantCalls(t, r, `a x {"n":1}`)
	if r.Text != "" {
		t.Errorf("text = %q is another choice's", r.Text)
	}
}

// rotated is a Responses stream whose item ids change between events.
const rotated = `data: {"type":"response.created","response":{"id":"r","model":"m"}}

data: {"type":"response.output_item.added","output_index":0,"item":{"id":"i1","type":"function_call","call_id":"c1","name":"x","arguments":""}}

data: {"type":"response.output_item.added","output_index":1,"item":{"id":"i1","type":"function_call","call_id":"c2","name":"y","arguments":""}}

data: {"type":"response.function_call_arguments.delta","output_index":0,"item_id":"i2","delta":"{\"n\":1}"}

data: {"type":"response.function_call_arguments.delta","output_index":1,"item_id":"i3","delta":"{\"n\":2}"}

data: {"type":"response.output_item.done","output_index":1,"item":{"id":"i4","type":"function_call","call_id":"c2","name":"y","arguments":"{\"n\":2}"}}

data: {"type":"response.output_item.done","output_index":0,"item":{"id":"i5","type":"function_call","call_id":"c1","name":"x","arguments":"{\"n\":1}"}}

data: {"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}

`

func TestPitfall8_ItemsAreToldApartByTheirPlaceNotTheirID(t *testing.T) {
	r := responses(rotated)
	wantCalls(t, r, `c1 x {"n":1}; c2 y {"n":2}`)
	wantIn(t, string(r.Message), `"i5"`, `"i4"`)
	wantIn(t, next(t, openai.Responses{}, r), `_output","call_id":"c1"`, `_output","call_id":"c2"`)
}

func TestPitfall8_ACallIDThatComesInEveryReplyIsSentOnce(t *testing.T) {
	turn := responses(`{"object":"response","status":"completed","output":[{"type":"function_call","id":"fc_1","call_id":"call_0","name":"x","arguments":"{}"}]}`)
	result := []holdfast.Observation{{CallID: "call_0", Text: "done"}}
	got := history(t, openai.Responses{}, wire.Item{Reply: turn}, wire.Item{Results: result}, wire.Item{Reply: turn}, wire.Item{Results: result})
	if strings.Count(got, `"call_0"`) != 2 || strings.Count(got, `"hf0002000"`) != 2 {
		t.Errorf("ids of two turns are not told apart:\n%s", got)
	}
}

func TestPitfall9_ReasoningStaysBeforeWhatFollowedIt(t *testing.T) {
	output := `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e1"},{"type":"function_call","id":"fc_1","call_id":"c1","name":"x","arguments":"{}"},` +
		`{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"e2"},{"type":"message","id":"m_1","role":"assistant","content":[{"type":"output_text","text":"t"}]}`
	r := responses(`{"object":"response","status":"completed","output":[` + output + `]}`)
	wantIn(t, next(t, openai.Responses{}, r), `"rs_1"`, `"summary":[]`, `"fc_1"`, `"rs_2"`, `"m_1"`, `"call_id":"c1","output"`)
	lost := responses(`{"object":"response","status":"completed","output":[` + strings.Replace(output, `,"encrypted_content":"e1"`, ``, 1) + `]}`)
	got := next(t, openai.Responses{}, lost)
	wantNotIn(t, got, `"rs_1"`)
	wantNotIn(t, got, `"fc_1"`)
}

func TestPitfall10_ResponsesIsAlwaysToldWhetherStrict(t *testing.T) {
	set := toolSet(t, openai.Responses{}, nil, tool(t, "x", `{"type":"object","properties":{"a":{"type":"string"}}}`))
	wantIn(t, string(set.Tools[0]), `"properties":{"a":{"type":"string"}}`, `"strict":false`)
}

func TestPitfall25_MistralIDsAndDeepSeekReasoning(t *testing.T) {
	r := chat(chunks(`"tool_calls"`, `{"reasoning_content":"I think"}`, call(`{"index":0,"id":"call_0123456789","function":{"name":"x","arguments":"{}"}}`)))
	items := []wire.Item{{User: "Go."}, {Reply: r}, {Results: []holdfast.Observation{{CallID: "call_0123456789", Text: "done"}}}, {User: "And?"}}
	mistral := request(t, openai.Chat{}, &wire.Request{Model: "m", Items: items, Quirks: "mistral"})
	wantIn(t, mistral, `"id":"hf0001000"`, `"tool_call_id":"hf0001000"`, `"role":"assistant"`, `"role":"user","content":"And?"`)
	wantNotIn(t, mistral, "reasoning_content")
	wantIn(t, request(t, openai.Chat{}, &wire.Request{Model: "m", Items: items, Quirks: "deepseek"}), `"reasoning_content":"I think"`)
	foreign := &wire.Reply{API: "anthropic", Ending: wire.Ended, Reasoning: "thought", Calls: []holdfast.Call{{ID: "t", Name: "x", Kind: holdfast.FunctionCall, Complete: true}}}
	wantIn(t, request(t, openai.Chat{}, &wire.Request{Model: "m", Items: []wire.Item{{Reply: foreign}}, Quirks: "deepseek"}), `"reasoning_content":"thought"`)
}

func request(t *testing.T, c wire.Codec, r *wire.Request) string {
	t.Helper()
	e, err := c.Request(r)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(e.Body) {
		t.Errorf("request is no JSON: %s", e.Body)
	}
	return string(e.Body)
}

func TestPitfall26_AnErrorAfterAGoodBeginningVoidsTheReply(t *testing.T) {
	begin := "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"x\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n"
	for _, end := range []string{
		"event: error\ndata: {\"error\":{\"code\":\"tool_use_failed\",\"message\":\"m\"}}\n\n",
		"data: {\"id\":\"1\",\"choices\":[],\"error\":{\"code\":502,\"message\":\"m\"}}\n\ndata: [DONE]\n\n",
		"{\"error\":{\"message\":\"m\"}}\n",
		"event: error\ndata: {\"message\":\"m\"}\n\n",
	} {
		r := chat(begin + end)
		wantCalls(t, r, "a x {} !")
		if r.Err == nil || r.Err.Message != "m" || r.Ending != wire.Broken {
			t.Errorf("after %q: error %v, ending %s, want m and broken", end, r.Err, r.Ending)
		}
	}
}

func TestPitfall28_MoreToolsThanARequestTakesAreRefusedBeforeItIsSent(t *testing.T) {
	var many []*holdfast.Tool
	for i := range 129 {
		many = append(many, tool(t, fmt.Sprintf("t%d", i), `{"type":"object"}`))
	}
	if _, err := (openai.Chat{}).Tools(catalog(t, many...), nil); err == nil {
		t.Error("129 tools: no error")
	}
}

func TestPitfall29_ACustomCallsInputIsText(t *testing.T) {
	r := chat(`{"choices":[{"message":{"tool_calls":[{"id":"a","type":"custom","custom":{"name":"sql","input":"select 1"}}]},"finish_reason":"tool_calls"}]}`)
	if c := r.Calls[0]; c.Kind != holdfast.CustomCall || c.Arguments != "select 1" || parsed(t, r, 0, "arguments") != "null" {
		t.Errorf("custom call = %+v, arguments %s", c, parsed(t, r, 0, "arguments"))
	}
	wantIn(t, next(t, openai.Chat{}, r), `"custom":{"name":"sql","input":"select 1"}`, `"tool_call_id":"a"`)
	r = responses(`{"object":"response","status":"completed","output":[{"type":"custom_tool_call","call_id":"a","name":"sql","input":"select 1"}]}`)
	wantIn(t, next(t, openai.Responses{}, r), `"input":"select 1"`, `custom_tool_call_output","call_id":"a"`)
}

func TestPitfall30_HalvesOfACharacterInTwoFragments(t *testing.T) {
	r := chat(chunks(`"tool_calls"`, `{"content":"\ud83d"}`, `{"content":"\ude00"}`,
		call(`{"index":0,"id":"a","function":{"name":"x","arguments":"{\"q\":\"\ud83d"}}`), call(`{"index":0,"function":{"arguments":"\ude00\"}"}}`)))
	wantCalls(t, r, `a x {"q":"😀"}`)
	if r.Text != "😀" {
		t.Errorf("text = %q, want 😀", r.Text)
	}
}

func TestPitfall31_AnUnknownNameGoesBackLegal(t *testing.T) {
	r := chat(chunks(`"tool_calls"`, call(`{"index":0,"id":"a","function":{"name":"search<|channel|>commentary","arguments":"{}"}}`)))
	wantCalls(t, r, "a search<|channel|>commentary {}")
	wantIn(t, next(t, openai.Chat{}, r), `"name":"search__channel__commentary"`)
}

func TestPitfall32_ACatalogIsEncodedTheSameEachTime(t *testing.T) {
	encode := func() string {
		set := toolSet(t, openai.Chat{}, nil, tool(t, "b", `{"type":"object","properties":{"z":{"type":"array"},"a":true}}`), tool(t, "a", `{"type":"object"}`))
		return request(t, openai.Chat{}, &wire.Request{Model: "m", Tools: set, Stream: true})
	}
	first := encode()
	wantIn(t, first, `"name":"b"`, `"z":{"type":"array","items":{}},"a":{}`, `"name":"a"`)
	for range 5 {
		if got := encode(); got != first {
			t.Fatalf("request changes:\n%s\n%s", first, got)
		}
	}
}

func TestPitfall34_ASplicedStreamBeginsAnew(t *testing.T) {
	begin, _, _ := strings.Cut(rotated, `data: {"type":"response.output_item.done"`)
	d := openai.Responses{}.NewDecoder()
	restarted := false
	for _, e := range d.Feed([]byte(begin + rotated)) {
		restarted = restarted || e.Kind == wire.Restart
	}
	wantCalls(t, d.Close(), `c1 x {"n":1}; c2 y {"n":2}`)
	if !restarted {
		t.Error("the preview was not told to begin anew")
	}
}

func TestPitfall35_ALeakedParallelWrapperIsACallOfThatName(t *testing.T) {
	r := responses(`{"object":"response","status":"completed","output":[{"type":"function_call","call_id":"c","name":"multi_tool_use.parallel","arguments":"{\"tool_uses\":[]}"}]}`)
	wantCalls(t, r, `c multi_tool_use.parallel {"tool_uses":[]}`)
	wantIn(t, next(t, openai.Responses{}, r), `"name":"multi_tool_use_parallel"`)
}

func TestPitfall36_NamespaceIsKept(t *testing.T) {
	r := responses(`{"object":"response","status":"completed","output":[{"type":"function_call","call_id":"c","name":"x","namespace":"crm","arguments":"{}"}]}`)
	if r.Calls[0].Namespace != "crm" {
		t.Errorf("namespace = %q, want crm", r.Calls[0].Namespace)
	}
	wantIn(t, next(t, openai.Responses{}, r), `"namespace":"crm"`)
}

func TestRefusalIsNoCompleteReply(t *testing.T) {
	r := chat(chunks(`"stop"`, `{"refusal":"I cannot."}`))
	if r.Complete || r.Ending != wire.Filtered || r.Text != "I cannot." {
		t.Errorf("refusal: complete %v, ending %s, text %q", r.Complete, r.Ending, r.Text)
	}
}

func TestEndingsOfResponses(t *testing.T) {
	for _, tt := range []struct {
		name, response, stop string
		ending               wire.Ending
	}{
		{"completed", `"status":"completed"`, "completed", wire.Ended},
		{"cut", `"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}`, "incomplete:max_output_tokens", wire.Cut},
		{"filtered", `"status":"incomplete","incomplete_details":{"reason":"content_filter"}`, "incomplete:content_filter", wire.Filtered},
		{"failed", `"status":"failed","error":{"code":"server_error","message":"m"}`, "failed", wire.Broken},
		{"cancelled", `"status":"cancelled"`, "cancelled", wire.Broken},
		{"not done", `"status":"in_progress"`, "in_progress", wire.Broken},
	} {
		r := responses(`{"object":"response",` + tt.response + `,"output":[{"type":"function_call","call_id":"c","name":"x","arguments":"{}"}]}`)
		if r.Stop != tt.stop || r.Ending != tt.ending || r.Complete != (tt.ending == wire.Ended) {
			t.Errorf("%s: stop %q, ending %s, complete %v", tt.name, r.Stop, r.Ending, r.Complete)
		}
	}
}

func TestWhatIsNoReplyIsAnError(t *testing.T) {
	for _, body := range []string{"<html>bad gateway</html>", "upstream connect error\n", `{"detail":"not found"}`, `{"message":"no"}`, `{"error":"no"}`, "data: {\"choices\":[{\n\ndata: [DONE]\n\n"} {
		if r := chat(body); r.Err == nil || r.Complete || r.Ending != wire.Broken {
			t.Errorf("%q: error %v, complete %v, ending %s", body, r.Err, r.Complete, r.Ending)
		}
		if r := responses(body); r.Err == nil && !strings.Contains(body, "DONE") || r.Complete || r.Ending != wire.Broken {
			t.Errorf("%q as Responses: error %v, complete %v, ending %s", body, r.Err, r.Complete, r.Ending)
		}
	}
}

func TestAnEventOfAnotherKindBeforeTheReplyIsNoError(t *testing.T) {
	r := chat("data: {\"status\":\"queued\",\"message\":\"wait\"}\n\n" + chunks(`"stop"`, `{"content":"x"}`))
	if !r.Complete || r.Err != nil || r.Unknown != 1 {
		t.Errorf("complete %v, error %v, %d unknown events", r.Complete, r.Err, r.Unknown)
	}
}

func TestRequestsSayWhatWasAsked(t *testing.T) {
	set := toolSet(t, openai.Chat{}, nil, tool(t, "x", `{"type":"object"}`))
	for _, tt := range []struct {
		name   string
		choice wire.ToolChoice
		quirks string
		want   []string
	}{
		{"free", wire.ToolChoice{}, "", []string{`"max_completion_tokens":7`, `"stream":true,"stream_options":{"include_usage":true}`}},
		{"none", wire.ToolChoice{Mode: "none"}, "groq", []string{`"tool_choice":"none"`}},
		{"required", wire.ToolChoice{Mode: "required"}, "", []string{`"tool_choice":"required","parallel_tool_calls":false`}},
		{"required at Mistral", wire.ToolChoice{Mode: "required"}, "mistral", []string{`"tool_choice":"any"`, `"max_tokens":7`}},
		{"one tool", wire.ToolChoice{Mode: "tool", Tool: "x"}, "", []string{`"tool_choice":{"type":"function","function":{"name":"x"}}`}},
	} {
		r := &wire.Request{Model: "m", System: "Be brief.", Tools: set, Choice: tt.choice, Quirks: tt.quirks, Stream: true, Serial: true, MaxTokens: 7}
		got := request(t, openai.Chat{}, r)
		wantIn(t, got, append([]string{`{"model":"m","messages":[{"role":"system","content":"Be brief."}],"tools":[`}, tt.want...)...)
	}
	for _, bad := range []wire.Request{{Tools: set, Choice: wire.ToolChoice{Mode: "maybe"}}, {Tools: set, Choice: wire.ToolChoice{Mode: "tool"}}, {Quirks: "unheard of"}} {
		if _, err := (openai.Chat{}).Request(&bad); err == nil {
			t.Errorf("request %+v: no error", bad)
		}
	}
	got := request(t, openai.Responses{}, &wire.Request{Model: "gpt-5", System: "Be brief.", Choice: wire.ToolChoice{Mode: "tool", Tool: "x"}, Tools: set, MaxTokens: 7, Stream: true})
	wantIn(t, got, `"instructions":"Be brief.","input":[]`, `"tool_choice":{"type":"function","name":"x"}`, `"max_output_tokens":7`, `"store":false,"include":["reasoning.encrypted_content"],"stream":true`)
	wantNotIn(t, request(t, openai.Responses{}, &wire.Request{Model: "gpt-4o"}), "encrypted")
}

func TestAnImageOfAResultFollowsTheToolMessages(t *testing.T) {
	r := chat(chunks(`"tool_calls"`, call(`{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"y","arguments":"{}"}}`)))
	results := []holdfast.Observation{{Position: 0, Text: "see", Images: []holdfast.Image{{MediaType: "image/png", Data: []byte{1}}}}, {Position: 1, Text: "two"}}
	wantIn(t, history(t, openai.Chat{}, wire.Item{Reply: r}, wire.Item{Results: results}), `"tool_call_id":"a"`, `"tool_call_id":"b"`, `"role":"user"`, `"data:image/png;base64,AQ=="`)
}

func TestExtraMembersOfACallComeBackWithIt(t *testing.T) {
	r := chat(chunks(`"tool_calls"`, call(`{"id":"a","type":"function","function":{"name":"x","arguments":""},"extra_content":{"google":{"thought_signature":"s"}}}`)))
	wantIn(t, next(t, openai.Chat{}, r), `"arguments":"{}"`, `"thought_signature":"s"`)
}
