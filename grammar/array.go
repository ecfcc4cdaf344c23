package grammar

import (
	"encoding/binary"
	"slices"

	"github.com/holdfast-go/holdfast/internal/numlang"
	"github.com/holdfast-go/holdfast/internal/rules"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// array is one form of arrays. Its places are numbered as far as they differ; what
// is counted is counted beside.
type array struct {
	id     int
	prefix []*goal
	rest   *goal
	min    int
	max    int // negative: no bound
	count  []counter
	last   int // places from here on are the same
	unique uniqueness
	set    []*rules.Rule // the values, where unique elements are of a finite set

	trie   *textlang.Trie // of the strings of set
	byWord []int

	built  bool
	height int
	ends   map[string]bool // by spot: can it come to an end
}

type uniqueness uint8

const (
	notUnique uniqueness = iota
	uniqueInSet
	uniqueByText // the matcher compares the elements
)

const maxCounters = 6

func (b *builder) arrays(g *goal) []*array {
	var out []*array
	for _, c := range b.clauses(g, rules.Arr) {
		if a := b.array(g, c); a != nil && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

func (b *builder) array(g *goal, c *clause) *array {
	key := b.clauseKey(c)
	if a, ok := b.lists[key]; ok {
		return a
	}
	a := &array{id: len(b.lists), min: c.min, max: c.max, count: c.count, ends: map[string]bool{}}
	b.lists[key] = a
	places := 0
	for _, r := range c.arrays {
		places = max(places, len(r.Array.Prefix))
	}
	for _, r := range c.refine {
		places = max(places, r.place+1)
	}
	for i := range places {
		a.prefix = append(a.prefix, b.elementGoal(c, i))
	}
	a.rest = b.elementGoal(c, places)
	a.last = max(places, a.min)
	for _, n := range a.count {
		a.last = max(a.last, n.from)
	}
	if len(a.count) > maxCounters || a.last > maxPlaces {
		b.refuseLits(g.lits, "the array counts too much")
	}
	if c.twice != nil {
		b.refuse(c.twice, "uniqueItems", "two equal elements of any kind cannot be asked for")
	}
	b.uniqueElements(c, a)
	a.built = true
	return a
}

const maxPlaces = 100_000

func (b *builder) elementGoal(c *clause, i int) *goal {
	var lits []literal
	for _, r := range c.arrays {
		switch a := r.Array; {
		case i < len(a.Prefix):
			lits = append(lits, literalOf(a.Prefix[i], false))
		case a.Rest != nil:
			lits = append(lits, literalOf(a.Rest, false))
		}
	}
	for _, r := range c.refine {
		if r.place == i {
			lits = append(lits, r.lit)
		}
	}
	return b.goalOf(lits)
}

// uniqueElements finds how uniqueItems can be held.
func (b *builder) uniqueElements(c *clause, a *array) {
	i := slices.IndexFunc(c.arrays, func(r *rules.Rule) bool { return r.Array.Unique })
	if i < 0 || (a.max >= 0 && a.max <= 1) {
		return
	}
	r := c.arrays[i]
	if len(a.prefix) > 0 || len(a.count) > 0 {
		b.refuse(r, "uniqueItems", "together with prefixItems or contains")
		return
	}
	b.prepare(a.rest)
	set := b.listed(a.rest)
	switch g := a.rest; {
	case b.err != nil:
	case g.known == allKinds && set != nil:
		a.unique, a.set = uniqueInSet, distinctValues(b, set)
		a.index(b)
		if len(a.set) < a.min {
			a.max = -2
		}
	case g.known == allKinds && b.endless(g):
		a.unique = uniqueByText
		if n, ok := b.countTexts(a.rest); ok && (a.max < 0 || a.max > n) {
			if a.max = n; n < a.min {
				a.max = -2
			}
		}
	default:
		b.refuse(r, "uniqueItems", "the elements may run out, and are no list of values")
	}
}

// index makes the trie of the strings of the set.
func (a *array) index(b *builder) {
	var words []string
	at := map[string]int{}
	for i, r := range a.set {
		if v := b.value(r); v.typ == rules.Str {
			words = append(words, v.text)
			at[v.text] = i
		}
	}
	a.trie = textlang.NewTrie(words)
	for _, w := range a.trie.Words() {
		a.byWord = append(a.byWord, at[w])
	}
}

// maxListed is how many numbers and texts are taken for a list that no enum gives.
const maxListed = 128

// listed are the values of a goal that are a finite list, or nil.
func (b *builder) listed(g *goal) []*rules.Rule {
	if g.values != nil {
		return g.values
	}
	if len(g.objects) > 0 || len(g.arrays) > 0 {
		return nil
	}
	out := []*rules.Rule{}
	for word, in := range map[string]bool{"null": g.null, "true": g.yes, "false": g.no} {
		if in {
			out = append(out, b.valueRule(rules.Value{JSON: word, Type: typeOfJSON(word)}))
		}
	}
	if g.number != nil {
		few, ok := numlang.And(formulas(b, g.lits, b.number, numlang.Not)...).Few(maxListed)
		if !ok {
			return nil
		}
		for _, number := range few {
			out = append(out, b.valueRule(rules.Value{JSON: number, Type: rules.Num}))
		}
	}
	for _, l := range g.texts {
		words, few := l.Few(l.Start(), l.Min, l.Max, maxListed)
		if !few {
			return nil
		}
		for _, word := range words {
			out = append(out, b.valueRule(rules.Value{JSON: quoted(word), Type: rules.Str, Text: word}))
		}
	}
	return out
}

// maxCounted is how many texts are counted that are too many for a list.
const maxCounted = 1 << 13

// countTexts is how many values a goal has, where these are words and few texts.
func (b *builder) countTexts(g *goal) (n int, ok bool) {
	if g.number != nil || len(g.objects) > 0 || len(g.arrays) > 0 {
		return 0, false
	}
	seen := map[string]bool{}
	for _, l := range g.texts {
		words, few := l.Few(l.Start(), l.Min, l.Max, maxCounted)
		if !few {
			return 0, false
		}
		for _, w := range words {
			seen[w] = true
		}
	}
	for _, in := range []bool{g.null, g.yes, g.no} {
		if in {
			n++
		}
	}
	return n + len(seen), true
}

// endless reports whether an object, an array or a number that has begun can
// always become one that did not come yet, since it may be made longer. Of texts
// and words the matcher takes care.
func (b *builder) endless(g *goal) bool {
	if g.number != nil && !g.number.Endless() {
		return false
	}
	for _, o := range g.objects {
		if o.max >= 0 || o.labels != nil || o.classes[0].goal == nil || b.surelyEmpty(o.classes[0].goal, 0) {
			return false
		}
	}
	for _, a := range g.arrays {
		if a.max >= 0 || len(a.count) > 0 || a.unique != notUnique || len(a.rest.lits) > 0 {
			return false
		}
	}
	return true
}

func distinctValues(b *builder, list []*rules.Rule) []*rules.Rule {
	var out []*rules.Rule
	seen := map[string]bool{}
	for _, r := range list {
		if c := b.value(r).canonical(); !seen[c] {
			seen[c] = true
			out = append(out, r)
		}
	}
	return out
}

// spot is where an array stands: how many elements came, as far as it matters, and
// what the counters say.
type spot struct {
	place int32
	count [maxCounters]int32
}

func (a *array) spotKey(s spot) string {
	var k []byte
	k = binary.AppendVarint(k, int64(s.place))
	for i := range a.count {
		k = binary.AppendVarint(k, int64(s.count[i]))
	}
	return string(k)
}

func (a *array) goalAt(place int32) *goal {
	if int(place) < len(a.prefix) {
		return a.prefix[place]
	}
	return a.rest
}

func (a *array) advance(s spot) spot {
	if a.max >= 0 || int(s.place) < a.last {
		s.place++
	}
	return s
}

// element is one way to go on: what the next element must be, and where the array
// stands behind it.
type element struct {
	goal *goal
	next spot
}

// elements are the ways to go on from a spot, without asking whether they end.
func (t *goals) elements(a *array, s spot) []element {
	if a.max >= 0 && int(s.place) >= a.max || a.max < -1 {
		return nil
	}
	out := []element{{a.goalAt(s.place), a.advance(s)}}
	for i, n := range a.count {
		if int(s.place) < n.from {
			continue
		}
		var next []element
		for _, e := range out {
			next = append(next, t.counted(e, i, n)...)
		}
		out = next
	}
	return out
}

// counted splits a way by whether the element is counted.
func (t *goals) counted(e element, i int, n counter) []element {
	have := int(e.next.count[i])
	if n.max < 0 && have >= n.min {
		return []element{e}
	}
	var out []element
	if n.max < 0 || have < n.max {
		more := e
		more.goal = t.with(e.goal, n.lit)
		more.next.count[i]++
		out = append(out, more)
	}
	if n.max >= 0 {
		e.goal = t.with(e.goal, n.lit^1)
	}
	return append(out, e)
}

// mayEnd reports whether the array may end at a spot.
func (a *array) mayEnd(s spot) bool {
	if int(s.place) < a.min {
		return false
	}
	for i, n := range a.count {
		if int(s.count[i]) < n.min {
			return false
		}
	}
	return a.max >= -1
}
