package policy

import (
	"errors"
	"fmt"
	"slices"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/internal/glob"
	"github.com/holdfast-go/holdfast/rule"
)

// Decision of a rule.
type Decision string

// The decisions. Deny stands over Ask, and Ask over Allow, wherever they stand.
const (
	Allow Decision = "allow"
	Ask   Decision = "ask" // a person must agree
	Deny  Decision = "deny"
)

// Rule decides about the calls that match all that it says. In names * stands for
// any characters and ? for one.
type Rule struct {
	Name     string
	Decision Decision
	// Tools by their qualified names; at least one.
	Tools []string
	// Effects; none: all.
	Effects []holdfast.Effect
	// Sends: only calls of tools that send data out, or only of others; nil: all.
	Sends *bool
	// Tenants and Principals; none: all.
	Tenants, Principals []string
	// When are conditions on the arguments, all of which must be fulfilled. An
	// argument that is absent or cannot be compared never allows, and always asks
	// or denies.
	When []rule.Condition
	// Labels: only in runs that hold one of these. Of Ask and Deny.
	Labels []string
	// Despite: also in runs that hold these. Of Allow; in a run that holds others
	// a write, or a call that sends data out, still needs a person. A name covers
	// what any tool brought; "untrusted:mail.*" what these did.
	Despite []string
	// Why is told: to the model with a denial, to the person who is asked.
	Why string
}

func (r *Rule) check() error {
	switch r.Decision {
	case Allow, Ask, Deny:
	default:
		return fmt.Errorf("decision %q is none of allow, ask, deny", string(r.Decision))
	}
	if len(r.Tools) == 0 {
		return errors.New("it names no tools; * stands for all")
	}
	if r.Decision == Allow && len(r.Labels) > 0 {
		return errors.New("labels belong to ask and deny; what a permission holds in spite of stands in despite")
	}
	if r.Decision != Allow && len(r.Despite) > 0 {
		return errors.New("despite belongs to allow")
	}
	for _, e := range r.Effects {
		if e != holdfast.Read && e != holdfast.Write && e != holdfast.Agent {
			return fmt.Errorf("effect %q is none of read, write, agent", string(e))
		}
	}
	return checkConditions(r.When)
}

func checkConditions(when []rule.Condition) error {
	if len(when) > maxConditions {
		return fmt.Errorf("it has more than %d conditions", maxConditions)
	}
	for _, c := range when {
		if err := c.Check(); err != nil {
			return fmt.Errorf("condition on %s: %w", c.Path, err)
		}
	}
	return nil
}

// matches reports whether the rule is about the call. What it cannot tell, it
// takes in the way that is safer.
func (r *Rule) matches(call *gate.Proposal) bool {
	if !named(r.Tools, call.Name) || !anyOf(r.Tenants, call.Principal.Tenant) || !anyOf(r.Principals, call.Principal.ID) {
		return false
	}
	if len(r.Effects) > 0 && !slices.Contains(r.Effects, call.Tool.Effect()) {
		return false
	}
	if r.Sends != nil && *r.Sends != call.Tool.Options().Sends {
		return false
	}
	if len(r.Labels) > 0 && !slices.ContainsFunc(call.Labels, func(l holdfast.Label) bool { return covers(r.Labels, l) }) {
		return false
	}
	for _, c := range r.When {
		fulfilled := c.May
		if r.Decision == Allow {
			fulfilled = c.Holds
		}
		if !fulfilled(call.Arguments) {
			return false
		}
	}
	return true
}

func (r *Rule) why() string {
	if r.Why != "" {
		return r.Why
	}
	return "rule " + r.Name + " asks for it"
}

// covered are the labels that the permission holds in spite of.
func (r *Rule) covered(labels []holdfast.Label) []holdfast.Label {
	var list []holdfast.Label
	for _, l := range labels {
		if covers(r.Despite, l) {
			list = append(list, l)
		}
	}
	return list
}

func covers(patterns []string, l holdfast.Label) bool {
	return named(patterns, string(l.Name())) || named(patterns, string(l))
}

func named(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return glob.Match(p, name) })
}

func anyOf(patterns []string, name string) bool { return len(patterns) == 0 || named(patterns, name) }
