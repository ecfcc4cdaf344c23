package schema

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCoerceReadsOnlyWhatHasOneReading is the table of what is accepted and
// what is not.
func TestCoerceReadsOnlyWhatHasOneReading(t *testing.T) {
	const same = "" // comes back as it is
	for _, c := range []struct{ name, field, value, want, rule string }{
		{"an integer in quotes", `{"type":"integer"}`, `"5"`, `5`, "string->integer"},
		{"a number in quotes", `{"type":"number"}`, `"5.25"`, `5.25`, "string->number"},
		{"an integral literal for an integer", `{"type":"integer"}`, `"5.0"`, `5.0`, "string->integer"},
		{"beyond 2^53, exactly", `{"type":"integer"}`, `"9007199254740993"`, `9007199254740993`, "string->integer"},
		{"negative", `{"type":"integer"}`, `"-7"`, `-7`, "string->integer"},
		{"a leading zero may be part of an id", `{"type":"integer"}`, `"05"`, same, ""},
		{"a plus sign", `{"type":"integer"}`, `"+5"`, same, ""},
		{"digit groups", `{"type":"integer"}`, `"1_000"`, same, ""},
		{"an exponent for an integer", `{"type":"integer"}`, `"1e3"`, same, ""},
		{"an exponent for a number", `{"type":"number"}`, `"1e3"`, `1e3`, "string->number"},
		{"space around", `{"type":"integer"}`, `" 5 "`, same, ""},
		{"hexadecimal", `{"type":"integer"}`, `"0x10"`, same, ""},
		{"a decimal comma", `{"type":"number"}`, `"75,5"`, same, ""},
		{"a percent sign", `{"type":"number"}`, `"5%"`, same, ""},
		{"an empty string for a number", `{"type":"number"}`, `""`, same, ""},
		{"NaN", `{"type":"number"}`, `"NaN"`, same, ""},
		{"Infinity", `{"type":"number"}`, `"Infinity"`, same, ""},
		{"true in quotes", `{"type":"boolean"}`, `"true"`, `true`, "string->boolean"},
		{"false in quotes", `{"type":"boolean"}`, `"false"`, `false`, "string->boolean"},
		{"True", `{"type":"boolean"}`, `"True"`, same, ""},
		{"yes", `{"type":"boolean"}`, `"yes"`, same, ""},
		{"1 in quotes for a boolean", `{"type":"boolean"}`, `"1"`, same, ""},
		{"1 for a boolean", `{"type":"boolean"}`, `1`, same, ""},
		{"true for a number", `{"type":"number"}`, `true`, same, ""},
		{"null in quotes where null is allowed", `{"type":["null","integer"]}`, `"null"`, `null`, "string->null"},
		{"null in quotes where strings are", `{"type":["null","string"],"maxLength":2}`, `"null"`, same, ""},
		{"an empty string for null", `{"type":"null"}`, `""`, same, ""},
		{"an integer for a string", `{"type":"string"}`, `5`, `"5"`, "integer->string"},
		{"its digits are kept", `{"type":"string"}`, `9007199254740993`, `"9007199254740993"`, "integer->string"},
		{"a fraction for a string", `{"type":"string"}`, `5.5`, same, ""},
		{"a boolean for a string", `{"type":"string"}`, `true`, same, ""},
		{"an object for a string", `{"type":"string"}`, `{}`, same, ""},
		{"a lone value for an array", `{"type":"array","items":{"type":"string"}}`, `"a"`, `["a"]`, "value->array"},
		{"a lone value that its items refuse", `{"type":"array","items":{"type":"integer"}}`, `"a"`, same, ""},
		{"a list in words is not one element", `{"type":"array","items":{"type":"string"}}`, `"a,b"`, same, ""},
		{"an array for a lone value", `{"type":"string"}`, `["a"]`, same, ""},
		{"an array in quotes", `{"type":"array","items":{"type":"string"}}`, `"[\"a\"]"`, `["a"]`, "json-string->array"},
		{"an object in quotes", `{"type":"object","properties":{"a":{"type":"integer"}}}`, `"{\"a\":1}"`, `{"a":1}`, "json-string->object"},
		{"one level only", `{"type":"object","properties":{"a":{"type":"integer"}}}`, `"{\"a\":\"1\"}"`, same, ""},
		{"cut-off JSON", `{"type":"object"}`, `"{\"path\":\"/tmp/a"`, same, ""},
		{"lenient JSON", `{"type":"object"}`, `"{'a':1}"`, same, ""},
		{"a string that holds JSON stays where strings are allowed", `{"type":"string"}`, `"{\"a\":1}"`, same, ""},
		{"a member of an enum", `{"enum":[1,2,3]}`, `"2"`, `2`, "string->integer"},
		{"no member of an enum", `{"type":"integer","enum":[1,2,3]}`, `"5"`, same, ""},
		{"beyond a bound", `{"type":"integer","maximum":3}`, `"5"`, same, ""},
		{"case is never changed", `{"enum":["celsius"]}`, `"Celsius"`, same, ""},
		{"a union admits the string", `{"type":["integer","string"]}`, `"007"`, same, ""},
		{"a union admits the digits", `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `"7"`, same, ""},
		{"two readings", `{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"string"}}]}`, `"7"`, same, ""},
		{"one branch of a union", `{"anyOf":[{"type":"integer"},{"type":"boolean"}]}`, `"7"`, `7`, "string->integer"},
		{"zod's number from true", `{"type":["integer","null"],"minimum":1}`, `true`, same, ""},
		{"zod's number from a list", `{"type":["integer","null"],"minimum":1}`, `[5]`, same, ""},
		{"behind a reference", `{"$ref":"#/$defs/n"}`, `"7"`, `7`, "string->integer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mustCompile(t, `{"properties":{"f":`+c.field+`},"required":["f"],"$defs":{"n":{"type":"integer"}}}`, nil)
			text := `{"f":` + c.value + `}`
			got, changes := s.Coerce(mustRead(t, text))
			want := text
			if c.want != same {
				want = `{"f":` + c.want + `}`
			}
			if string(got.Raw()) != want {
				t.Errorf("Coerce(%s) = %s, want %s", text, got.Raw(), want)
			}
			var wantChanges []Coercion
			if c.want != same {
				wantChanges = []Coercion{{Path: "/f", Rule: c.rule, From: json.RawMessage(c.value), To: json.RawMessage(c.want)}}
			}
			if diff := cmp.Diff(wantChanges, changes); diff != "" {
				t.Errorf("Coerce(%s) records (-want +got):\n%s", text, diff)
			}
		})
	}
}

func TestCoerceDropsNullFromOptionalFieldsOnly(t *testing.T) {
	s := mustCompile(t, `{"properties":{"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":["integer","null"]}},"required":["b"]}`, nil)
	got, changes := s.Coerce(mustRead(t, `{"a": null, "b": null, "c": null}`))
	if want := `{"b":null,"c":null}`; string(got.Raw()) != want {
		t.Errorf("Coerce = %s, want %s", got.Raw(), want)
	}
	want := []Coercion{{Path: "/a", Rule: "null->absent", From: json.RawMessage("null")}}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("Coerce records (-want +got):\n%s", diff)
	}
}

func TestCoerceKeepsWhatItCannotHelpForValidate(t *testing.T) {
	s := mustCompile(t, `{"properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["c"]}`, nil)
	got, changes := s.Coerce(mustRead(t, `{"a":"5","b":"x"}`))
	if len(changes) != 1 || string(got.Raw()) != `{"a":5,"b":"x"}` {
		t.Errorf("Coerce = %s with %v, want a changed alone", got.Raw(), changes)
	}
	if r := s.Validate(got); len(r.Problems) != 2 {
		t.Errorf("Validate after Coerce = %v, want the missing c and the mistyped b", r.Problems)
	}
}

func TestCoerceReadsArgumentsThatCameAsAString(t *testing.T) {
	s := mustCompile(t, `{"properties":{"a":{"type":"integer"}}}`, nil)
	got, changes := s.Coerce(mustRead(t, `"{\"a\":1}"`))
	if string(got.Raw()) != `{"a":1}` || len(changes) != 1 || changes[0].Rule != "json-string->object" {
		t.Errorf("Coerce = %s with %v, want the object", got.Raw(), changes)
	}
	if got, changes := s.Coerce(mustRead(t, `null`)); string(got.Raw()) != `null` || changes != nil {
		t.Errorf("Coerce(null) = %s with %v, want null as it is", got.Raw(), changes)
	}
}

func TestCoerceHidesSecrets(t *testing.T) {
	s := mustCompile(t, `{"properties":{"pin":{"type":"string","writeOnly":true}}}`, nil)
	_, changes := s.Coerce(mustRead(t, `{"pin":12345}`))
	if len(changes) != 1 || string(changes[0].From) != `"[hidden]"` || string(changes[0].To) != `"[hidden]"` {
		t.Errorf("Coerce records %s, want hidden values", changes)
	}
}
