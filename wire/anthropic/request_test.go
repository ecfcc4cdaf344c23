package anthropic_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/anthropic"
	"github.com/holdfast-go/holdfast/wire/wiretest"
)

// request encodes and reads the body back.
func request(t *testing.T, c wire.Codec, r *wire.Request) (wire.Encoded, []byte) {
	t.Helper()
	e, err := c.Request(r)
	if err != nil {
		t.Fatalf("Request: %v", err)
	}
	return e, e.Body
}

func reply(c wire.Codec, calls ...holdfast.Call) *wire.Reply {
	d := c.NewDecoder()
	s := wiretest.Spoken{Calls: calls}
	if c.API() == "bedrock-invoke" {
		d.Feed(speakInvoke(s))
	} else {
		d.Feed(speakMessages(s))
	}
	return d.Close()
}

func tools(t *testing.T, o *wire.ToolOptions, schemas ...string) wire.ToolSet {
	t.Helper()
	byName, order := map[string]string{}, []string{}
	for i, s := range schemas {
		name := fmt.Sprintf("tool_%d", i)
		byName[name] = s
		order = append(order, name)
	}
	set, err := anthropic.Messages{}.Tools(wiretest.Catalog(t, "", byName, order...), o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestPitfall18_AllResultsFirstInOneUserMessage(t *testing.T) {
	r := reply(anthropic.Messages{}, holdfast.Call{ID: "toolu_a", Name: "read"}, holdfast.Call{ID: "toolu_b", Name: "list"})
	history, err := anthropic.Messages{}.History([]wire.Item{
		{User: "Go."},
		{Reply: r},
		{Results: []holdfast.Observation{{Position: 1, Text: "two"}, {Position: 0, Text: "one"}}},
		{User: "And now?"},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_a","content":"one"},{"type":"tool_result","tool_use_id":"toolu_b","content":"two"},{"type":"text","text":"And now?"}]}`
	if len(history) != 3 || string(history[2]) != want {
		t.Errorf("History = %s, want its third message %s", history, want)
	}
}

func TestBugD3_HistoryWithCallsGetsAToolEvenIfNoneIsOffered(t *testing.T) {
	for _, c := range []wire.Codec{anthropic.Messages{}, anthropic.Invoke{}} {
		r := reply(c, holdfast.Call{ID: "toolu_a", Name: "read"})
		_, body := request(t, c, &wire.Request{Model: "m", Items: []wire.Item{{User: "Go."}, {Reply: r}, {Results: []holdfast.Observation{{Text: "one"}}}}})
		if got := string(rawjson.Member(body, "tool_choice")); got != `{"type":"none"}` {
			t.Errorf("%s: tool_choice = %s, want none", c.API(), got)
		}
		if rawjson.Member(body, "tools") == nil {
			t.Errorf("%s: body without tools: %s", c.API(), body)
		}
		_, body = request(t, c, &wire.Request{Model: "m", Items: []wire.Item{{User: "Go."}}})
		if rawjson.Member(body, "tools") != nil {
			t.Errorf("%s: body with tools though nothing asks for them: %s", c.API(), body)
		}
	}
}

func TestToolChoiceAndParallelSwitch(t *testing.T) {
	set := tools(t, nil, `{"type":"object"}`)
	for _, tt := range []struct {
		name   string
		choice wire.ToolChoice
		serial bool
		want   string
	}{
		{"left free", wire.ToolChoice{}, false, ``},
		{"left free, serial", wire.ToolChoice{}, true, `{"type":"auto","disable_parallel_tool_use":true}`},
		{"auto", wire.ToolChoice{Mode: "auto"}, false, `{"type":"auto"}`},
		{"none, serial", wire.ToolChoice{Mode: "none"}, true, `{"type":"none"}`},
		{"required", wire.ToolChoice{Mode: "required"}, false, `{"type":"any"}`},
		{"one tool, serial", wire.ToolChoice{Mode: "tool", Tool: "tool_0"}, true, `{"type":"tool","name":"tool_0","disable_parallel_tool_use":true}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, body := request(t, anthropic.Messages{}, &wire.Request{Model: "m", Items: []wire.Item{{User: "Go."}}, Tools: set, Choice: tt.choice, Serial: tt.serial})
			if got := string(rawjson.Member(body, "tool_choice")); got != tt.want {
				t.Errorf("tool_choice = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestPathsHeadersAndVersions(t *testing.T) {
	items := []wire.Item{{User: "Go."}}
	e, body := request(t, anthropic.Messages{}, &wire.Request{Model: "m", Items: items, Stream: true})
	if e.Path != "/v1/messages" || e.Header.Get("anthropic-version") != "2023-06-01" || string(rawjson.Member(body, "max_tokens")) != "4096" || string(rawjson.Member(body, "stream")) != "true" {
		t.Errorf("Request = %s %v %s", e.Path, e.Header, body)
	}
	if e, _ := request(t, anthropic.Messages{Version: "2026-10-21"}, &wire.Request{Model: "m", Items: items}); e.Header.Get("anthropic-version") != "2026-10-21" {
		t.Errorf("version header = %v, want 2026-10-21", e.Header)
	}
	e, body = request(t, anthropic.Messages{}, &wire.Request{Model: "claude@1", Items: items, Stream: true, Quirks: "vertex"})
	if e.Path != "/publishers/anthropic/models/claude@1:streamRawPredict" || rawjson.Member(body, "model") != nil || rawjson.MemberString(body, "anthropic_version") != "vertex-2023-10-16" {
		t.Errorf("Request for Vertex = %s %s", e.Path, body)
	}
	e, body = request(t, anthropic.Invoke{}, &wire.Request{Model: "us.anthropic.claude-v1:0", Items: items, Stream: true})
	if e.Path != "/model/us.anthropic.claude-v1:0/invoke-with-response-stream" || rawjson.Member(body, "model") != nil || rawjson.Member(body, "stream") != nil || rawjson.MemberString(body, "anthropic_version") != "bedrock-2023-05-31" {
		t.Errorf("Request for InvokeModel = %s %s", e.Path, body)
	}
}

func TestPitfall32_TheLastToolAloneIsMarkedForTheCache(t *testing.T) {
	set := tools(t, nil, `{"type":"object"}`, `{"type":"object"}`)
	for i, want := range []string{"", `{"type":"ephemeral"}`} {
		if got := string(rawjson.Member(set.Tools[i], "cache_control")); got != want {
			t.Errorf("cache_control of tool %d = %s, want %s", i, got, want)
		}
	}
}

const closed = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"],"additionalProperties":false}`

func TestStrictOnlyWhereTheSchemaIsStrictAsItStands(t *testing.T) {
	for _, tt := range []struct {
		name, schema string
		want         bool
	}{
		{"closed", closed, true},
		{"open", `{"type":"object","properties":{"a":{"type":"string"}}}`, false},
		{"open within", `{"type":"object","properties":{"a":{"type":"object"}},"additionalProperties":false}`, false},
		{"a bound that is not enforced", `{"type":"object","properties":{"a":{"type":"integer","minimum":1}},"additionalProperties":false}`, false},
		{"a format that is not known", `{"type":"object","properties":{"a":{"type":"string","format":"regex"}},"additionalProperties":false}`, false},
		{"a date", `{"type":"object","properties":{"a":{"type":"string","format":"date"}},"additionalProperties":false}`, true},
		{"a definition", `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"additionalProperties":false,"$defs":{"x":{"type":"string"}}}`, true},
		{"recursion", `{"type":"object","properties":{"a":{"$ref":"#"}},"additionalProperties":false}`, false},
		{"recursion by a definition", `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"additionalProperties":false,"$defs":{"x":{"type":"array","items":{"$ref":"#/$defs/x"}}}}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := tools(t, &wire.ToolOptions{Strict: true}, tt.schema)
			if got := rawjson.True(rawjson.Member(set.Tools[0], "strict")); got != tt.want {
				t.Errorf("strict = %v, want %v", got, tt.want)
			}
			if got := string(rawjson.Member(set.Tools[0], "input_schema")); got != tt.schema {
				t.Errorf("input_schema = %s, want it unchanged: %s", got, tt.schema)
			}
		})
	}
	if set := tools(t, nil, closed); rawjson.Member(set.Tools[0], "strict") != nil {
		t.Errorf("strict though it was not asked for: %s", set.Tools[0])
	}
}

func TestStrictStaysWithinTheRequestsLimits(t *testing.T) {
	schemas := make([]string, 30)
	for i := range schemas {
		schemas[i] = closed // one optional property each
	}
	strict := 0
	for _, raw := range tools(t, &wire.ToolOptions{Strict: true}, schemas...).Tools {
		if rawjson.True(rawjson.Member(raw, "strict")) {
			strict++
		}
	}
	if strict != 20 {
		t.Errorf("%d strict tools of 30, want the 20 that one request takes", strict)
	}
}

func TestImagesOfResults(t *testing.T) {
	r := reply(anthropic.Messages{}, holdfast.Call{ID: "toolu_a", Name: "look"})
	history, err := anthropic.Messages{}.History([]wire.Item{{User: "Go."}, {Reply: r}, {Results: []holdfast.Observation{{
		Text: "two", Images: []holdfast.Image{{MediaType: "image/png", Data: []byte{1, 2}}, {MediaType: "image/tiff", Data: []byte{3}}},
	}}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Content []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(history[2], &got); err != nil {
		t.Fatal(err)
	}
	want := `[{"type":"text","text":"two"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQI="}},{"type":"text","text":"[an image of type image/tiff was left out: this provider does not take it]"}]`
	if diff := cmp.Diff(want, string(got.Content[0].Content)); diff != "" {
		t.Errorf("content of the result (-want +got):\n%s", diff)
	}
}

func TestAnEmptyResultHasNoEmptyTextBlock(t *testing.T) {
	r := reply(anthropic.Messages{}, holdfast.Call{ID: "toolu_a", Name: "look"})
	history, err := anthropic.Messages{}.History([]wire.Item{{User: "Go."}, {Reply: r}, {Results: []holdfast.Observation{{}}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_a"}]}`; string(history[2]) != want {
		t.Errorf("results = %s, want %s", history[2], want)
	}
}

func TestRepliesAreBounded(t *testing.T) {
	d := anthropic.Messages{}.NewDecoder()
	block := []byte(`data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"b","input":{}}}` + "\n\n")
	for range 20_000 {
		d.Feed(block)
	}
	if r := d.Close(); r.Err == nil || r.Err.Code != "reply_too_large" || len(r.Calls) > 10_000 {
		t.Errorf("20,000 blocks: %d calls, error %v", len(r.Calls), r.Err)
	}
	d = anthropic.Messages{}.NewDecoder()
	d.Feed([]byte(`data: {"type":"message_start","message":{}}` + "\n\n"))
	piece := []byte(`data: {"type":"ping","padding":"` + strings.Repeat("x", 1<<20) + `"}` + "\n\n")
	for range 66 {
		d.Feed(piece)
	}
	d.Feed([]byte(`data: {"type":"message_stop"}` + "\n\n"))
	if r := d.Close(); r.Err == nil || r.Err.Code != "reply_too_large" || r.Complete {
		t.Errorf("66 MiB: complete %v, error %v", r.Complete, r.Err)
	}
}
