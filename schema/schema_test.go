package schema

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFaultsOfOtherSystems: schemas and values on which other systems have gone
// wrong, by kind.
func TestFaultsOfOtherSystems(t *testing.T) {
	const node = `"$defs":{"node":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}}`
	for _, c := range []struct {
		name, schema, value string
		want                []string // path and keyword of each problem
		warnings            int
	}{
		{"leading zeros stay where strings are allowed", `{"properties":{"code":{"type":["integer","string"]}}}`, `{"code":"007"}`, nil, 0},
		{"a string that holds JSON stays a string", `{"properties":{"data":{"type":"string"}}}`, `{"data":"{\"m\":1}"}`, nil, 0},
		{"a string is no array", `{"properties":{"tags":{"type":"array","items":{"type":"string"}}}}`, `{"tags":"[\"a\"]"}`, []string{"/tags type"}, 0},
		{"beyond 2^53", `{"properties":{"id":{"const":9007199254740993}}}`, `{"id":9007199254740993}`, nil, 0},
		{"one beyond 2^53 is another", `{"properties":{"id":{"const":9007199254740993}}}`, `{"id":9007199254740992}`, []string{"/id const"}, 0},
		{"a reference into $defs", `{"properties":{"q":{"$ref":"#/$defs/Q"}},"required":["q"],"$defs":{"Q":{"properties":{"limit":{"type":"integer"}}}}}`, `{"q":{"limit":"x"}}`, []string{"/q/limit type"}, 0},
		{"missing and unknown together", `{"properties":{"children":{"type":"array","items":{"$ref":"#/$defs/node"}}},` + node + `}`, `{"children":[{"nme":"a"}]}`, []string{"/children/0 required", "/children/0 additionalProperties"}, 0},
		{"lookahead", `{"properties":{"d":{"pattern":"^(?=.*\\S)[^\\u0000-\\u001F\\u007F]+$"}}}`, `{"d":"   "}`, []string{"/d pattern"}, 0},
		{"lookahead that holds", `{"properties":{"d":{"pattern":"^(?=.*\\S)[^\\u0000-\\u001F\\u007F]+$"}}}`, `{"d":"ok"}`, nil, 0},
		{"true is no number", `{"properties":{"n":{"type":["integer","null"],"minimum":1}}}`, `{"n":true}`, []string{"/n type"}, 0},
		{"an unknown name", `{"properties":{"continue":{"type":"string"}},"additionalProperties":false}`, `{"cursor":"abc"}`, []string{" additionalProperties"}, 0},
		{"an undeclared name is noted", `{"properties":{"continue":{"type":"string"}}}`, `{"cursor":"abc"}`, nil, 1},
		{"a decimal multiple", `{"properties":{"n":{"multipleOf":0.01}}}`, `{"n":19.99}`, nil, 0},
		{"an exponent of 400 is still a number", `{"properties":{"n":{"minimum":1}}}`, `{"n":1e400}`, nil, 0},
		{"nothing beneath a mistyped value", `{"properties":{"a":{"type":"object","required":["b"],"minProperties":1}}}`, `{"a":[]}`, []string{"/a type"}, 0},
		{"every fault of one string", `{"properties":{"a":{"minLength":9,"pattern":"^x","format":"email"}}}`, `{"a":"b"}`, []string{"/a minLength", "/a pattern", "/a format"}, 0},
		{"the index of a bad name", `{"properties":{"list":{"items":{"propertyNames":{"pattern":"^a"}}}}}`, `{"list":[{"a":1},{"b":1},{"a":1}]}`, []string{"/list/1 propertyNames"}, 0},
		{"an empty enum allows nothing", `{"properties":{"a":{"enum":[]}}}`, `{"a":1}`, []string{"/a enum"}, 0},
		{"document order", `{"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, `{"b":1,"a":2}`, []string{"/b type", "/a type"}, 0},
		{"names of JavaScript's objects", `{"properties":{"a":{"type":"string"}},"required":["__proto__","constructor"]}`, `{}`, []string{" required", " required"}, 0},
		{"the root is an object", `{}`, `[]`, []string{" type"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mustCompile(t, c.schema, nil)
			r := s.Validate(mustRead(t, c.value))
			var got []string
			for _, p := range r.Problems {
				got = append(got, p.Path+" "+p.Keyword)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("Validate(%s) (-want +got):\n%s", c.value, diff)
			}
			if len(r.Warnings) != c.warnings {
				t.Errorf("Validate(%s) warns %v, want %d", c.value, r.Warnings, c.warnings)
			}
		})
	}
}

func TestCompileNamesEachFaultWithItsFix(t *testing.T) {
	for _, c := range []struct{ name, schema, path, keyword, says, fix string }{
		{"dict", `{"type":"dict"}`, "", "type", `"dict" does not exist`, `"object"`},
		{"float", `{"properties":{"a":{"type":"float"}}}`, "/properties/a", "type", `"float"`, `"number"`},
		{"String", `{"properties":{"a":{"type":"String"}}}`, "/properties/a", "type", `"String"`, `"string"`},
		{"a list of a type", `{"properties":{"a":{"type":"list[str]"}}}`, "/properties/a", "type", `list`, `"array"`},
		{"any", `{"properties":{"a":{"type":"any"}}}`, "/properties/a", "type", `"any"`, "leave"},
		{"a reference that leads nowhere", `{"properties":{"s":{"$ref":"#/$defs/Screen"}}}`, "/properties/s", "$ref", "unresolved reference #/$defs/Screen", "add"},
		{"a reference with a slip", `{"properties":{"s":{"$ref":"#/$defs/Scren"}},"$defs":{"Screen":{}}}`, "/properties/s", "$ref", "unresolved", "#/$defs/Screen"},
		{"a reference to the network", `{"$ref":"https://example.com/x"}`, "", "$ref", "unresolved", "remote"},
		{"draft 4's exclusive bound", `{"properties":{"a":{"minimum":0,"exclusiveMinimum":true}}}`, "/properties/a", "exclusiveMinimum", "number", `"exclusiveMinimum": 0`},
		{"required in the wrong place", `{"properties":{"a":{"required":true}}}`, "/properties/a", "required", "list of names", "object"},
		{"items as a list", `{"properties":{"a":{"items":[{}]}}}`, "/properties/a", "items", "one schema", "prefixItems"},
		{"a pattern", `{"properties":{"a":{"pattern":"("}}}`, "/properties/a", "pattern", "does not compile", ""},
		{"a negative length", `{"properties":{"a":{"minLength":-1}}}`, "/properties/a", "minLength", "whole number", ""},
		{"a schema that is none", `{"properties":{"a":"string"}}`, "/properties/a", "", "must be an object or a boolean", ""},
		{"no JSON", `{"a":}`, "/a", "json", "cannot be read", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Compile([]byte(c.schema), nil)
			ce, ok := errors.AsType[*CompileError](err)
			if !ok || len(ce.Faults) != 1 {
				t.Fatalf("Compile(%s) = %v, want one fault", c.schema, err)
			}
			f := ce.Faults[0]
			if f.Path != c.path || f.Keyword != c.keyword || !strings.Contains(f.Message, c.says) || !strings.Contains(f.Fix, c.fix) {
				t.Errorf("Compile(%s) = %+v, want %q at %q saying %q with fix %q", c.schema, f, c.keyword, c.path, c.says, c.fix)
			}
		})
	}
}

func TestCompileListsAllFaultsInOrder(t *testing.T) {
	_, err := Compile([]byte(`{"properties":{"b":{"type":"dict"},"a":{"type":"int"}},"type":"map","$defs":{"x":{"minimum":"1"}}}`), nil)
	ce, ok := errors.AsType[*CompileError](err)
	if !ok {
		t.Fatalf("Compile = %v", err)
	}
	var got []string
	for _, f := range ce.Faults {
		got = append(got, f.Path+" "+f.Keyword)
	}
	want := []string{" type", "/properties/b type", "/properties/a type", "/$defs/x minimum"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestLintNotesWhatDeservesALook(t *testing.T) {
	for _, c := range []struct{ name, schema, path, keyword string }{
		{"a value twice", `{"properties":{"a":{"enum":["x","x"]}}}`, "/properties/a", "enum"},
		{"a default that does not validate", `{"properties":{"a":{"type":"string","default":null}}}`, "/properties/a", "default"},
		{"a pattern for the slow engine", `{"properties":{"a":{"pattern":"(?=a)"}}}`, "/properties/a", "pattern"},
		{"an unknown format", `{"properties":{"a":{"format":"zip"}}}`, "/properties/a", "format"},
		{"a keyword with a slip", `{"properties":{"a":{"maxlength":5}}}`, "/properties/a", "maxlength"},
		{"OpenAPI's nullable", `{"properties":{"a":{"type":"string","nullable":true}}}`, "/properties/a", "nullable"},
		{"a name required twice", `{"required":["a","a"]}`, "", "required"},
		{"a root that is no object", `{"type":"string"}`, "", "type"},
	} {
		s := mustCompile(t, c.schema, nil)
		if got := s.Lint(); len(got) != 1 || got[0].Path != c.path || got[0].Keyword != c.keyword {
			t.Errorf("%s: Lint = %+v, want %s at %q", c.name, got, c.keyword, c.path)
		}
	}
}

func TestMaskReplacesWriteOnlyValues(t *testing.T) {
	s := mustCompile(t, `{"properties":{"key":{"type":"string","writeOnly":true},"list":{"items":{"$ref":"#/$defs/c"}},"any":{"anyOf":[{"type":"string"},{"type":"object","writeOnly":true}]}},"$defs":{"c":{"properties":{"pin":{"writeOnly":true}}}}}`, nil)
	v := mustRead(t, `{ "key" : "s3cret", "list": [{"pin": 1234, "n": "a"}, {"n": 2}], "any": {"x": 1}, "free": "f" }`)
	want := `{ "key" : "[hidden]", "list": [{"pin": "[hidden]", "n": "a"}, {"n": 2}], "any": "[hidden]", "free": "f" }`
	if got := string(s.Mask(v)); got != want {
		t.Errorf("Mask = %s, want %s", got, want)
	}
}

func TestProblemsNeverShowSecrets(t *testing.T) {
	const secret = "hunter2hunter2"
	for _, src := range []string{
		`{"type":"integer","writeOnly":true}`, `{"const":"x","writeOnly":true}`, `{"pattern":"^x","writeOnly":true}`,
		`{"format":"date","writeOnly":true}`, `{"enum":["x"],"writeOnly":true}`, `{"allOf":[{"type":"null"}],"writeOnly":true}`,
		`{"anyOf":[{"type":"integer"},{"pattern":"^x"}],"writeOnly":true}`, `{"not":{"type":"string"},"writeOnly":true}`, `{"maxLength":2,"writeOnly":true}`,
		`{"contentMediaType":"application/json","writeOnly":true}`, `{"type":["array","object"],"writeOnly":true}`,
	} {
		s := mustCompile(t, `{"properties":{"k":`+src+`}}`, nil)
		r := s.Validate(mustRead(t, `{"k":"`+secret+`"}`))
		if r.Valid() {
			t.Errorf("Validate by %s found nothing", src)
		}
		for _, p := range r.Problems {
			if strings.Contains(p.Message+p.Got+p.Expected, "hunter") {
				t.Errorf("by %s: %+v shows the secret", src, p)
			}
		}
	}
}

func TestSecretsAreHiddenWhereverTheyStand(t *testing.T) {
	const secret = "hunter2hunter2"
	const pin = `"contentMediaType":"application/json","contentSchema":{"properties":{"pin":{"type":"integer","writeOnly":true}}}`
	for _, c := range []struct{ name, schema, instance, mask string }{
		{"JSON in a string", `{"type":"string",` + pin + `}`, `"{\"pin\":\"` + secret + `\"}"`, `"[hidden]"`},
		{"such a string without a secret", `{"type":"string",` + pin + `}`, `"{\"a\":1}"`, `"{\"a\":1}"`},
		{"such a string that cannot be read", `{"type":"string",` + pin + `}`, `"{\"pin\":\"` + secret + `"`, `"[hidden]"`},
		{"another name inside of a secret", `{"type":"object","writeOnly":true,"properties":{"a":{}},"additionalProperties":false}`, `{"` + secret + `":1}`, `"[hidden]"`},
		{"a refused name inside of a secret", `{"type":"object","writeOnly":true,"propertyNames":{"pattern":"^x"}}`, `{"` + secret + `":1}`, `"[hidden]"`},
		{"a name in another case", `{"properties":{"pin":{"type":"string","writeOnly":true}}}`, `{"PIN":"` + secret + `"}`, `{"PIN":"[hidden]"}`},
	} {
		s := mustCompile(t, `{"properties":{"k":`+c.schema+`}}`, nil)
		v := mustRead(t, `{"k":`+c.instance+`}`)
		if got, want := string(s.Mask(v)), `{"k":`+c.mask+`}`; got != want {
			t.Errorf("%s: Mask = %s, want %s", c.name, got, want)
		}
		r := s.Validate(v)
		for _, p := range append(r.Problems, r.Warnings...) {
			if strings.Contains(p.Message+p.Got+p.Expected, "hunter") {
				t.Errorf("%s: %+v shows the secret", c.name, p)
			}
		}
	}
}

func TestMessagesAreBounded(t *testing.T) {
	long := strings.Repeat("é", 5000)
	s := mustCompile(t, `{"properties":{"a":{"type":"integer"},"b":{"enum":["x"]},"c":{"pattern":"^x"}},"additionalProperties":false}`, nil)
	r := s.Validate(mustRead(t, `{"a":"`+long+`","b":"`+long+`","c":"`+long+`","`+long+`":1}`))
	if len(r.Problems) != 4 {
		t.Fatalf("Validate = %d problems, want 4", len(r.Problems))
	}
	for _, p := range r.Problems {
		if len(p.Message) > 400 || len(p.Got) > 200 {
			t.Errorf("%s: message of %d bytes, got of %d", p.Keyword, len(p.Message), len(p.Got))
		}
	}
}

func TestOneBadToolDoesNotTakeOthersDown(t *testing.T) {
	if _, err := Compile([]byte(`{"properties":{"s":{"$ref":"#/$defs/none"}}}`), nil); err == nil {
		t.Error("Compile of a dangling reference succeeded")
	}
	mustCompile(t, `{"properties":{"s":{"type":"string"}}}`, nil)
}

func TestValueNavigates(t *testing.T) {
	v := mustRead(t, `{"a~/b":[10,{"x":"y"}],"é":1.50,"":null}`)
	for pointer, want := range map[string]string{"": v.d.src, "/a~0~1b/1/x": `"y"`, "/é": "1.50", "/": "null", "/a~0~1b/0": "10"} {
		if got, ok := v.At(pointer); !ok || string(got.Raw()) != want {
			t.Errorf("At(%q) = %s, %v, want %s", pointer, got.Raw(), ok, want)
		}
	}
	for _, pointer := range []string{"x", "/a~0~1b/01", "/a~0~1b/2", "/a~0~1b/-", "/none", "/é/x"} {
		if got, ok := v.At(pointer); ok {
			t.Errorf("At(%q) = %s, want nothing", pointer, got.Raw())
		}
	}
	var zero Value
	if zero.Kind() != Invalid || zero.Raw() != nil || zero.Len() != 0 || zero.Text() != "" || zero.Bool() || zero.Canonical() != nil {
		t.Errorf("the zero Value is not empty")
	}
	if _, ok := zero.At(""); ok {
		t.Errorf("At of the zero Value gives something")
	}
	for range zero.Members() {
		t.Errorf("the zero Value has members")
	}
}

func TestCanonicalAndEqual(t *testing.T) {
	for _, c := range []struct{ a, b string }{
		{`{"b":1,"a":2}`, `{ "a":2.0, "b":1e0 }`},
		{`1`, `1.0`},
		{`100`, `1e2`},
		{`0.00`, `-0`},
		{`"\u0041\/"`, `"A/"`},
		{`12345678901234567890123456789`, `12345678901234567890123456789.000`},
		{`1e400`, `10e399`},
	} {
		a, b := mustRead(t, c.a), mustRead(t, c.b)
		if string(a.Canonical()) != string(b.Canonical()) || !a.Equal(b) {
			t.Errorf("Canonical(%s) = %s, Canonical(%s) = %s, want the same", c.a, a.Canonical(), c.b, b.Canonical())
		}
	}
	for _, c := range []struct{ a, b string }{
		{`9007199254740993`, `9007199254740992`}, {`1`, `"1"`}, {`0`, `false`}, {`[]`, `{}`}, {`{"a":1}`, `{"a":1,"b":1}`}, {`[1,2]`, `[2,1]`},
	} {
		a, b := mustRead(t, c.a), mustRead(t, c.b)
		if string(a.Canonical()) == string(b.Canonical()) || a.Equal(b) {
			t.Errorf("%s and %s count as equal", c.a, c.b)
		}
	}
	// RFC 8785 orders names by UTF-16 code units.
	v := mustRead(t, `{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`)
	want := "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}"
	if got := string(v.Canonical()); got != want {
		t.Errorf("Canonical = %s, want %s", got, want)
	}
}

func TestValidCallsCostNoAllocation(t *testing.T) {
	s := mustCompile(t, `{"type":"object","additionalProperties":false,"required":["owner"],"properties":{"owner":{"type":"string","minLength":1,"maxLength":39,"pattern":"^[a-z-]+$"},"page":{"type":"integer","minimum":1},"state":{"enum":["open","closed"]},"since":{"type":"string","format":"date"}}}`, nil)
	v := mustRead(t, `{"owner":"some-one","page":3,"state":"open","since":"2026-02-28"}`)
	if n := testing.AllocsPerRun(100, func() {
		if !s.Validate(v).Valid() {
			t.Fatal("invalid")
		}
	}); n != 0 {
		t.Errorf("Validate allocates %v times, want 0", n)
	}
	src := []byte(v.d.src)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := Read(src, nil); err != nil {
			t.Fatal(err)
		}
	}); n > 3 {
		t.Errorf("Read allocates %v times, want the text, the tape and the document only", n)
	}
}
