package grammar

import (
	"encoding/binary"
	"slices"

	"github.com/holdfast-go/holdfast/internal/rules"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// clause is a conjunction of what objects or arrays must be, with nothing left to
// choose: or, not and if have been spread into several clauses.
type clause struct {
	objects []*rules.Rule // whose own object keywords hold
	arrays  []*rules.Rule // likewise
	marks   []*rules.Rule // those of both that evaluate: not beneath a not
	need    []string      // names that must be there
	ban     []string      // names that must not
	refine  []refinement
	some    []obligation
	implied []implication
	min     int // members or elements
	max     int // negative: no bound
	count   []counter
	twice   *rules.Rule // two elements must be equal
}

// refinement asks more of a member, or of an element.
type refinement struct {
	name  string
	place int
	lit   literal
}

// obligation wants some member with a name of a set and a value of a kind.
type obligation struct {
	names nameSet
	lit   literal
}

// nameSet is a set of names. It knows where it comes from, so that equal sets are
// told by identity.
type nameSet struct {
	owner *rules.Rule
	part  int // a pattern of the owner's, or one of the below
	is    func(name string) bool
	lang  func() *textlang.Formula
}

const (
	partRest = -1 // names that the owner neither declares nor matches
	partBad  = -2 // names that the owner's propertyNames refuses
)

// implication: where the one name is, the others must be.
type implication struct {
	name  string
	needs []string
}

// counter bounds how many elements from a place on satisfy a literal.
type counter struct {
	from, min, max int // max is negative where there is none
	lit            literal
}

func top() *clause { return &clause{max: -1} }

const maxClauses = 600

// meet is the conjunction of two clauses, nil where they contradict.
func (b *builder) meet(x, y *clause) *clause {
	c := &clause{
		objects: union(x.objects, y.objects), arrays: union(x.arrays, y.arrays),
		marks: union(x.marks, y.marks),
		need:  union(x.need, y.need), ban: union(x.ban, y.ban),
		refine: append(slices.Clip(x.refine), y.refine...), some: append(slices.Clip(x.some), y.some...),
		implied: append(slices.Clip(x.implied), y.implied...), count: append(slices.Clip(x.count), y.count...),
		min: max(x.min, y.min), max: x.max, twice: x.twice,
	}
	if y.twice != nil {
		c.twice = y.twice
	}
	if y.max >= 0 && (c.max < 0 || y.max < c.max) {
		c.max = y.max
	}
	if c.max >= 0 && c.max < c.min {
		return nil
	}
	for _, n := range c.ban {
		if slices.Contains(c.need, n) {
			return nil
		}
	}
	return c
}

func union[T comparable](x, y []T) []T {
	if len(y) == 0 {
		return x
	}
	if len(x) == 0 {
		return y
	}
	out := slices.Clip(x)
	for _, e := range y {
		if !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// meetAll is the conjunction of two disjunctions.
func (b *builder) meetAll(r *rules.Rule, x, y []*clause) []*clause {
	if len(x) == 1 && len(y) == 1 {
		if c := b.meet(x[0], y[0]); c != nil {
			return []*clause{c}
		}
		return nil
	}
	var out []*clause
	seen := map[string]bool{}
	for _, p := range x {
		for _, q := range y {
			c := b.meet(p, q)
			if c == nil || (len(x) > 1 && len(y) > 1 && !b.plausible(c)) {
				continue
			}
			if key := b.clauseKey(c); !seen[key] {
				seen[key] = true
				out = append(out, c)
			}
		}
		if len(out) > maxClauses {
			b.refuse(r, "", "the branches of the schema combine into too many forms")
			return nil
		}
	}
	return out
}

// plausible drops clauses that ask the impossible of a name that must be there.
func (b *builder) plausible(c *clause) bool {
	for _, name := range c.need {
		if g := b.memberGoal(c, name); g == nil || b.surelyEmpty(g, 0) {
			return false
		}
	}
	return true
}

// clauseKey tells clauses apart that may differ.
func (b *builder) clauseKey(c *clause) string {
	var k []byte
	num := func(n int) { k = binary.AppendVarint(k, int64(n)) }
	list := func(names []string) {
		num(len(names))
		for _, n := range slices.Sorted(slices.Values(names)) {
			num(len(n))
			k = append(k, n...)
		}
	}
	for _, rs := range [][]*rules.Rule{c.objects, c.arrays, c.marks} {
		ids := make([]int, 0, len(rs))
		for _, r := range rs {
			ids = append(ids, r.ID)
		}
		slices.Sort(ids)
		num(len(ids))
		for _, id := range ids {
			num(id)
		}
	}
	list(c.need)
	list(c.ban)
	num(len(c.refine))
	for _, r := range c.refine {
		list([]string{r.name})
		num(r.place)
		num(int(r.lit))
	}
	num(len(c.some))
	for _, s := range c.some {
		num(s.names.owner.ID)
		num(s.names.part)
		num(int(s.lit))
	}
	for _, i := range c.implied {
		list([]string{i.name})
		list(i.needs)
	}
	for _, n := range c.count {
		num(n.from)
		num(n.min)
		num(n.max)
		num(int(n.lit))
	}
	num(c.min)
	num(c.max)
	if c.twice != nil {
		num(1)
	}
	return string(k)
}

// clauses spreads the literals of a goal into clauses about one type.
func (b *builder) clauses(g *goal, kind rules.Types) []*clause {
	out := []*clause{top()}
	for _, l := range g.lits {
		r := b.rules[l>>1]
		out = b.meetAll(r, out, b.spread(r, l.neg(), kind))
		if len(out) == 0 || b.err != nil {
			return nil
		}
	}
	return out
}

type spreadKey struct {
	r      *rules.Rule
	neg    bool
	kind   rules.Types
	marked bool // what is evaluated matters
}

func (b *builder) spread(r *rules.Rule, neg bool, kind rules.Types) []*clause {
	marked := b.marking > 0 && !neg
	if unevaluated(r, kind) != nil {
		b.marking++
		defer func() { b.marking-- }()
	}
	key := spreadKey{r, neg, kind, marked}
	if out, ok := b.spreads[key]; ok {
		return out
	}
	var out []*clause
	if neg {
		out = b.spreadNot(r, kind)
	} else {
		out = b.spreadRule(r, kind)
	}
	b.spreads[key] = out
	return out
}

func (b *builder) spreadRule(r *rules.Rule, kind rules.Types) []*clause {
	if !admits(r, kind) {
		return nil
	}
	out := []*clause{top()}
	also := func(more []*clause) { out = b.meetAll(r, out, more) }
	for _, set := range [][]rules.Value{r.Enum, r.Const} {
		if set == nil {
			continue
		}
		var some []*clause
		for _, v := range set {
			if v.Type == kind {
				some = append(some, b.spread(b.valueRule(v), false, kind)...)
			}
		}
		also(some)
	}
	switch {
	case kind == rules.Obj && r.Object != nil:
		also(b.ownObject(r))
	case kind == rules.Arr && r.Array != nil:
		also(b.ownArray(r))
	}
	b.eachPart(r, func(p part) {
		if len(out) > 0 {
			also(b.spreadPart(p, kind))
		}
	})
	if u := unevaluated(r, kind); u != nil {
		for i, c := range out {
			out[i] = b.meet(c, b.rest(c, u, kind))
		}
		out = slices.DeleteFunc(out, func(c *clause) bool { return c == nil })
	}
	return out
}

func (b *builder) spreadPart(p part, kind rules.Types) []*clause {
	switch p.word {
	case "anyOf":
		return b.spreadAnyOf(p.list, kind)
	case "oneOf":
		return b.spreadOneOf(p.list, kind)
	case "not":
		return b.spread(p.rule, true, kind)
	case "if":
		branch := func(r *rules.Rule, neg bool) []*clause {
			if r == nil {
				return []*clause{top()}
			}
			return b.spread(r, neg, kind)
		}
		out := b.meetAll(p.rule, b.spread(p.rule, false, kind), branch(p.then, false))
		return append(out, b.meetAll(p.rule, b.spread(p.rule, true, kind), branch(p.els, false))...)
	}
	return b.spread(p.rule, false, kind)
}

// spreadAnyOf takes each branch. Where it matters what is evaluated, several
// branches that hold evaluate more than one.
func (b *builder) spreadAnyOf(list []*rules.Rule, kind rules.Types) []*clause {
	var out []*clause
	for _, s := range list {
		branch := b.spread(s, false, kind)
		if b.marking > 0 {
			branch = append(slices.Clip(branch), b.meetAll(s, out, branch)...)
		}
		out = append(out, branch...)
	}
	return b.distinct(out)
}

func (b *builder) distinct(list []*clause) []*clause {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(c *clause) bool {
		k := b.clauseKey(c)
		twice := seen[k]
		seen[k] = true
		return twice
	})
}

// spreadOneOf takes each branch without the others. Those that it cannot meet
// anyway need not be denied.
func (b *builder) spreadOneOf(list []*rules.Rule, kind rules.Types) []*clause {
	var out []*clause
	for i, r := range list {
		one := b.spread(r, false, kind)
		for j, other := range list {
			if j == i || len(one) == 0 || b.apart(r, other, kind) {
				continue
			}
			one = b.meetAll(r, one, b.spread(other, true, kind))
		}
		out = append(out, one...)
	}
	return b.distinct(out)
}

// apart reports whether no value of a kind satisfies both rules, as far as that is
// sure already.
func (b *builder) apart(x, y *rules.Rule, kind rules.Types) bool {
	if !admits(x, kind) || !admits(y, kind) {
		return true
	}
	if x == y {
		return false
	}
	g := b.goalOf([]literal{b.literal(x, false), b.literal(y, false)})
	return b.surelyEmpty(g, kind)
}

func (b *builder) spreadNot(r *rules.Rule, kind rules.Types) []*clause {
	if !admits(r, kind) {
		return []*clause{top()}
	}
	var out []*clause
	for _, set := range [][]rules.Value{r.Enum, r.Const} {
		if set == nil {
			continue
		}
		none := []*clause{top()}
		for _, v := range set {
			if v.Type == kind {
				none = b.meetAll(r, none, b.spread(b.valueRule(v), true, kind))
			}
		}
		out = append(out, none...)
	}
	switch {
	case kind == rules.Obj && r.Object != nil:
		out = append(out, b.notObject(r)...)
	case kind == rules.Arr && r.Array != nil:
		out = append(out, b.notArray(r)...)
	}
	b.eachPart(r, func(p part) { out = append(out, b.spreadNotPart(p, kind)...) })
	for i, c := range out {
		if c.marks != nil {
			blind := *c
			blind.marks = nil
			out[i] = &blind
		}
	}
	return b.distinct(out)
}

func (b *builder) spreadNotPart(p part, kind rules.Types) []*clause {
	switch p.word {
	case "anyOf":
		out := []*clause{top()}
		for _, s := range p.list {
			out = b.meetAll(s, out, b.spread(s, true, kind))
		}
		return out
	case "oneOf":
		return b.spreadNotOneOf(p.list, kind)
	case "not":
		return b.spread(p.rule, false, kind)
	case "if":
		var out []*clause
		if p.then != nil {
			out = b.meetAll(p.rule, b.spread(p.rule, false, kind), b.spread(p.then, true, kind))
		}
		if p.els != nil {
			out = append(out, b.meetAll(p.rule, b.spread(p.rule, true, kind), b.spread(p.els, true, kind))...)
		}
		return out
	}
	return b.spread(p.rule, true, kind)
}

// spreadNotOneOf: none of the branches, or two of them.
func (b *builder) spreadNotOneOf(list []*rules.Rule, kind rules.Types) []*clause {
	out := []*clause{top()}
	for _, s := range list {
		out = b.meetAll(s, out, b.spread(s, true, kind))
	}
	for i, x := range list {
		for _, y := range list[i+1:] {
			if !b.apart(x, y, kind) {
				out = append(out, b.meetAll(x, b.spread(x, false, kind), b.spread(y, false, kind))...)
			}
		}
	}
	return out
}

func (b *builder) ownObject(r *rules.Rule) []*clause {
	o := r.Object
	c := top()
	c.objects, c.marks = []*rules.Rule{r}, []*rules.Rule{r}
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
				c.refine = []refinement{{name: p.Name, lit: b.literal(p.Rule, true)}}
			})
		}
		if p.Required {
			add(func(c *clause) { c.ban = []string{p.Name} })
		}
	}
	for i, p := range o.Patterns {
		if p.Rule.Always <= 0 {
			add(func(c *clause) { c.some = []obligation{{b.patternNames(r, i), b.literal(p.Rule, true)}} })
		}
	}
	if o.Rest != nil && o.Rest.Always <= 0 {
		add(func(c *clause) { c.some = []obligation{{b.restNames(r), b.literal(o.Rest, true)}} })
	}
	if o.Names != nil && o.Names.Always <= 0 {
		add(func(c *clause) { c.some = []obligation{{b.badNames(r), b.literal(b.always, false)}} })
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
	c.arrays, c.marks = []*rules.Rule{r}, []*rules.Rule{r}
	c.min, c.max = a.MinLen, a.MaxLen
	if c.max >= 0 && c.max < c.min {
		return nil
	}
	if a.Contains != nil && (a.MinContains > 0 || a.MaxContains >= 0) {
		c.count = []counter{{0, a.MinContains, a.MaxContains, b.literal(a.Contains, false)}}
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
				c.refine = []refinement{{place: i, lit: b.literal(s, true)}}
			})
		}
	}
	if a.Rest != nil && a.Rest.Always <= 0 {
		add(func(c *clause) { c.count = []counter{{len(a.Prefix), 1, -1, b.literal(a.Rest, true)}} })
	}
	if a.MinLen > 0 {
		add(func(c *clause) { c.max = a.MinLen - 1 })
	}
	if a.MaxLen >= 0 {
		add(func(c *clause) { c.min = a.MaxLen + 1 })
	}
	if a.Contains != nil {
		if a.MinContains > 0 {
			add(func(c *clause) { c.count = []counter{{0, 0, a.MinContains - 1, b.literal(a.Contains, false)}} })
		}
		if a.MaxContains >= 0 {
			add(func(c *clause) { c.count = []counter{{0, a.MaxContains + 1, -1, b.literal(a.Contains, false)}} })
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
