package google_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/google"
	"github.com/holdfast-go/holdfast/wire/wiretest"
)

func reply(calls ...holdfast.Call) *wire.Reply {
	return wiretest.Decode(google.Gemini{}, speakGemini(wiretest.Spoken{Calls: calls}))
}

func request(t *testing.T, c wire.Codec, r *wire.Request) wire.Encoded {
	t.Helper()
	e, err := c.Request(r)
	if err != nil {
		t.Fatalf("Request: %v", err)
	}
	return e
}

// last of an encoded history.
func last(t *testing.T, c wire.Codec, items ...wire.Item) string {
	t.Helper()
	history, err := c.History(items, nil)
	if err != nil {
		t.Fatalf("History: %v", err)
	}
	return string(history[len(history)-1])
}

func TestPitfall13_AResultIsAlwaysAnObject(t *testing.T) {
	for _, tt := range []struct {
		name   string
		result holdfast.Observation
		gemini string
		steps  string
	}{
		{"text", holdfast.Observation{Text: "one"}, `{"output":"one"}`, `"one"`},
		{"an object", holdfast.Observation{JSON: json.RawMessage(`{"error":"none"}`)}, `{"output":{"error":"none"}}`, `{"error":"none"}`},
		{"a list", holdfast.Observation{JSON: json.RawMessage(`[9007199254740993]`)}, `{"output":[9007199254740993]}`, `"[9007199254740993]"`},
		{"a rejection", holdfast.Observation{JSON: json.RawMessage(`{"outcome":"rejected"}`), Error: true}, `{"error":{"outcome":"rejected"}}`, `{"outcome":"rejected"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := reply(holdfast.Call{Name: "read"})
			got := last(t, google.Gemini{}, wire.Item{User: "Go."}, wire.Item{Reply: r}, wire.Item{Results: []holdfast.Observation{tt.result}})
			if want := `{"role":"user","parts":[{"functionResponse":{"name":"read","response":` + tt.gemini + `}}]}`; got != want {
				t.Errorf("result = %s, want %s", got, want)
			}
			r = wiretest.Decode(google.Interactions{}, speakInteractions(wiretest.Spoken{Calls: []holdfast.Call{{ID: "abc12345", Name: "read"}}}))
			got = last(t, google.Interactions{}, wire.Item{User: "Go."}, wire.Item{Reply: r}, wire.Item{Results: []holdfast.Observation{tt.result}})
			want := `{"type":"function_result","call_id":"abc12345","name":"read","result":` + tt.steps
			if tt.result.Error {
				want += `,"is_error":true`
			}
			if got != want+"}" {
				t.Errorf("result = %s, want %s}", got, want)
			}
		})
	}
}

func TestPitfall11_ACallOfAnotherProviderSkipsItsSignature(t *testing.T) {
	r := &wire.Reply{API: "openai-chat", Ending: wire.Ended, Complete: true, Text: "Both.", Calls: []holdfast.Call{
		{ID: "call_1", Name: "read", Kind: holdfast.FunctionCall, Arguments: `{"n":1}`, Complete: true},
		{ID: "call_2", Name: "list", Kind: holdfast.FunctionCall, Complete: true},
	}}
	history, err := google.Gemini{}.History([]wire.Item{{User: "Go."}, {Reply: r}, {Results: []holdfast.Observation{{Position: 0, Text: "a"}, {Position: 1, Text: "b"}}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"role":"user","parts":[{"text":"Go."}]}`,
		`{"role":"model","parts":[{"text":"Both."},{"functionCall":{"name":"read","args":{"n":1}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"name":"list","args":{}}}]}`,
		`{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"a"}}},{"functionResponse":{"name":"list","response":{"output":"b"}}}]}`,
	}
	var got []string
	for _, m := range history {
		got = append(got, string(m))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("History (-want +got):\n%s", diff)
	}
}

func TestPitfall11_AnOlderModelsCallSkipsItsSignatureAtANewerOne(t *testing.T) {
	r := reply(holdfast.Call{Name: "read"}, holdfast.Call{Name: "list"})
	items := []wire.Item{{User: "Go."}, {Reply: r}, {Results: []holdfast.Observation{{Position: 0}, {Position: 1}}}}
	for _, tt := range []struct {
		from, to string
		want     int
	}{{"gemini-2.5-flash", "gemini-3-pro", 1}, {"gemini-2.5-flash", "gemini-2.5-pro", 0}, {"gemini-3-flash", "gemini-3-pro", 0}} {
		r.Model = tt.from
		body := string(request(t, google.Gemini{}, &wire.Request{Model: tt.to, Items: items}).Body)
		if got := strings.Count(body, "skip_thought_signature_validator"); got != tt.want {
			t.Errorf("from %s to %s: %d marks, want %d", tt.from, tt.to, got, tt.want)
		}
	}
}

func TestImagesStandWithinTheResponseWhereTheModelTakesThem(t *testing.T) {
	r := reply(holdfast.Call{Name: "look"})
	items := []wire.Item{{User: "Go."}, {Reply: r}, {Results: []holdfast.Observation{{Text: "two", Images: []holdfast.Image{{MediaType: "image/png", Data: []byte{1, 2}}, {MediaType: "image/tiff"}}}}}}
	const picture = `{"inlineData":{"mimeType":"image/png","data":"AQI="}}`
	for model, want := range map[string]string{
		"gemini-3-pro":     `{"functionResponse":{"name":"look","response":{"output":"two"},"parts":[` + picture + `]}}]},{"role":"user","parts":[{"text":"[an image`,
		"gemini-2.5-flash": `{"functionResponse":{"name":"look","response":{"output":"two"}}}]},{"role":"user","parts":[{"text":"[an image of type image/tiff was left out: this provider does not take it]"},` + picture + `]`,
	} {
		if body := string(request(t, google.Gemini{}, &wire.Request{Model: model, Items: items}).Body); !strings.Contains(body, want) {
			t.Errorf("%s: body = %s, want in it %s", model, body, want)
		}
	}
	r = wiretest.Decode(google.Interactions{}, speakInteractions(wiretest.Spoken{Calls: []holdfast.Call{{ID: "abc12345", Name: "look"}}}))
	items[1].Reply = r
	got := last(t, google.Interactions{}, items...)
	if want := `"result":[{"type":"text","text":"two"},{"type":"image","mime_type":"image/png","data":"AQI="},{"type":"text","text":"[an image`; !strings.Contains(got, want) {
		t.Errorf("result = %s, want in it %s", got, want)
	}
}

func TestPathsAndChoices(t *testing.T) {
	set, err := google.Gemini{}.Tools(wiretest.Catalog(t, "", map[string]string{"read": `{"type":"object"}`}, "read"), nil)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := google.Interactions{}.Tools(wiretest.Catalog(t, "", map[string]string{"read": `{"type":"object"}`}, "read"), nil)
	if err != nil {
		t.Fatal(err)
	}
	items := []wire.Item{{User: "Go."}}
	for _, tt := range []struct{ mode, gemini, interactions string }{
		{"", ``, ``},
		{"auto", `{"functionCallingConfig":{"mode":"AUTO"}}`, `"auto"`},
		{"none", `{"functionCallingConfig":{"mode":"NONE"}}`, `"none"`},
		{"required", `{"functionCallingConfig":{"mode":"ANY"}}`, `"any"`},
		{"tool", `{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["read"]}}`, `{"allowed_tools":{"mode":"any","tools":["read"]}}`},
	} {
		choice := wire.ToolChoice{Mode: tt.mode, Tool: "read"}
		e := request(t, google.Gemini{}, &wire.Request{Model: "gemini-3-pro", Items: items, Tools: set, Choice: choice, Stream: true})
		if got := string(rawjson.Member(e.Body, "toolConfig")); got != tt.gemini || e.Path != "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse" {
			t.Errorf("choice %q: %s, toolConfig %s, want %s", tt.mode, e.Path, got, tt.gemini)
		}
		e = request(t, google.Interactions{}, &wire.Request{Model: "gemini-3-pro", Items: items, Tools: steps, Choice: choice, Stream: true})
		got := string(rawjson.Member(rawjson.Member(e.Body, "generation_config"), "tool_choice"))
		if got != tt.interactions || e.Path != "/v1beta/interactions" || e.Header.Get("Api-Revision") == "" || string(rawjson.Member(e.Body, "store")) != "false" {
			t.Errorf("choice %q: %s %v, tool_choice %s, want %s; body %s", tt.mode, e.Path, e.Header, got, tt.interactions, e.Body)
		}
	}
	if e := request(t, google.Gemini{}, &wire.Request{Model: "gemini-3-pro", Items: items, Quirks: "vertex"}); e.Path != "/publishers/google/models/gemini-3-pro:generateContent" {
		t.Errorf("path for Vertex AI = %s", e.Path)
	}
}

func TestBugF3F4_TheSchemaIsOneThatGoogleTakes(t *testing.T) {
	const given = `{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"x","type":"object","properties":{"level":{"type":"integer","enum":[0,1,2]},"list":{"type":["null","array"],"items":{"type":"string","format":"date"}},"kind":{"const":"a"},"name":{"type":"string","minLength":1,"description":"A name."}},"required":["level"],"additionalProperties":false}`
	const want = `{"type":"object","properties":{"level":{"type":"integer","description":"(one of [0,1,2])"},"list":{"type":["null","array"],"items":{"type":"string","description":"(format: date)"}},"kind":{"enum":["a"]},"name":{"type":"string","description":"A name. (at least 1 characters)"}},"required":["level"],"additionalProperties":false}`
	c := wiretest.Catalog(t, "x", map[string]string{"read": given}, "read")
	for _, codec := range []wire.Codec{google.Gemini{}, google.Interactions{}} {
		set, err := codec.Tools(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		sent := rawjson.Member(set.Tools[0], "parameters")
		for _, f := range rawjson.Elements(rawjson.Member(set.Tools[0], "functionDeclarations")) {
			sent = rawjson.Member(f, "parametersJsonSchema")
		}
		if diff := cmp.Diff(want, string(sent)); diff != "" {
			t.Errorf("%s: schema (-want +got):\n%s", codec.API(), diff)
		}
		var left []string
		for _, a := range set.Adapted {
			left = append(left, a.Tool+" "+a.Path+" "+a.Keyword)
		}
		if diff := cmp.Diff([]string{"x.read  $schema", "x.read  title", "x.read /properties/level enum", "x.read /properties/list/items format", "x.read /properties/name minLength"}, left); diff != "" {
			t.Errorf("%s: adapted (-want +got):\n%s", codec.API(), diff)
		}
	}
}
