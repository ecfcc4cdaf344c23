package schema

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// slip is a way in which a model writes a value that it means rightly; mistake,
// one that a strict schema catches and that is no matter of form.
type slip struct {
	name string
	make func(v Value) string // "" where it does not apply
}

func formSlips() []slip {
	return []slip{
		{"a number in quotes", func(v Value) string {
			if v.Kind() == Number {
				return `"` + v.Text() + `"`
			}
			return ""
		}},
		{"a boolean in quotes", func(v Value) string {
			if v.Kind() == Bool {
				return `"` + string(v.Raw()) + `"`
			}
			return ""
		}},
		{"an array or object in quotes", func(v Value) string {
			if v.Kind() >= Array {
				return quoted(compact(v))
			}
			return ""
		}},
		{"null for an optional field", func(v Value) string { return "null" }},
		{"a lone value for an array of one", func(v Value) string {
			if v.Kind() == Array && v.Len() == 1 {
				for _, e := range v.Elements() {
					return compact(e)
				}
			}
			return ""
		}},
	}
}

func mistakes() []slip {
	return []slip{
		{"a count where a text belongs", func(v Value) string {
			if v.Kind() == String {
				return "42"
			}
			return ""
		}},
		{"null, meaning: clear it", func(Value) string { return "null" }},
		{"a name where a list of ids belongs", func(v Value) string {
			if v.Kind() == Array {
				return `"all of them"`
			}
			return ""
		}},
		{"a list in one string", func(v Value) string {
			if v.Kind() == Array {
				return `"alpha, beta"`
			}
			return ""
		}},
		{"a quantity with its unit", func(v Value) string {
			if v.Kind() == Number {
				return `"5 kg"`
			}
			return ""
		}},
		{"an id with zeros for a number", func(v Value) string {
			if v.Kind() == Number {
				return `"007"`
			}
			return ""
		}},
		{"yes for a boolean", func(v Value) string {
			if v.Kind() == Bool {
				return `"yes"`
			}
			return ""
		}},
	}
}

// TestCoercionOverTheRealTools measures what docs/schema.md reports: how many
// slips of form coercion mends, and how many mistakes it lets pass.
func TestCoercionOverTheRealTools(t *testing.T) {
	type tally struct{ refused, passed int }
	count := map[string]*tally{}
	rules := map[string]map[string]int{}
	var order []string
	note := func(s *Schema, name, text string) {
		v, err := Read([]byte(text), schemaLimits)
		if err != nil || s.Validate(v).Valid() {
			return
		}
		if count[name] == nil {
			count[name], rules[name] = &tally{}, map[string]int{}
			order = append(order, name)
		}
		count[name].refused++
		got, changes := s.Coerce(v)
		if !s.Validate(got).Valid() {
			return
		}
		count[name].passed++
		for _, c := range changes {
			rules[name][c.Rule]++
		}
	}
	for _, tool := range realTools(t) {
		s, err := Compile(tool.InputSchema, nil)
		if err != nil {
			continue
		}
		for seed := range uint64(4) {
			in, err := s.Generate(seed)
			if err != nil {
				continue
			}
			v := mustReadLarge(t, in.JSON)
			c := &coercer{machine: machine{d: v.d, s: s}}
			var fields []uint32
			for _, e := range v.Members() {
				fields = append(fields, e.i)
				for _, x := range append(formSlips(), mistakes()...) {
					if text := x.make(e); text != "" {
						note(s, x.name, c.apply(0, edits{{node: e.i, text: text}}))
					}
				}
			}
			for n, a := range fields {
				for _, b := range fields[n+1:] {
					swap := edits{{node: a, text: v.d.raw(b)}, {node: b, text: v.d.raw(a)}}
					note(s, "two fields exchanged", c.apply(0, swap))
				}
			}
		}
	}
	for _, name := range order {
		var used []string
		for rule, n := range rules[name] {
			used = append(used, fmt.Sprintf("%s %d", rule, n))
		}
		slices.Sort(used)
		t.Logf("%-40s refused %5d, passes when coerced %5d  %s", name, count[name].refused, count[name].passed, strings.Join(used, ", "))
	}
	for _, name := range []string{"a list in one string", "a quantity with its unit", "an id with zeros for a number", "yes for a boolean"} {
		if c := count[name]; c == nil || c.passed != 0 {
			t.Errorf("%s: %+v, want none to pass", name, c)
		}
	}
}
