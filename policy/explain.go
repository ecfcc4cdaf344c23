package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/declared"
	"github.com/holdfast-go/holdfast/internal/linefile"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/rule"
)

// Words are the rules and budgets in words, one a line, in the order in which
// they are stronger, and what holds where none matches. They are safe to show.
func (p *Policy) Words() []string {
	var lines []string
	for _, d := range []Decision{Deny, Ask, Allow} {
		for i := range p.rules {
			if r := &p.rules[i]; r.Decision == d {
				lines = append(lines, visible.Line(r.words()))
			}
		}
	}
	lines = append(lines, "Whatever no rule speaks of is denied.")
	for i := range p.budgets {
		lines = append(lines, visible.Line(p.budgets[i].words()))
	}
	return lines
}

func (r *Rule) words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ", r.Name)
	b.WriteString(map[Decision]string{Allow: "allows ", Ask: "asks a person about ", Deny: "denies "}[r.Decision])
	b.WriteString(r.kinds() + anyName(" of ", r.Tools))
	b.WriteString(whose(r.Tenants, r.Principals))
	if len(r.When) > 0 {
		said := make([]string, len(r.When))
		for i, c := range r.When {
			said[i] = c.String()
		}
		b.WriteString(" when " + strings.Join(said, " and "))
		if r.Decision != Allow {
			b.WriteString(", or when that cannot be told")
		}
	}
	if len(r.Labels) > 0 {
		b.WriteString(", in a run that holds " + strings.Join(r.Labels, " or "))
	}
	if len(r.Despite) > 0 {
		b.WriteString(", also in a run that holds " + strings.Join(r.Despite, " or "))
	}
	if r.Why != "" {
		fmt.Fprintf(&b, " (%s)", r.Why)
	}
	return b.String() + "."
}

// kinds are the calls that the rule is about by what they do.
func (r *Rule) kinds() string {
	var effects []string
	for _, e := range r.Effects {
		effects = append(effects, map[holdfast.Effect]string{holdfast.Read: "reads", holdfast.Write: "writes", holdfast.Agent: "agent calls"}[e])
	}
	text := "calls"
	if len(effects) > 0 {
		text = strings.Join(effects, " and ")
	}
	if r.Sends != nil {
		text += map[bool]string{true: " that send data out", false: " that send no data out"}[*r.Sends]
	}
	return text
}

func anyName(before string, patterns []string) string {
	if len(patterns) == 0 || slices.Contains(patterns, "*") {
		return ""
	}
	return before + strings.Join(patterns, " or ")
}

func whose(tenants, principals []string) string {
	return anyName(" for ", principals) + anyName(" of tenant ", tenants)
}

func (b *Budget) words() string {
	what := "calls"
	if b.Sum != "" {
		what = "as the sum of " + strings.TrimPrefix(b.Sum, "/")
	}
	var bounds []string
	if b.PerRun != nil {
		bounds = append(bounds, b.PerRun.RatString()+" "+what+" a run")
	}
	if b.PerDay != nil {
		bounds = append(bounds, b.PerDay.RatString()+" "+what+" a day")
	}
	each := "each principal"
	if b.Shared {
		each = "all principals of a tenant together"
	}
	return fmt.Sprintf("%s: at most %s%s, for %s%s.", b.Name, strings.Join(bounds, " and "), anyName(" of ", b.Tools), each, whose(b.Tenants, b.Principals))
}

// Doubts lists what is odd about the policy for a catalog: rules that can never
// match, conditions on arguments that no tool has, tools that are always denied.
func (p *Policy) Doubts(c *holdfast.Catalog) []Fault {
	d := &doubts{policy: p, catalog: c}
	for i := range p.rules {
		d.rule(&p.rules[i])
	}
	for i := range p.budgets {
		d.budget(&p.budgets[i])
	}
	for _, t := range c.Tools() {
		if name := c.Qualify(t); !slices.ContainsFunc(p.rules, func(r Rule) bool { return r.Decision != Deny && r.about(name, t) }) {
			d.add("", "tool "+name+" is always denied: no rule allows it or asks about it")
		}
	}
	return d.found
}

type doubts struct {
	policy  *Policy
	catalog *holdfast.Catalog
	found   []Fault
}

func (d *doubts) add(name, message string) {
	f := Fault{File: d.policy.file, Message: message}
	if name != "" {
		at := d.policy.places[name]
		f.Rule, f.Line, f.Column = name, at.Line, at.Column
	}
	d.found = append(d.found, f)
}

// about reports whether the rule can be about a tool.
func (r *Rule) about(name string, t *holdfast.Tool) bool {
	return named(r.Tools, name) && (len(r.Effects) == 0 || slices.Contains(r.Effects, t.Effect())) &&
		(r.Sends == nil || *r.Sends == t.Options().Sends)
}

func (d *doubts) rule(r *Rule) {
	var tools []*holdfast.Tool
	open := false
	for _, t := range d.catalog.Tools() {
		name := d.catalog.Qualify(t)
		if !r.about(name, t) {
			continue
		}
		tools = append(tools, t)
		open = open || !d.overruled(r, name, t)
	}
	switch {
	case len(tools) == 0:
		d.add(r.Name, "can never match: no tool of the catalog is called so, or has such an effect")
		return
	case !open:
		d.add(r.Name, "can never decide: stronger rules without conditions speak of all its tools")
	}
	for _, c := range r.When {
		d.condition(r, c, tools)
	}
}

// condition tells where a condition is on an argument that tools do not have.
func (d *doubts) condition(r *Rule, c rule.Condition, tools []*holdfast.Tool) {
	var without []string
	for _, t := range tools {
		if !declared.At(t.Input().Source(), linefile.Steps(c.Path)) {
			without = append(without, d.catalog.Qualify(t))
		}
	}
	have := "has"
	if len(without) > 1 {
		have = "have"
	}
	switch {
	case len(without) == 0 || c.Op == "absent":
	case r.Decision != Allow && c.Op != "exists":
		d.add(r.Name, fmt.Sprintf("matches every call of %s, which %s no argument %s", strings.Join(without, ", "), have, c.Path))
	case len(without) == len(tools):
		d.add(r.Name, "can never match: none of its tools has an argument "+c.Path)
	}
}

// overruled reports whether a stronger rule without conditions stands over r for a
// tool.
func (d *doubts) overruled(r *Rule, name string, t *holdfast.Tool) bool {
	return slices.ContainsFunc(d.policy.rules, func(s Rule) bool {
		stronger := s.Decision == Deny && r.Decision != Deny || s.Decision == Ask && r.Decision == Allow
		return stronger && s.about(name, t) && len(s.When) == 0 && len(s.Labels) == 0 && anyName("-", s.Tenants) == "" && anyName("-", s.Principals) == ""
	})
}

func (d *doubts) budget(b *Budget) {
	any := false
	for _, t := range d.catalog.Tools() {
		name := d.catalog.Qualify(t)
		if !named(b.Tools, name) {
			continue
		}
		any = true
		if b.Sum != "" && !declared.At(t.Input().Source(), linefile.Steps(b.Sum)) {
			d.add(b.Name, "leaves no room for "+name+", which has no argument "+b.Sum)
		}
	}
	if !any {
		d.add(b.Name, "bounds nothing: no tool of the catalog is called so")
	}
}
