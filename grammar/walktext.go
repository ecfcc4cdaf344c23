package grammar

import (
	"slices"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/internal/jsonchar"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// textWalk decides a trie from within one string by the automaton of its texts
// alone. Only what follows the quote needs positions.
type textWalk struct {
	w     *walker
	text  *textlang.Lang
	end   *position // behind the quote
	stack [256]textState
}

type textState struct {
	q      int32
	char   jsonchar.Part
	lo, hi int32
}

// oneText reports whether p is within a string by one reading.
func oneText(p *position) bool { return len(p.ways) == 1 && p.ways[0].at == inText }

func (w *walker) walkText(t *tokenizer.Trie, p *position) {
	way := &p.ways[0]
	x := &textWalk{w: w, text: way.text, end: w.ended(p)}
	x.stack[0] = textState{way.state, way.char, way.lo, way.hi}
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	nodes := t.Nodes()
	for i := 0; i < len(nodes); {
		node := nodes[i]
		d := node.Depth() & 255
		from, b := &x.stack[d-1], node.Byte()
		if b == '"' && from.char == 0 {
			if from.lo <= 0 && x.text.Accept(from.q) {
				w.set(node.Token())
				x.behind(nodes[i+1:i+node.Size()], d)
			}
			i += node.Size()
			continue
		}
		if !x.step(&x.stack[d], from, b) {
			i += node.Size()
			continue
		}
		w.set(node.Token())
		i++
	}
	w.setTwins(t)
}

// behind decides the nodes below a quote. The machine's lock is held; it is given
// up for as long.
func (x *textWalk) behind(nodes []tokenizer.Node, depth int) {
	if len(nodes) == 0 {
		return
	}
	x.w.m.mu.Unlock()
	defer x.w.m.mu.Lock()
	x.w.at[depth], x.w.spaces[depth] = x.end, 0
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

// enoughLike is how many characters must lead on alike for their tokens to be
// taken as one.
const enoughLike = 20

// alike takes the tokens that are made of characters which all lead on alike, as
// many in a row as do, and tries the other safe tokens that may go on. It gives
// the mask of the former where it is shared; ok is false where too few are alike.
func (w *walker) alike(p *position) (base []uint64, ok bool) {
	way := &p.ways[0]
	if way.char != 0 {
		return nil, false
	}
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	longest := w.v.SafeLength()
	if n := w.openFor(way); n >= longest {
		return w.v.Safe(longest), true
	} else if n >= enoughOpen {
		for i, word := range w.v.Safe(n) {
			w.found[i] |= word
		}
		w.tryAmong(w.v.Safe(longest), nil, way)
		return nil, true
	}
	same, leads, run := w.runOf(way)
	if run < 2 {
		return nil, false
	}
	only := w.v.Only(same)
	if run >= longest {
		base = only
	} else {
		short := w.v.Safe(run)
		for i, word := range only {
			w.found[i] |= word & short[i]
		}
		w.tryAmong(only, base, way)
	}
	for c := range tokenizer.LineEnds + 1 {
		if leads.Has(c) {
			w.tryAmong(w.v.Holding(c), base, way)
		}
	}
	return base, true
}

// enoughOpen is for how many characters anything must be able to follow for the
// tokens of so many to be taken as one; mostOpen bounds the search for it.
const (
	enoughOpen = 8
	mostOpen   = 256
)

// openFor is for how many characters anything can follow, whatever it is: 0 where
// that is not known.
func (w *walker) openFor(way *way) int {
	l := way.text
	chars := l.Plain()
	seen := map[int32]bool{way.state: true}
	now, n := []int32{way.state}, 0
search:
	for ; n < w.v.SafeLength() && len(now) > 0; n++ {
		var then []int32
		for _, q := range now {
			for _, r := range chars {
				to := l.Step(q, r)
				if to == textlang.Dead || len(seen) > mostOpen {
					break search
				}
				if !seen[to] {
					seen[to] = true
					then = append(then, to)
				}
			}
		}
		now = then
	}
	if len(now) == 0 {
		n = w.v.SafeLength() // and so on
	}
	for ; n >= enoughOpen; n /= 2 {
		fits := true
		for q := range seen {
			lo, hi := int(way.lo), int(way.hi)
			if fits = way.lo <= 0 && way.hi < 0 || (hi < 0 || hi-n >= 0) && l.Fits(q, lo, max(hi-n, -1)); !fits {
				break
			}
		}
		if fits {
			return n
		}
	}
	return 0
}

// runOf finds the characters that lead to the same state as most do, the others
// that lead on, and for how many steps the former go on doing so.
func (w *walker) runOf(way *way) (same, leads tokenizer.CharSet, run int) {
	var to [0x80]int32
	count := map[int32]int{}
	most := textlang.Dead
	for c := ' '; c < 0x80; c++ {
		to[c] = textlang.Dead
		if c != '"' && c != '\\' {
			to[c] = way.text.Step(way.state, c)
		}
		if to[c] == textlang.Dead {
			continue
		}
		if count[to[c]]++; most == textlang.Dead || count[to[c]] > count[most] {
			most = to[c]
		}
	}
	if most == textlang.Dead || count[most] < enoughLike {
		return same, leads, 0
	}
	var chars []rune
	for c := ' '; c < 0x80; c++ {
		switch to[c] {
		case most:
			same.Add(int(c))
			chars = append(chars, c)
		case textlang.Dead:
		default:
			leads.Add(int(c))
		}
	}
	for _, kind := range beyondASCII {
		switch {
		case w.allTo(way.text, way.state, most, kind.ranges):
			same.Add(kind.as)
		case slices.ContainsFunc(kind.ranges, func(r [2]rune) bool { return way.text.SomeIn(way.state, r[0], r[1]) }):
			leads.Add(kind.as)
		}
	}
	return same, leads, w.runLength(way, chars, &same)
}

// beyondASCII are the kinds of characters that stand for many.
var beyondASCII = []struct {
	as     int
	ranges [][2]rune
}{
	{tokenizer.LineEnds, [][2]rune{{0x2028, 0x2029}}},
	{tokenizer.BeyondASCII, [][2]rune{{0x80, 0x2027}, {0x202a, 0x10ffff}}},
}

func (w *walker) allTo(l *textlang.Lang, q, to int32, ranges [][2]rune) bool {
	return !slices.ContainsFunc(ranges, func(r [2]rune) bool { return !l.AllTo(q, to, r[0], r[1]) })
}

// runLength is for how many steps the same characters lead on alike.
func (w *walker) runLength(way *way, chars []rune, same *tokenizer.CharSet) int {
	at := textState{q: way.state, lo: way.lo, hi: way.hi}
	x := textWalk{w: w, text: way.text}
	for n := range w.v.SafeLength() {
		var next textState
		if !x.whole(&next, &at, chars[0]) {
			return n
		}
		for _, c := range chars[1:] {
			if way.text.Step(at.q, c) != next.q {
				return n
			}
		}
		for _, kind := range beyondASCII {
			if same.Has(kind.as) && !w.allTo(way.text, at.q, next.q, kind.ranges) {
				return n
			}
		}
		if next == at {
			break // and so on
		}
		at = next
	}
	return w.v.SafeLength()
}

// tryAmong tries the tokens of a mask that are not allowed already.
func (w *walker) tryAmong(set, base []uint64, way *way) {
	x := textWalk{w: w, text: way.text}
	for i, word := range set {
		word &^= w.found[i]
		if base != nil {
			word &^= base[i]
		}
		for ; word != 0; word &= word - 1 {
			id := i<<6 + trailing(word)
			ok := x.takes(way, w.v.Token(tokenizer.ID(id)).Bytes)
			if ok {
				w.set(uint32(id))
			}
		}
	}
}

// takes reports whether a text without quotes and escapes can follow.
func (x *textWalk) takes(way *way, text string) bool {
	if way.lo <= 0 && way.hi < 0 {
		q := way.state
		for _, r := range text {
			if q = x.text.Step(q, r); q == textlang.Dead {
				return false
			}
		}
		return true
	}
	at := textState{q: way.state, lo: way.lo, hi: way.hi}
	for _, r := range text {
		var next textState
		if !x.whole(&next, &at, r) {
			return false
		}
		at = next
	}
	return true
}
