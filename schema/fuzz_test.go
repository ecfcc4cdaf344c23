package schema

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// strictly reads with another tokenizer that is as strict.
func strictly(src []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(src))
	if _, err := d.ReadValue(); err != nil {
		return err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return errors.New("more follows")
	}
	return nil
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-2.50e+3,"x\u00e9\ud83d\ude00\n",true,null,{}]}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `"\ud800"`, "\"\xff\"",
		`[1,]`, `01`, `+1`, `1.`, `.5`, `NaN`, `{'a':1}`, "\ufeff{}", `{} {}`, "\"\n\"", `"abcdefgh\"ijklmnop"`, `[[[[]]]]`, "\"\xed\xa0\x80\"",
		`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":1,"k":2,"l":3,"m":4,"n":5,"o":6,"p":7,"q":8,"r":9,"a":0}`,
	} {
		f.Add([]byte(s))
	}
	wide := &Limits{Bytes: 1 << 24, Depth: 10_000, String: 1 << 24, Digits: 1 << 20, Exponent: 1 << 20}
	f.Fuzz(func(t *testing.T, src []byte) {
		v, err := Read(src, wide)
		if re, ok := errors.AsType[*ReadError](err); ok && re.Keyword == "limit" {
			return
		}
		if other := strictly(src); (err == nil) != (other == nil) {
			t.Fatalf("Read(%q) = %v, but jsontext says %v", src, err, other)
		}
		if err != nil {
			return
		}
		canonical := v.Canonical()
		again, err := Read(canonical, wide)
		if err != nil {
			t.Fatalf("Read(Canonical(%q)) = %v", src, err)
		}
		if !v.Equal(again) || !bytes.Equal(again.Canonical(), canonical) {
			t.Fatalf("Canonical(%q) = %s is not stable", src, canonical)
		}
	})
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{
		`{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x",null]}},"required":["a"]}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"$id":"x","$anchor":"y","allOf":[{"$ref":"#y"}]}}}`,
		`{"$dynamicRef":"#m","$defs":{"a":{"$dynamicAnchor":"m"}}}`, `{"type":"dict"}`, `{"$ref":"#"}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}`,
		`{"items":[{}],"additionalItems":false}`, `{"pattern":"(?<n>a)\\k<n>"}`, `true`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := Compile(src, nil)
		if err != nil {
			ce, ok := errors.AsType[*CompileError](err)
			if !ok || len(ce.Faults) == 0 {
				t.Fatalf("Compile(%q) = %v, want a *CompileError with faults", src, err)
			}
			return
		}
		s.Lint()
		if text, _ := s.Rewrite(openAPIRules); len(text) == 0 {
			t.Fatalf("Rewrite of %q is empty", src)
		}
		s.Strict(closedRules)
	})
}

// check holds the two passes against each other: the one that decides and the
// one that explains.
func check(t *testing.T, s *Schema, v Value) {
	t.Helper()
	m := machine{d: v.d, s: s}
	ok := m.valid(s.root, 0)
	if m.over {
		return
	}
	e := s.newExplainer(v.d)
	problems := 0
	for _, f := range e.explain(s.root, 0) {
		if !f.warning {
			problems++
		}
		e.problem(&f)
	}
	if !e.over && ok != (problems == 0) {
		t.Fatalf("valid %v, but %d problems explain it: schema %s value %s", ok, problems, s.Source(), v.Raw())
	}
}

func FuzzValidate(f *testing.F) {
	f.Add(`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer","minimum":3}]}},"unevaluatedProperties":false}`, `{"a":2,"b":1}`)
	f.Add(twoArrayBranches, `{"v":[[[["x"]]]]}`)
	f.Add(`{"items":{"$ref":"#"},"uniqueItems":true,"contains":{"const":1}}`, `[[1],[1.0]]`)
	f.Add(`{"properties":{"s":{"contentMediaType":"application/json","contentSchema":{"required":["x"]},"writeOnly":true}}}`, `{"s":"{}"}`)
	f.Add(`{"if":{"required":["a"]},"then":{"dependentRequired":{"a":["b"]}},"propertyNames":{"maxLength":1},"not":{"required":["c"]}}`, `{"a":1,"cc":2}`)
	f.Fuzz(func(t *testing.T, src, value string) {
		s, err := Compile([]byte(src), nil)
		if err != nil {
			return
		}
		v, err := Read([]byte(value), nil)
		if err != nil {
			return
		}
		check(t, s, v)
		s.Validate(v)
		s.Mask(v)
	})
}

func FuzzCoerce(f *testing.F) {
	f.Add(`{"properties":{"a":{"type":"integer"},"b":{"type":"array","items":{"type":"string"}}}}`, `{"a":"5","b":"x","c":null}`)
	f.Add(`{"properties":{"a":{"anyOf":[{"type":"object","properties":{"k":{"type":"integer"}}},{"type":"null"}]}}}`, `{"a":"{\"k\":1}"}`)
	f.Add(`{"additionalProperties":{"type":["null","boolean"]}}`, `{"a":"null","b":"true"}`)
	f.Fuzz(func(t *testing.T, src, value string) {
		s, err := Compile([]byte(src), nil)
		if err != nil {
			return
		}
		v, err := Read([]byte(value), nil)
		if err != nil {
			return
		}
		before := s.Validate(v)
		got, changes := s.Coerce(v)
		if len(changes) == 0 && string(got.Raw()) != string(v.Raw()) {
			t.Fatalf("Coerce(%s) = %s and records nothing", value, got.Raw())
		}
		if before.Valid() && len(changes) > 0 {
			t.Fatalf("Coerce touched %s, which is valid by %s: %v", value, src, changes)
		}
		if again, more := s.Coerce(got); len(more) > 0 && s.Validate(got).Valid() {
			t.Fatalf("Coerce is not stable: %s then %s", got.Raw(), again.Raw())
		}
	})
}

func FuzzPattern(f *testing.F) {
	for _, p := range []string{`^[A-Z]{3}-\d{4}$`, `a|b*c?`, `^$`, `\bx\B`, `(?=a)a`, `(a)\1`, `[^\s\S]`, `\p{Letter}+`, `[\w-.]`, `(?:)`, `$^`, `x{0}`, `(?i:k)`} {
		f.Add(p, "ABC-1234 kK")
	}
	f.Fuzz(func(t *testing.T, src, text string) {
		if len(src) > 200 || len(text) > 200 {
			return
		}
		p, err := newPattern(src)
		if err != nil {
			return
		}
		got, late := p.match(text, isASCII(text))
		if p.re != nil && !late && got != p.re.MatchString(text) {
			t.Fatalf("pattern %q on %q: the table says %v", src, text, got)
		}
		p.hint()
	})
}

func FuzzFormats(f *testing.F) {
	f.Add("2026-02-28T23:59:60Z")
	f.Add("https://u:p@[::1]:80/a%20b?q#f")
	f.Add("xn--nxasmq6b.example")
	f.Add("{+path,x:3}*")
	f.Fuzz(func(t *testing.T, text string) {
		for _, x := range formats {
			x.valid(text)
		}
	})
}
