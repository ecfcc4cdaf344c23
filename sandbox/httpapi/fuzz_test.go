package httpapi

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/sandbox"
	"github.com/holdfast-go/holdfast/schema"
)

// FuzzArguments holds that no argument changes where a request goes, or the form
// of what it carries.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{"A7", "", ".", "..", "a/../b", "%2e%2e", "?x#y", "@evil:80", "\r\nHost: evil", "é\x00\"\\", "{id}", "${env:T}", "\xff\xfe"} {
		f.Add(seed)
	}
	s, err := schema.Compile([]byte(inputSchema), nil)
	if err != nil {
		f.Fatal(err)
	}
	r, err := New(Spec{
		Method: "POST", URL: "https://api.example.com/v1/orders/{id}/lines?fixed=1", Query: []Field{{"q", "x{id}"}},
		Body: json.RawMessage(`{"a":"{id}","b":["text {id}",{"c":"{id}"}]}`), Headers: []Field{{"X-A", "b"}},
	}, s, holdfast.Write, sandbox.Limits{}, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, id string) {
		args, err := json.Marshal(map[string]string{"id": id})
		if err != nil {
			return
		}
		v, err := schema.Read(args, nil)
		if err != nil {
			return
		}
		if got, ok := v.Get("id"); ok {
			id = got.Text() // as Marshal has it: valid UTF-8
		}
		x, err := r.request.prepare(context.Background(), values{args: v, key: "k"})
		if err != nil {
			if id != "" && id != "." && id != ".." {
				t.Fatalf("prepare(%q) = %v", id, err)
			}
			return
		}
		sent, err := url.Parse(x.url.String())
		if err != nil || sent.Scheme != "https" || sent.Host != "api.example.com" || sent.User != nil || sent.Fragment != "" {
			t.Fatalf("%q is sent to %s (%v)", id, x.url, err)
		}
		if parts := strings.Split(sent.EscapedPath(), "/"); len(parts) != 5 || parts[2] != "orders" || parts[4] != "lines" {
			t.Fatalf("%q makes the path %s", id, sent.EscapedPath())
		}
		query, err := url.ParseQuery(sent.RawQuery)
		if err != nil || len(query) != 2 || query.Get("fixed") != "1" || query.Get("q") != "x"+id {
			t.Fatalf("%q makes the query %s (%v)", id, sent.RawQuery, err)
		}
		var body struct {
			A string
			B []json.RawMessage
		}
		if err := json.Unmarshal(x.content, &body); err != nil || body.A != id || len(body.B) != 2 {
			t.Fatalf("%q makes the body %s (%v)", id, x.content, err)
		}
		for name := range x.header {
			if strings.ContainsAny(name, "\r\n") || strings.ContainsAny(x.header.Get(name), "\r\n") {
				t.Fatalf("%q breaks header %q", id, name)
			}
		}
	})
}

// FuzzSpec holds that what a file may say is taken or refused, and never both: what
// is taken makes requests to its own host.
func FuzzSpec(f *testing.F) {
	f.Add("https://api.example.com/{id}", `{"a":"{id}"}`, "{id}", "Bearer ${env:T}")
	f.Add("http://[::1]:80/", `"{\"a\": {id}}"`, "${key}", "x")
	f.Add("https://a@b/{n}#x", `"arguments"`, "{", "}")
	s, err := schema.Compile([]byte(inputSchema), nil)
	if err != nil {
		f.Fatal(err)
	}
	v, err := schema.Read([]byte(`{"id":"A7"}`), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, address, body, query, header string) {
		spec := Spec{Method: "POST", URL: address, Query: []Field{{"q", query}}, Headers: []Field{{"X-H", header}}}
		if json.Valid([]byte(body)) {
			spec.Body = json.RawMessage(body)
		}
		r, err := New(spec, s, holdfast.Write, sandbox.Limits{}, &Options{Env: func(string) (string, bool) { return "secret", true }})
		if err != nil {
			return
		}
		x, err := r.request.prepare(context.Background(), values{args: v, key: "k"})
		if err != nil {
			return
		}
		if err := r.request.hosts.allows(x.url); err != nil {
			t.Fatalf("%q was taken, and is sent to %s: %v", address, x.url, err)
		}
		if strings.Contains(x.url.String()+string(x.content), "secret") && !strings.Contains(address+body+query, "secret") {
			t.Fatalf("a secret is sent in %s %s", x.url, x.content)
		}
		if x.content != nil && !json.Valid(x.content) {
			t.Fatalf("%q makes the body %s", body, x.content)
		}
	})
}
