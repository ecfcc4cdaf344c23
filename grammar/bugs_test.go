package grammar

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/schema"
)

// compiled is the grammar of a tool's schema.
func compiled(t testing.TB, src string) *Grammar {
	t.Helper()
	s, err := schema.Compile([]byte(src), nil)
	if err != nil {
		t.Fatalf("schema %s: %v", src, err)
	}
	g, err := Compile(s, nil)
	if err != nil {
		t.Fatalf("schema %s: %v", src, err)
	}
	return g
}

// checkTexts holds a grammar to what it must and must not admit, and the
// expectations to the validator.
func checkTexts(t *testing.T, src string, admit, refuse []string) {
	t.Helper()
	g := compiled(t, src)
	s, err := schema.Compile([]byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range append(append([]string{}, admit...), refuse...) {
		want := i < len(admit)
		v, err := schema.Read([]byte(text), nil)
		if valid := err == nil && s.Validate(v).Valid(); valid != want {
			t.Errorf("%s: the validator says %v, the test %v", text, valid, want)
		}
		if got := g.admits(text); got != want {
			t.Errorf("%s: in the grammar %v, want %v", text, got, want)
		}
	}
}

// faults are schemas on which other engines failed.
var faults = []struct {
	name          string
	schema        string
	admit, refuse []string
}{
	{
		"1: an object without properties, nested as a tool",
		`{"type":"object","properties":{"arguments":{"type":"object","properties":{}},"name":{"const":"ping"}},"required":["name","arguments"],"additionalProperties":false}`,
		[]string{`{"name": "ping", "arguments": {}}`, `{"arguments": {"x": [1]}, "name": "ping"}`},
		[]string{`{"name": "ping"}`, `{"name": "ping", "arguments": []}`},
	},
	{
		"1: maxLength 20000",
		`{"type":"object","properties":{"s":{"type":"string","maxLength":20000}}}`,
		[]string{`{"s": "` + strings.Repeat("a", 20000) + `"}`, `{"s": "` + strings.Repeat("\u00e9", 20000) + `"}`},
		[]string{`{"s": "` + strings.Repeat("a", 20001) + `"}`, `{"s": "` + strings.Repeat(`\n`, 20001) + `"}`},
	},
	{
		"2: patterns that are not anchored, with groups and classes",
		`{"type":"object","properties":{"a":{"type":"string","pattern":"(ab(c|\\d)){2}"},"b":{"type":"string","pattern":"\\S"},"c":{"type":"string","pattern":"^\\d{3}$"}}}`,
		[]string{`{"a": "--ab1abc--"}`, `{"b": "  x "}`, `{"c": "123"}`},
		[]string{`{"a": "ab1 abc"}`, `{"b": "  "}`, `{"c": "1234"}`, `{"c": "12a"}`},
	},
	{
		"4: further properties are open unless closed",
		`{"type":"object","properties":{"a":{"type":"integer"}}}`,
		[]string{`{"a": 1, "b": {"c": [null]}}`, `{"z": "first", "a": 2}`},
		[]string{`{"a": "1", "b": 2}`},
	},
	{
		"5: an optional name is not given another type through additionalProperties",
		`{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":{"type":"string"}}`,
		[]string{`{"a": 1}`, `{"b": "x"}`, `{"b": "x", "a": 1}`},
		[]string{`{"a": "x"}`, `{"b": 1}`, `{"\u0061": "x"}`},
	},
	{
		"6: propertyNames beside additionalProperties",
		`{"type":"object","propertyNames":{"pattern":"^[a-z]+$"},"additionalProperties":{"type":"integer"}}`,
		[]string{`{"abc": 1, "x": 2}`, `{}`},
		[]string{`{"Abc": 1}`, `{"abc": "1"}`, `{"a1": 1}`, `{"abc": 1, "abc": 2}`},
	},
	{
		"7: maxLength 100000",
		`{"type":"object","properties":{"s":{"type":"string","maxLength":100000}},"required":["s"]}`,
		[]string{`{"s": "` + strings.Repeat("x", 100000) + `"}`},
		[]string{`{"s": "` + strings.Repeat("x", 100001) + `"}`},
	},
	{
		"8: a maximum beyond 32 bits",
		`{"type":"object","properties":{"n":{"type":"integer","maximum":20000000000,"minimum":-9007199254740993}}}`,
		[]string{`{"n": 20000000000}`, `{"n": 2e10}`, `{"n": -9007199254740993}`, `{"n": 0}`},
		[]string{`{"n": 20000000001}`, `{"n": 2.1e10}`, `{"n": -9007199254740994}`, `{"n": 0.5}`},
	},
	{
		"9: items as a list, in draft 7",
		`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"p":{"type":"array","items":[{"type":"string"},{"type":"integer"}],"additionalItems":false}}}`,
		[]string{`{"p": ["a", 1]}`, `{"p": ["a"]}`, `{"p": []}`},
		[]string{`{"p": [1]}`, `{"p": ["a", 1, 2]}`},
	},
	{
		"10: properties that overlap patternProperties",
		`{"type":"object","properties":{"foo":{"type":"integer"}},"patternProperties":{"^f":{"minimum":5}},"additionalProperties":false}`,
		[]string{`{"foo": 5}`, `{"fa": 7, "foo": 6}`, `{"fa": "no number"}`},
		[]string{`{"foo": 4}`, `{"foo": "5"}`, `{"bar": 5}`, `{"fa": 4}`, `{ `, `{`},
	},
	{
		"11: a minimum, additionalProperties false beside patternProperties, deep recursion",
		`{"type":"object","properties":{"n":{"type":"integer","minimum":3}},"patternProperties":{"^x-":{"type":"string"},"^sub$":{"$ref":"#"}},"additionalProperties":false}`,
		[]string{`{"n": 3, "x-a": "s"}`, nested(20)},
		[]string{`{"n": 2}`, `{"y": "s"}`},
	},
	{
		"13: an object or null",
		`{"type":"object","properties":{"o":{"type":["object","null"],"properties":{"a":{"type":"integer"}}}}}`,
		[]string{`{"o": null}`, `{"o": {"a": 1}}`},
		[]string{`{"o": 1}`, `{"o": {"a": "x"}}`, `{"o": []}`},
	},
	{
		"14: names with spaces and umlauts",
		`{"type":"object","properties":{"first name":{"type":"string"},"\u00fcber \"x\"":{"type":"integer"}},"required":["\u00fcber \"x\""],"additionalProperties":false}`,
		[]string{"{\"\u00fcber \\\"x\\\"\": 1, \"first name\": \"a\"}", `{"\u00fcber \"x\"": 1}`},
		[]string{`{"first name": "a"}`, "{\"\u00fcber x\": 1}"},
	},
}

func nested(n int) string { return strings.Repeat(`{"sub": `, n) + `{"n": 4}` + strings.Repeat("}", n) }

func TestFaultsOfOthers(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) { checkTexts(t, f.schema, f.admit, f.refuse) })
	}
}

// TestFault3BadPatternIsNoGrammar: a pattern that cannot be held fails closed.
func TestFault3BadPatternIsNoGrammar(t *testing.T) {
	s, err := schema.Compile([]byte(`{"type":"object","properties":{"a":{"type":"string","pattern":"(a)\\1"}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Compile(s, nil)
	re, ok := err.(*RefusedError)
	if !ok || re.Path != "/properties/a" || re.Keyword != "pattern" {
		t.Fatalf("Compile gives %v, want a refusal of `pattern` at /properties/a", err)
	}
	if _, err := schema.Compile([]byte(`{"properties":{"a":{"pattern":"\\"}}}`), nil); err == nil {
		t.Error("a pattern that ends in a backslash compiles as a schema")
	}
}

// TestFault12OptionalProperties: many optional properties are no many states.
func TestFault12OptionalProperties(t *testing.T) {
	var props, text []string
	for i := range 40 {
		var words []string
		for k := range 120 {
			words = append(words, fmt.Sprintf(`"v%d_%d"`, i, k))
		}
		props = append(props, fmt.Sprintf(`"p%d":{"enum":[%s]}`, i, strings.Join(words, ",")))
		text = append([]string{fmt.Sprintf(`"p%d": "v%d_%d"`, i, i, i)}, text...)
	}
	g := compiled(t, `{"type":"object","properties":{`+strings.Join(props, ",")+`},"additionalProperties":false}`)
	if !g.admits("{" + strings.Join(text, ", ") + "}") {
		t.Error("forty optional properties in reverse are not admitted")
	}
	if g.admits("{" + strings.Join(append(text, text[0]), ", ") + "}") {
		t.Error("a property is admitted twice")
	}
	if held := g.Bytes(); held > 1<<20 {
		t.Errorf("the grammar holds %d bytes, want under 1 MiB", held)
	}
}

// TestFault15WhiteSpaceIsBounded: no run of white space is longer than said.
func TestFault15WhiteSpaceIsBounded(t *testing.T) {
	g := compiled(t, `{"type":"object","properties":{"a":{"type":"integer"}}}`)
	for _, row := range []struct {
		text string
		want bool
	}{
		{`{"a":1}`, true},
		{`{ "a" : 1 }`, true},
		{"{\n" + strings.Repeat(" ", 64) + "\"a\": 1\n}", true},
		{"{\r\n\t\"a\":\t1\r\n}", true},
		{"{" + strings.Repeat(" ", maxBlanks) + `"a":1}`, true},
		{"{" + strings.Repeat(" ", maxBlanks+1) + `"a":1}`, false},
		{"{\n" + strings.Repeat(" ", maxIndent) + `"a":1}`, true},
		{"{\n" + strings.Repeat(" ", maxIndent+1) + `"a":1}`, false},
		{"{\n\n\"a\":1}", false},
		{"{\r\"a\":1}", false},
		{` {"a":1}`, false},
		{`{"a":1} `, false},
	} {
		if got := g.admits(row.text); got != row.want {
			t.Errorf("%q is admitted: %v, want %v", row.text, got, row.want)
		}
	}
}
