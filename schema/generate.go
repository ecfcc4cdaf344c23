package schema

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// generator makes one JSON text that should satisfy a rule. It aims; whether it
// hit is for the validator to say.
type generator struct {
	machine
	rand   *rand.Rand
	lean   bool // as little as possible
	budget int  // values left
}

// wish gathers what several rules ask of one value.
type wish struct {
	types   typeSet
	lists   []*members
	nums    []*numberRule
	strs    []*stringRule
	arrs    []*arrayRule
	objs    []*objectRule
	refuse  bool
	samples []Value
}

const maxGenerateDepth = 12

// gather adds what r asks, through references and conjunctions, and of unions
// one branch.
func (g *generator) gather(w *wish, r *rule, hops int) {
	if r.always != 0 || hops > 24 {
		w.refuse = w.refuse || r.always == alwaysFalse
		return
	}
	w.meet(r.types)
	for _, m := range []*members{r.enum, r.konst} {
		if m != nil {
			w.lists = append(w.lists, m)
		}
	}
	if r.num != nil {
		w.nums = append(w.nums, r.num)
	}
	if r.str != nil {
		w.strs = append(w.strs, r.str)
	}
	if r.arr != nil {
		w.arrs = append(w.arrs, r.arr)
	}
	if r.obj != nil {
		w.objs = append(w.objs, r.obj)
	}
	for _, word := range []string{"examples", "default"} {
		v, ok := r.src.Get(word)
		if ok && word == "default" {
			w.samples = append(w.samples, v)
		}
		for _, e := range v.Elements() {
			if word == "examples" {
				w.samples = append(w.samples, e)
			}
		}
	}
	if r.place != nil {
		g.gatherPlace(w, r.place, hops+1)
	}
}

func (g *generator) gatherPlace(w *wish, p *placeRule, hops int) {
	if p.ref != nil {
		g.gather(w, p.ref, hops)
	}
	if p.dynamic != nil {
		g.gather(w, p.dynamic.initial, hops)
	}
	for _, s := range p.allOf {
		g.gather(w, s, hops)
	}
	for _, list := range [][]*rule{p.anyOf, p.oneOf} {
		if len(list) > 0 {
			g.gather(w, g.branch(w, list), hops)
		}
	}
	switch {
	case p.cond == nil:
	case p.then != nil && g.rand.IntN(2) == 0:
		g.gather(w, p.cond, hops)
		g.gather(w, p.then, hops)
	case p.els != nil:
		g.gather(w, p.els, hops)
	}
}

// branch chooses one that fits the types so far; where little is wanted, one
// that holds nothing.
func (g *generator) branch(w *wish, list []*rule) *rule {
	var fit []*rule
	for _, s := range list {
		if t := typesOf(s, 0); s.always != alwaysFalse && (t == 0 || w.types == 0 || t&w.types != 0) {
			fit = append(fit, s)
		}
	}
	if len(fit) == 0 {
		fit = list
	}
	if g.lean || g.budget < 0 {
		for _, s := range fit {
			if t := typesOf(s, 0); t != 0 && t&(typeArray|typeObject) == 0 {
				return s
			}
		}
	}
	return fit[g.rand.IntN(len(fit))]
}

func (w *wish) meet(t typeSet) {
	switch {
	case t == 0:
	case w.types == 0:
		w.types = t
	default:
		both := w.types & t
		if w.types&typeNumber != 0 && t&typeInteger != 0 || t&typeNumber != 0 && w.types&typeInteger != 0 {
			both |= typeInteger
		}
		w.types = both
	}
}

// value writes a value for r.
func (g *generator) value(r *rule, depth int) string {
	g.budget--
	var w wish
	g.gather(&w, r, 0)
	if text, ok := g.listed(&w, r); ok {
		return text
	}
	if len(w.samples) > 0 && g.rand.IntN(4) == 0 {
		if s := w.samples[g.rand.IntN(len(w.samples))]; g.holds(r, s) {
			return string(s.Raw())
		}
	}
	switch g.kind(&w, depth) {
	case typeNull:
		return "null"
	case typeBool:
		return strconv.FormatBool(g.rand.IntN(2) == 0)
	case typeInteger:
		return g.number(&w, true)
	case typeNumber:
		return g.number(&w, g.rand.IntN(2) == 0)
	case typeArray:
		return g.array(&w, depth)
	case typeObject:
		return g.object(&w, r, depth)
	}
	return quoted(g.text(&w, r))
}

// holds reports whether a schema's own value satisfies r.
func (g *generator) holds(r *rule, v Value) bool {
	m := machine{d: v.d, s: g.s}
	return m.valid(r, v.i) && !m.over
}

// listed picks a value of an enum or const that satisfies the whole rule.
func (g *generator) listed(w *wish, r *rule) (string, bool) {
	if len(w.lists) == 0 {
		return "", false
	}
	shortest := slices.MinFunc(w.lists, func(a, b *members) int { return len(a.values) - len(b.values) })
	if len(shortest.values) == 0 {
		return "", false
	}
	start := g.rand.IntN(len(shortest.values))
	for n := range shortest.values {
		v := shortest.values[(start+n)%len(shortest.values)]
		if g.holds(r, v) {
			return string(v.Raw()), true
		}
	}
	return string(shortest.values[start].Raw()), true
}

// kind chooses among the types asked for, or the one that the keywords suggest.
func (g *generator) kind(w *wish, depth int) typeSet {
	types := w.types
	if types == 0 {
		switch {
		case len(w.objs) > 0 || depth == 0:
			return typeObject
		case len(w.arrs) > 0:
			return typeArray
		case len(w.nums) > 0:
			return typeNumber
		case len(w.strs) > 0 || g.rand.IntN(3) > 0:
			return typeString
		}
		types = typeNull | typeBool | typeInteger | typeString
	}
	var fit []typeSet
	for _, t := range typeNames {
		if types&t.bit != 0 {
			fit = append(fit, t.bit)
		}
	}
	if depth == 0 && types&typeObject != 0 {
		return typeObject
	}
	if g.budget < 0 || depth > maxGenerateDepth {
		return fit[0]
	}
	return fit[g.rand.IntN(len(fit))]
}

// reach is what several rules leave of the numbers.
type reach struct {
	low, high, step float64
}

// farthest is as far as generated numbers go where nothing bounds them.
const farthest = 1e15

func reachOf(rules []*numberRule, whole bool) reach {
	r := reach{low: -farthest, high: farthest}
	unit := 1.0
	if !whole {
		unit = 0.25
	}
	float := func(d *decimal) float64 {
		f, _ := strconv.ParseFloat(string(d.canonical(nil)), 64)
		return f
	}
	for _, n := range rules {
		if n.min != nil {
			r.low = max(r.low, float(n.min))
		}
		if n.above != nil {
			r.low = max(r.low, float(n.above)+unit)
		}
		if n.max != nil {
			r.high = min(r.high, float(n.max))
		}
		if n.below != nil {
			r.high = min(r.high, float(n.below)-unit)
		}
		if n.step != nil {
			r.step = max(r.step, float(n.step))
		}
	}
	switch {
	case r.low == -farthest && r.high < 0:
		r.low = r.high - 100
	case r.low == -farthest:
		r.low = 0
	}
	if r.high == farthest {
		r.high = r.low + 100
	}
	return r
}

// number picks one within the bounds.
func (g *generator) number(w *wish, whole bool) string {
	r := reachOf(w.nums, whole)
	if r.high < r.low { // an open interval narrower than the unit
		return strconv.FormatFloat((r.low+r.high)/2, 'f', -1, 64)
	}
	x := r.low + g.rand.Float64()*(r.high-r.low)
	switch {
	case r.step > 0:
		k := float64(int64(x / r.step))
		if k*r.step < r.low {
			k++
		}
		return exactMultiple(int64(k), w)
	case whole:
		x = float64(int64(x))
		if x < r.low {
			x++
		}
		return strconv.FormatInt(int64(x), 10)
	}
	x = float64(int64(x*100)) / 100
	if x < r.low || x > r.high {
		x = r.low
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// exactMultiple writes k times the first step, in decimal.
func exactMultiple(k int64, w *wish) string {
	for _, n := range w.nums {
		if n.step != nil && n.step.small && n.step.mant < 1<<31 && k < 1<<31 && k > -1<<31 {
			d := decimal{neg: k < 0, small: true, mant: n.step.mant * uint64(max(k, -k)), exp: n.step.exp}
			return string(d.canonical(nil))
		}
	}
	return "0"
}

func (g *generator) array(w *wish, depth int) string {
	low, high := 0, -1
	unique := false
	for _, a := range w.arrs {
		low = max(low, a.minLen)
		if a.contains != nil {
			low = max(low, a.minContains)
		}
		if a.maxLen >= 0 && (high < 0 || a.maxLen < high) {
			high = a.maxLen
		}
		unique = unique || a.unique
		if a.rest != nil && a.rest.always == alwaysFalse && (high < 0 || len(a.prefix) < high) {
			high = len(a.prefix)
		}
	}
	n := low
	if !g.lean && g.budget > 0 && depth < maxGenerateDepth {
		n += g.rand.IntN(4)
	}
	if high >= 0 {
		n = min(n, max(high, low))
	}
	var list []string
	for tries := 0; len(list) < min(n, 2000) && tries < 4*n+20; tries++ {
		text := g.element(w, len(list), depth)
		if unique && slices.Contains(list, text) {
			continue
		}
		list = append(list, text)
	}
	return "[" + strings.Join(list, ",") + "]"
}

// element is the value at a place of an array, by every rule that has a say.
func (g *generator) element(w *wish, at, depth int) string {
	all := &placeRule{}
	for _, a := range w.arrs {
		if at < len(a.prefix) {
			all.allOf = append(all.allOf, a.prefix[at])
		} else if a.rest != nil {
			all.allOf = append(all.allOf, a.rest)
		}
		if a.contains != nil && at < a.minContains {
			all.allOf = append(all.allOf, a.contains)
		}
	}
	return g.value(together(all), depth+1)
}

// together is a rule for what several rules say of one value.
func together(p *placeRule) *rule {
	if len(p.allOf) == 1 {
		return p.allOf[0]
	}
	return &rule{place: p, src: Value{}, res: &resource{}}
}
