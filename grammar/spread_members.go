package grammar

import (
	"slices"

	"github.com/holdfast-go/holdfast/internal/rules"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

func (b *builder) ownObject(r *rules.Rule) []*clause {
	o := r.Object
	c := top()
	c.objects, c.marks = []*rules.Rule{r}, b.marksOf(r)
	c.min, c.max = o.MinLen, o.MaxLen
	if c.max >= 0 && c.max < c.min {
		return nil
	}
	for _, p := range o.Properties {
		if p.Required {
			c.need = append(c.need, p.Name)
		}
	}
	out := []*clause{c}
	for _, d := range o.Depends {
		if len(d.Needs) > 0 {
			more := top()
			more.implied = []implication{{d.Name, d.Needs}}
			out = b.meetAll(r, out, []*clause{more})
		}
		if d.Rule != nil && d.Rule.Always <= 0 {
			without, with := top(), top()
			without.ban, with.need = []string{d.Name}, []string{d.Name}
			then := b.meetAll(r, []*clause{with}, b.spread(d.Rule, false, rules.Obj))
			out = b.meetAll(r, out, append([]*clause{without}, then...))
		}
	}
	return out
}

// marksOf is a rule as one that evaluates; what stands for a value of an enum does
// not.
func (b *builder) marksOf(r *rules.Rule) []*rules.Rule {
	if b.made[r] != nil {
		return nil
	}
	return []*rules.Rule{r}
}

func (b *builder) notObject(r *rules.Rule) []*clause {
	o := r.Object
	var out []*clause
	add := func(f func(c *clause)) {
		c := top()
		f(c)
		out = append(out, c)
	}
	for _, p := range o.Properties {
		if p.Rule != nil && p.Rule.Always <= 0 {
			add(func(c *clause) {
				c.need = []string{p.Name}
				c.refine = []refinement{{name: p.Name, lit: literalOf(p.Rule, true)}}
			})
		}
		if p.Required {
			add(func(c *clause) { c.ban = []string{p.Name} })
		}
	}
	for i, p := range o.Patterns {
		if p.Rule.Always <= 0 {
			add(func(c *clause) { c.some = []obligation{{b.patternNames(r, i), literalOf(p.Rule, true)}} })
		}
	}
	if o.Rest != nil && o.Rest.Always <= 0 {
		add(func(c *clause) { c.some = []obligation{{b.restNames(r), literalOf(o.Rest, true)}} })
	}
	if o.Names != nil && o.Names.Always <= 0 {
		add(func(c *clause) { c.some = []obligation{{b.badNames(r), literalOf(b.always, false)}} })
	}
	if o.MinLen > 0 {
		add(func(c *clause) { c.max = o.MinLen - 1 })
	}
	if o.MaxLen >= 0 {
		add(func(c *clause) { c.min = o.MaxLen + 1 })
	}
	for _, d := range o.Depends {
		out = append(out, b.notDepends(r, d)...)
	}
	if o.Unevaluated != nil && o.Unevaluated.Always <= 0 {
		b.refuse(r, "unevaluatedProperties", "it cannot be denied")
	}
	return out
}

func (b *builder) notDepends(r *rules.Rule, d rules.Dependency) []*clause {
	with := top()
	with.need = []string{d.Name}
	var broken []*clause
	for _, n := range d.Needs {
		c := top()
		c.ban = []string{n}
		broken = append(broken, c)
	}
	if d.Rule != nil {
		broken = append(broken, b.spread(d.Rule, true, rules.Obj)...)
	}
	return b.meetAll(r, []*clause{with}, broken)
}

func (b *builder) patternNames(r *rules.Rule, i int) nameSet {
	p := r.Object.Patterns[i].Pattern
	return nameSet{r, i, func(n string) bool { return matches(p, n) }, func() *textlang.Formula { return b.pattern(r, "patternProperties", p) }}
}

func (b *builder) restNames(r *rules.Rule) nameSet {
	o := r.Object
	is := func(n string) bool {
		return !slices.ContainsFunc(o.Properties, func(p rules.Property) bool { return p.Rule != nil && p.Name == n }) &&
			!slices.ContainsFunc(o.Patterns, func(p rules.PatternProperty) bool { return matches(p.Pattern, n) })
	}
	return nameSet{r, partRest, is, func() *textlang.Formula {
		var declared []string
		for _, p := range o.Properties {
			if p.Rule != nil {
				declared = append(declared, p.Name)
			}
		}
		parts := []*textlang.Formula{textlang.Words(declared)}
		for _, p := range o.Patterns {
			if f := b.pattern(r, "patternProperties", p.Pattern); f != nil {
				parts = append(parts, f)
			}
		}
		return textlang.Not(textlang.Or(parts...))
	}}
}

func (b *builder) badNames(r *rules.Rule) nameSet {
	return nameSet{r, partBad, func(n string) bool { return !b.nameAllowed(r, n) }, func() *textlang.Formula {
		return textlang.Not(b.text(r.Object.Names))
	}}
}

// nameAllowed asks a rule's propertyNames.
func (b *builder) nameAllowed(r *rules.Rule, name string) bool {
	names := r.Object.Names
	if names == nil {
		return true
	}
	ok, decided := b.accepts(names, quote(name))
	if !decided {
		b.refuse(r, "propertyNames", "the validator gives up on a name")
	}
	return ok
}

func (b *builder) ownArray(r *rules.Rule) []*clause {
	a := r.Array
	c := top()
	c.arrays, c.marks = []*rules.Rule{r}, b.marksOf(r)
	c.min, c.max = a.MinLen, a.MaxLen
	if c.max >= 0 && c.max < c.min {
		return nil
	}
	if a.Contains != nil && (a.MinContains > 0 || a.MaxContains >= 0) {
		c.count = []counter{{0, a.MinContains, a.MaxContains, literalOf(a.Contains, false)}}
	}
	return []*clause{c}
}

func (b *builder) notArray(r *rules.Rule) []*clause {
	a := r.Array
	var out []*clause
	add := func(f func(c *clause)) {
		c := top()
		f(c)
		out = append(out, c)
	}
	for i, s := range a.Prefix {
		if s.Always <= 0 {
			add(func(c *clause) {
				c.min = i + 1
				c.refine = []refinement{{place: i, lit: literalOf(s, true)}}
			})
		}
	}
	if a.Rest != nil && a.Rest.Always <= 0 {
		add(func(c *clause) { c.count = []counter{{len(a.Prefix), 1, -1, literalOf(a.Rest, true)}} })
	}
	if a.MinLen > 0 {
		add(func(c *clause) { c.max = a.MinLen - 1 })
	}
	if a.MaxLen >= 0 {
		add(func(c *clause) { c.min = a.MaxLen + 1 })
	}
	if a.Contains != nil {
		if a.MinContains > 0 {
			add(func(c *clause) { c.count = []counter{{0, 0, a.MinContains - 1, literalOf(a.Contains, false)}} })
		}
		if a.MaxContains >= 0 {
			add(func(c *clause) { c.count = []counter{{0, a.MaxContains + 1, -1, literalOf(a.Contains, false)}} })
		}
	}
	if a.Unique {
		add(func(c *clause) { c.twice = r })
	}
	if a.Unevaluated != nil && a.Unevaluated.Always <= 0 {
		b.refuse(r, "unevaluatedItems", "it cannot be denied")
	}
	return out
}
