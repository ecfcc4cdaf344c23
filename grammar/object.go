package grammar

import (
	"math/bits"
	"slices"

	"github.com/holdfast-go/holdfast/internal/rules"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// object is one form of objects: which names may come, what their values must be,
// and when the object may end.
type object struct {
	id      int
	members []member
	classes map[uint64]*nameClass
	labels  *textlang.Labels // nil: one class, of every other name
	min     int
	max     int // negative: no bound
	implied []needs
	some    []obligation

	// Known once all goals are built.
	sealed  bool
	height  int
	trie    *textlang.Trie     // of the members' names
	byWord  []int              // the member of each word of the trie
	allowed names              // the members that may ever come
	needed  names              // those that must
	others  textlang.Machine   // the other names that may come; nil: none
	lowest  int                // how high a value of others is at least
	byClass *textlang.Labelled // others, where there are classes
	another *textlang.Lang     // others, as texts
}

// member is a name that the schema mentions.
type member struct {
	name    string
	goal    *goal // nil: must not be there
	needed  bool
	settles uint32 // the obligations that it can settle
}

// nameClass is a kind of names that the schema does not mention.
type nameClass struct {
	goal    *goal // nil: must not be there
	settles uint32
}

// needs is an implication by the places of members.
type needs struct {
	of    int
	these []int
}

const maxObligations = 6

// objects are the forms of a goal's objects.
func (b *builder) objects(g *goal) []*object {
	var out []*object
	for _, c := range b.clauses(g, rules.Obj) {
		if o := b.object(g, c); o != nil && !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	return out
}

func (b *builder) object(g *goal, c *clause) *object {
	key := b.clauseKey(c)
	if o, ok := b.shapes[key]; ok {
		return o
	}
	o := &object{id: len(b.shapes), min: c.min, max: c.max, some: c.some}
	if len(c.some) > maxObligations || (len(c.some) > 1 && c.max >= 0) {
		b.refuseLits(g.lits, "too many things that some member must be")
		return nil
	}
	var extra []string
	for b.err == nil { // once more if a class of names turns out to be a few names
		if o.members = b.members(c, extra); o.members == nil {
			b.shapes[key] = nil
			return nil
		}
		few := b.classify(c, o)
		if len(few) == 0 {
			break
		}
		extra = append(extra, few...)
	}
	if len(o.some) > 0 && o.max >= 0 && o.mayMiss() {
		b.refuseLits(g.lits, "something that some member must be, together with maxProperties")
	}
	for _, i := range c.implied {
		o.implied = append(o.implied, o.needs(i)...)
	}
	if len(o.implied) > 0 && o.max >= 0 && o.min > 0 {
		b.refuseLits(g.lits, "dependencies together with minProperties and maxProperties")
	}
	b.shapes[key] = o
	return o
}

// mayMiss reports whether there is room for members beside those that must be there
// and one may come that settles nothing. The last one that there is room for would
// have to, and its name would be begun in vain.
func (o *object) mayMiss() bool {
	room, misses := o.max, false
	for i := range o.members {
		switch m := &o.members[i]; {
		case m.needed:
			room--
		case m.goal != nil && m.settles == 0:
			misses = true
		}
	}
	for _, k := range o.classes {
		misses = misses || k.goal != nil && k.settles == 0
	}
	return misses && room > 0
}

// members are what a clause mentions, nil where one must be there and must not.
func (b *builder) members(c *clause, extra []string) []member {
	names := b.mentioned(c, extra)
	out := make([]member, 0, len(names))
	for _, n := range names {
		m := member{name: n, goal: b.memberGoal(c, n), needed: slices.Contains(c.need, n)}
		for i, s := range c.some {
			if s.names.is(n) {
				m.settles |= 1 << i
			}
		}
		if m.needed && m.goal == nil {
			return nil
		}
		out = append(out, m)
	}
	return out
}

// needs puts an implication in the places of members; every name is one.
func (o *object) needs(i implication) []needs {
	of := o.place(i.name)
	n := needs{of: of}
	for _, name := range i.needs {
		n.these = append(n.these, o.place(name))
	}
	return []needs{n}
}

func (o *object) place(name string) int {
	return slices.IndexFunc(o.members, func(m member) bool { return m.name == name })
}

// mentioned are the names that a clause mentions, in the schema's order.
func (b *builder) mentioned(c *clause, extra []string) []string {
	var out []string
	seen := map[string]bool{}
	add := func(names ...string) {
		for _, n := range names {
			if !seen[n] {
				seen[n] = true
				out = append(out, n)
			}
		}
	}
	for _, r := range b.owners(c) {
		for _, p := range r.Object.Properties {
			add(p.Name)
		}
	}
	add(c.need...)
	add(c.ban...)
	for _, r := range c.refine {
		add(r.name)
	}
	for _, i := range c.implied {
		add(i.name)
		add(i.needs...)
	}
	add(extra...)
	return out
}

// owners are the rules that have a say about names.
func (b *builder) owners(c *clause) []*rules.Rule {
	out := slices.Clone(c.objects)
	for _, s := range c.some {
		if !slices.Contains(out, s.names.owner) {
			out = append(out, s.names.owner)
		}
	}
	return out
}

// memberGoal is what the value of a name must be, nil where the name must not be
// there.
func (b *builder) memberGoal(c *clause, name string) *goal {
	if slices.Contains(c.ban, name) {
		return nil
	}
	var lits []literal
	for _, r := range c.objects {
		o, known := r.Object, false
		if !b.nameAllowed(r, name) {
			return nil
		}
		for i := range o.Properties {
			if p := &o.Properties[i]; p.Rule != nil && p.Name == name {
				lits, known = append(lits, literalOf(p.Rule, false)), true
			}
		}
		for _, p := range o.Patterns {
			if matches(p.Pattern, name) {
				lits, known = append(lits, literalOf(p.Rule, false)), true
			}
		}
		if !known && o.Rest != nil {
			lits = append(lits, literalOf(o.Rest, false))
		}
	}
	for _, r := range c.refine {
		if r.name == name {
			lits = append(lits, r.lit)
		}
	}
	return b.goalOf(lits)
}

// namePart is one thing that is asked of every name that is not mentioned.
type namePart struct {
	owner *rules.Rule
	part  int // a pattern, or partBad for propertyNames: the name is allowed
}

// maxMentioned is how many names a pattern or a propertyNames may stand for that
// are mentioned one by one.
const maxMentioned = 256

// classify finds the classes of names that are not mentioned. It gives the names
// of classes that are small, which are better mentioned.
func (b *builder) classify(c *clause, o *object) (few []string) {
	o.classes = map[uint64]*nameClass{}
	asked := b.nameParts(c)
	if len(asked) == 0 {
		o.classes[0] = b.nameClass(c, nil, 0)
		return nil
	}
	mentioned := make(map[string]bool, len(o.members))
	for i := range o.members {
		mentioned[o.members[i].name] = true
	}
	var parts []namePart
	var machines []textlang.Machine
	for _, p := range asked {
		m := b.nameMachine(p)
		if b.err != nil {
			return nil
		}
		if t, ok := m.(*textlang.Trie); ok && len(t.Words()) <= maxMentioned {
			for _, w := range t.Words() {
				if !mentioned[w] {
					few = append(few, w)
				}
			}
			continue
		}
		parts, machines = append(parts, p), append(machines, m)
	}
	if len(few) > 0 {
		return few
	}
	if len(parts) == 0 {
		o.classes[0] = b.nameClass(c, nil, 0)
		return nil
	}
	var err error
	if o.labels, err = textlang.NewLabels(machines); err != nil {
		b.refuse(parts[0].owner, "patternProperties", err.Error())
		return nil
	}
	classes, err := o.labels.Classes(mentioned)
	if err != nil {
		b.refuse(parts[0].owner, "patternProperties", err.Error())
		return nil
	}
	for _, class := range classes {
		k := b.nameClass(c, parts, class.Labels)
		o.classes[class.Labels] = k
		if !class.Infinite && k.goal != nil {
			few = append(few, class.Words...)
		}
	}
	return few
}

// nameParts are what a clause asks of names in patterns.
func (b *builder) nameParts(c *clause) []namePart {
	var out []namePart
	for _, r := range b.owners(c) {
		for i := range r.Object.Patterns {
			out = append(out, namePart{r, i})
		}
		if r.Object.Names != nil && r.Object.Names.Always <= 0 {
			out = append(out, namePart{r, partBad})
		}
	}
	return out
}

func (b *builder) nameMachine(p namePart) textlang.Machine {
	if m, ok := b.nameMachines[p]; ok {
		return m
	}
	var f *textlang.Formula
	if p.part == partBad {
		f = b.text(p.owner.Object.Names)
	} else {
		f = b.pattern(p.owner, "patternProperties", p.owner.Object.Patterns[p.part].Pattern)
	}
	if b.err != nil {
		return nil
	}
	m, err := textlang.NewMachine(f)
	if err != nil {
		b.refuse(p.owner, "patternProperties", err.Error())
	}
	b.nameMachines[p] = m
	return m
}

// nameClass is what is asked of names with certain labels.
func (b *builder) nameClass(c *clause, parts []namePart, labels uint64) *nameClass {
	has := func(r *rules.Rule, part int) bool {
		i := slices.Index(parts, namePart{r, part})
		return i >= 0 && labels>>i&1 != 0
	}
	anyPattern := func(r *rules.Rule) bool {
		for i := range r.Object.Patterns {
			if has(r, i) {
				return true
			}
		}
		return false
	}
	refused := func(r *rules.Rule) bool {
		n := r.Object.Names
		return n != nil && (n.Always < 0 || (n.Always == 0 && !has(r, partBad)))
	}
	k := &nameClass{}
	for i, s := range c.some {
		switch r := s.names.owner; {
		case s.names.part == partRest && !anyPattern(r),
			s.names.part == partBad && refused(r),
			s.names.part >= 0 && has(r, s.names.part):
			k.settles |= 1 << i
		}
	}
	var lits []literal
	for _, r := range c.objects {
		if refused(r) {
			return k
		}
		for i, p := range r.Object.Patterns {
			if has(r, i) {
				lits = append(lits, literalOf(p.Rule, false))
			}
		}
		if r.Object.Rest != nil && !anyPattern(r) {
			lits = append(lits, literalOf(r.Object.Rest, false))
		}
	}
	k.goal = b.goalOf(lits)
	return k
}

// choices are the goals of a value that may settle some of the obligations that
// are pending: which it settles, and what it must be then.
func (t *goals) choices(o *object, g *goal, settles, pending uint32) []choice {
	out := []choice{{g, 0}}
	can := settles & pending
	for set := can; set != 0; set = (set - 1) & can {
		var lits []literal
		for i := range o.some {
			if set>>i&1 != 0 {
				lits = append(lits, o.some[i].lit)
			}
		}
		out = append(out, choice{t.with(g, lits...), set})
	}
	return out
}

type choice struct {
	goal    *goal
	settles uint32
}

// names is a set of members by their places.
type names string

func (n names) has(i int) bool { return i>>3 < len(n) && n[i>>3]>>(i&7)&1 != 0 }

func (n names) add(i int) names {
	b := make([]byte, max(len(n), i>>3+1))
	copy(b, n)
	b[i>>3] |= 1 << (i & 7)
	return names(b)
}

func (n names) len() int {
	c := 0
	for i := range len(n) {
		c += bits.OnesCount8(n[i])
	}
	return c
}

// within reports whether all of n are in m.
func (n names) within(m names) bool {
	for i := range len(n) {
		var other byte
		if i < len(m) {
			other = m[i]
		}
		if n[i]&^other != 0 {
			return false
		}
	}
	return true
}

// closure is a set with all that it implies.
func (o *object) closure(n names) names {
	for again := len(o.implied) > 0; again; {
		again = false
		for _, i := range o.implied {
			if !n.has(i.of) {
				continue
			}
			for _, k := range i.these {
				if !n.has(k) {
					n, again = n.add(k), true
				}
			}
		}
	}
	return n
}
