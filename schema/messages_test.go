package schema

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestMessagesOfFaultyCalls pins what the model reads, after the shapes of calls
// that models have made. testdata/calls.json holds the calls.
func TestMessagesOfFaultyCalls(t *testing.T) {
	src, err := os.ReadFile("testdata/calls.json")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	calls := 0
	for _, tool := range mustReadLarge(t, src).Elements() {
		name, _ := tool.Get("tool")
		def, _ := tool.Get("schema")
		list, _ := tool.Get("calls")
		s := mustCompile(t, string(def.Raw()), nil)
		for why, args := range list.Members() {
			calls++
			fmt.Fprintf(&got, "== %s: %s\n%s\n", name.Text(), why, compact(args))
			v := mustRead(t, string(args.Raw()))
			r := s.Validate(v)
			for _, p := range r.Problems {
				fmt.Fprintf(&got, "%s %s | want %s | got %s\n    %s\n", quoted(p.Path), p.Keyword, p.Expected, p.Got, p.Message)
			}
			for _, p := range r.Warnings {
				fmt.Fprintf(&got, "warning %s %s\n    %s\n", quoted(p.Path), p.Keyword, p.Message)
			}
			for range 5 {
				if diff := cmp.Diff(r, s.Validate(v)); diff != "" {
					t.Errorf("Validate(%s) differs from run to run:\n%s", compact(args), diff)
				}
			}
		}
	}
	if calls < 60 {
		t.Errorf("there are %d calls, want at least 60", calls)
	}
	const golden = "testdata/calls.golden"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", golden, diff)
	}
}

func mustReadLarge(t testing.TB, src []byte) Value {
	t.Helper()
	v, err := Read(src, schemaLimits)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestWhatAProblemSaysCanBeApplied holds the problems to their purpose: a program
// that does what they say, and knows no schema, makes the calls valid.
func TestWhatAProblemSaysCanBeApplied(t *testing.T) {
	tried, mended := 0, 0
	left := map[string]int{}
	for _, tool := range realTools(t) {
		s, err := Compile(tool.InputSchema, nil)
		if err != nil {
			continue
		}
		for seed := range uint64(9) {
			bad, err := s.GenerateFaulty(seed)
			if err != nil {
				continue
			}
			tried++
			if apply(t, s, bad.JSON) {
				mended++
			} else {
				left[bad.Keyword]++
			}
		}
	}
	t.Logf("%d of %d mended, left: %v", mended, tried, left)
	if tried < 2000 || mended*100 < tried*95 {
		t.Errorf("%d of %d mended, want 95 in 100 of at least 2,000", mended, tried)
	}
}

// apply does what the problems say, for a few turns.
func apply(t *testing.T, s *Schema, text []byte) bool {
	for range 5 {
		v := mustReadLarge(t, text)
		r := s.Validate(v)
		if r.Valid() {
			return true
		}
		doc := v.plain()
		for _, p := range r.Problems {
			doc = applyOne(doc, p)
		}
		var err error
		if text, err = json.Marshal(doc); err != nil {
			t.Fatal(err)
		}
	}
	return false
}

// applyOne does what one problem says.
func applyOne(doc any, p Problem) any {
	return at(doc, strings.Split(p.Path, "/")[1:], func(v any) (any, bool) {
		switch p.Keyword {
		case "required", "dependentRequired":
			v.(map[string]any)[p.Expected] = fromWords(p.Message)
		case "additionalProperties", "unevaluatedProperties":
			m := v.(map[string]any)
			old := m[p.Got]
			delete(m, p.Got)
			if p.Expected != "no further names" {
				m[p.Expected] = old
			}
		case "type":
			return typed(v, p)
		case "enum", "const":
			return firstJSON(p), true
		case "format":
			_, after, _ := strings.Cut(p.Message, " such as ")
			example, _, _ := strings.Cut(after, ", not ")
			return example, true
		default:
			return bounded(v, p), true
		}
		return v, true
	})
}

// at changes what a pointer leads to; keep says whether it stays.
func at(doc any, tokens []string, change func(any) (v any, keep bool)) any {
	if len(tokens) == 0 {
		v, _ := change(doc)
		return v
	}
	token := unescapeToken(tokens[0])
	next := func(v any) (any, bool) {
		if len(tokens) > 1 {
			return at(v, tokens[1:], change), true
		}
		return change(v)
	}
	switch x := doc.(type) {
	case map[string]any:
		if v, keep := next(x[token]); keep {
			x[token] = v
		} else {
			delete(x, token)
		}
	case []any:
		if i, err := strconv.Atoi(token); err == nil && i < len(x) {
			if v, keep := next(x[i]); keep {
				x[i] = v
			} else {
				return slices.Delete(x, i, i+1)
			}
		}
	}
	return doc
}

func typed(v any, p Problem) (any, bool) {
	if strings.Contains(p.Message, "leave it out") {
		return nil, false
	}
	if s, ok := v.(string); ok && strings.Contains(p.Message, "without quotes") {
		if inner, err := Read([]byte(s), nil); err == nil {
			return inner.plain(), true
		}
	}
	word, _, _ := strings.Cut(p.Expected, " or ")
	return ofType(word), true
}

func ofType(word string) any {
	switch word {
	case "string":
		return "text"
	case "integer", "number":
		return json.Number("1")
	case "boolean":
		return true
	case "array":
		return []any{}
	case "object":
		return map[string]any{}
	}
	return nil
}

// fromWords makes a value from what the message says of a missing field.
func fromWords(message string) any {
	_, words, ok := strings.Cut(message, "it must be ")
	if !ok {
		return "text"
	}
	if rest, ok := strings.CutPrefix(words, "one of "); ok {
		words = rest
	}
	if v, ok := prefixJSON(words); ok {
		return v
	}
	fields := strings.FieldsSeq(words)
	for w := range fields {
		if v := ofType(strings.Trim(w, ",;")); v != nil {
			return v
		}
	}
	return map[string]any{}
}

// firstJSON is the value meant, or the first of those expected.
func firstJSON(p Problem) any {
	if _, meant, ok := strings.Cut(p.Message, "did you mean "); ok {
		if v, ok := prefixJSON(meant); ok {
			return v
		}
	}
	v, _ := prefixJSON(p.Expected)
	return v
}

// prefixJSON reads the JSON value that a text begins with.
func prefixJSON(text string) (any, bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err == nil
}

// bounded moves a value to the bound that it crossed.
func bounded(v any, p Problem) any {
	fields := strings.Fields(p.Expected)
	if len(fields) < 2 {
		return v
	}
	bound := fields[len(fields)-1]
	n, _ := strconv.Atoi(bound)
	switch p.Keyword {
	case "minimum", "maximum":
		return json.Number(bound)
	case "exclusiveMinimum":
		return json.Number(parseDecimal(bound).plus(1))
	case "exclusiveMaximum":
		return json.Number(parseDecimal(bound).plus(-1))
	case "multipleOf":
		return json.Number("0")
	case "minLength":
		return v.(string) + strings.Repeat("x", max(0, n-len([]rune(v.(string)))))
	case "maxLength":
		return string([]rune(v.(string))[:n])
	case "minItems":
		list := v.([]any)
		for len(list) < n {
			list = append(list, "text")
		}
		return list
	case "maxItems":
		return v.([]any)[:n]
	}
	return v
}
