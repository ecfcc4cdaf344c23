package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Faults that other systems were reported to have with a tool's schema or its
// arguments. Each is an instance with the one right answer.
func TestReportedFaults(t *testing.T) {
	tree := `{"type":"object","properties":{"root":{"$ref":"#/$defs/T"}},"required":["root"],"$defs":{"T":{"type":"object","required":["value"],` +
		`"properties":{"value":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/T"}}}}}}`
	byReference := `{"type":"object","$defs":{"Q":{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer","default":20}}}},` +
		`"properties":{"query_model":{"$ref":"#/$defs/Q"}},"required":["query_model"]}`
	nodes := `{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/node"}}},` +
		`"$defs":{"node":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}}}`
	lookahead := `{"properties":{"d":{"type":"string","pattern":"^(?=.*\\S)[^\\u0000-\\u001F\\u007F]+$"}}}`
	for _, c := range []struct {
		name, schema, value string
		want                []string // path and keyword of each problem
	}{
		{"1 leading zeros of integer|string", `{"properties":{"code":{"type":["integer","string"]}}}`, `{"code":"007"}`, nil},
		{"1 leading zeros of string|integer", `{"properties":{"code":{"type":["string","integer"]}}}`, `{"code":"0123"}`, nil},
		{"2 a text that holds JSON", `{"properties":{"data":{"type":"string"}},"required":["data"]}`, `{"data":"{\"message\":\"hello\"}"}`, nil},
		{"2 a text that holds a number", `{"properties":{"data":{"type":"string"}}}`, `{"data":"5"}`, nil},
		{"3 an array sent as text", `{"properties":{"tags":{"type":"array","items":{"type":"string"}}}}`, `{"tags":"[\"test\",\"debug\"]"}`, []string{"/tags type"}},
		{"4 an integer beyond 2^53", `{"properties":{"id":{"type":"integer"}},"required":["id"]}`, `{"id":9007199254740993}`, nil},
		{"5 a reference into $defs", byReference, `{"query_model":{"limit":5}}`, nil},
		{"5 what is missing", byReference, `{}`, []string{" required"}},
		{"5 what is wrong behind the reference", byReference, `{"query_model":{"limit":"x"}}`, []string{"/query_model/limit type"}},
		{"6 definitions are kept", nodes, `{"children":[{"name":"a"}]}`, nil},
		{"6 missing and unknown are told together", nodes, `{"children":[{"nme":"a"}]}`, []string{"/children/0 required", "/children/0 additionalProperties"}},
		{"8 a reference to itself", tree, `{"root":{"value":"a","children":[{"value":"b","children":[{"value":3}]}]}}`, []string{"/root/children/0/children/0/value type"}},
		{"9 lookahead holds", lookahead, `{"d":"ok"}`, nil},
		{"9 lookahead refuses", lookahead, `{"d":"   "}`, []string{"/d pattern"}},
		{"10 true is no line", `{"properties":{"insert_line":{"type":["integer","null"],"minimum":1}}}`, `{"insert_line":true}`, []string{"/insert_line type"}},
		{"10 [5] is no line", `{"properties":{"insert_line":{"type":["integer","null"],"minimum":1}}}`, `{"insert_line":[5]}`, []string{"/insert_line type"}},
		{"11 an unknown name where none may be", `{"type":"object","properties":{"continue":{"type":"string"}},"additionalProperties":false}`, `{"cursor":"abc"}`, []string{" additionalProperties"}},
		{"12 a free object", `{"properties":{"value":{"type":"object"}},"required":["value"]}`, `{"value":{"any":1}}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			value := mustRead(t, c.value)
			var got []string
			for _, p := range mustCompile(t, c.schema, nil).Validate(value).Problems {
				got = append(got, p.Path+" "+p.Keyword)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("Validate(%s): problems (-want +got):\n%s", c.value, diff)
			}
			if got := string(value.Raw()); got != c.value {
				t.Errorf("after Validate the value is %s, want %s unchanged", got, c.value)
			}
		})
	}
}

// TestReportedFaultsOfCoercion: a value that validates is never touched, and
// what can be read in more than one way, or not at all, is never changed.
func TestReportedFaultsOfCoercion(t *testing.T) {
	line := `{"properties":{"insert_line":{"type":["integer","null"],"minimum":1}}}`
	for _, c := range []struct{ name, schema, value, want string }{
		{"1 leading zeros stay", `{"properties":{"code":{"type":["integer","string"]}}}`, `{"code":"007"}`, `{"code":"007"}`},
		{"2 a text stays a text", `{"properties":{"data":{"type":"string"}}}`, `{"data":"{\"a\":1}"}`, `{"data":"{\"a\":1}"}`},
		{"3 an array sent as text", `{"properties":{"tags":{"type":"array","items":{"type":"string"}}}}`, `{"tags":"[\"test\",\"debug\"]"}`, `{"tags":["test","debug"]}`},
		{"10 true stays", line, `{"insert_line":true}`, `{"insert_line":true}`},
		{"10 [5] stays", line, `{"insert_line":[5]}`, `{"insert_line":[5]}`},
		{"10 a number in quotes", line, `{"insert_line":"5"}`, `{"insert_line":5}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, changes := mustCompile(t, c.schema, nil).Coerce(mustRead(t, c.value))
			if string(got.Raw()) != c.want || (len(changes) > 0) != (c.value != c.want) {
				t.Errorf("Coerce(%s) = %s with %d changes, want %s, each change recorded", c.value, got.Raw(), len(changes), c.want)
			}
		})
	}
}

// TestReportedFault7_DanglingReferenceIsNamed: the one schema is refused with
// the place and the reference; compiling others goes on.
func TestReportedFault7_DanglingReferenceIsNamed(t *testing.T) {
	_, err := Compile([]byte(`{"type":"object","properties":{"s":{"$ref":"#/$defs/ScreenInstance"}}}`), nil)
	if err == nil || !strings.Contains(err.Error(), "#/$defs/ScreenInstance") || !strings.Contains(err.Error(), "/properties/s") {
		t.Errorf("Compile = %v, want the reference and its place", err)
	}
}

// TestReportedFault3_HintSaysSendItWithoutQuotes: a model that is only told
// "expected array" sends the same text again.
func TestReportedFault3_HintSaysSendItWithoutQuotes(t *testing.T) {
	s := mustCompile(t, `{"properties":{"tags":{"type":"array","items":{"type":"string"}}}}`, nil)
	problems := s.Validate(mustRead(t, `{"tags":"[\"a\"]"}`)).Problems
	if len(problems) != 1 || !strings.Contains(problems[0].Message, "without quotes") {
		t.Errorf("problems = %v, want one that says to send it without quotes", problems)
	}
}

// TestReportedFault12_StrictIsNotClaimed: an open object cannot be strict, and
// the reason is told.
func TestReportedFault12_StrictIsNotClaimed(t *testing.T) {
	s := mustCompile(t, `{"properties":{"value":{"type":"object"}},"required":["value"]}`, nil)
	if reasons := s.Strict(&Rules{Closed: true}); len(reasons) == 0 {
		t.Error("Strict found no reason against an open object, want one at each object")
	}
}
