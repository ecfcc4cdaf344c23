package catalogfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

// args reads argument text.
func args(t *testing.T, text string) schema.Value {
	t.Helper()
	v, err := schema.Read([]byte(text), nil)
	if err != nil {
		t.Fatalf("schema.Read(%s) = %v", text, err)
	}
	return v
}

func TestLoad_travel_example(t *testing.T) {
	c, err := Load(filepath.Join("..", "examples", "travel.yaml"))
	if err != nil {
		t.Fatalf("Load = %v", err)
	}
	var names []string
	for _, tool := range c.Tools() {
		names = append(names, c.Qualify(tool)+" "+string(tool.Effect()))
	}
	want := []string{"travel.search_flights read", "travel.flight_status read", "travel.book_flight write", "travel.cancel_booking write"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}

	search, _ := c.Lookup("search_flights")
	r, err := search.Handle(t.Context(), args(t, `{"from":"MAD","to":"LIS","date":"2026-05-01"}`))
	if err != nil || !strings.Contains(string(r.JSON), `"fare_id":9007199254740993`) {
		t.Errorf("search_flights = %s, %v, want the digits kept", r.JSON, err)
	}
	status, _ := c.Lookup("travel.flight_status")
	if r, _ := status.Handle(t.Context(), args(t, `{"flight":"HF 1"}`)); r.Text != "On time." || r.JSON != nil {
		t.Errorf("flight_status = %+v, want text", r)
	}

	book, _ := c.Lookup("book_flight")
	rule := book.Options().Approval
	if rule.Expires != time.Hour || rule.Needs(args(t, `{"amount_cents":15000}`)) || !rule.Needs(args(t, `{"amount_cents":15000.01}`)) {
		t.Errorf("approval of book_flight = %+v, want above 15000 only, for an hour", rule)
	}
	cancel, _ := c.Lookup("cancel_booking")
	if o := cancel.Options(); o.Approval == nil || o.Approval.Needs != nil || o.KeyRule != "booking:{booking}" || o.Grade != holdfast.Person {
		t.Errorf("options of cancel_booking = %+v", o)
	}
	if key, err := cancel.Options().Key(args(t, `{"booking":"R7K2PD"}`)); key != "booking:R7K2PD" || err != nil {
		t.Errorf("key = %q, %v", key, err)
	}
}

// yamlTool is a right tool with one line changed or added.
func yamlTool(name, extra string) string {
	return "  - name: " + name + `
    description: Does a thing.
    effect: write
    timeout: 5s
    input: {type: object, required: [order_id], properties: {order_id: {type: string}, n: {type: integer}}}
    run: {static: ok}
` + extra
}

func TestParse_lists_every_fault_with_its_line_and_tool(t *testing.T) {
	const src = `catalog: shop
tools:
  - name: first
    description: Does a thing.
    effect: reed
    timeout: 5s
    input: {type: object}
    run: {static: 1}
    colour: red
  - name: second
    description: Does another thing.
    effect: write
    timeout: 5 seconds
    input:
      type: object
      properties:
        n: {type: interger}
    run: {command: [ls]}
    retry: {max: many}
  - name: third
    description: Does a third thing.
    effect: write
    timeout: 5s
    input: {type: object, properties: {n: {type: integer}}}
    key: "n:{n}"
    approval: {when: [{path: /m, op: ">", value: 1}, {path: /n, op: in, value: 3}]}
    run: {static: 1}
  - name: fourth
    description: Does a fourth thing.
    effect: read
    timeout: 5s
    input: {type: object}
    run: {static: 1}
    grade: person
  - name: fifth
    description: Is right.
    effect: read
    timeout: 5s
    input: {type: object}
    run: {static: 1}
policy: policy.yaml
`
	_, err := Parse("shop.yaml", []byte(src), nil)
	var faults *Error
	if !errors.As(err, &faults) {
		t.Fatalf("Parse = %v, want an *Error", err)
	}
	var got []string
	for _, f := range faults.Faults {
		got = append(got, fmt.Sprintf("%d %s %s", f.Line, f.Tool, f.Path))
	}
	want := []string{
		"5 first /tools/0/effect",
		"9 first /tools/0",
		"13 second /tools/1/timeout",
		"17 second /tools/1/input/properties/n",
		"18 second /tools/1/run/command",
		"19 second /tools/1/retry/max",
		"25 third /tools/2/key",
		"26 third /tools/2/approval/when/0/path",
		"26 third /tools/2/approval/when/1/value",
		"28 fourth /tools/3",
		"41  /policy",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s\n%v", diff, err)
	}
	for _, said := range []string{
		"shop.yaml:9:5: tool first: ", "`colour`", `"5 seconds" is no length of time`, "run kind command is not built in yet",
		"must be an integer", "{n} is not a required argument", "the input schema has no /m", "names a file, but the catalog has no folder",
	} {
		if !strings.Contains(err.Error(), said) {
			t.Errorf("Parse = %v\nwant %q in it", err, said)
		}
	}
}

func TestParse_keeps_the_digits_of_numbers(t *testing.T) {
	for _, name := range []string{"a.yaml", "a.json"} {
		src := `{"tools": [{"name": "t", "description": "d", "effect": "read", "timeout": "1s", "input": {"type": "object"},
"run": {"static": [9007199254740993, 1.50, 1e400, -0, 0.1000000000000000055511151231257827, 12345678901234567890123]}}]}`
		c, err := Parse(name, []byte(src), nil)
		if err != nil {
			t.Fatalf("Parse(%s) = %v", name, err)
		}
		tool, _ := c.Lookup("t")
		r, _ := tool.Handle(t.Context(), args(t, `{}`))
		want := `[9007199254740993,1.50,1e400,-0,0.1000000000000000055511151231257827,12345678901234567890123]`
		if string(r.JSON) != want {
			t.Errorf("%s: static = %s, want %s", name, r.JSON, want)
		}
	}
}

func TestParse_refuses_what_yaml_readers_disagree_about(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"a name given twice", "tools: []\ntools: []\n", `2:1: "tools" is given twice`},
		{"an alias", "catalog: &a x\ntools: *a\n", "aliases are not read"},
		{"a merge key", "tools:\n  - <<: {name: a}\n", "merge key"},
		{"a tag", "catalog: !!binary aGk=\ntools: []\n", "tag !!binary is not read"},
		{"a number in another writing", yamlRun("0x1F"), "0x1F can be read in more than one way"},
		{"a number with underscores", yamlRun("1_000"), "1_000 can be read in more than one way"},
		{"an infinity", yamlRun(".inf"), ".inf can be read in more than one way"},
		{"a boolean in capitals", yamlRun("True"), "True can be read in more than one way"},
		{"a second document", "tools: []\n---\ntools: []\n", "more than one YAML document"},
		{"a list as a name", "? [a]\n: 1\n", "a name must be a plain text"},
		{"an empty file", "", "the file is empty"},
		{"only a comment", "# nothing\n", "the file is empty"},
		{"no YAML", "a: 1\n b: 2\n", "2:1: is not YAML"},
		{"bytes that are not UTF-8", "catalog: \xff\n", "is not YAML"},
		{"depth", "tools: " + strings.Repeat("[", 80) + strings.Repeat("]", 80), "nests deeper than 64"},
		{"size", strings.Repeat("#", maxFileBytes+1), "is larger than"},
	} {
		_, err := Parse("a.yaml", []byte(c.src), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Parse = %v, want %q", c.name, err, c.want)
		}
	}
}

func yamlRun(value string) string {
	return "tools:\n" + strings.Replace(yamlTool("t", ""), "{static: ok}", "{static: "+value+"}", 1)
}

func TestParse_reads_dates_yes_and_versions_as_texts(t *testing.T) {
	c, err := Parse("a.yaml", []byte(yamlRun(`[2026-05-01, yes, 1.2.3, "5", '0x1F', !!str 7, ~, "", 007-1]`)), nil)
	if err != nil {
		t.Fatalf("Parse = %v", err)
	}
	tool, _ := c.Lookup("t")
	r, _ := tool.Handle(t.Context(), args(t, `{}`))
	if want := `["2026-05-01","yes","1.2.3","5","0x1F","7",null,"","007-1"]`; string(r.JSON) != want {
		t.Errorf("static = %s, want %s", r.JSON, want)
	}
}

func TestParse_JSON_faults_have_their_line(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"a name given twice", "{\n \"tools\": [],\n \"tools\": []\n}", `a.json:3:2: "tools" is given twice`},
		{"a comma too many", "{\n \"tools\": [],\n}", "a.json:2"},
		{"cut off", "{\n \"tools\": [", "a.json:2"},
		{"something behind", "{}\n{}", "something follows"},
		{"an unknown field", "{\n \"tools\": [],\n \"colour\": 1}", "a.json:3:2: "},
		{"YAML", "tools: []", "is not JSON"},
		{"nothing", "", "is not JSON: the text ends too early"},
	} {
		_, err := Parse("a.json", []byte(c.src), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Parse = %v, want %q", c.name, err, c.want)
		}
	}
}

func TestParse_schemas_in_files(t *testing.T) {
	files := fstest.MapFS{
		"in.json":      {Data: []byte(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)},
		"sub/in.yaml":  {Data: []byte("type: object\nproperties:\n  n: {type: integer}\n")},
		"bad.json":     {Data: []byte("{\n\"type\": \"objekt\"}")},
		"broken.yaml":  {Data: []byte("a: [")},
		"twice.json":   {Data: []byte(`{"type":"object","type":"object"}`)},
		"toolarge.txt": {Data: make([]byte, maxFileBytes+1)},
	}
	for _, c := range []struct{ file, want string }{
		{"in.json", ""},
		{"sub/in.yaml", ""},
		{"bad.json", "bad.json:2"},
		{"broken.yaml", "broken.yaml:1"},
		{"twice.json", `"type" is given twice`},
		{"gone.json", "a.yaml:6"},
		{"../in.json", "a.yaml:6"},
		{"/etc/passwd", "a.yaml:6"},
		{"toolarge.txt", "larger than"},
	} {
		src := "tools:\n" + strings.Replace(yamlTool("t", ""), "{type: object, required: [order_id], properties: {order_id: {type: string}, n: {type: integer}}}", "{file: "+c.file+"}", 1)
		_, err := Parse("a.yaml", []byte(src), files)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("input {file: %s}: Parse = %v, want %q", c.file, err, c.want)
		}
	}
}

func TestLoad_reads_schema_files_beside_the_catalog_and_none_above(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("above.json", `{"type":"object"}`)
	write("c/in.json", `{"type":"object"}`)
	tool := func(file string) string {
		return "tools: [{name: t, description: d, effect: read, timeout: 1s, input: {file: " + file + "}, run: {static: 1}}]"
	}
	write("c/good.yaml", tool("in.json"))
	write("c/bad.yaml", tool("../above.json"))
	if _, err := Load(filepath.Join(dir, "c", "good.yaml")); err != nil {
		t.Errorf("Load(good) = %v", err)
	}
	if _, err := Load(filepath.Join(dir, "c", "bad.yaml")); err == nil {
		t.Error("Load(bad) = nil, want an error: the schema stands above the catalog")
	}
	if _, err := Load(filepath.Join(dir, "c", "gone.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Load(gone) = %v, want os.ErrNotExist", err)
	}
}

func TestSchema_is_a_schema_that_refuses_what_Parse_refuses(t *testing.T) {
	s, err := schema.Compile(Schema(), nil)
	if err != nil {
		t.Fatalf("Compile = %v", err)
	}
	for text, valid := range map[string]bool{
		`{"tools":[{"name":"a","description":"d","effect":"read","timeout":"1s","input":{},"run":{"static":null}}]}`:        true,
		`{"tools":[{"name":"a","description":"d","effect":"read","timeout":"1s","input":{},"run":{"static":1,"http":{}}}]}`: false,
		`{"tools":[{"name":"a","description":"d","effect":"read","input":{},"run":{"static":1}}]}`:                          false,
		`{"tools":[]}`: false,
	} {
		v, err := schema.Read(json.RawMessage(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Validate(v).Valid(); got != valid {
			t.Errorf("Validate(%s) = %v, want %v", text, got, valid)
		}
	}
}
