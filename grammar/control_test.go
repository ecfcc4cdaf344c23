package grammar

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/internal/vocabularies"
)

// controlVocabulary has every byte, a few words, and the control tokens of formats.
func controlVocabulary(t testing.TB) *tokenizer.Vocabulary {
	t.Helper()
	var list []tokenizer.Token
	for b := range 256 {
		list = append(list, tokenizer.Token{Bytes: string([]byte{byte(b)})})
	}
	for _, text := range []string{"name", `{"`, `": "`, `"}`, "<|", "|>", "commentary", " to=", "}<", "functions.", "weather", "TOOL"} {
		list = append(list, tokenizer.Token{Bytes: text})
	}
	for _, text := range []string{
		"<|python_tag|>", "<|eom_id|>", "[TOOL_CALLS]", "<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|constrain|>", "<|call|>", "<|return|>",
		"<tool_call>", "</tool_call>",
	} {
		list = append(list, tokenizer.Token{Bytes: text, Kind: tokenizer.Control})
	}
	v, err := tokenizer.New(list, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// controlReplies are replies with their control tokens marked, «so».
var controlReplies = []struct{ format, reply string }{
	{"hermes", "Hm.«<tool_call>»\n{\"name\": \"count\", \"arguments\": {\"n\":1}}\n«</tool_call>»\n«<tool_call>»\n{\"name\": \"count\", \"arguments\": {}}\n«</tool_call>»"},
	{"llama3", `Hm.«<|python_tag|>»{"name": "weather", "parameters": {"city": "<|python_tag|>"}}; {"name": "count", "parameters": {}}`},
	{"mistral", `«[TOOL_CALLS]»[{"name": "weather", "arguments": {"city": "[TOOL_CALLS]"}}]`},
	{
		"harmony", `«<|channel|>»analysis«<|message|>»Hm.«<|end|>»«<|start|>»assistant«<|channel|>»commentary to=functions.weather «<|constrain|>»json«<|message|>»{"city":"<|call|>"}«<|call|>»` +
			`«<|start|>»assistant«<|channel|>»commentary to=functions.count «<|constrain|>»json«<|message|>»{"n":1}«<|call|>»`,
	},
}

// TestControlTokensStandForTheirText takes replies with the tokens that a model
// writes them with, and holds every mask on the way to what is taken.
func TestControlTokensStandForTheirText(t *testing.T) {
	v := controlVocabulary(t)
	for _, row := range controlReplies {
		t.Run(row.format, func(t *testing.T) { takesControls(t, v, row.format, row.reply, true) })
	}
}

func takesControls(t *testing.T, v *tokenizer.Vocabulary, format, reply string, whole bool) {
	g, err := CompileCalls(kitchenTools(t), CallFormats()[format], nil)
	if err != nil {
		t.Fatal(err)
	}
	var want []tokenizer.ID
	for i, part := range strings.FieldsFunc(strings.ReplaceAll("\x00"+reply, "«", "»\x01"), func(r rune) bool { return r == '»' }) {
		text, isControl := strings.CutPrefix(part, "\x01")
		if id, ok := v.Control(text); isControl && ok {
			want = append(want, id)
			continue
		} else if isControl {
			t.Fatalf("the vocabulary has no control token %q", text)
		}
		if i == 0 {
			text = strings.TrimPrefix(text, "\x00")
		}
		want = append(want, v.Encode(text)...)
	}
	m := g.Matcher(v)
	if got := m.Encode(strings.NewReplacer("«", "", "»", "").Replace(reply)); !slices.Equal(got, want) {
		t.Errorf("Encode = %v, want %v: control tokens around calls and nowhere else", got, want)
	}
	for i, id := range want {
		if whole {
			checkMask(t, m, v)
		}
		checkForced(t, m, v, want[i:])
		if m.Mask()[id>>6]>>(id&63)&1 == 0 || !m.Accept(id) {
			t.Fatalf("behind %q token %d %q is not taken", m.text, id, v.Token(id).Bytes)
		}
	}
	if !m.CanEnd() || !g.admits(string(m.text)) {
		t.Errorf("behind %q the reply may not end", m.text)
	}
	if m.Rollback(len(want)); len(m.text) != 0 {
		t.Errorf("taken back, %q is left", m.text)
	}
}

// checkForced holds the forced tokens to those of the reply.
func checkForced(t *testing.T, m *Matcher, v *tokenizer.Vocabulary, rest []tokenizer.ID) {
	t.Helper()
	if _, forced := m.Forced(); len(forced) > len(rest) || !slices.Equal(forced, rest[:len(forced)]) {
		t.Errorf("behind %q tokens %v are forced, want the beginning of %v", m.text, forced, rest)
	}
}

// TestControlTokensOfRealVocabularies does so with the tokens of Llama 3.1, whose
// file in the registry has the older names of two of them.
func TestControlTokensOfRealVocabularies(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: reads a large vocabulary")
	}
	file := strings.NewReplacer(
		`"<|reserved_special_token_5|>"`, `"<|python_tag|>"`, `"<|reserved_special_token_4|>"`, `"<|eom_id|>"`,
	).Replace(string(vocabularies.Read(t, vocabularies.Llama)))
	v, err := tokenizer.ReadJSON([]byte(file), nil)
	if err != nil {
		t.Fatal(err)
	}
	if id, ok := v.Control("<|python_tag|>"); !ok || id != 128010 {
		t.Fatalf("<|python_tag|> is token %d, want 128010", id)
	}
	for _, row := range controlReplies {
		if row.format == "llama3" {
			takesControls(t, v, row.format, row.reply, false)
		}
	}
}

// TestNoiseCallsWithControlTokens has noise that must call a tool in each format.
func TestNoiseCallsWithControlTokens(t *testing.T) {
	v := controlVocabulary(t)
	for name, format := range CallFormats() {
		g, err := CompileCalls(kitchenTools(t), format, &CallOptions{Required: true})
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(3, 4))
		for range 20 {
			m := g.Matcher(v)
			ids, err := Sample(m, nil, random, &SampleOptions{Budget: 30})
			if err != nil || !g.admits(string(m.text)) {
				t.Fatalf("%s: noise wrote %.300q (%v), which is no reply: %v", name, m.text, ids, err)
			}
		}
	}
}

// TestControlTokensAreNoArguments refuses a control token within a value, and one
// that the format does not name.
func TestControlTokensAreNoArguments(t *testing.T) {
	v := controlVocabulary(t)
	g, err := CompileCalls(kitchenTools(t), CallFormats()["llama3"], nil)
	if err != nil {
		t.Fatal(err)
	}
	tag, _ := v.Control("<|python_tag|>")
	other, _ := v.Control("<|message|>")
	m := g.Matcher(v)
	if m.Accept(other) {
		t.Error("a control token that the format does not name was taken")
	}
	if _, ok := m.AcceptBytes([]byte(`<|python_tag|>{"name": "weather", "parameters": {"city": "`)); !ok {
		t.Fatal("the call is refused")
	}
	if m.Mask()[tag>>6]>>(tag&63)&1 != 0 || m.Accept(tag) {
		t.Error("a control token was taken within a string: what reads the reply would leave it out")
	}
	if _, ok := m.AcceptBytes([]byte("<|python_tag|>")); !ok {
		t.Error("its text within a string is refused, want it taken as any other")
	}
}
