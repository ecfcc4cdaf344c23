package grammar

import (
	"slices"

	"github.com/holdfast-go/holdfast/internal/textlang"
)

// Once all goals are built, seal finds how high the lowest value of each is: a
// scalar has none, a container is one higher than what it must hold. A goal
// without a height has no values, and nothing ever leads to it.

const noHeight = 1 << 20

// all builds every goal that the roots lead to.
func (b *builder) all(roots ...*goal) []*goal {
	var list []*goal
	seen := map[*goal]bool{}
	add := func(g *goal) {
		if g != nil && !seen[g] {
			seen[g] = true
			list = append(list, g)
		}
	}
	for _, g := range roots {
		add(g)
	}
	objects, arrays := map[*object]bool{}, map[*array]bool{}
	for i := 0; i < len(list) && b.err == nil; i++ {
		g := list[i]
		b.countGoals(g.lits)
		b.prepare(g)
		for _, o := range g.objects {
			if !objects[o] {
				objects[o] = true
				b.objectGoals(o, add)
			}
		}
		for _, a := range g.arrays {
			if !arrays[a] {
				arrays[a] = true
				b.arrayGoals(a, add)
			}
		}
	}
	return list
}

func (b *builder) objectGoals(o *object, add func(*goal)) {
	every := uint32(1)<<len(o.some) - 1
	for i := range o.members {
		if m := &o.members[i]; m.goal != nil {
			for _, c := range b.choices(o, m.goal, m.settles, every) {
				add(c.goal)
			}
		}
	}
	for _, k := range o.classes {
		if k.goal != nil {
			for _, c := range b.choices(o, k.goal, k.settles, every) {
				add(c.goal)
			}
		}
	}
}

func (b *builder) arrayGoals(a *array, add func(*goal)) {
	for i := range len(a.prefix) + 1 {
		goals := []*goal{a.goalAt(int32(i))}
		for _, n := range a.count {
			for _, g := range goals {
				goals = append(goals, b.with(g, n.lit))
				if n.max >= 0 {
					goals = append(goals, b.with(g, n.lit^1))
				}
			}
		}
		for _, g := range goals {
			add(g)
		}
	}
	for _, r := range a.set {
		add(b.goalOf([]literal{literalOf(r, false)}))
	}
}

// seal gives heights until none changes, then closes the shapes.
func (b *builder) seal(list []*goal) {
	for _, g := range list {
		g.height = noHeight
		for _, o := range g.objects {
			o.height = noHeight
		}
		for _, a := range g.arrays {
			a.height = noHeight
		}
	}
	for changed := true; changed; {
		changed = false
		for i := len(list) - 1; i >= 0; i-- {
			if b.lower(list[i]) {
				changed = true
			}
		}
	}
	for _, g := range list {
		g.objects = slices.DeleteFunc(slices.Clone(g.objects), func(o *object) bool { return o.height == noHeight })
		g.arrays = slices.DeleteFunc(slices.Clone(g.arrays), func(a *array) bool { return a.height == noHeight })
		for _, o := range g.objects {
			o.seal()
		}
	}
	for _, g := range b.byLits {
		g.forms = nil // which only building needs
	}
}

// lower brings the heights of a goal and its shapes down as far as is known.
func (b *builder) lower(g *goal) (changed bool) {
	down := func(at *int, h int) {
		if h < *at {
			*at, changed = h, true
		}
	}
	if g.null || g.yes || g.no || g.number != nil || len(g.texts) > 0 {
		down(&g.height, 0)
	}
	for _, o := range g.objects {
		if o.height > 1 {
			down(&o.height, b.objectHeight(o))
		}
		down(&g.height, o.height)
	}
	for _, a := range g.arrays {
		if a.height > 1 {
			down(&a.height, b.arrayHeight(a))
		}
		down(&g.height, a.height)
	}
	return changed
}

func (b *builder) objectHeight(o *object) int {
	var must names
	for i := range o.members {
		if o.members[i].needed {
			must = must.add(i)
		}
	}
	must = o.closure(must)
	h, count := 0, 0
	for i := range o.members {
		if !must.has(i) {
			continue
		}
		if count++; o.members[i].goal == nil {
			return noHeight
		}
		h = max(h, o.members[i].goal.height)
	}
	if o.max >= 0 && count > o.max {
		return noHeight
	}
	for i := range o.some {
		h = max(h, b.settleHeight(o, i, must, o.max < 0 || count < o.max))
	}
	if o.min > count {
		h = max(h, o.fill(must, o.min-count))
	}
	return min(h+1, noHeight)
}

// settleHeight is how high the lowest member is that settles an obligation: one that
// must be there, or where there is room another.
func (b *builder) settleHeight(o *object, i int, must names, room bool) int {
	h := noHeight
	try := func(g *goal, settles uint32) {
		if g != nil && settles>>i&1 != 0 {
			h = min(h, b.with(g, o.some[i].lit).height)
		}
	}
	for k := range o.members {
		if room || must.has(k) {
			try(o.members[k].goal, o.members[k].settles)
		}
	}
	for _, k := range o.classes {
		if room {
			try(k.goal, k.settles)
		}
	}
	return h
}

// fill is how high n more members are at least.
func (o *object) fill(must names, n int) int {
	var heights []int
	for i := range o.members {
		if m := &o.members[i]; !must.has(i) && m.goal != nil && m.goal.height < noHeight {
			heights = append(heights, m.goal.height)
		}
	}
	for _, k := range o.classes {
		if k.goal != nil && k.goal.height < noHeight {
			for range n {
				heights = append(heights, k.goal.height)
			}
		}
	}
	if len(heights) < n {
		return noHeight
	}
	slices.Sort(heights)
	return heights[n-1]
}

// arrayHeight searches the way to an end whose highest element is lowest.
func (b *builder) arrayHeight(a *array) int {
	if a.max < -1 {
		return noHeight
	}
	if len(a.count) == 0 {
		h := 0
		for i := range min(a.min, len(a.prefix)) {
			h = max(h, a.prefix[i].height)
		}
		if a.min > len(a.prefix) {
			h = max(h, a.rest.height)
		}
		return min(h+1, noHeight)
	}
	known := map[string]int{}
	var search func(s spot) int
	search = func(s spot) int {
		if a.mayEnd(s) {
			return 0
		}
		key := a.spotKey(s)
		if h, ok := known[key]; ok {
			return h
		}
		known[key] = noHeight
		h := noHeight
		for _, e := range b.elements(a, s) {
			if e.goal.height < h {
				h = min(h, max(e.goal.height, search(e.next)))
			}
		}
		known[key] = h
		if len(known) > maxPlaces {
			b.refuse(b.schema.Root, "contains", "the array counts too much")
		}
		return h
	}
	return min(search(spot{})+1, noHeight)
}

// endsFrom reports whether an array can come to an end from a spot.
func (t *goals) endsFrom(a *array, s spot) bool {
	if a.mayEnd(s) {
		return true
	}
	key := a.spotKey(s)
	if ok, known := a.ends[key]; known {
		return ok
	}
	a.ends[key] = false
	ok := false
	if len(a.count) == 0 {
		ok = t.endsPlainly(a, s)
	} else {
		for _, e := range t.elements(a, s) {
			if e.goal.height < noHeight && t.endsFrom(a, e.next) {
				ok = true
				break
			}
		}
	}
	a.ends[key] = ok
	return ok
}

// endsPlainly is endsFrom without counters: the elements up to min must exist.
func (t *goals) endsPlainly(a *array, s spot) bool {
	for i := int(s.place); i < a.min; i++ {
		if a.goalAt(int32(i)).height == noHeight {
			return false
		}
		if i >= len(a.prefix) {
			break
		}
	}
	return a.max < 0 || a.min <= a.max
}

// seal works out which members may come at all: those with values whose
// dependencies have values too.
func (o *object) seal() {
	if o.sealed {
		return
	}
	o.sealed = true
	may := make([]bool, len(o.members))
	for i := range o.members {
		m := &o.members[i]
		may[i] = m.goal != nil && m.goal.height < noHeight
		if m.needed {
			o.needed = o.needed.add(i)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, n := range o.implied {
			if may[n.of] && slices.ContainsFunc(n.these, func(k int) bool { return !may[k] }) {
				may[n.of], changed = false, true
			}
		}
	}
	for i, ok := range may {
		if ok {
			o.allowed = o.allowed.add(i)
		}
	}
	o.index()
	wanted := func(labels uint64) bool {
		k := o.classes[labels]
		return k != nil && k.goal != nil && k.goal.height < noHeight
	}
	switch {
	case o.labels != nil:
		every := true
		for labels := range o.classes {
			every = every && wanted(labels)
		}
		o.byClass = o.labels.Only(o.trie, wanted, every)
		if o.byClass.Start() != textlang.Dead {
			o.others = o.byClass
		}
	case wanted(0):
		o.others = textlang.Any
	}
	o.lowest = noHeight
	for labels, k := range o.classes {
		if wanted(labels) {
			o.lowest = min(o.lowest, k.goal.height)
		}
	}
	if o.others != nil {
		o.another = &textlang.Lang{Machine: o.others, Max: -1}
	}
}

func (o *object) index() {
	words := make([]string, len(o.members))
	at := make(map[string]int, len(o.members))
	for i := range o.members {
		words[i] = o.members[i].name
		at[words[i]] = i
	}
	o.trie = textlang.NewTrie(words)
	for _, w := range o.trie.Words() {
		o.byWord = append(o.byWord, at[w])
	}
}
