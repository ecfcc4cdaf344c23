package grammar

import (
	"math/bits"
	"slices"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// safe takes the safe tokens that the reading goes on with, without a walk of the
// whole vocabulary. It reports false, and takes none, where that is not worth it.
// The lock is held.
func (x *textWalk) safe() bool {
	if x.at.char != 0 {
		return false
	}
	v := x.w.v
	longest := v.SafeLength()
	if x.at.hi < 0 && x.text.Open(x.at.q) {
		x.w.allow(v.Safe(longest))
		return true
	}
	if n := x.openFor(longest); n >= longest {
		x.w.allow(v.Safe(longest))
		return true
	} else if n >= enoughOpen {
		x.w.allow(v.Safe(n))
		x.tryAmong(v.Safe(longest))
		return true
	}
	if k := x.w.m.kinds[x.text]; k != nil && k.v == v {
		x.byKind(k.Kinds, 0, 0)
		return true
	}
	return x.alike()
}

// enoughLike is how many characters must lead on alike for their tokens to be
// taken as one; fewOthers is how many tokens may hold others that lead on.
const (
	enoughLike = 20
	fewOthers  = 4096
)

// alike takes the tokens that are made of characters which all lead on alike
// however many there are, and tries those that hold others which lead on.
func (x *textWalk) alike() bool {
	same, leads, ok := x.runOf()
	if !ok {
		return false
	}
	v := x.w.v
	count := 0
	for c := range tokenizer.LineEnds + 1 {
		if leads.Has(c) {
			for _, word := range v.Holding(c) {
				count += bits.OnesCount64(word)
			}
		}
	}
	if count > fewOthers {
		return false
	}
	x.w.allow(v.Only(same))
	for c := range tokenizer.LineEnds + 1 {
		if leads.Has(c) {
			x.tryAmong(v.Holding(c))
		}
	}
	return true
}

// vocabularyKinds are the kinds of one vocabulary.
type vocabularyKinds struct {
	*tokenizer.Kinds
	v *tokenizer.Vocabulary
}

// kinds takes the safe tokens by the kinds of characters that the automaton tells
// apart, where these are few. The lock is held.
func (x *textWalk) kinds() bool {
	if x.at.char != 0 {
		return false
	}
	k := x.w.v.Kinds(x.text.Firsts())
	if len(k.Nodes) == 0 {
		return false
	}
	x.w.m.kinds[x.text] = &vocabularyKinds{k, x.w.v}
	x.byKind(k, 0, 0)
	return true
}

// byKind decides the tokens below a node of a depth.
func (x *textWalk) byKind(k *tokenizer.Kinds, node int32, depth int) {
	if depth == 0 {
		x.w.text[0] = x.at
	}
	for c := k.Nodes[node].First; c != 0; c = k.Nodes[c].Next {
		if x.whole(&x.w.text[depth+1], &x.w.text[depth], k.Firsts[k.Nodes[c].Kind]) {
			k.Set(x.w.found, c)
			x.byKind(k, c, depth+1)
		}
	}
}

// enoughOpen is for how many characters anything must be able to follow for the
// tokens of so many to be taken as one; mostOpen bounds the search for it.
const (
	enoughOpen = 8
	mostOpen   = 256
)

// openFor is for how many characters anything can follow, whatever it is: 0 where
// that is not known.
func (x *textWalk) openFor(longest int) int {
	l, at := x.text, &x.at
	chars := l.Plain()
	seen := map[int32]bool{at.q: true}
	now, n := []int32{at.q}, 0
search:
	for ; n < longest && len(now) > 0; n++ {
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
		n = longest // and so on
	}
	for ; n >= enoughOpen; n /= 2 {
		fits := true
		for q := range seen {
			lo, hi := int(at.lo), int(at.hi)
			if fits = at.lo <= 0 && at.hi < 0 || (hi < 0 || hi-n >= 0) && l.Fits(q, lo, max(hi-n, -1)); !fits {
				break
			}
		}
		if fits {
			return n
		}
	}
	return 0
}

// runOf finds the characters that lead to the same state as most do, and the others
// that lead on. ok is whether the former are many, and go on doing so.
func (x *textWalk) runOf() (same, leads tokenizer.CharSet, ok bool) {
	var to [0x80]int32
	count := map[int32]int{}
	most := textlang.Dead
	for c := ' '; c < 0x80; c++ {
		to[c] = textlang.Dead
		if c != '"' && c != '\\' {
			to[c] = x.text.Step(x.at.q, c)
		}
		if to[c] == textlang.Dead {
			continue
		}
		if count[to[c]]++; most == textlang.Dead || count[to[c]] > count[most] {
			most = to[c]
		}
	}
	if most == textlang.Dead || count[most] < enoughLike {
		return same, leads, false
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
		case x.allTo(x.at.q, most, kind.ranges):
			same.Add(kind.as)
		case slices.ContainsFunc(kind.ranges, func(r [2]rune) bool { return x.text.SomeIn(x.at.q, r[0], r[1]) }):
			leads.Add(kind.as)
		}
	}
	return same, leads, x.goOnAlike(chars, &same)
}

// beyondASCII are the kinds of characters that stand for many.
var beyondASCII = []struct {
	as     int
	ranges [][2]rune
}{
	{tokenizer.LineEnds, [][2]rune{{0x2028, 0x2029}}},
	{tokenizer.BeyondASCII, [][2]rune{{0x80, 0x2027}, {0x202a, 0x10ffff}}},
}

func (x *textWalk) allTo(q, to int32, ranges [][2]rune) bool {
	return !slices.ContainsFunc(ranges, func(r [2]rune) bool { return !x.text.AllTo(q, to, r[0], r[1]) })
}

// goOnAlike reports whether the same characters lead on alike, as far as a token goes.
func (x *textWalk) goOnAlike(chars []rune, same *tokenizer.CharSet) bool {
	at := x.at
	for range x.w.v.SafeLength() {
		var next textState
		if !x.whole(&next, &at, chars[0]) {
			return false
		}
		for _, c := range chars[1:] {
			if x.text.Step(at.q, c) != next.q {
				return false
			}
		}
		for _, kind := range beyondASCII {
			if same.Has(kind.as) && !x.allTo(at.q, next.q, kind.ranges) {
				return false
			}
		}
		if next == at {
			break // and so on
		}
		at = next
	}
	return true
}

// tryAmong tries the tokens of a mask that are not allowed already.
func (x *textWalk) tryAmong(set []uint64) {
	w := x.w
	for i, word := range set {
		word &^= w.found[i]
		if w.base != nil {
			word &^= w.base[i]
		}
		for ; word != 0; word &= word - 1 {
			id := i<<6 + trailing(word)
			if x.takes(w.v.Token(tokenizer.ID(id)).Bytes) {
				w.set(uint32(id))
			}
		}
	}
}

// takes reports whether a text without quotes and escapes can follow.
func (x *textWalk) takes(text string) bool {
	at := x.at
	if at.lo <= 0 && at.hi < 0 {
		for _, r := range text {
			if at.q = x.text.Step(at.q, r); at.q == textlang.Dead {
				return false
			}
		}
		return true
	}
	for _, r := range text {
		var next textState
		if !x.whole(&next, &at, r) {
			return false
		}
		at = next
	}
	return true
}
