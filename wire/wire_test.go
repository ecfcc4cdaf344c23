package wire_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
)

func TestDetectGuessesTheFormatByItsFirstEvents(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"chat chunk", "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"choices\":[]}\n\n", "openai-chat"},
		{"chat body", `{"choices":[{"message":{}}]}`, "openai-chat"},
		{"responses event", "event: response.created\ndata: {\"type\":\"response.created\"}\n\n", "openai-responses"},
		{"responses body", `{"object":"response","output":[]}`, "openai-responses"},
		{"anthropic event", "event: message_start\ndata: {\"type\":\"message_start\"}\n\n", "anthropic"},
		{"anthropic body", `{"type":"message","role":"assistant","content":[]}`, "anthropic"},
		{"anthropic ping first", "data: {\"type\":\"ping\"}\n\ndata: {\"type\":\"content_block_start\"}\n\n", "anthropic"},
		{"a message of Bedrock's", `{"type":"message","id":"msg_bdrk_01"}`, "bedrock-invoke"},
		{"gemini event", "data: {\"candidates\":[]}\r\n\r\n", "gemini"},
		{"gemini array", `[{"usageMetadata":{}},{"candidates":[]}]`, "gemini"},
		{"interactions event", "data: {\"event_type\":\"interaction.created\"}\n\n", "interactions"},
		{"interactions body", `{"object":"interaction","status":"completed"}`, "interactions"},
		{"converse body", `{"output":{"message":{}},"stopReason":"end_turn","metrics":{}}`, "bedrock-converse"},
		{"ollama line", `{"model":"m","message":{"role":"assistant"},"done":false}`, "ollama"},
		{"an error of Google's", `{"error":{"code":400,"status":"INVALID_ARGUMENT"}}`, "gemini"},
		{"an error of OpenAI's", `{"error":{"code":"x","message":"m"}}`, "openai-chat"},
		{"an error of Bedrock's", `{"message":"no"}`, "bedrock-converse"},
		{"nothing", "", ""},
		{"a page", "<html>", ""},
		{"cut within the first event", `{"object":"response","out`, "openai-responses"},
	} {
		if got := wire.Detect([]byte(tt.in)); got != tt.want {
			t.Errorf("%s: Detect(%q) = %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

func TestParseJSONHasFixedNamesAndNulls(t *testing.T) {
	r := &wire.Reply{
		API: "openai-chat", Stop: "stop", Complete: true, Text: "<b>",
		Usage: wire.Usage{Input: new(int64(3))},
		Calls: []holdfast.Call{
			{ID: "a", Name: "x", Kind: holdfast.FunctionCall, Arguments: `{"n": 1}`, Complete: true},
			{ID: "a", Name: "x", Kind: holdfast.FunctionCall, Complete: true},
			{Name: "x", Kind: holdfast.FunctionCall, Arguments: `{"n":1,"n":2}`, Complete: true},
			{Name: "x", Kind: holdfast.FunctionCall, Arguments: `null`, Complete: true},
			{Name: "x", Kind: holdfast.FunctionCall, Arguments: ``},
			{Name: "x", Kind: holdfast.CustomCall, Arguments: `{"text":1}`, Complete: true},
			{Name: "x", Kind: holdfast.BuiltinCall, Arguments: `{}`, Namespace: "ns", ProviderExecuted: true, Complete: true},
		},
	}
	const want = `{"api":"openai-chat","stop":"stop","complete":true,"text":"<b>","calls":[` +
		`{"id":"a","name":"x","kind":"function","arguments":{"n":1},"arguments_text":"{\"n\": 1}","complete":true,"provider_executed":false,"namespace":null,"problem":null},` +
		`{"id":"a","name":"x","kind":"function","arguments":{},"arguments_text":"","complete":true,"provider_executed":false,"namespace":null,"problem":"duplicate_call_id"},` +
		`{"id":null,"name":"x","kind":"function","arguments":null,"arguments_text":"{\"n\":1,\"n\":2}","complete":true,"provider_executed":false,"namespace":null,"problem":"unreadable_arguments"},` +
		`{"id":null,"name":"x","kind":"function","arguments":null,"arguments_text":"null","complete":true,"provider_executed":false,"namespace":null,"problem":"unreadable_arguments"},` +
		`{"id":null,"name":"x","kind":"function","arguments":null,"arguments_text":"","complete":false,"provider_executed":false,"namespace":null,"problem":null},` +
		`{"id":null,"name":"x","kind":"custom","arguments":null,"arguments_text":"{\"text\":1}","complete":true,"provider_executed":false,"namespace":null,"problem":null},` +
		`{"id":null,"name":"x","kind":"builtin","arguments":{},"arguments_text":"{}","complete":true,"provider_executed":true,"namespace":"ns","problem":null}],` +
		`"usage":{"input":3,"output":null,"cached":null,"reasoning":null},"error":null}`
	if diff := cmp.Diff(want, string(wire.ParseJSON(r))); diff != "" {
		t.Errorf("ParseJSON (-want +got):\n%s", diff)
	}
	empty := `{"api":"gemini","stop":null,"complete":false,"text":"","calls":[],"usage":{"input":null,"output":null,"cached":null,"reasoning":null},"error":{"code":"c","message":"m","raw":null}}`
	if got := string(wire.ParseJSON(&wire.Reply{API: "gemini", Err: &wire.Error{Code: "c", Message: "m"}})); got != empty {
		t.Errorf("ParseJSON = %s, want %s", got, empty)
	}
}

func catalog(t *testing.T, names ...string) *holdfast.Catalog {
	t.Helper()
	s, err := schema.Compile([]byte(`{"type":"object"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	var tools []*holdfast.Tool
	for _, name := range names {
		handler := func(context.Context, schema.Value) (holdfast.Result, error) { return holdfast.Result{}, nil }
		tool, err := holdfast.NewTool(name, "Does a thing.", s, holdfast.Read, time.Second, handler, nil)
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, tool)
	}
	c, err := holdfast.NewCatalog("ns", tools...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestNamesAreEncodedReversiblyAndWithoutCollision(t *testing.T) {
	openai := wire.NameRule{Bytes: 64, First: "0123456789-", Rest: "-"}
	gemini := wire.NameRule{Bytes: 64, Rest: "-.:"}
	long := strings.Repeat("x", 70)
	for _, tt := range []struct {
		name  string
		rule  wire.NameRule
		tools []string
		want  []string // "" for any that is allowed
	}{
		{"legal names stay", openai, []string{"a", "b-c", "1st"}, []string{"a", "b-c", "1st"}},
		{"a dot", openai, []string{"a.b"}, []string{"a_b"}},
		{"a dot that would collide", openai, []string{"a.b", "a_b"}, []string{"", "a_b"}},
		{"two that would become one", openai, []string{"a.b", "a/b"}, []string{"", ""}},
		{"too long", openai, []string{long + "1", long + "2"}, []string{"", ""}},
		{"dots are allowed", gemini, []string{"a.b", "a_b"}, []string{"a.b", "a_b"}},
		{"a digit first", gemini, []string{"1st"}, []string{"_st"}},
	} {
		c := catalog(t, tt.tools...)
		names, sent, err := tt.rule.Encode(c)
		if err != nil || len(names) != len(tt.tools) {
			t.Errorf("%s: Encode = %v, %v", tt.name, names, err)
			continue
		}
		for i, s := range sent {
			if tt.want[i] != "" && s != tt.want[i] || !tt.rule.Allows(s) || names[s] != "ns."+tt.tools[i] {
				t.Errorf("%s: %q is sent as %q for %q, want %q", tt.name, tt.tools[i], s, names[s], tt.want[i])
			}
		}
		if again, _, _ := tt.rule.Encode(c); !cmp.Equal(names, again) {
			t.Errorf("%s: Encode is %v and then %v", tt.name, names, again)
		}
	}
}

func TestPairRefusesResultsWithoutAReply(t *testing.T) {
	if _, err := wire.Pair([]wire.Item{{User: "x"}, {Results: []holdfast.Observation{{}}}}, nil, wire.HistoryRule{}); err == nil {
		t.Error("Pair of results after a person's message: no error")
	}
}

func TestPairFindsTheNameOfAnotherProvidersTable(t *testing.T) {
	rule := wire.HistoryRule{API: "here", Names: wire.NameRule{Bytes: 64, First: "-", Rest: "-"}}
	c := catalog(t, "files.read", "files.write", strings.Repeat("x", 80))
	names, sent, err := rule.Names.Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := wire.NameRule{Bytes: 70, Rest: "-."}.Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range append(other, "ns.files.read") {
		r := &wire.Reply{API: "there", Ending: wire.Ended, Calls: []holdfast.Call{{Name: name, Kind: holdfast.FunctionCall, Complete: true}}}
		turns, err := wire.Pair([]wire.Item{{Reply: r}}, names, rule)
		if want := append(sent, "files_read")[i]; err != nil || turns[0].Calls[0].SentName != want {
			t.Errorf("Pair names %q %q, want %q (%v)", name, turns[0].Calls[0].SentName, want, err)
		}
	}
}

func TestPairKeepsWhatCameWhereItCan(t *testing.T) {
	const message = `{"role":"assistant"}`
	reply := func(c holdfast.Call) *wire.Reply {
		c.Kind = holdfast.FunctionCall
		return &wire.Reply{API: "here", Ending: wire.Ended, Message: json.RawMessage(message), Calls: []holdfast.Call{c}}
	}
	for _, tt := range []struct {
		name     string
		call     holdfast.Call
		verbatim bool
		object   string
	}{
		{"a good call", holdfast.Call{ID: "a", Name: "x", Arguments: `{"n": 1}`, Complete: true}, true, `{"n": 1}`},
		{"no arguments", holdfast.Call{ID: "a", Name: "x", Complete: true}, true, `{}`},
		{"no id", holdfast.Call{Name: "x", Arguments: `{}`, Complete: true}, false, `{}`},
		{"an illegal name", holdfast.Call{ID: "a", Name: "x y", Arguments: `{}`, Complete: true}, false, `{}`},
		{"a lone surrogate", holdfast.Call{ID: "a", Name: "x", Arguments: `{"d":"\ud800"}`, Complete: true}, false, "{\"d\":\"\uFFFD\"}"},
		{"no object", holdfast.Call{ID: "a", Name: "x", Arguments: `"text"`, Complete: true}, false, `{"unreadable_arguments":"\"text\""}`},
		{"cut", holdfast.Call{ID: "a", Name: "x", Arguments: `{`}, false, `{"unreadable_arguments":"{"}`},
	} {
		turns, err := wire.Pair([]wire.Item{{Reply: reply(tt.call)}}, nil, wire.HistoryRule{API: "here", Names: wire.NameRule{Bytes: 64}})
		if err != nil {
			t.Fatal(err)
		}
		if got := turns[0]; got.Verbatim != tt.verbatim || string(got.Calls[0].Object) != tt.object {
			t.Errorf("%s: verbatim %v, arguments %s, want %v, %s", tt.name, got.Verbatim, got.Calls[0].Object, tt.verbatim, tt.object)
		}
	}
}
