package wiretest

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
)

// Catalog makes a catalog of tools that only have names and a schema each.
func Catalog(t testing.TB, namespace string, schemas map[string]string, order ...string) *holdfast.Catalog {
	t.Helper()
	var tools []*holdfast.Tool
	for _, name := range order {
		s, err := schema.Compile([]byte(schemas[name]), nil)
		if err != nil {
			t.Fatal(err)
		}
		handler := func(context.Context, schema.Value) (holdfast.Result, error) { return holdfast.Result{}, nil }
		tool, err := holdfast.NewTool(name, "Does <"+name+"> & more.", s, holdfast.Read, time.Second, handler, nil)
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, tool)
	}
	c, err := holdfast.NewCatalog(namespace, tools...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const plainSchema = `{"type": "object", "properties": {"id": {"type": "integer", "maximum": 9007199254740993}, "name": {"type": "string", "description": "a <b> & c"}}, "required": ["id"]}`

// testTools checks what holds for every provider's tools: the same bytes each
// time, legal names that tell the tools apart and lead back to them, requests
// that carry them as they are.
func testTools(t *testing.T, o Options) {
	long := strings.Repeat("a_very_long_name_", 4)
	order := []string{"plain", "catalog.get-entity", "catalog/get_entity", long + "one", long + "two"}
	schemas := map[string]string{}
	for _, name := range order {
		schemas[name] = plainSchema
	}
	c := Catalog(t, "test", schemas, order...)
	set, err := o.Codec.Tools(c, nil)
	if err != nil {
		t.Fatalf("Tools: %v", err)
	}
	again, err := o.Codec.Tools(c, nil)
	if err != nil || !reflect.DeepEqual(set, again) {
		t.Errorf("Tools twice: %v, and the same: %v (pitfall 32)", err, reflect.DeepEqual(set, again))
	}
	var sent []string
	for _, raw := range set.Tools {
		if !rawjson.Sendable(raw) {
			t.Errorf("Tools holds %s, want JSON", raw)
		}
		sent = append(sent, toolNames(raw)...)
	}
	if len(sent) != len(order) {
		t.Fatalf("Tools sends names %q, want %d", sent, len(order))
	}
	for i, name := range sent {
		if want := "test." + order[i]; set.Names[name] != want {
			t.Errorf("Names[%q] = %q, want %q (bugs F1, F2)", name, set.Names[name], want)
		}
		if o.Name != nil && !o.Name.MatchString(name) {
			t.Errorf("Tools sends name %q, which is not taken", name)
		}
	}
	if len(set.Names) != len(order) {
		t.Errorf("Names has %d entries, want %d", len(set.Names), len(order))
	}
	testRequest(t, o, set, sent)
}

// toolNames are the names of the tools in one element of the list, in order.
func toolNames(raw []byte) (names []string) {
	if name := rawjson.Member(raw, "name"); name != nil && rawjson.Member(raw, "description") != nil {
		return []string{rawjson.String(name)}
	}
	for _, v := range rawjson.Members(raw) {
		names = append(names, toolNames(v)...)
	}
	for _, v := range rawjson.Elements(raw) {
		names = append(names, toolNames(v)...)
	}
	return names
}

// testRequest checks that a request is JSON, carries the tools as they are, and
// refuses a choice that no format knows.
func testRequest(t *testing.T, o Options, set wire.ToolSet, sent []string) {
	items := []wire.Item{{User: "hello <&> \U0001F600"}}
	for _, mode := range []string{"", "auto", "none", "required", "tool"} {
		for _, stream := range []bool{false, true} {
			r := &wire.Request{Model: "some/model", System: "Be <brief>.", Items: items, Tools: set, Choice: wire.ToolChoice{Mode: mode, Tool: sent[0]}, MaxTokens: 77, Stream: stream, Serial: true}
			e, err := o.Codec.Request(r)
			what := fmt.Sprintf("Request(choice %q, stream %v)", mode, stream)
			if err != nil {
				if !o.Unforced || mode != "required" && mode != "tool" {
					t.Errorf("%s: %v", what, err)
				}
				continue
			}
			body := string(e.Body)
			if !rawjson.Sendable(e.Body) || !strings.HasPrefix(e.Path, "/") || strings.Contains(e.Path, " ") {
				t.Errorf("%s: path %q, body %s", what, e.Path, body)
			}
			for _, part := range []string{"hello <&> \U0001F600", "Be <brief>.", "77"} {
				if !strings.Contains(body, part) {
					t.Errorf("%s: body has no %q: %s", what, part, body)
				}
			}
			missing := slices.ContainsFunc(set.Tools, func(raw json.RawMessage) bool { return !strings.Contains(body, string(raw)) })
			if missing && mode != "none" {
				t.Errorf("%s: body does not hold the tools as they are: %s", what, body)
			}
		}
	}
	if _, err := o.Codec.Request(&wire.Request{Model: "m", Items: items, Tools: set, Choice: wire.ToolChoice{Mode: "perhaps"}}); err == nil {
		t.Error("Request(choice perhaps) = no error")
	}
	if _, err := o.Codec.Request(&wire.Request{Model: "m", Items: items, Tools: set, Choice: wire.ToolChoice{Mode: "tool"}}); err == nil {
		t.Error("Request(choice tool without one) = no error")
	}
	if _, err := o.Codec.Request(&wire.Request{Model: "m", Items: []wire.Item{{Results: []holdfast.Observation{{Text: "x"}}}}}); err == nil {
		t.Error("Request(results without a reply) = no error")
	}
}
