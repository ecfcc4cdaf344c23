package grammar

import (
	"slices"
	"unicode"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// reading is what an open string may be by the ways that agree on its text. They
// differ in what may come behind it.
type reading struct {
	text *textlang.Lang
	at   textState
	ends *position // behind the quote; dead: that is not asked
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
		at := textState{q: x.state, char: x.char, lo: x.lo, hi: x.hi}
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
		t := w.v.Trie()
		if x.safe() {
			t = w.v.Leftover()
		}
		x.walk(t.Nodes(), 0)
		w.setTwins(w.v.Trie())
	}
}

// safe takes the safe tokens, or reports false where it does not know them all
// without a walk of the whole vocabulary.
func (x *textWalk) safe() bool {
	if x.at.char != 0 {
		return false
	}
	if x.w.ask(x.open) {
		x.w.allow(x.w.v.Safe(x.w.v.SafeLength()))
		return true
	}
	return x.byKinds()
}

// open reports whether every character leads on, and every one after it.
func (x *textWalk) open() bool { return x.at.hi < 0 && x.text.Open(x.at.q) }

// textsBelow decides the tokens below the node that opened a string.
func (w *walker) textsBelow(list []reading, node int, nodes []tokenizer.Node, depth int) {
	for i := range list {
		r := &list[i]
		if w.bodies && len(nodes) >= worthwhile && w.ask(r.free) {
			w.body(w.v.BodyAt(node), r)
			continue
		}
		x := textWalk{w, r}
		x.walk(nodes, depth)
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

// A walk is long, so that rows are worth their memory, where one in so many nodes
// leads on.
const longWalk = 512

// walk decides nodes below one of a depth at which the reading stands.
func (x *textWalk) walk(nodes []tokenizer.Node, depth int) {
	w := x.w
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	w.text[depth] = x.at
	count, long := 0, len(nodes)/longWalk
	for i := 0; i < len(nodes); {
		node := nodes[i]
		d := node.Depth() & 255
		from, b := &w.text[d-1], node.Byte()
		if b == '"' && from.char == 0 {
			if x.ends != dead && from.lo <= 0 && x.text.Accept(from.q) {
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
		if count > long && w.text[d].char == 0 {
			w.text[d].row = x.text.Row(w.text[d].q)
		}
		count++
		i++
		if w.text[d].char == 0 || int(node.Token()) < w.v.Size() && w.text[d].leads(x.text) {
			w.set(node.Token())
		}
	}
}

// step reads one byte. It is fast where the automaton has rows.
func (x *textWalk) step(to, from *textState, b byte) (ok bool) {
	switch {
	case from.char == 0 && b >= 0x80 && !x.beyond(from):
		return false
	case from.row == nil, from.char != 0, b < ' ', b >= 0x80, b == '\\':
		*to, ok = from.step(x.text, b)
		return ok
	}
	q := from.row.To[b]
	if q == textlang.Unknown {
		q = x.text.Step(from.q, rune(b))
		from.row.To[b] = q
	}
	if q == textlang.Dead {
		return false
	}
	if from.lo <= 0 && from.hi < 0 {
		*to = textState{q: q, hi: -1}
	} else if *to, ok = from.whole(x.text, q); !ok {
		return false
	}
	return true
}

// beyond reports whether a character beyond ASCII leads on.
func (x *textWalk) beyond(from *textState) bool {
	if from.row != nil {
		return from.row.Beyond
	}
	return x.text.SomeIn(from.q, 0x80, unicode.MaxRune)
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
