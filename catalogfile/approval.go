package catalogfile

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

// condition compares one argument. Where it cannot be compared (a text with a
// number), it holds: a person decides.
type condition struct {
	path  string
	op    string
	value schema.Value
	shown string // value, as JSON
}

// approval is the tool's rule, nil where it has none. Any condition that holds
// asks for a person; with no conditions each call does.
func (t *toolBuilder) approval(input *schema.Schema) *holdfast.ApprovalRule {
	n := t.field("approval")
	if n == nil {
		return nil
	}
	rule := &holdfast.ApprovalRule{}
	if n.get("expires") != nil {
		rule.Expires = t.duration("approval", "/approval/expires")
	}
	when := n.get("when")
	if when == nil {
		return rule
	}
	var conditions []condition
	var words []string
	for i, c := range when.items {
		field := fmt.Sprintf("/approval/when/%d", i)
		if made, ok := t.condition(c, field, input); ok {
			conditions = append(conditions, made)
			words = append(words, made.String())
		}
	}
	rule.Rule = strings.Join(words, ", or ")
	rule.Needs = func(args schema.Value) bool {
		for _, c := range conditions {
			if c.holds(args) {
				return true
			}
		}
		return false
	}
	return rule
}

func (t *toolBuilder) condition(n *node, field string, input *schema.Schema) (condition, bool) {
	c := condition{path: n.get("path").text, op: n.get("op").text}
	if input != nil && !declares(input.Source(), steps(c.path)) {
		t.fault(field+"/path", fmt.Sprintf("the input schema has no %s, so the condition could never hold", c.path))
		return c, false
	}
	value := n.get("value")
	if c.op == "exists" {
		if value != nil {
			t.fault(field+"/value", "exists takes no value")
		}
		return c, value == nil
	}
	if value == nil {
		t.fault(field, c.op+" needs a value")
		return c, false
	}
	c.shown = string(value.json())
	v, err := schema.Read([]byte(c.shown), nil)
	if err != nil {
		t.fault(field+"/value", err.Error())
		return c, false
	}
	c.value = v
	switch c.op {
	case "in", "not in":
		if v.Kind() != schema.Array {
			t.fault(field+"/value", c.op+" needs a list")
			return c, false
		}
	case ">", ">=", "<", "<=":
		if v.Kind() != schema.Number {
			t.fault(field+"/value", c.op+" needs a number")
			return c, false
		}
	}
	return c, true
}

// String is the condition as the person who is asked reads it. It leaves nothing
// out: the rule's words are what its approvals are bound to.
func (c condition) String() string {
	said := strings.TrimPrefix(c.path, "/") + " " + c.op
	if c.op == "exists" {
		return said
	}
	return said + " " + c.shown
}

func (c condition) holds(args schema.Value) bool {
	got, there := args.At(c.path)
	switch c.op {
	case "exists":
		return there
	case "!=":
		return !there || !got.Equal(c.value)
	case "not in":
		return !there || !contains(c.value, got)
	}
	if !there {
		return false
	}
	switch c.op {
	case "==":
		return got.Equal(c.value)
	case "in":
		return contains(c.value, got)
	}
	order, ok := compare(got, c.value)
	if !ok {
		return true
	}
	switch c.op {
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	case "<":
		return order < 0
	}
	return order <= 0
}

func contains(list, v schema.Value) bool {
	for _, item := range list.Elements() {
		if item.Equal(v) {
			return true
		}
	}
	return false
}

// compare orders two numbers by their exact values.
func compare(a, b schema.Value) (int, bool) {
	if a.Kind() != schema.Number || b.Kind() != schema.Number {
		return 0, false
	}
	x, okX := new(big.Rat).SetString(a.Text())
	y, okY := new(big.Rat).SetString(b.Text())
	if !okX || !okY {
		return 0, false
	}
	return x.Cmp(y), true
}

// declares reports whether a schema may have a value at the steps. It says no
// only where the schema plainly lists its properties and the name is not among
// them: a slip of the pen would otherwise mean that nobody is ever asked.
func declares(source json.RawMessage, path []string) bool {
	if len(path) == 0 {
		return true
	}
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Items      json.RawMessage            `json:"items"`
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(source, &all) != nil || json.Unmarshal(source, &s) != nil {
		return true // a boolean schema, or a form of an older draft
	}
	if next, ok := s.Properties[path[0]]; ok {
		return declares(next, path[1:])
	}
	if _, err := strconv.Atoi(path[0]); err == nil && s.Items != nil {
		return declares(s.Items, path[1:])
	}
	for _, elsewhere := range []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties", "prefixItems", "dependentSchemas"} {
		if _, ok := all[elsewhere]; ok {
			return true
		}
	}
	return s.Properties == nil && s.Items == nil
}
