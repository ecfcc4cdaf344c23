package grammar

import (
	"testing"

	"github.com/holdfast-go/holdfast/schema"
)

// TestScriptAroundValues takes calls of two tools within free text.
func TestScriptAroundValues(t *testing.T) {
	b := newBuilder()
	var roots []*goal
	for _, src := range []string{
		`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`,
		`{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}`,
	} {
		s, err := schema.Compile([]byte(src), nil)
		if err != nil {
			t.Fatal(err)
		}
		roots = append(roots, b.root(s))
	}
	if err := b.build(roots...); err != nil {
		t.Fatal(err)
	}
	g := newScript(b, script{
		{free: true, ends: true, text: "<call>", next: []int{1, 3}},
		{text: `{"name": "weather", "arguments": `, next: []int{2}},
		{goal: roots[0], next: []int{5}},
		{text: `{"name": "count", "arguments": `, next: []int{4}},
		{goal: roots[1], next: []int{5}},
		{text: "}</call>", next: []int{6, 0}},
		{},
	}, nil)
	for _, row := range []struct {
		text string
		want bool
	}{
		{"", true},
		{"just words, < and {braces}", true},
		{`I look. <call>{"name": "weather", "arguments": {"city": "Bern"}}</call>`, true},
		{`<call>{"name": "count", "arguments": {"n": 3}}</call> and <call>{"name": "count", "arguments": {}}</call>`, true},
		{`<call>{"name": "count", "arguments": {"n": 3}}`, false},
		{`<call>{"name": "count", "arguments": {"city": "Bern"}}</call>`, false},
		{`<call>{"name": "other"`, false},
		{`<<call>{"name": "weather", "arguments": {}}</call>`, false},
	} {
		if got := g.admits(row.text); got != row.want {
			t.Errorf("%q is admitted: %v, want %v", row.text, got, row.want)
		}
	}
}
