package grammar

import (
	"slices"

	"github.com/holdfast-go/holdfast/internal/rules"
)

// What is evaluated depends on the branches that hold, and a clause names them: the
// rules whose own keywords hold. So a rule's unevaluatedProperties is, clause by
// clause, an additionalProperties beside all that these rules mention.

// unevaluated is a rule's unevaluatedProperties or unevaluatedItems, where it says
// anything.
func unevaluated(r *rules.Rule, kind rules.Types) *rules.Rule {
	var u *rules.Rule
	switch {
	case kind == rules.Obj && r.Object != nil:
		u = r.Object.Unevaluated
	case kind == rules.Arr && r.Array != nil:
		u = r.Array.Unevaluated
	}
	if u == nil || u.Always > 0 {
		return nil
	}
	return u
}

// rest is the clause that holds what a clause's rules do not evaluate to a rule.
func (b *builder) rest(c *clause, u *rules.Rule, kind rules.Types) *clause {
	out := top()
	if kind == rules.Arr {
		if a := b.restItems(c, u); a != nil {
			out.arrays = []*rules.Rule{b.add(&rules.Rule{Types: rules.Arr, Array: a})}
		}
		return out
	}
	o := &rules.Object{Rest: u, MaxLen: -1}
	for _, r := range c.marks {
		if r.Object.Rest != nil || (r.Object.Unevaluated != nil && r.Object.Unevaluated != u) {
			return out // all is evaluated
		}
		for _, p := range r.Object.Properties {
			if p.Rule != nil && !slices.ContainsFunc(o.Properties, func(q rules.Property) bool { return q.Name == p.Name }) {
				o.Properties = append(o.Properties, rules.Property{Name: p.Name, Rule: b.always})
			}
		}
		for _, p := range r.Object.Patterns {
			o.Patterns = append(o.Patterns, rules.PatternProperty{Pattern: p.Pattern, Rule: b.always})
		}
	}
	out.objects = []*rules.Rule{b.add(&rules.Rule{Types: rules.Obj, Object: o})}
	return out
}

func (b *builder) restItems(c *clause, u *rules.Rule) *rules.Array {
	a := &rules.Array{Rest: u, MaxLen: -1, MinContains: 1, MaxContains: -1}
	places := 0
	var marked []*rules.Rule
	for _, r := range c.marks {
		in := r.Array
		if in.Rest != nil || (in.Unevaluated != nil && in.Unevaluated != u) {
			return nil
		}
		places = max(places, len(in.Prefix))
		if in.Contains != nil && in.Marks {
			marked = append(marked, in.Contains)
		}
	}
	for range places {
		a.Prefix = append(a.Prefix, b.always)
	}
	if len(marked) > 0 {
		a.Rest = b.add(&rules.Rule{AnyOf: append(marked, u), Path: u.Path})
	}
	return a
}
