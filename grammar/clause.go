package grammar

import (
	"encoding/binary"
	"math"
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

	key string // what clauseKey gave
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

// isTop reports whether a clause says nothing.
func (c *clause) isTop() bool {
	return c.objects == nil && c.arrays == nil && c.marks == nil && c.need == nil && c.ban == nil && c.refine == nil &&
		c.some == nil && c.implied == nil && c.count == nil && c.min == 0 && c.max < 0 && c.twice == nil
}

const maxClauses = 600

// meet is the conjunction of two clauses, nil where they contradict.
func (b *builder) meet(x, y *clause) *clause {
	least, most := max(x.min, y.min), x.max
	if y.max >= 0 && (most < 0 || y.max < most) {
		most = y.max
	}
	if most >= 0 && most < least || common(x.ban, y.need) || common(y.ban, x.need) {
		return nil
	}
	c := &clause{
		objects: union(x.objects, y.objects), arrays: union(x.arrays, y.arrays),
		marks: union(x.marks, y.marks),
		need:  union(x.need, y.need), ban: union(x.ban, y.ban),
		refine: append(slices.Clip(x.refine), y.refine...), some: append(slices.Clip(x.some), y.some...),
		implied: append(slices.Clip(x.implied), y.implied...), count: append(slices.Clip(x.count), y.count...),
		min: least, max: most, twice: x.twice,
	}
	if y.twice != nil {
		c.twice = y.twice
	}
	return c
}

// common reports whether two lists have something in common.
func common(x, y []string) bool {
	return slices.ContainsFunc(x, func(n string) bool { return slices.Contains(y, n) })
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
	switch {
	case len(x) == 1 && x[0].isTop():
		return slices.Clone(y)
	case len(y) == 1 && y[0].isTop():
		return slices.Clone(x)
	case len(x) == 1 && len(y) == 1:
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

// clauseKey tells clauses apart that may differ. A clause whose key was asked for
// is not changed any more.
func (b *builder) clauseKey(c *clause) string {
	if c.key == "" {
		w := keyWriter{b.keyRoom[:0], b.nameRoom}
		w.clause(c)
		b.keyRoom, b.nameRoom = w.key, w.names
		c.key = string(w.key)
	}
	return c.key
}

// keyWriter writes what a clause says, lists that are sets in an order of their own.
type keyWriter struct {
	key   []byte
	names []string // room for sorting
}

func (w *keyWriter) clause(c *clause) {
	for _, rs := range [][]*rules.Rule{c.objects, c.arrays, c.marks} {
		w.rules(rs)
	}
	w.set(c.need)
	w.set(c.ban)
	w.num(len(c.refine))
	for _, r := range c.refine {
		w.name(r.name)
		w.num(r.place)
		w.num(int(r.lit))
	}
	w.num(len(c.some))
	for _, s := range c.some {
		w.num(s.names.owner.ID)
		w.num(s.names.part)
		w.num(int(s.lit))
	}
	w.num(len(c.implied))
	for _, i := range c.implied {
		w.name(i.name)
		w.set(i.needs)
	}
	w.num(len(c.count))
	for _, n := range c.count {
		w.num(n.from)
		w.num(n.min)
		w.num(n.max)
		w.num(int(n.lit))
	}
	w.num(c.min)
	w.num(c.max)
	if c.twice != nil {
		w.num(1)
	}
}

func (w *keyWriter) num(n int) { w.key = binary.AppendVarint(w.key, int64(n)) }

func (w *keyWriter) name(n string) {
	w.num(len(n))
	w.key = append(w.key, n...)
}

func (w *keyWriter) set(names []string) {
	w.num(len(names))
	if !slices.IsSorted(names) {
		w.names = append(w.names[:0], names...)
		slices.Sort(w.names)
		names = w.names
	}
	for _, n := range names {
		w.name(n)
	}
}

// rules writes a set of rules, which are few.
func (w *keyWriter) rules(list []*rules.Rule) {
	w.num(len(list))
	last := -1
	for range list {
		next := math.MaxInt
		for _, r := range list {
			if r.ID > last {
				next = min(next, r.ID)
			}
		}
		w.num(next)
		last = next
	}
}
