package catalogfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
)

// parseTool parses a catalog of one tool with some fields added.
func parseTool(t *testing.T, fields ...string) (*holdfast.Tool, error) {
	t.Helper()
	var src strings.Builder
	src.WriteString(`tools:
  - name: t
    description: Does a thing.
    effect: write
    timeout: 5s
    input:
      type: object
      required: [id, part, pin]
      properties:
        pin: {type: string, writeOnly: true}
        id: {type: [string, integer]}
        part: {type: string}
        n: {type: number}
        tags: {type: array, items: {type: object, properties: {name: {type: string}}}}
        free: {type: object}
    run: {static: ok}
`)
	for _, f := range fields {
		src.WriteString("    " + f + "\n")
	}
	c, err := Parse("a.yaml", []byte(src.String()), nil)
	if err != nil {
		return nil, err
	}
	return c.Tools()[0], nil
}

func TestKey_is_one_for_equal_values_only(t *testing.T) {
	tool, err := parseTool(t, `key: "order:{id}/{part}"`)
	if err != nil {
		t.Fatalf("Parse = %v", err)
	}
	keys := map[string]string{}
	for text, want := range map[string]string{
		`{"id":"7","part":"a"}`:                `order:7/a`,
		`{"id":"a/b","part":"c"}`:              `order:a%2Fb/c`,
		`{"id":"a","part":"b/c"}`:              `order:a/b%2Fc`,
		`{"id":"a%2Fb","part":"c"}`:            `order:a%252Fb/c`,
		`{"id":"ñ x","part":""}`:               `order:%C3%B1%20x/`,
		`{"id":9007199254740993,"part":"a"}`:   `order:9007199254740993/a`,
		`{"id":9007199254740992.0,"part":"a"}`: `order:9007199254740992/a`,
	} {
		got, err := tool.Options().Key(args(t, text))
		if err != nil || got != want {
			t.Errorf("key of %s = %q, %v, want %q", text, got, err, want)
		}
		if other, twice := keys[got]; twice {
			t.Errorf("%s and %s have one key %q", text, other, got)
		}
		keys[got] = text
	}
	if _, err := tool.Options().Key(args(t, `{"id":"7"}`)); err == nil {
		t.Error("key without an argument of it = nil, want an error")
	}
}

func TestKey_templates_that_cannot_work_are_refused(t *testing.T) {
	for template, want := range map[string]string{
		"order":           "names no argument",
		"{id":             "without a name and }",
		"{}":              "without a name and }",
		"id}":             "} without {",
		"{{id}}":          "without a name and }",
		"{id}{part}":      "need a separator",
		"{id}-{part}":     "need a separator",
		"order:{n}":       "{n} is not a required argument",
		"order:{pin}":     "{pin} is a secret",
		"order:{unknown}": "{unknown} is not a required argument",
	} {
		if _, err := parseTool(t, fmt.Sprintf("key: %q", template)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("key %q: Parse = %v, want %q", template, err, want)
		}
	}
}

func TestApproval_conditions(t *testing.T) {
	for _, c := range []struct {
		condition string
		asks      []string
		passes    []string
	}{
		{`{path: /n, op: ">", value: 50}`, []string{`{"n":50.0000000000000000001}`, `{"n":1e3}`, `{"n":"51"}`}, []string{`{"n":50}`, `{"n":5e1}`, `{}`}},
		{`{path: /n, op: ">=", value: 50}`, []string{`{"n":50.0}`}, []string{`{"n":49.999}`}},
		{`{path: /n, op: "<", value: 0}`, []string{`{"n":-0.1}`}, []string{`{"n":-0}`, `{"n":0}`}},
		{`{path: /n, op: "<=", value: 0}`, []string{`{"n":0}`}, []string{`{"n":0.1}`}},
		{`{path: /n, op: ==, value: 9007199254740993}`, []string{`{"n":9007199254740993.0}`}, []string{`{"n":9007199254740992}`, `{}`}},
		{`{path: /part, op: "!=", value: eu}`, []string{`{"part":"us"}`, `{}`}, []string{`{"part":"eu"}`}},
		{`{path: /part, op: in, value: [eu, us]}`, []string{`{"part":"us"}`}, []string{`{"part":"EU"}`, `{}`}},
		{`{path: /part, op: not in, value: [eu, us]}`, []string{`{"part":"cn"}`, `{}`}, []string{`{"part":"eu"}`}},
		{`{path: /tags/0/name, op: exists}`, []string{`{"tags":[{"name":""}]}`}, []string{`{"tags":[]}`, `{"tags":[{}]}`}},
		{`{path: /free/any/thing, op: ==, value: null}`, []string{`{"free":{"any":{"thing":null}}}`}, []string{`{"free":{}}`}},
	} {
		tool, err := parseTool(t, "approval: {when: ["+c.condition+"]}")
		if err != nil {
			t.Errorf("%s: Parse = %v", c.condition, err)
			continue
		}
		needs := tool.Options().Approval.Needs
		for _, text := range c.asks {
			if !needs(args(t, text)) {
				t.Errorf("%s of %s = false, want a person asked", c.condition, text)
			}
		}
		for _, text := range c.passes {
			if needs(args(t, text)) {
				t.Errorf("%s of %s = true, want nobody asked", c.condition, text)
			}
		}
	}
}

func TestApproval_any_condition_asks_and_the_rule_is_in_the_digest(t *testing.T) {
	either, err := parseTool(t, `approval: {when: [{path: /n, op: ">", value: 5}, {path: /part, op: ==, value: x}]}`)
	if err != nil {
		t.Fatalf("Parse = %v", err)
	}
	for _, text := range []string{`{"n":6}`, `{"n":1,"part":"x"}`} {
		if !either.Options().Approval.Needs(args(t, text)) {
			t.Errorf("Needs(%s) = false, want true", text)
		}
	}
	other, err := parseTool(t, `approval: {when: [{path: /n, op: ">", value: 6}, {path: /part, op: ==, value: x}]}`)
	if err != nil {
		t.Fatalf("Parse = %v", err)
	}
	if either.Digest() == other.Digest() {
		t.Error("two approval rules give one definition digest")
	}
}

// The rule is told in words, and holds all of it: approvals are bound to them.
func TestApproval_rule_is_told_in_words(t *testing.T) {
	tool, err := parseTool(t, `approval: {when: [{path: /part, op: not in, value: [x, "y z"]}, {path: /n, op: ">", value: 9007199254740993}, {path: /n, op: exists}]}`)
	if err != nil {
		t.Fatal(err)
	}
	got, want := tool.Options().Approval.Rule, `part not in ["x","y z"], or n > 9007199254740993, or n exists`
	if got != want {
		t.Errorf("Rule = %q, want %q", got, want)
	}
}

func TestApproval_conditions_that_cannot_work_are_refused(t *testing.T) {
	for condition, want := range map[string]string{
		`{path: /amount, op: ">", value: 1}`:       "has no /amount",
		`{path: /tags/0/nom, op: exists}`:          "has no /tags/0/nom",
		`{path: /n, op: ">", value: "1"}`:          "needs a number",
		`{path: /n, op: in, value: 1}`:             "needs a list",
		`{path: /n, op: ">"}`:                      "needs a value",
		`{path: /n, op: exists, value: 1}`:         "takes no value",
		`{path: n, op: exists}`:                    "/approval/when/0/path",
		`{path: /n, op: "=~", value: 1}`:           "must be one of",
		`{path: /n, op: ">", value: 1, unless: 2}`: "unless",
	} {
		_, err := parseTool(t, "approval: {when: ["+condition+"]}")
		if err == nil || !strings.Contains(err.Error(), want) && !strings.Contains(faultPaths(err), want) {
			t.Errorf("%s: Parse = %v, want %q", condition, err, want)
		}
	}
}

func faultPaths(err error) string {
	var paths []string
	for _, f := range err.(*Error).Faults {
		paths = append(paths, f.Path)
	}
	return strings.Join(paths, " ")
}

func TestLimits_and_flags(t *testing.T) {
	tool, err := parseTool(t, "limits: {result: 4KiB, handler: 1MiB}", "coerce: true", "repeats: true", "tells_apart: true", "untrusted: true", "sends: true", "grade: deduplicates")
	if err != nil {
		t.Fatalf("Parse = %v", err)
	}
	o := tool.Options()
	if o.ResultBytes != 4<<10 || o.HandlerBytes != 1<<20 || !o.Coerce || !o.Repeats || !o.TellsApart || !o.Untrusted || !o.Sends || o.Grade != holdfast.Deduplicates {
		t.Errorf("options = %+v", o)
	}
	for _, limits := range []string{"{result: 4 KiB}", "{result: 0}", "{handler: 4GiB}", "{result: 99999999MiB}", "{result: -1}", "{result: B}", "{results: 1}", "{result: 1.5}"} {
		if _, err := parseTool(t, "limits: "+limits); err == nil {
			t.Errorf("limits %s: Parse = nil, want an error", limits)
		}
	}
}

func TestStatic_result_is_JSON_where_the_output_has_a_schema(t *testing.T) {
	tool, err := parseTool(t, "output: {type: string}")
	if err != nil {
		t.Fatalf("Parse = %v, want a text to satisfy a string", err)
	}
	if r, _ := tool.Handle(t.Context(), args(t, `{}`)); string(r.JSON) != `"ok"` {
		t.Errorf("static = %+v, want JSON where the output has a schema", r)
	}
}

func TestRun_kinds_of_later_are_named(t *testing.T) {
	for _, kind := range []string{"command", "wasm", "mcp"} {
		_, err := Parse("a.yaml", []byte(strings.Replace(yamlRun("ok"), "{static: ok}", "{"+kind+": {}}", 1)), nil)
		if err == nil || !strings.Contains(err.Error(), "run kind "+kind+" is not built in yet") {
			t.Errorf("run %s: Parse = %v", kind, err)
		}
	}
}

func TestParse_two_tools_of_one_name(t *testing.T) {
	_, err := Parse("a.yaml", []byte("tools:\n"+yamlTool("t", "")+yamlTool("t", "")), nil)
	if err == nil || !strings.Contains(err.Error(), "a.yaml:8:11: tool t: this name is taken by the tool in line 2") {
		t.Errorf("Parse = %v, want the second name refused", err)
	}
}
