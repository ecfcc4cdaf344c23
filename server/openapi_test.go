package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-go/holdfast/schema"
)

// described is openapi.json as far as it can be held against something.
type described struct {
	OpenAPI    string                          `json:"openapi"`
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Responses map[string]response        `json:"responses"`
		Schemas   map[string]json.RawMessage `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	Summary    string                     `json:"summary"`
	ID         string                     `json:"operationId"`
	Security   []map[string][]string      `json:"security"`
	Parameters []parameter                `json:"parameters"`
	Body       *body                      `json:"requestBody"`
	Responses  map[string]response        `json:"responses"`
	Events     map[string]json.RawMessage `json:"x-events"`
}

type parameter struct {
	Name string `json:"name"`
	In   string `json:"in"`
}

type body struct {
	Content map[string]media `json:"content"`
}

type media struct {
	Schema json.RawMessage `json:"schema"`
}

type response struct {
	Ref     string           `json:"$ref"`
	Content map[string]media `json:"content"`
}

// page is the file, read once, and its schemas, each compiled once.
var page = sync.OnceValues(func() (*described, error) {
	d := new(described)
	err := json.Unmarshal(openAPI, d)
	return d, err
})

func openPage(t testing.TB) *described {
	t.Helper()
	d, err := page()
	if err != nil {
		t.Fatalf("openapi.json = %v", err)
	}
	return d
}

// operation is that of a route.
func (d *described) operation(method, path string) (operation, bool) {
	o, ok := d.Paths[path][strings.ToLower(method)]
	return o, ok
}

func (d *described) response(o operation, status int) (response, bool) {
	r, ok := o.Responses[strconv.Itoa(status)]
	if name, is := strings.CutPrefix(r.Ref, "#/components/responses/"); is {
		r, ok = d.Components.Responses[name]
	}
	return r, ok
}

var compiled sync.Map // of schema texts

// compile makes a schema of the file that allows no member which the file does
// not name: what it leaves out is what nobody would find.
func (d *described) compile(src json.RawMessage) (*schema.Schema, error) {
	if s, ok := compiled.Load(string(src)); ok {
		return s.(*schema.Schema), nil
	}
	var root map[string]any
	if err := json.Unmarshal(src, &root); err != nil {
		return nil, err
	}
	all := map[string]any{}
	for name, text := range d.Components.Schemas {
		var s any
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, err
		}
		all[name] = closed(s)
	}
	closed(root)
	root["components"] = map[string]any{"schemas": all}
	text, err := json.Marshal(root)
	if err != nil {
		return nil, err
	}
	s, err := schema.Compile(text, &schema.Options{Mode: schema.ModeSpec, Formats: true})
	if err == nil {
		compiled.Store(string(src), s)
	}
	return s, err
}

// closed forbids what is not named.
func closed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v["properties"].(map[string]any); ok && v["type"] == "object" {
			v["additionalProperties"] = false
		}
		for _, inner := range v {
			closed(inner)
		}
	case []any:
		for _, inner := range v {
			closed(inner)
		}
	}
	return v
}

// judge says what is wrong with a text by a schema of the file.
func (d *described) judge(src json.RawMessage, text []byte) error {
	s, err := d.compile(src)
	if err != nil {
		return fmt.Errorf("the schema %s: %w", src, err)
	}
	v, err := schema.Read(text, &schema.Limits{Bytes: 64 << 20, String: 16 << 20})
	if err != nil {
		return err
	}
	if r := s.Validate(v); !r.Valid() {
		return fmt.Errorf("%v", r.Problems[:min(3, len(r.Problems))])
	}
	return nil
}

// documented fails the test unless the file describes this answer. Every answer
// of the server's tests passes here.
func (v *served) documented(method, path string, a answer) {
	v.t.Helper()
	d := openPage(v.t)
	r, ok := v.server.routeOf(method, path)
	if !ok {
		return // the page's, or nobody's
	}
	o, _ := d.operation(r.method, r.path) // that it is there is a test of its own
	doc, ok := d.response(o, a.status)
	if !ok {
		v.t.Errorf("%s %s answered %d, which openapi.json does not know of", r.method, r.path, a.status)
		return
	}
	kind, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	if len(doc.Content) == 0 && len(a.body) == 0 {
		return
	}
	m, ok := doc.Content[kind]
	if !ok {
		v.t.Errorf("%s %s answered %d with %q, which openapi.json does not know of", r.method, r.path, a.status, kind)
		return
	}
	if !strings.HasSuffix(kind, "json") {
		return
	}
	if err := d.judge(m.Schema, a.body); err != nil {
		v.t.Errorf("%s %s answered %d %.300s, which is not as openapi.json describes it (edit it by hand): %v", r.method, r.path, a.status, a.body, err)
	}
}

// documentedEvent does so for an event of a stream.
func (s *stream) documentedEvent(e told) {
	s.t.Helper()
	const judged = 20 // of one stream: a test of figures reads many more
	if s.read++; s.read > judged {
		return
	}
	d := openPage(s.t)
	o, _ := d.operation(http.MethodGet, s.route)
	src, ok := o.Events[e.name]
	if !ok {
		s.t.Errorf("an event %q, which openapi.json does not know of", e.name)
		return
	}
	if err := d.judge(src, []byte(e.data)); err != nil {
		s.t.Errorf("event %s %.300s is not as openapi.json describes it (edit it by hand): %v", e.name, e.data, err)
	}
}

// routeOf is the table's row that answers a request.
func (s *Server) routeOf(method, path string) (route, bool) {
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	for _, r := range s.table() {
		same := slices.EqualFunc(strings.Split(r.path, "/"), parts, func(pattern, part string) bool {
			return pattern == part || strings.HasPrefix(pattern, "{") && part != ""
		})
		if same && r.method == method {
			return r, true
		}
	}
	return route{}, false
}

func TestTheFileAndTheRoutesAreTheSame(t *testing.T) {
	d := openPage(t)
	v := serve(t, "", nil)
	if !strings.HasPrefix(d.OpenAPI, "3.1.") {
		t.Errorf("openapi = %q, want 3.1", d.OpenAPI)
	}
	there, ids := map[string]bool{}, map[string]bool{}
	for _, r := range v.server.table() {
		there[r.path+" "+strings.ToLower(r.method)] = true
		o, ok := d.operation(r.method, r.path)
		if !ok {
			t.Errorf("%s %s is not in openapi.json", r.method, r.path)
			continue
		}
		if o.Summary == "" || o.ID == "" || ids[o.ID] {
			t.Errorf("%s %s has no summary, or no operationId of its own", r.method, r.path)
		}
		ids[o.ID] = true
		if got, want := fmt.Sprint(o.Security), security(r); got != want {
			t.Errorf("%s %s: security = %s, and it needs %s", r.method, r.path, got, want)
		}
		if (r.method == http.MethodPost) != (o.Body != nil) {
			t.Errorf("%s %s has a body = %v in the file", r.method, r.path, o.Body != nil)
		}
		for part := range strings.SplitSeq(r.path, "/") {
			name := strings.Trim(part, "{}")
			if name != part && !slices.Contains(o.Parameters, parameter{name, "path"}) {
				t.Errorf("%s %s does not describe %s", r.method, r.path, part)
			}
		}
	}
	for path, operations := range d.Paths {
		for method := range operations {
			if !there[path+" "+method] {
				t.Errorf("openapi.json describes %s %s, which is no route", method, path)
			}
		}
	}
	if got := v.want(http.StatusOK, "GET", "/v1/openapi.json", ""); !bytes.Equal(got.body, openAPI) {
		t.Error("what is served is not the file")
	}
}

func security(r route) string {
	switch {
	case r.open:
		return "[]"
	case r.scope == "":
		return "[map[token:[]] map[cookie:[]]]"
	}
	return fmt.Sprintf("[map[token:[%s]] map[cookie:[%s]]]", r.scope, r.scope)
}

func TestEverySchemaOfTheFileCompilesAndIsUsed(t *testing.T) {
	d := openPage(t)
	for name := range d.Components.Schemas {
		at := "#/components/schemas/" + name
		if _, err := d.compile(json.RawMessage(`{"$ref":"` + at + `"}`)); err != nil {
			t.Errorf("schema %s = %v", name, err)
		}
		if !bytes.Contains(openAPI, []byte(`"`+at+`"`)) {
			t.Errorf("schema %s is used nowhere", name)
		}
	}
	for path, operations := range d.Paths {
		for method, o := range operations {
			for status := range o.Responses {
				code, err := strconv.Atoi(status)
				if r, ok := d.response(o, code); err != nil || !ok || code != http.StatusNoContent && len(r.Content) == 0 {
					t.Errorf("%s %s says of %s what it is, and not what it holds", method, path, status)
				}
			}
		}
	}
}

// TestAnAnswerThatTheFileDoesNotDescribeFails shows that the check can fail.
func TestAnAnswerThatTheFileDoesNotDescribeFails(t *testing.T) {
	d := openPage(t)
	ref := json.RawMessage(`{"$ref":"#/components/schemas/Began"}`)
	for text, ok := range map[string]bool{`{"run":"r","turn":1}`: true, `{"run":"r"}`: true, `{"turn":1}`: false, `{"run":1}`: false, `{"run":"r","more":1}`: false, `[]`: false} {
		if err := d.judge(ref, []byte(text)); (err == nil) != ok {
			t.Errorf("judging %s = %v", text, err)
		}
	}
}
