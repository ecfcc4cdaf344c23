package grammar

import (
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// key begins a name.
func (m *machine) key(out []way, in *frame) []way {
	w := way{at: inKey, in: in, word: textlang.Dead, state: textlang.Dead}
	if in.object.others != nil && in.depth+in.object.lowest <= maxDepth && m.roomForOther(in) {
		w.state = in.object.others.Start()
	}
	// Beside others, names that may not come must still be known.
	if w.state >= 0 && len(in.object.members) > 0 || m.memberBelow(in, 0) {
		w.word = 0
	}
	if w.word == textlang.Dead && w.state == textlang.Dead {
		return out
	}
	return append(out, w)
}

// memberBelow reports whether a name that may come next lies below a place of the
// trie.
func (m *machine) memberBelow(in *frame, at int32) bool {
	o := in.object
	lo, hi := o.trie.Below(at)
	for i := lo; i < hi; i++ {
		if m.mayCome(in, o.byWord[i]) {
			return true
		}
	}
	return false
}

// mayCome reports whether member i may come next.
func (m *machine) mayCome(in *frame, i int) bool {
	o := in.object
	if in.seen.has(i) || !o.allowed.has(i) || in.depth+o.members[i].goal.height > maxDepth {
		return false
	}
	if m.order && (!m.inOrder(in, in.seen, i) || !m.reachesMin(in, i)) {
		return false
	}
	if o.max < 0 {
		return true
	}
	next := in.seen.add(i)
	return int(in.count)+1+o.missing(next) <= o.max
}

// missing is how many members must still come.
func (o *object) missing(seen names) int {
	must := o.needed
	for i := range o.members {
		if seen.has(i) {
			must = must.add(i)
		}
	}
	must = o.closure(must)
	n := 0
	for i := range o.members {
		if must.has(i) && !seen.has(i) {
			n++
		}
	}
	return n
}

// inOrder reports whether member i may come next where members come in the order
// of the schema.
func (m *machine) inOrder(in *frame, seen names, i int) bool {
	o := in.object
	for k := i + 1; k <= len(o.members); k++ {
		if seen.has(k) { // a later one came, or (last) one that is not mentioned
			return false
		}
	}
	must := o.closure(merge(o.needed, seen.add(i)))
	for k := range i {
		if must.has(k) && !seen.has(k) {
			return false
		}
	}
	return true
}

// reachesMin reports whether enough members may come behind member i where they come
// in the order of the schema.
func (m *machine) reachesMin(in *frame, i int) bool {
	o := in.object
	short := o.min - int(in.count) - 1
	if short <= 0 || o.others != nil {
		return true
	}
	seen := in.seen.add(i)
	for k := i + 1; k < len(o.members) && short > 0; k++ {
		if o.allowed.has(k) && in.depth+o.members[k].goal.height <= maxDepth && m.inOrder(in, seen, k) {
			seen = seen.add(k)
			short--
		}
	}
	return short <= 0
}

func merge(x, y names) names {
	for i := range 8 * len(y) {
		if y.has(i) && !x.has(i) {
			x = x.add(i)
		}
	}
	return x
}

// roomForOther reports whether a name that is not mentioned may come next.
func (m *machine) roomForOther(in *frame) bool {
	o := in.object
	if m.order && o.missing(in.seen) > 0 {
		return false
	}
	return o.max < 0 || int(in.count)+1+o.missing(in.seen) <= o.max
}

// mayClose reports whether the object may end.
func (f *frame) mayClose() bool {
	o := f.object
	return f.pended == 0 && int(f.count) >= o.min && o.needed.within(f.seen) &&
		(len(o.implied) == 0 || o.missing(f.seen) == 0)
}

func (m *machine) inKey(out []way, w *way, b byte) []way {
	o := w.in.object
	if b == '"' && w.char == 0 {
		return m.named(out, w)
	}
	s := w.char.Step(b)
	if !s.OK {
		return out
	}
	next := *w
	next.char = s.Next
	if s.Next == 0 {
		if w.state >= 0 {
			next.state = o.others.Step(w.state, s.Rune)
		}
		if w.word >= 0 {
			if next.word = o.trie.Step(w.word, s.Rune); next.word >= 0 && next.state < 0 && !m.memberBelow(w.in, next.word) {
				next.word = textlang.Dead
			}
		}
	} else {
		m.partOfKey(w, &next)
	}
	if next.word < 0 && next.state < 0 {
		return out
	}
	return append(out, next)
}

// partOfKey drops what no character leads on that begins as it stands.
func (m *machine) partOfKey(w, next *way) {
	o := w.in.object
	word, other := false, false
	for _, r := range next.char.Ranges() {
		other = other || (w.state >= 0 && r[0] <= r[1] && o.others.SomeIn(w.state, r[0], r[1]))
	}
	for _, r := range next.char.Ranges() {
		word = word || (w.word >= 0 && o.trie.Next(w.word, r[0], r[1], func(to int32) bool {
			return other || m.memberBelow(w.in, to)
		}))
	}
	if !word {
		next.word = textlang.Dead
	}
	if !other {
		next.state = textlang.Dead
	}
}

// named ends a name: one of the members if the schema mentions it, else another.
func (m *machine) named(out []way, w *way) []way {
	o := w.in.object
	if w.word >= 0 {
		if i := o.trie.Word(w.word); i >= 0 {
			if i = o.byWord[i]; !m.mayCome(w.in, i) {
				return out
			}
			return m.colon(out, w.in, o.members[i].goal, o.members[i].settles, i)
		}
	}
	if w.state < 0 || !o.others.Accept(w.state) {
		return out
	}
	labels := uint64(0)
	if o.byClass != nil {
		labels = o.byClass.Labels(w.state)
	}
	k := o.classes[labels]
	return m.colon(out, w.in, k.goal, k.settles, -1)
}

// colon is behind the name of member i, or (negative) of another.
func (m *machine) colon(out []way, in *frame, g *goal, settles uint32, i int) []way {
	o := in.object
	for _, c := range m.goals.choices(o, g, settles, in.pended) {
		if in.depth+c.goal.height > maxDepth {
			continue
		}
		k := in.frameKey
		k.pended &^= c.settles
		switch {
		case i >= 0:
			k.seen = k.seen.add(i)
		case m.order:
			k.seen = k.seen.add(len(o.members))
		}
		if o.max >= 0 || int(k.count) < o.min {
			k.count++
		}
		f := m.frame(k)
		if f.pended != 0 && !m.canSettle(f) {
			continue
		}
		out = append(out, way{at: atColon, in: f, goal: c.goal, of: m.id(c.goal)})
	}
	return out
}

// canSettle reports whether members that may still come can settle what is pended.
func (m *machine) canSettle(f *frame) bool {
	for i := range f.object.some {
		if f.pended>>i&1 != 0 && !m.canSettleOne(f, i) {
			return false
		}
	}
	return true
}

func (m *machine) canSettleOne(f *frame, i int) bool {
	o := f.object
	can := func(g *goal, settles uint32) bool {
		return g != nil && settles>>i&1 != 0 && f.depth+m.goals.with(g, o.some[i].lit).height <= maxDepth
	}
	for k := range o.members {
		if mem := &o.members[k]; can(mem.goal, mem.settles) && m.mayCome(f, k) {
			return true
		}
	}
	if o.others != nil && m.roomForOther(f) {
		for _, k := range o.classes {
			if can(k.goal, k.settles) {
				return true
			}
		}
	}
	return false
}
