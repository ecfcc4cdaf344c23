package local_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/local"
	"github.com/holdfast-go/holdfast/wire/openai"
	"github.com/holdfast-go/holdfast/wire/wiretest"
)

func format(t testing.TB, name string) *local.Format {
	t.Helper()
	f, ok := local.Lookup(name)
	if !ok {
		t.Fatalf("Lookup(%q) finds nothing", name)
	}
	return f
}

var names = []string{"hermes", "llama3", "mistral", "mistral-named", "deepseek", "deepseek-r1", "harmony"}

// write is what a model of that format writes.
func write(f *local.Format, s wiretest.Spoken) string {
	var b strings.Builder
	b.WriteString(s.Text)
	first := func(texts []string) string {
		if len(texts) == 0 {
			return ""
		}
		return texts[0]
	}
	for i, c := range s.Calls {
		cut := s.Cut && i == len(s.Calls)-1
		if i == 0 || len(f.Open)+len(f.Between) == 0 && !f.List {
			b.WriteString(f.Triggers[0])
		} else {
			b.WriteString(first(f.Between))
		}
		if f.List && i == 0 {
			b.WriteByte('[')
		} else if f.List {
			b.WriteString(", ")
		}
		b.WriteString(first(f.Open))
		arguments := c.Arguments
		if len(f.NameEnd) > 0 {
			b.WriteString(f.NamePrefix + c.Name)
			if f.IDBegin != "" && c.ID != "" {
				b.WriteString(f.IDBegin + c.ID)
			}
			b.WriteString(f.NameEnd[0] + arguments)
		} else {
			if arguments == "" {
				arguments = "{}"
			}
			fmt.Fprintf(&b, `{"%s": %s, "%s": %s`, f.NameMember, rawjson.Quote(c.Name), f.Arguments[0], arguments)
			if !cut {
				b.WriteByte('}')
			}
		}
		if !cut {
			b.WriteString(first(f.Close))
			if i == len(s.Calls)-1 {
				if f.List {
					b.WriteByte(']')
				}
				b.WriteString(first(f.End))
			}
		}
	}
	return b.String()
}

// speak streams that text as a server does that does not parse it.
func speak(f *local.Format, s wiretest.Spoken) []byte {
	var b strings.Builder
	chunk := func(content string, finish string) {
		fmt.Fprintf(&b, "data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%s},\"finish_reason\":%s}]}\n\n", rawjson.Quote(content), finish)
	}
	for piece := range slices.Chunk([]rune(write(f, s)), 5) {
		chunk(string(piece), "null")
	}
	if s.Cut {
		chunk("", `"length"`)
	} else {
		chunk("", `"stop"`)
	}
	b.WriteString("data: [DONE]\n\n")
	return []byte(b.String())
}

func read(messages []json.RawMessage) (entries []wiretest.Entry) {
	for _, m := range messages {
		content := rawjson.MemberString(m, "content")
		switch rawjson.MemberString(m, "role") {
		case "user":
			entries = append(entries, wiretest.Entry{Kind: "user", Content: content})
		case "tool":
			entries = append(entries, wiretest.Entry{Kind: "result", ID: rawjson.MemberString(m, "tool_call_id"), Content: content})
		case "assistant":
			entries = append(entries, wiretest.Entry{Kind: "text", Content: content})
			for _, c := range rawjson.Elements(rawjson.Member(m, "tool_calls")) {
				f := rawjson.Member(c, "function")
				entries = append(entries, wiretest.Entry{
					Kind: "call", ID: rawjson.MemberString(c, "id"),
					Name: rawjson.MemberString(f, "name"), Arguments: rawjson.MemberString(f, "arguments"),
				})
			}
		}
	}
	return entries
}

func TestEachFormatAsACodec(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			f := format(t, name)
			wiretest.Run(t, wiretest.Options{
				Codec: local.Codec{Inner: openai.Chat{}, Format: f}, Derived: true, Prose: true, EndSign: regexp.MustCompile(`"finish_reason":"`),
				Speak: func(s wiretest.Spoken) []byte { return speak(f, s) }, Read: read, IDs: true,
				Name: regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`),
			})
		})
	}
}

// parse reads text in pieces of every small size, which must tell the same.
func parse(t *testing.T, f *local.Format, text string) *wire.Reply {
	t.Helper()
	p := f.NewParser()
	p.Feed(text)
	whole := p.Close(wire.Ended)
	for size := 1; size < 9; size++ {
		p := f.NewParser()
		for piece := range slices.Chunk([]byte(text), size) {
			p.Feed(string(piece))
		}
		if r := p.Close(wire.Ended); summary(r) != summary(whole) {
			t.Errorf("%s %q in pieces of %d: %s, whole: %s", f.Name, text, size, summary(r), summary(whole))
		}
	}
	return whole
}

func summary(r *wire.Reply) string {
	var s strings.Builder
	s.WriteString(fmt.Sprintf("%q", r.Text))
	if r.Reasoning != "" {
		s.WriteString(fmt.Sprintf(" (%q)", r.Reasoning))
	}
	for _, c := range r.Calls {
		s.WriteString(fmt.Sprintf(" | %s %s %s", c.ID, c.Name, c.Arguments))
		if !c.Complete {
			s.WriteString(" cut")
		}
		if c.Problem != "" {
			s.WriteString(" " + string(c.Problem))
		}
	}
	return s.String()
}

func TestWhatModelsWrite(t *testing.T) {
	for _, tt := range []struct{ name, format, text, want string }{
		{"one call", "hermes", "<tool_call>\n{\"name\": \"a\", \"arguments\": {\"x\": 1}}\n</tool_call>", `"" |  a {"x": 1}`},
		{"two calls and text before", "hermes", "Sure.\n<tool_call>\n{\"name\": \"a\", \"arguments\": {}}\n</tool_call>\n<tool_call>{\"arguments\": {\"s\": \"</tool_call>\"}, \"name\": \"b\"}</tool_call><|im_end|>", `"Sure.\n" |  a {} |  b {"s": "</tool_call>"}`},
		{"thinking first", "hermes", "<think>\nhm\n</think>\n\n<tool_call>{\"name\":\"a\",\"arguments\":{}}</tool_call>", `"" ("\nhm\n") |  a {}`},
		{"the closing mark left out", "hermes", "<tool_call>\n{\"name\": \"a\", \"arguments\": {}}", `"" |  a {}`},
		{"arguments as text", "hermes", `<tool_call>{"name":"a","arguments":"{\"x\":1}"}</tool_call>`, `"" |  a {"x":1}`},
		{"no arguments", "hermes", `<tool_call>{"name":"a"}</tool_call>`, `"" |  a `},
		{"a brace is missing", "hermes", "<tool_call>\n{\"name\": \"a\", \"arguments\": {\"x\": 1}\n</tool_call> so", `"so" |  a {"name": "a", "arguments": {"x": 1} unreadable_arguments`},
		{"no JSON at all", "hermes", "<tool_call>\nsearch rice\n</tool_call>", `"" |   search rice unreadable_arguments`},
		{"cut within", "hermes", "<tool_call>\n{\"name\": \"a\", \"arguments\": {\"x\": \"ha", `"" |  a {"name": "a", "arguments": {"x": "ha cut unreadable_arguments`},
		{"what only looks like a mark", "hermes", "a < b, <tool, <tool_calling>", `"a < b, <tool, <tool_calling>"`},
		{"a bare object", "llama3", `{"name": "a", "parameters": {"x": 1}}`, `"" |  a {"x": 1}`},
		{"two bare objects", "llama3", "\n" + `{"name": "a", "parameters": {}}; {"name": "b", "parameters": {}}<|eom_id|>`, `"" |  a {} |  b {}`},
		{"a python tag", "llama3", `<|python_tag|>{"name": "a", "parameters": {}}<|eom_id|>`, `"" |  a {}`},
		{"an answer in JSON", "llama3", `{"rice": {"carbs": 28}} is what I know`, `"{\"rice\": {\"carbs\": 28}} is what I know"`},
		{"an object later in the text is none", "llama3", `See {"name": "a", "parameters": {}}`, `"See {\"name\": \"a\", \"parameters\": {}}"`},
		{"a list", "mistral", `[TOOL_CALLS][{"name": "a", "arguments": {"x": [1]}, "id": "abcdefghi"}, {"name": "b", "arguments": {}}]</s>`, `"" | abcdefghi a {"x": [1]} |  b {}`},
		{"a list that is cut", "mistral", `[TOOL_CALLS][{"name": "a", "arguments": {}}, {"name": "b`, `"" |  a {} |   {"name": "b cut unreadable_arguments`},
		{"names as text", "mistral-named", `Wait.[TOOL_CALLS]a[ARGS]{"x":1}[TOOL_CALLS]b[CALL_ID]abcdefghi[ARGS]{}</s>`, `"Wait." |  a {"x":1} | abcdefghi b {}`},
		{"DeepSeek", "deepseek", "<think>hm</think>Ok<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>a<｜tool▁sep｜>{\"x\":1}<｜tool▁call▁end｜><｜tool▁call▁begin｜>b<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>", `"Ok" ("hm") |  a {"x":1} |  b {}`},
		{"DeepSeek before", "deepseek-r1", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>a\n```json\n{\"x\":1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>", `"" |  a {"x":1}`},
		{"channels", "harmony", "<|channel|>analysis<|message|>Look it up.<|end|><|start|>assistant<|channel|>commentary to=functions.a <|constrain|>json<|message|>{\"x\":1}<|call|>", `"" ("Look it up.") |  a {"x":1}`},
		{"a channel behind the name", "harmony", "<|start|>assistant to=functions.a<|channel|>commentary json<|message|>{}<|call|>", `"" |  a {}`},
		{"a final answer", "harmony", "<|channel|>analysis<|message|>Easy.<|end|><|start|>assistant<|channel|>final<|message|>28 g.<|return|>", `"28 g." ("Easy.")`},
		{"a preamble", "harmony", "<|channel|>commentary<|message|>One moment.<|end|><|start|>assistant<|channel|>commentary to=functions.a<|message|>{}<|call|>", `"One moment." |  a {}`},
		{"another's tool", "harmony", "<|channel|>commentary to=browser.search <|constrain|>json<|message|>{}<|call|>", `"" |  browser.search {}`},
	} {
		if got := summary(parse(t, format(t, tt.format), tt.text)); got != tt.want {
			t.Errorf("%s: %q reads as\n%s, want\n%s", tt.name, tt.text, got, tt.want)
		}
	}
}

func TestACallOfAReplyThatDidNotEndIsNotComplete(t *testing.T) {
	for _, ending := range []wire.Ending{wire.Cut, wire.Broken, wire.Filtered} {
		p := format(t, "hermes").NewParser()
		p.Feed(`<tool_call>{"name":"a","arguments":{}}</tool_call>`)
		if r := p.Close(ending); len(r.Calls) != 1 || r.Calls[0].Complete || r.Complete {
			t.Errorf("ending %s: %s", ending, summary(r))
		}
	}
}

func TestCallsThatTheServerFoundAreTheOnlyOnes(t *testing.T) {
	d := local.Codec{Inner: openai.Chat{}, Format: format(t, "hermes")}.NewDecoder()
	d.Feed([]byte(`{"choices":[{"message":{"content":"<tool_call>{\"name\":\"a\",\"arguments\":{}}</tool_call>","tool_calls":[{"id":"c","function":{"name":"a","arguments":"{}"}}]},"finish_reason":"stop"}]}`))
	if r := d.Close(); len(r.Calls) != 1 || r.Calls[0].ID != "c" || r.Text != "" {
		t.Errorf("reply %s", summary(r))
	}
}

func TestAFormatIsData(t *testing.T) {
	for _, name := range names {
		want := format(t, name)
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got local.Format
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		text := write(want, wiretest.Spoken{Text: "so ", Calls: []holdfast.Call{{Name: "a", Arguments: `{"x":1}`}}})
		if a, b := summary(parse(t, want, text)), summary(parse(t, &got, text)); a != b {
			t.Errorf("%s reads %q, and after a trip through JSON %q", name, a, b)
		}
	}
	if _, ok := local.Lookup("unheard of"); ok {
		t.Error("Lookup of an unknown format finds one")
	}
}

func FuzzFormats(f *testing.F) {
	for i, name := range names {
		format := format(f, name)
		f.Add(write(format, wiretest.Spoken{Text: "héllo ", Calls: []holdfast.Call{{ID: "abcdefghi", Name: "a", Arguments: `{"x":"<|"}`}, {Name: "b", Arguments: `{}`}}}), uint8(i), uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, which, size uint8) {
		f := format(t, names[int(which)%len(names)])
		p := f.NewParser()
		p.Feed(text)
		whole := p.Close(wire.Ended)
		p = f.NewParser()
		for piece := range slices.Chunk([]byte(text), 1+int(size)) {
			p.Feed(string(piece))
		}
		if got := p.Close(wire.Ended); summary(got) != summary(whole) {
			t.Errorf("%s: %q in pieces of %d: %s, whole: %s", f.Name, text, 1+int(size), summary(got), summary(whole))
		}
	})
}
