package grammar

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/schema"
)

// The formats of these tests.
var (
	hermes  = CallFormats()["hermes"]
	llama3  = CallFormats()["llama3"]
	mistral = CallFormats()["mistral"]
	harmony = CallFormats()["harmony"]
	plain   = CallFormat{NameMember: "tool", ArgumentsMember: "input"}
)

func kitchenTools(t testing.TB) []CallTool {
	weather, _ := mustCompile(t, `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`)
	counting, _ := mustCompile(t, `{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}`)
	return []CallTool{{"weather", weather}, {"count", counting}}
}

func TestCallFormats(t *testing.T) {
	answer, err := schema.Compile([]byte(`{"type":"object","properties":{"done":{"const":true}},"required":["done"],"additionalProperties":false}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name   string
		format CallFormat
		o      *CallOptions
		yes    []string
		no     []string
	}{
		{
			"hermes", hermes, nil,
			[]string{
				"", "Only <text> here.", "I look.<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Bern\"}}\n</tool_call>",
				"<tool_call>\n{\"name\": \"count\", \"arguments\": {}}\n</tool_call>\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\":\"<tool_call>\"}}\n</tool_call>",
			},
			[]string{
				"<tool_call>", "<tool_call>\n{\"name\": \"other\"", "<tool_call>\n{\"name\": \"count\", \"arguments\": {\"city\": \"Bern\"}}\n</tool_call>",
				"<tool_call>\n{\"name\": \"count\", \"arguments\": {}}\n</tool_call> and text", "<tool_call>\n{\"name\": \"count\", \"arguments\": {}}",
			},
		},
		{
			"one call at most", hermes, &CallOptions{Single: true},
			[]string{"", "<tool_call>\n{\"name\": \"count\", \"arguments\": {}}\n</tool_call>"},
			[]string{"<tool_call>\n{\"name\": \"count\", \"arguments\": {}}\n</tool_call>\n<tool_call>"},
		},
		{
			"a call that must be", hermes, &CallOptions{Required: true},
			[]string{"First, a thought. <tool_call>\n{\"name\": \"count\", \"arguments\": {}}\n</tool_call>"},
			[]string{"", "Only text."},
		},
		{
			"a structured answer", hermes, &CallOptions{Answer: answer},
			[]string{`{"done": true}`, "<tool_call>\n{\"name\": \"count\", \"arguments\": {}}\n</tool_call>"},
			[]string{"", "text", `{"done": false}`, "text <tool_call>\n{\"name\": \"count\", \"arguments\": {}}\n</tool_call>"},
		},
		{
			"llama3", llama3, nil,
			[]string{`<|python_tag|>{"name": "count", "parameters": {"n": 1}}; {"name": "count", "parameters": {}}`},
			[]string{`<|python_tag|>{"name": "count", "arguments": {}}`},
		},
		{
			"mistral", mistral, nil,
			[]string{`[TOOL_CALLS][{"name": "count", "arguments": {}}, {"name": "count", "arguments": {"n":2}}]`, "[TOOL_ text"},
			[]string{`[TOOL_CALLS][{"name": "count", "arguments": {}}`, `[TOOL_CALLS][]`},
		},
		{
			"harmony", harmony, nil,
			[]string{`<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{"city":"Bern"}<|call|>`},
			[]string{`<|channel|>commentary to=weather`, `<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{"n":1}<|call|>`},
		},
		{
			"plain", plain, &CallOptions{Single: true},
			[]string{`{"tool": "weather", "input": {"city": "Bern"}}`},
			[]string{"", "text", `{"tool": "count", "input": {"city": "Bern"}}`},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			g, err := CompileCalls(kitchenTools(t), row.format, row.o)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range row.yes {
				if !g.admits(text) {
					t.Errorf("%q is refused, want it admitted", text)
				}
			}
			for _, text := range row.no {
				if g.admits(text) {
					t.Errorf("%q is admitted, want it refused", text)
				}
			}
		})
	}
}

// TestNoiseCallsInPerfectForm has noise that must call a tool.
func TestNoiseCallsInPerfectForm(t *testing.T) {
	v := tinyVocabulary(t)
	tools := kitchenTools(t)
	g, err := CompileCalls(tools, hermes, &CallOptions{Required: true})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		ids, err := Sample(g.Matcher(v), nil, random, &SampleOptions{Budget: 40})
		text := string(v.Decode(ids))
		if err != nil {
			t.Fatalf("Sample = %.300q, %v", text, err)
		}
		if !g.admits(text) || !strings.HasSuffix(text, "}\n</tool_call>") {
			t.Fatalf("noise wrote %.300q, which is no call", text)
		}
	}
}

func TestCompileCallsSaysWhatItCannot(t *testing.T) {
	odd, err := schema.Compile([]byte(`{"type":"object","properties":{"a":{"format":"regex"}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = CompileCalls([]CallTool{{"odd", odd}}, hermes, nil)
	if r, ok := err.(*RefusedError); !ok || r.Path != "/odd/properties/a" || r.Keyword != "format" {
		t.Errorf("CompileCalls = %v, want a refusal at /odd/properties/a", err)
	}
	if _, err := CompileCalls(nil, hermes, nil); err == nil {
		t.Error("no tools: want an error")
	}
	if _, err := CompileCalls(kitchenTools(t), CallFormat{Trigger: "x"}, nil); err == nil {
		t.Error("a format without a name's end: want an error")
	}
}
