package grammar

import (
	"slices"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/internal/jsonchar"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// reading is what an open string may be by the ways that agree on its text. They
// differ in what may come behind it.
type reading struct {
	text *textlang.Lang
	at   textState
	ends *position // behind the quote
}

type textState struct {
	q      int32
	char   jsonchar.Part
	lo, hi int32
}

// readings are those of a position within a string, nil where it is within
// something else.
func (w *walker) readings(p *position) []reading {
	if p.ways[0].at != inText {
		return nil
	}
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	var out []reading
	var behind [][]way
	for i := range p.ways {
		x := &p.ways[i]
		if x.at != inText {
			return nil
		}
		at := textState{x.state, x.char, x.lo, x.hi}
		k := slices.IndexFunc(out, func(r reading) bool { return r.text == x.text && r.at == at })
		if k < 0 {
			k = len(out)
			out, behind = append(out, reading{text: x.text, at: at}), append(behind, nil)
		}
		behind[k] = w.m.whole(behind[k], x.in)
	}
	for k := range out {
		out[k].ends = w.m.position(behind[k])
	}
	return out
}

// free reports whether every character may stand from here on, and the string may
// end wherever its length allows.
func (r *reading) free() bool {
	return r.at.char == 0 && (r.text.Machine == textlang.Any || r.at.lo <= 0 && r.at.hi < 0 && r.text.Total(r.at.q))
}

// texts decides the vocabulary from within a string.
func (w *walker) texts(list []reading) {
	for i := range list {
		r := &list[i]
		x := textWalk{w, r}
		if w.ask(r.free) {
			w.body(w.v.Body(), r)
			continue
		}
		t := w.v.Leftover()
		if !w.ask(x.safe) {
			if t = w.v.Trie(); x.walk(t.Nodes(), 0, maxWalk) {
				w.setTwins(t)
				continue
			}
			if w.ask(x.kinds) {
				t = w.v.Leftover()
			}
		}
		x.walk(t.Nodes(), 0, len(t.Nodes()))
		w.setTwins(t)
	}
}

// textsBelow decides the tokens below the node that opened a string.
func (w *walker) textsBelow(list []reading, node int, nodes []tokenizer.Node, depth int) {
	for i := range list {
		r := &list[i]
		if w.bodies && len(nodes) >= worthwhile && w.ask(r.free) {
			w.body(w.v.BodyAt(node), r)
			continue
		}
		x := textWalk{w, r}
		x.walk(nodes, depth, len(nodes))
	}
}

// ask asks an automaton, which may grow when it is asked, under the lock.
func (w *walker) ask(what func() bool) bool {
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	return what()
}

// allow takes tokens of a shared mask, as the base if there is none yet.
func (w *walker) allow(set []uint64) {
	if w.base == nil {
		w.base = set
		return
	}
	for i, word := range set {
		w.found[i] |= word
	}
}

// body takes the tokens of a body in which a free reading goes on.
func (w *walker) body(b *tokenizer.Body, r *reading) {
	lo, hi := int(r.at.lo), int(r.at.hi)
	switch {
	case b.Tokens != nil:
		w.inside(b, hi)
	case hi < 0:
		w.allow(b.All)
	default:
		w.allow(b.Within(hi))
	}
	valid := w.suffixes(r.ends)
	if lo <= 0 && hi < 0 {
		for s := range valid.each() {
			w.setAll(b.Bare(s))
			w.setAll(b.Other(s))
		}
		return
	}
	for i := range b.Crosses {
		c := &b.Crosses[i]
		if c.Chars >= lo && (hi < 0 || c.Chars <= hi) && valid.has(c.Suffix) {
			w.set(uint32(c.ID))
		}
	}
}

// textWalk decides a trie from within a string by the automaton of its texts
// alone. Only what follows the quote needs positions.
type textWalk struct {
	w *walker
	*reading
}

// maxWalk is how many nodes are passed before [textWalk.kinds] is worth it.
const maxWalk = 20_000

// walk decides nodes below one of a depth at which the reading stands. It gives up,
// and reports false, where more than most lead on.
func (x *textWalk) walk(nodes []tokenizer.Node, depth, most int) bool {
	w := x.w
	w.text[depth] = x.at
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	for i := 0; i < len(nodes); {
		node := nodes[i]
		d := node.Depth() & 255
		from, b := &w.text[d-1], node.Byte()
		if b == '"' && from.char == 0 {
			if from.lo <= 0 && x.text.Accept(from.q) {
				w.set(node.Token())
				x.behind(nodes[i+1:i+node.Size()], d)
			}
			i += node.Size()
			continue
		}
		if !x.step(&w.text[d], from, b) {
			i += node.Size()
			continue
		}
		w.set(node.Token())
		if most--; most < 0 {
			return false
		}
		i++
	}
	return true
}

// behind decides the nodes below a quote. The machine's lock is held; it is given
// up for as long.
func (x *textWalk) behind(nodes []tokenizer.Node, depth int) {
	if len(nodes) == 0 {
		return
	}
	x.w.m.mu.Unlock()
	defer x.w.m.mu.Lock()
	x.w.at[depth], x.w.spaces[depth] = x.ends, 0
	x.w.walkNodes(nodes)
}

// step reads one byte into to.
func (x *textWalk) step(to, from *textState, b byte) bool {
	*to = *from
	if from.char == 0 && ' ' <= b && b < 0x80 && b != '\\' {
		return x.whole(to, from, rune(b))
	}
	s := from.char.Step(b)
	if !s.OK {
		return false
	}
	if to.char = s.Next; s.Next == 0 {
		return x.whole(to, from, s.Rune)
	}
	if x.text.Max < 0 && x.text.Open(from.q) {
		return true
	}
	for _, r := range s.Next.Ranges() {
		if x.text.Leads(from.q, r[0], r[1], int(from.lo), int(from.hi)) {
			return true
		}
	}
	return false
}

func (x *textWalk) whole(to, from *textState, r rune) bool {
	to.lo, to.hi, to.char = from.lo, from.hi, 0
	if from.hi == 0 {
		return false
	}
	if to.q = x.text.Step(from.q, r); to.q == textlang.Dead {
		return false
	}
	if from.lo <= 0 && from.hi < 0 {
		return true
	}
	a, b := way{text: x.text, lo: from.lo, hi: from.hi}, way{lo: from.lo, hi: from.hi}
	countDown(&a, &b)
	to.lo, to.hi = b.lo, b.hi
	return x.text.Fits(to.q, int(to.lo), int(to.hi))
}
