package schema

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func mustCompile(t testing.TB, src string, o *Options) *Schema {
	t.Helper()
	s, err := Compile([]byte(src), o)
	if err != nil {
		t.Fatalf("Compile(%.200s) = %v", src, err)
	}
	return s
}

func mustRead(t testing.TB, src string) Value {
	t.Helper()
	v, err := Read([]byte(src), nil)
	if err != nil {
		t.Fatalf("Read(%.200s) = %v", src, err)
	}
	return v
}

func TestReadEndsWithinItsLimits(t *testing.T) {
	for _, c := range []struct{ name, text, keyword string }{
		{"exponent", `{"limit":1e10000000}`, "limit"},
		{"negative exponent", `1e-10000000`, "limit"},
		{"exponent beyond an int", `1e99999999999999999999999`, "limit"},
		{"exponent with zeros in front is small", `1e0000000000000000000000001`, ""},
		{"digits", strings.Repeat("9", 401), "limit"},
		{"digits of the fraction", "0." + strings.Repeat("9", 401), "limit"},
		{"as many digits as allowed", strings.Repeat("9", 400), ""},
		{"depth 100,000", strings.Repeat("[", 100_000), "limit"},
		{"depth 100,000 of objects", strings.Repeat(`{"a":`, 100_000), "limit"},
		{"depth 65", strings.Repeat("[", 65) + strings.Repeat("]", 65), "limit"},
		{"depth 64", strings.Repeat("[", 64) + strings.Repeat("]", 64), ""},
		{"a string of 10 MB", `"` + strings.Repeat("a", 10<<20) + `"`, "limit"},
		{"a string over its limit", `"` + strings.Repeat("a", 300<<10) + `"`, "limit"},
		{"an escaped string over its limit", `"` + strings.Repeat(`\u0041`, 60<<10) + `"`, "limit"},
		{"a name over its limit", `{"` + strings.Repeat("a", 300<<10) + `":1}`, "limit"},
		{"many commas in a string", `"` + strings.Repeat(",", 200<<10) + `"`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read([]byte(c.text), nil)
			got := ""
			if re, ok := errors.AsType[*ReadError](err); ok {
				got = re.Keyword
			}
			if got != c.keyword {
				t.Errorf("Read(%.40q) = %v, want keyword %q", c.text, err, c.keyword)
			}
		})
	}
}

func TestNamesMadeToCollideAreStillToldApart(t *testing.T) {
	// Names that share their hash: found by trying.
	byHash := map[uint32][]string{}
	var names []string
	for n := 0; len(names) < 64 && n < 3_000_000; n++ {
		name := fmt.Sprintf("%07d", n)
		h := hashText(name) & 0xffff
		byHash[h] = append(byHash[h], name)
		if len(byHash[h]) == 64 {
			names = byHash[h]
		}
	}
	text := `{"` + strings.Join(names, `":1,"`) + `":1`
	mustRead(t, text+"}")
	if _, err := Read([]byte(text+`,"`+names[3]+`":2}`), nil); err == nil {
		t.Errorf("Read of a repeated name among colliding ones succeeded, want an error")
	}
}

const twoArrayBranches = `{"properties":{"v":{"$ref":"#/$defs/t"}},"$defs":{"t":{"anyOf":[
	{"type":"array","items":{"$ref":"#/$defs/t"}},
	{"type":"array","items":{"$ref":"#/$defs/t"},"minItems":0},
	{"type":"integer"}]}}}`

func TestHostileRecursionEndsByItsSteps(t *testing.T) {
	s := mustCompile(t, twoArrayBranches, nil)
	for _, depth := range []int{16, 30, 60} {
		v := mustRead(t, `{"v":`+strings.Repeat("[", depth)+`"x"`+strings.Repeat("]", depth)+"}")
		m := machine{d: v.d, s: s}
		ok := m.valid(s.root, 0)
		if ok || m.over || m.steps > 20_000 {
			t.Errorf("depth %d: valid %v after %d steps (over %v), want false in few steps", depth, ok, m.steps, m.over)
		}
		if r := s.Validate(v); r.Valid() {
			t.Errorf("Validate at depth %d found nothing", depth)
		}
	}
}

func TestStepBudgetEndsWithACode(t *testing.T) {
	// Every element is looked at by 200 rules; 10,000 elements are too many.
	var b strings.Builder
	b.WriteString(`{"properties":{"v":{"type":"array","items":{"allOf":[`)
	for n := range 200 {
		if n > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"maximum":%d}`, 1000+n)
	}
	b.WriteString(`]}}}}`)
	s := mustCompile(t, b.String(), nil)
	v := mustRead(t, `{"v":[`+strings.Repeat("1,", 9_999)+"1]}")
	r := s.Validate(v)
	if len(r.Problems) != 1 || r.Problems[0].Keyword != "limit" {
		t.Errorf("Validate = %v, want one problem with keyword limit", r.Problems)
	}
}

func TestCatastrophicPatternsEndInTime(t *testing.T) {
	for _, pattern := range []string{
		`^(a+)+$`, `^(a|aa)+$`, `(a*)*b`, `^(?=(a+)+$)a+b$`, `^(([a-z])+.)+[A-Z]([a-z])+$`, `(x+x+)+y`, `^(a+)+\\1$`,
	} {
		s := mustCompile(t, `{"properties":{"v":{"pattern":"`+pattern+`"}}}`, nil)
		for _, size := range []int{28, 4000, 200_000} {
			v := mustRead(t, `{"v":"`+strings.Repeat("a", size)+`!"}`)
			start := time.Now()
			r := s.Validate(v)
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("pattern %s on %d bytes took %v", pattern, size, took)
			}
			if r.Valid() {
				t.Errorf("pattern %s on %d bytes: valid, want a problem", pattern, size)
			}
		}
	}
}

func TestReferencesThatReadNothingAreRefused(t *testing.T) {
	for _, src := range []string{
		`{"$ref":"#"}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`,
		`{"allOf":[{"$ref":"#"}]}`,
		`{"anyOf":[{"type":"string"},{"$ref":"#"}]}`,
		`{"not":{"$ref":"#"}}`,
		`{"if":{"$ref":"#"}}`,
		`{"dependentSchemas":{"a":{"$ref":"#"}}}`,
	} {
		if _, err := Compile([]byte(src), nil); err == nil {
			t.Errorf("Compile(%s) succeeded, want a fault", src)
		}
	}
}

func TestManyProblemsStayLinear(t *testing.T) {
	s := mustCompile(t, `{"properties":{"v":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["a"]}}}}`, nil)
	v := mustRead(t, `{"v":[`+strings.Repeat(`{"b":1},`, 20_000)+`{"b":1}]}`)
	start := time.Now()
	r := s.Validate(v)
	if want := 2 * 20_001; len(r.Problems) != want {
		t.Errorf("Validate found %d problems, want %d", len(r.Problems), want)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("%d problems took %v", len(r.Problems), took)
	}
}

func TestASlowPatternIsReportedAtItsValue(t *testing.T) {
	s := mustCompile(t, `{"properties":{"v":{"items":{"pattern":"^(?=a)(a+)+b$"}}}}`, nil)
	r := s.Validate(mustRead(t, `{"v":["ab","`+strings.Repeat("a", 5000)+`"]}`))
	if len(r.Problems) != 1 || r.Problems[0].Keyword != "limit" || r.Problems[0].Path != "/v/1" {
		t.Errorf("Validate = %+v, want keyword limit at /v/1", r.Problems)
	}
}

func TestManySlowPatternsShareOneLimit(t *testing.T) {
	s := mustCompile(t, `{"properties":{"v":{"items":{"pattern":"^(?=a)(a+)+b$"}}}}`, nil)
	start := time.Now()
	r := s.Validate(mustRead(t, `{"v":["`+strings.Repeat(strings.Repeat("a", 24)+`","`, 5000)+`"]}`))
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("Validate took %v", took)
	}
	if r.Valid() {
		t.Errorf("Validate found nothing")
	}
}
