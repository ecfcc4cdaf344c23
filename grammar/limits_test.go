package grammar

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/schema"
)

// TestLimitsOfTheReader: what package schema does not read is not admitted.
func TestLimitsOfTheReader(t *testing.T) {
	g := compiled(t, `{"type":"object"}`)
	for _, row := range []struct {
		name, text string
	}{
		{"64 levels", strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64)},
		{"65 levels", strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65)},
		{"400 digits", `{"a":` + strings.Repeat("1", 400) + "}"},
		{"401 digits", `{"a":` + strings.Repeat("1", 200) + "." + strings.Repeat("1", 201) + "}"},
		{"exponent 400", `{"a":1e400}`},
		{"exponent 401", `{"a":1e401}`},
		{"a long string", `{"a":"` + strings.Repeat("x", 256<<10) + `"}`},
		{"a string that is too long", `{"a":"` + strings.Repeat("x", 256<<10+1) + `"}`},
		{"half of a pair", `{"a":"\ud83d"}`},
		{"a pair", `{"a":"\ud83d\ude00"}`},
		{"bytes that are no UTF-8", "{\"a\":\"\xff\"}"},
		{"a long form in UTF-8", "{\"a\":\"\xc0\x80\"}"},
		{"a half in UTF-8", "{\"a\":\"\xed\xa0\x80\"}"},
		{"a name twice", `{"a":1,"\u0061":2}`},
	} {
		_, err := schema.Read([]byte(row.text), nil)
		if got := g.admits(row.text); got != (err == nil) {
			t.Errorf("%s: in the grammar %v, but reading it gives %v", row.name, got, err)
		}
	}
}

// TestNoNameIsBegunTooDeep: a name whose value would be too deep leads nowhere.
func TestNoNameIsBegunTooDeep(t *testing.T) {
	m := compiled(t, `{"type":"object","additionalProperties":{"$ref":"#"}}`).Matcher(nil)
	open := strings.Repeat(`{"a":`, 63) + "{"
	if n, ok := m.AcceptBytes([]byte(open)); !ok {
		t.Fatalf("%d of %d bytes are taken", n, len(open))
	}
	if _, ok := m.AcceptBytes([]byte(`"`)); ok {
		t.Error("a name is begun for a value of level 65")
	}
	if _, ok := m.AcceptBytes([]byte(strings.Repeat("}", 64))); !ok || !m.CanEnd() {
		t.Error("64 levels cannot be closed")
	}
}

// TestLargePatternsAreRefused: an automaton that outgrew its limit behind the first
// texts would take what is not valid.
func TestLargePatternsAreRefused(t *testing.T) {
	for _, src := range []string{
		only(`{"type":"string","pattern":"a.{17}$"}`),
		only(`{"type":"string","not":{"pattern":"a.{17}$"}}`),
		only(`{"type":"string","pattern":"^(?!.*a.{17}$).*$"}`),
	} {
		s, err := schema.Compile([]byte(src), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(s, nil); err == nil {
			t.Errorf("%s is held, want it refused", src)
		}
	}
	checkTexts(t, only(`{"type":"string","pattern":"a.{9}$"}`), []string{`{"id": "xxa123456789"}`}, []string{`{"id": "a12345678"}`})
}

// TestHeavySchemas: what blows other engines up stays small. The figures are of
// what is held, which a busy machine does not change.
func TestHeavySchemas(t *testing.T) {
	v := crossingVocabulary(t)
	var words, props []string
	for i := range 5000 {
		words = append(words, fmt.Sprintf(`"value-%d-%x"`, i, i*7919))
	}
	for i := range 40 {
		props = append(props, fmt.Sprintf(`"option%d":{"type":"string"}`, i))
	}
	deep, text := `{"type":"integer"}`, "1"
	for range 30 {
		deep = `{"type":"object","properties":{"in":` + deep + `,"other":{"type":"string"}},"required":["in"],"additionalProperties":false}`
		text = `{"in": ` + text + `}`
	}
	for _, row := range []struct{ name, schema, text string }{
		{"maxLength 100000", `{"type":"object","properties":{"s":{"type":"string","maxLength":100000}}}`, `{"s": "` + strings.Repeat("abc ", 500) + `"}`},
		{"40 optional properties", `{"type":"object","properties":{` + strings.Join(props, ",") + `},"additionalProperties":false}`, `{"option39": "a", "option1": "b", "option20": ""}`},
		{"an enum of 5,000", `{"type":"object","properties":{"e":{"enum":[` + strings.Join(words, ",") + `]}},"required":["e"]}`, `{"e": ` + words[4321] + `}`},
		{"depth 30", deep, text},
	} {
		g := compiled(t, row.schema)
		m := g.Matcher(v)
		for _, id := range v.Encode(row.text) {
			mask := m.Mask()
			if mask[id>>6]>>(id&63)&1 == 0 || !m.Accept(id) {
				t.Fatalf("%s: %q is refused behind %d bytes", row.name, v.Token(id).Bytes, len(m.text))
			}
		}
		if !m.CanEnd() {
			t.Errorf("%s: the text cannot end", row.name)
		}
		if g.Bytes() > 1<<20 {
			t.Errorf("%s: %d bytes are held, want under 1 MiB", row.name, g.Bytes())
		}
	}
}
