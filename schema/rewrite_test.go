package schema

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Rules after the shapes of the three large providers; the true ones stand
// beside their codecs.
var (
	plainRules = &Rules{PlainRoot: true, NeedProperties: true, NeedItems: true, OpenSchemas: true}

	closedRules = &Rules{
		Keywords: []string{
			"type", "enum", "const", "anyOf", "allOf", "$ref", "$defs", "properties", "required", "additionalProperties",
			"title", "description", "format", "items", "minItems", "default",
		},
		Refuse:       map[string]string{"minItems:2": "only 0 and 1 are taken"},
		Describe:     []string{"minimum", "maximum", "minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "multipleOf"},
		Formats:      []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"},
		OneOfAsAnyOf: true, Closed: true, NoRecursion: true,
	}

	openAPIRules = &Rules{
		Keywords: []string{
			"type", "enum", "anyOf", "properties", "required", "description", "format", "items", "minItems", "maxItems",
			"minimum", "maximum", "minLength", "maxLength", "pattern", "nullable",
		},
		Describe: []string{"additionalProperties", "exclusiveMinimum", "exclusiveMaximum", "default", "format"},
		Formats:  []string{"date-time", "enum"},
		Inline:   true, ConstAsEnum: true, OneOfAsAnyOf: true, SingleType: true, Nullable: true, StringEnums: true,
		OpenSchemas: true, SimplePatterns: true,
	}
)

func TestRewrite(t *testing.T) {
	for _, c := range []struct {
		name, src string
		rules     *Rules
		want      string
		omitted   []Omission
	}{
		{
			"no rules leave everything", `{ "type" : "object", "x-y": [1, 2] }`, nil,
			`{"type":"object","x-y":[1,2]}`, nil,
		},
		{
			"a union at the root", `{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}`, plainRules,
			`{"type":"object","properties":{}}`,
			[]Omission{{"", "anyOf", "not taken at the root of a tool's parameters"}},
		},
		{
			"items that a provider insists on", `{"type":"object","properties":{"a":{"type":"array"},"b":true}}`, plainRules,
			`{"type":"object","properties":{"a":{"type":"array","items":{}},"b":{}}}`, nil,
		},
		{
			"bounds go into words", `{"type":"object","properties":{"n":{"type":"integer","description":"How many","minimum":1,"maximum":9}}}`, closedRules,
			`{"type":"object","properties":{"n":{"type":"integer","description":"How many (at least 1; at most 9)"}}}`,
			[]Omission{
				{"/properties/n", "minimum", "the provider does not take this keyword"},
				{"/properties/n", "maximum", "the provider does not take this keyword"},
			},
		},
		{
			"a bound that is taken up to one", `{"properties":{"a":{"type":"array","minItems":1},"b":{"type":"array","minItems":2}}}`, closedRules,
			`{"properties":{"a":{"type":"array","minItems":1},"b":{"type":"array","description":"(at least 2 elements)"}}}`,
			[]Omission{{"/properties/b", "minItems", "only 0 and 1 are taken"}},
		},
		{
			"oneOf as anyOf", `{"properties":{"a":{"oneOf":[{"type":"string"},{"type":"null"}]}}}`, closedRules,
			`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, nil,
		},
		{
			"references are written out", `{"properties":{"a":{"$ref":"#/$defs/q","description":"here"}},"$defs":{"q":{"type":"object","description":"there","properties":{"n":{"const":"x"}}}}}`, openAPIRules,
			`{"properties":{"a":{"type":"object","description":"here","properties":{"n":{"enum":["x"]}}}}}`, nil,
		},
		{
			"recursion ends in the type alone", `{"properties":{"t":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/t"}}}}}}`, openAPIRules,
			`{"properties":{"t":{"type":"object","properties":{"kids":{"type":"array","items":{"type":"object"}}}}}}`,
			[]Omission{{"/properties/t/properties/kids/items", "$ref", "recursion cannot be written out"}},
		},
		{
			"a reference to a place that does not stay", `{"properties":{"a":{"oneOf":[{"type":"string"}]},"b":{"$ref":"#/properties/a/oneOf/0"}}}`, closedRules,
			`{"properties":{"a":{"anyOf":[{"type":"string"}]},"b":{"type":"string"}}}`, nil,
		},
		{
			"definitions that a provider does not take", `{"properties":{"a":{"$ref":"#/definitions/q"}},"definitions":{"q":{"type":"string"}}}`, closedRules,
			`{"properties":{"a":{"type":"string"}}}`, nil,
		},
		{
			"null becomes nullable", `{"properties":{"a":{"type":["string","null"]},"b":{"anyOf":[{"type":"integer"},{"type":"null"}],"description":"d"},"c":{"enum":["x",null]}}}`, openAPIRules,
			`{"properties":{"a":{"type":"string","nullable":true},"b":{"type":"integer","description":"d","nullable":true},"c":{"enum":["x"],"nullable":true}}}`, nil,
		},
		{
			"a list of types", `{"properties":{"a":{"type":["string","integer"],"description":"d"}}}`, openAPIRules,
			`{"properties":{"a":{"description":"d","anyOf":[{"type":"string"},{"type":"integer"}]}}}`, nil,
		},
		{
			"an enum of numbers", `{"properties":{"a":{"type":"integer","enum":[1,2]}}}`, openAPIRules,
			`{"properties":{"a":{"type":"integer"}}}`,
			[]Omission{{"/properties/a", "enum", "the provider takes enums of strings only"}},
		},
		{
			"lookaround", `{"properties":{"d":{"type":"string","pattern":"^(?=.*\\S)[^\\u0000-\\u001F\\u007F]+$"}}}`, openAPIRules,
			`{"properties":{"d":{"type":"string"}}}`,
			[]Omission{{"/properties/d", "pattern", "the provider does not take lookaround or back references"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mustCompile(t, c.src, nil)
			got, omitted := s.Rewrite(c.rules)
			if string(got) != c.want {
				t.Errorf("Rewrite = %s, want %s", got, c.want)
			}
			if diff := cmp.Diff(c.omitted, omitted); diff != "" {
				t.Errorf("omitted (-want +got):\n%s", diff)
			}
			if again, _ := s.Rewrite(c.rules); string(again) != string(got) {
				t.Errorf("Rewrite differs from run to run: %s and %s", got, again)
			}
		})
	}
}

func TestRewrittenSchemasAdmitAllThatTheOriginalDoes(t *testing.T) {
	for _, tool := range realTools(t) {
		s, err := Compile(tool.InputSchema, nil)
		if err != nil {
			continue
		}
		for n, rules := range []*Rules{nil, plainRules, closedRules, openAPIRules} {
			text, _ := s.Rewrite(rules)
			w, err := Compile(text, nil)
			if err != nil {
				t.Errorf("rules %d: Compile(Rewrite(%s)) = %v\n%s", n, tool.Name, err, text)
				continue
			}
			if rules != nil && rules.Nullable {
				continue // JSON Schema does not know nullable
			}
			for seed := range uint64(5) {
				in, err := s.Generate(seed)
				if err != nil {
					continue
				}
				if r := w.Validate(mustRead(t, string(in.JSON))); !r.Valid() {
					t.Errorf("rules %d: %s, rewritten, refuses %s: %v", n, tool.Name, in.JSON, r.Problems)
				}
			}
		}
	}
}

func TestStrictNamesEveryReason(t *testing.T) {
	rules := &Rules{
		Keywords: []string{"type", "properties", "required", "additionalProperties", "description", "$ref", "$defs", "items", "enum", "anyOf"},
		Closed:   true, AllRequired: true, Typed: true, LoneRefs: true, MaxDepth: 10,
	}
	s := mustCompile(t, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`, nil)
	if got := s.Strict(rules); len(got) != 0 {
		t.Errorf("Strict of a strict schema = %v, want nothing", got)
	}
	s = mustCompile(t, `{"properties":{"value":{"type":"object"},"b":{"type":"string","default":"x"},"c":{}},"required":["value","b"],"additionalProperties":false}`, nil)
	var got []string
	for _, o := range s.Strict(rules) {
		got = append(got, o.Path+" "+o.Keyword+": "+o.Why)
	}
	slices.Sort(got)
	want := []string{
		" required: `c` is optional",
		" type: it says nothing of the type",
		"/properties/b default: the provider does not take this keyword",
		"/properties/c type: it says nothing of the type",
		"/properties/value additionalProperties: the object is not closed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Strict (-want +got):\n%s", diff)
	}
}

func TestInliningThatDoublesIsBounded(t *testing.T) {
	var src strings.Builder
	src.WriteString(`{"$defs":{"d0":{"type":"string"}`)
	for n := range 40 {
		src.WriteString(`,"d` + strconv.Itoa(n+1) + `":{"type":"object","properties":{"l":{"$ref":"#/$defs/d` + strconv.Itoa(n) + `"},"r":{"$ref":"#/$defs/d` + strconv.Itoa(n) + `"}}}`)
	}
	src.WriteString(`},"$ref":"#/$defs/d40"}`)
	s := mustCompile(t, src.String(), nil)
	text, omitted := s.Rewrite(openAPIRules)
	if len(text) > 10<<20 || len(omitted) == 0 {
		t.Errorf("Rewrite wrote %d bytes with %d omissions, want a bounded schema that says so", len(text), len(omitted))
	}
}
