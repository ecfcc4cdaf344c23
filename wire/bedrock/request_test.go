package bedrock_test

import (
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/bedrock"
	"github.com/holdfast-go/holdfast/wire/wiretest"
)

func reply(calls ...holdfast.Call) *wire.Reply {
	d := bedrock.Converse{}.NewDecoder()
	d.Feed(speak(wiretest.Spoken{Calls: calls}))
	return d.Close()
}

func request(t *testing.T, r *wire.Request) wire.Encoded {
	t.Helper()
	e, err := bedrock.Converse{}.Request(r)
	if err != nil {
		t.Fatalf("Request: %v", err)
	}
	return e
}

func TestBugD3_Pitfall23_HistoryWithCallsGetsAToolConfiguration(t *testing.T) {
	items := []wire.Item{{User: "Go."}, {Reply: reply(holdfast.Call{ID: "tooluse_a", Name: "read"})}, {Results: []holdfast.Observation{{Text: "one"}}}}
	set, err := bedrock.Converse{}.Tools(wiretest.Catalog(t, "", map[string]string{"read": `{"type":"object"}`}, "read"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*wire.Request{
		{Model: "m", Items: items},
		{Model: "m", Items: items, Tools: set, Choice: wire.ToolChoice{Mode: "none"}},
	} {
		body := request(t, r).Body
		if got := string(rawjson.Member(body, "toolConfig")); !strings.Contains(got, "No tool is available now.") || strings.Contains(got, `"read"`) {
			t.Errorf("toolConfig = %s, want the one that stands for none", got)
		}
	}
	if body := request(t, &wire.Request{Model: "m", Items: items[:1]}).Body; rawjson.Member(body, "toolConfig") != nil {
		t.Errorf("toolConfig though nothing asks for it: %s", body)
	}
}

func TestPitfall23_NoBlankTextAndStatusOnlyWhereItIsTaken(t *testing.T) {
	items := []wire.Item{{User: "Go."}, {Reply: reply(holdfast.Call{ID: "tooluse_a", Name: "read"})}, {Results: []holdfast.Observation{{Text: " \n", Error: true}}}, {User: "Well?"}}
	for model, want := range map[string]string{
		"anthropic.claude-v1:0": `{"role":"user","content":[{"toolResult":{"toolUseId":"tooluse_a","content":[{"json":{}}],"status":"error"}},{"text":"Well?"}]}`,
		"mistral.devstral":      `{"role":"user","content":[{"toolResult":{"toolUseId":"tooluse_a","content":[{"json":{}}]}},{"text":"Well?"}]}`,
	} {
		if body := string(request(t, &wire.Request{Model: model, Items: items}).Body); !strings.Contains(body, want) {
			t.Errorf("%s: body = %s, want in it %s", model, body, want)
		}
	}
}

func TestRolesAlternate(t *testing.T) {
	history, err := bedrock.Converse{}.History([]wire.Item{{User: "One."}, {User: "Two."}, {Reply: &wire.Reply{API: "bedrock-converse", Ending: wire.Broken}}, {User: "Three."}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"role":"user","content":[{"text":"One."},{"text":"Two."},{"text":"Three."}]}`; len(history) != 1 || string(history[0]) != want {
		t.Errorf("History = %s, want %s", history, want)
	}
}

func TestImagesOfResults(t *testing.T) {
	history, err := bedrock.Converse{}.History([]wire.Item{{User: "Go."}, {Reply: reply(holdfast.Call{ID: "tooluse_a", Name: "look"})}, {Results: []holdfast.Observation{{
		Text: "two", Images: []holdfast.Image{{MediaType: "image/jpeg", Data: []byte{1, 2}}, {MediaType: "image/tiff"}},
	}}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `"content":[{"text":"two"},{"image":{"format":"jpeg","source":{"bytes":"AQI="}}},{"text":"[an image of type image/tiff was left out: this provider does not take it]"}]`
	if !strings.Contains(string(history[2]), want) {
		t.Errorf("result = %s, want in it %s", history[2], want)
	}
}

func TestPathChoiceAndCachePoint(t *testing.T) {
	set, err := bedrock.Converse{}.Tools(wiretest.Catalog(t, "", map[string]string{"read": `{"type":"object"}`}, "read"), &wire.ToolOptions{Quirks: "claude"})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(set.Tools[len(set.Tools)-1]); got != `{"cachePoint":{"type":"default"}}` {
		t.Errorf("last of Tools = %s, want a cache point", got)
	}
	for mode, want := range map[string]string{"": ``, "auto": `{"auto":{}}`, "required": `{"any":{}}`, "tool": `{"tool":{"name":"read"}}`} {
		e := request(t, &wire.Request{Model: "us.amazon.nova:0", Items: []wire.Item{{User: "Go."}}, Tools: set, Choice: wire.ToolChoice{Mode: mode, Tool: "read"}, Stream: mode == "auto"})
		if got := string(rawjson.Member(rawjson.Member(e.Body, "toolConfig"), "toolChoice")); got != want {
			t.Errorf("choice %q: toolChoice = %s, want %s", mode, got, want)
		}
		path := "/model/us.amazon.nova:0/converse"
		if mode == "auto" {
			path += "-stream"
		}
		if e.Path != path {
			t.Errorf("path = %s, want %s", e.Path, path)
		}
	}
}

func TestAWrongChecksumVoidsTheReply(t *testing.T) {
	whole := speak(wiretest.Spoken{Calls: []holdfast.Call{{ID: "tooluse_a", Name: "read", Arguments: `{"n":1}`}}})
	for i := 0; i < len(whole); i += 7 {
		b := append([]byte(nil), whole...)
		b[i] ^= 1
		d := bedrock.Converse{}.NewDecoder()
		d.Feed(b)
		r := d.Close()
		for _, c := range r.Calls {
			if r.Complete && c.Complete && (c.Arguments != `{"n":1}` || c.Name != "read") {
				t.Errorf("bit of byte %d flipped: complete with call %+v", i, c)
			}
		}
		if i < len(whole)/2 && r.Complete {
			t.Errorf("bit of byte %d flipped: complete", i)
		}
	}
}
