package grammar

import (
	"testing"

	"github.com/holdfast-go/holdfast/schema"
)

// TestNeededMembersSettle: what some member must be, one that must be there anyway
// may be, where there is no room for more.
func TestNeededMembersSettle(t *testing.T) {
	checkTexts(t, `{"type":"object","required":["a","c"],"maxProperties":2,"not":{"patternProperties":{"^[abc]$":{"const":1}}}}`,
		[]string{`{"a": 1, "c": 2}`, `{"c": 1, "a": 2}`, `{"a": "x", "c": 1}`},
		[]string{`{"a": 1, "c": 1}`, `{"a": 2}`, `{"a": 1, "c": 1, "b": 2}`})
}

// TestConstEvaluatesNothing: const says what members are, and leaves them
// unevaluated.
func TestConstEvaluatesNothing(t *testing.T) {
	checkTexts(t, `{"type":"object","anyOf":[{"const":{"a":1}},{"const":{"b":[1]}},{"properties":{"c":{"unevaluatedItems":false,"anyOf":[{"const":[1]},{"prefixItems":[{"const":2}]}]}}}],"unevaluatedProperties":{"type":"array"}}`,
		[]string{`{"b": [1]}`, `{"c": [2]}`, `{"c": [2], "b": []}`, `{}`},
		[]string{`{"a": 1}`, `{"c": [1]}`, `{"b": 1}`, `{"c": [2, 1]}`})
}

// TestLastMemberThatMustSettle: where the last name that there is room for must be
// one of a kind, names of other kinds would be begun in vain; that is refused.
func TestLastMemberThatMustSettle(t *testing.T) {
	s, err := schema.Compile([]byte(`{"type":"object","maxProperties":1,"not":{"patternProperties":{"^a":false}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compile(s, nil); err == nil {
		t.Error("it compiles; if it is held, no name may begin that does not begin with a")
	}
}
