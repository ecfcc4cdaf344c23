package policy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/internal/linefile"
)

// Policy decides about calls by rules. It is a [gate.Authorizer]. Immutable and
// safe for concurrent use.
type Policy struct {
	rules   []Rule
	budgets []Budget

	file   string // it was read from
	places map[string]linefile.Place
}

// The bounds of a policy, so that deciding takes no noticeable time.
const (
	maxRules      = 1000
	maxConditions = 100
	maxName       = 100
)

// Default is the name in the record where no rule of a policy allows a call.
const Default = "default"

// New makes a policy. Without rules it allows nothing. The slices are copied; what
// they point at must not be changed.
func New(rules []Rule, budgets []Budget) (*Policy, error) {
	p := &Policy{rules: slices.Clone(rules), budgets: slices.Clone(budgets)}
	if len(rules)+len(budgets) > maxRules {
		return nil, fmt.Errorf("policy: more than %d rules and budgets", maxRules)
	}
	taken := map[string]bool{}
	for i := range p.rules {
		r := &p.rules[i]
		if err := errors.Join(checkName(r.Name, taken), r.check()); err != nil {
			return nil, fmt.Errorf("policy: rule %q: %w", r.Name, err)
		}
	}
	for i := range p.budgets {
		b := &p.budgets[i]
		if err := errors.Join(checkName(b.Name, taken), b.check()); err != nil {
			return nil, fmt.Errorf("policy: budget %q: %w", b.Name, err)
		}
	}
	return p, nil
}

// checkName admits what a record and a person can hold, once.
func checkName(name string, taken map[string]bool) error {
	switch {
	case name == "":
		return errors.New("it has no name; the record says by it what decided")
	case len(name) > maxName:
		return fmt.Errorf("its name is longer than %d bytes", maxName)
	case name == Default:
		return fmt.Errorf("%q is what the record says where no rule decided", Default)
	case taken[name]:
		return errors.New("its name is given twice")
	}
	for _, r := range name {
		if !unicode.IsPrint(r) || r == ':' {
			return fmt.Errorf("its name has %q; it must be printable, without a colon", r)
		}
	}
	taken[name] = true
	return nil
}

// Authorize decides about a call: one denial is enough to deny it, else one asking
// is enough to ask, else one permission is enough. Where no rule matches it is
// denied.
func (p *Policy) Authorize(_ context.Context, call gate.Proposal) (gate.Ruling, error) {
	var allowed, asked, denied *Rule
	for i := range p.rules {
		r := &p.rules[i]
		if !r.matches(&call) {
			continue
		}
		switch r.Decision {
		case Deny:
			denied = first(denied, r)
		case Ask:
			asked = first(asked, r)
		case Allow:
			allowed = better(allowed, r, call.Labels)
		}
	}
	switch {
	case denied != nil:
		return gate.Ruling{Rule: denied.Name, Why: denied.Why}, nil
	case asked != nil:
		return gate.Ruling{Allow: true, Ask: true, Rule: asked.Name, Why: asked.why(), Budgets: p.budgetsOf(&call)}, nil
	case allowed != nil:
		return gate.Ruling{
			Allow: true, Rule: allowed.Name, Despite: allowed.covered(call.Labels), Budgets: p.budgetsOf(&call),
		}, nil
	}
	return gate.Ruling{Rule: Default, Why: "no rule of the policy allows it with these arguments"}, nil
}

func first(have, r *Rule) *Rule {
	if have != nil {
		return have
	}
	return r
}

// better is the first of two permissions that covers all labels, else the first:
// one rule decides, not what two of them say together.
func better(have, r *Rule, labels []holdfast.Label) *Rule {
	if have == nil || len(have.covered(labels)) < len(labels) && len(r.covered(labels)) == len(labels) {
		return r
	}
	return have
}
