package grammar

import (
	"math/bits"
	"slices"
	"unicode"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// loose takes the tokens of characters any of which may follow any other, and tries
// those that hold others which lead on.
func (x *textWalk) loose() bool {
	within, leaving, states := x.looseSet()
	v := x.w.v
	n := x.longest(states)
	if n < min(enoughLoose, v.SafeLength()) {
		return false
	}
	count := 0
	for c := range tokenizer.LineEnds + 1 {
		if leaving.Has(c) {
			for _, word := range v.Holding(c) {
				count += bits.OnesCount64(word)
			}
		}
	}
	if count > fewOthers {
		return false
	}
	set := v.Only(within)
	if n == v.SafeLength() {
		x.w.allow(set)
	} else {
		short := v.Safe(n)
		for i, word := range set {
			x.w.found[i] |= word & short[i]
		}
		x.tryAmong(set)
	}
	for c := range tokenizer.LineEnds + 1 {
		if leaving.Has(c) {
			x.tryAmong(v.Holding(c))
		}
	}
	return true
}

const (
	enoughChars = 20     // for a set of them to be worth it
	enoughLoose = 8      // characters that must be able to follow each other
	mostStates  = 256    // that a loose set may pass
	mostTries   = 12     // to find it
	fewOthers   = 16_000 // tokens that hold a character which leaves it
)

// looseSet finds characters that may follow each other in any order and number,
// the others that may follow them, and the states that they lead to: none where no
// such set was found.
func (x *textWalk) looseSet() (within, leaving tokenizer.CharSet, states []int32) {
	l, classes := x.text, x.text.Plain()
	set := make([]bool, len(classes))
	left, chars := 0, 0
	for c := range classes {
		if set[c] = l.Step(x.at.q, classes[c].Plain) != textlang.Dead; set[c] {
			left++
			chars += int(classes[c].Last-classes[c].First) + 1
		}
	}
	if chars < enoughChars {
		return within, leaving, nil
	}
	by := map[int32]int{} // the class that led to a state first
	for range mostTries {
		clear(by)
		by[x.at.q] = -1
		states = append(states[:0], x.at.q)
		bad := int32(textlang.Dead)
		for i := 0; i < len(states) && bad == textlang.Dead; i++ {
			for c, in := range set {
				if !in {
					continue
				}
				to := l.Step(states[i], classes[c].Plain)
				if to == textlang.Dead {
					bad = states[i]
					break
				}
				if _, seen := by[to]; !seen {
					if by[to] = c; len(states) == mostStates {
						return within, leaving, nil
					}
					states = append(states, to)
				}
			}
		}
		if bad == textlang.Dead {
			within, leaving = x.charSets(classes, set, states)
			return within, leaving, states
		}
		var ends []int
		for c, in := range set {
			if in && l.Step(bad, classes[c].Plain) == textlang.Dead {
				ends = append(ends, c)
			}
		}
		if 4*len(ends) > left {
			ends = append(ends[:0], by[bad])
		}
		for _, c := range ends {
			set[c] = false
			left--
		}
		if left == 0 {
			break
		}
	}
	return within, leaving, nil
}

// charSets are the characters of classes that are in a set, and the others that lead
// on from some state.
func (x *textWalk) charSets(classes []textlang.Chars, set []bool, states []int32) (within, leaving tokenizer.CharSet) {
	add := func(char int, first, last rune) {
		in, leads := true, false
		for c := range classes {
			if classes[c].Last < first || classes[c].First > last {
				continue
			}
			in = in && set[c]
			leads = leads || set[c] || slices.ContainsFunc(states, func(q int32) bool {
				return x.text.Step(q, classes[c].Plain) != textlang.Dead
			})
		}
		switch {
		case in:
			within.Add(char)
		case leads:
			leaving.Add(char)
		}
	}
	for c := ' '; c < 0x80; c++ {
		if c != '"' && c != '\\' {
			add(int(c), c, c)
		}
	}
	add(tokenizer.LineEnds, 0x2028, 0x2029)
	if add(tokenizer.BeyondASCII, 0x80, 0x2027); within.Has(tokenizer.BeyondASCII) {
		within.Remove(tokenizer.BeyondASCII)
		add(tokenizer.BeyondASCII, 0x202a, unicode.MaxRune)
	}
	return within, leaving
}

// longest is for how many characters the length allows whatever leads to states.
func (x *textWalk) longest(states []int32) int {
	lo, hi := int(x.at.lo), int(x.at.hi)
	for n := x.w.v.SafeLength(); len(states) > 0 && n > 0; n /= 2 {
		fits := func(q int32) bool { return x.text.Fits(q, lo, max(hi-n, -1)) }
		if lo <= 0 && hi < 0 || (hi < 0 || hi >= n) && !slices.ContainsFunc(states, func(q int32) bool { return !fits(q) }) {
			return n
		}
	}
	return 0
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
		var ok bool
		if at, ok = at.whole(x.text, x.text.Step(at.q, r)); !ok {
			return false
		}
	}
	return true
}
