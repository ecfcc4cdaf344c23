package catalogfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/declared"
	"github.com/holdfast-go/holdfast/internal/linefile"
	"github.com/holdfast-go/holdfast/rule"
	"github.com/holdfast-go/holdfast/schema"
)

// approval is the tool's rule, nil where it has none. Any condition that holds
// asks for a person; with no conditions each call does.
func (t *toolBuilder) approval(input *schema.Schema) *holdfast.ApprovalRule {
	n := t.field("approval")
	if n == nil {
		return nil
	}
	asked := &holdfast.ApprovalRule{}
	if n.Get("expires") != nil {
		asked.Expires = t.duration("approval", "/approval/expires")
	}
	when := n.Get("when")
	if when == nil {
		return asked
	}
	var conditions []rule.Condition
	var words []string
	for i, c := range when.Items {
		field := fmt.Sprintf("/approval/when/%d", i)
		if made, ok := t.condition(c, field, input); ok {
			conditions = append(conditions, made)
			words = append(words, made.String())
		}
	}
	asked.Rule = strings.Join(words, ", or ")
	asked.Needs = func(args schema.Value) bool {
		return slices.ContainsFunc(conditions, func(c rule.Condition) bool { return asks(c, args) })
	}
	return asked
}

func (t *toolBuilder) condition(n *linefile.Node, field string, input *schema.Schema) (rule.Condition, bool) {
	c := rule.Condition{Path: n.Get("path").Text, Op: n.Get("op").Text}
	if input != nil && !declared.At(input.Source(), linefile.Steps(c.Path)) {
		t.fault(field+"/path", fmt.Sprintf("the input schema has no %s, so the condition could never hold", c.Path))
		return c, false
	}
	at := field
	if value := n.Get("value"); value != nil {
		c.Value, at = value.JSON(), field+"/value"
	}
	if err := c.Check(); err != nil {
		t.fault(at, err.Error())
		return c, false
	}
	return c, true
}

// asks reports whether a condition wants a person. An argument that may be left out
// and is fulfils only what says so; where one cannot be compared (a text with a
// number), a person decides.
func asks(c rule.Condition, args schema.Value) bool {
	if _, there := args.At(c.Path); !there && !strings.Contains(c.Path, "/*") {
		return c.Op == "!=" || c.Op == "absent" || strings.HasPrefix(c.Op, "not ")
	}
	return c.May(args)
}
