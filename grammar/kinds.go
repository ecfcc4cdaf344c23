package grammar

import (
	"slices"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// The tokens of a vocabulary are some ten thousand when the characters of a kind are
// taken for one: any small letter, any sign beyond ASCII. Few automata of texts tell
// these apart at many of their states. So tokens of the same kinds are decided as
// one, and only where a state tells the characters of a kind apart each by itself.

// mostApart is how many tokens are decided each by itself before a walk of the whole
// vocabulary is better.
const mostApart = 1 << 13

// byKinds takes the safe tokens, or reports false where it does not know them all.
func (x *textWalk) byKinds() bool {
	if _, few := x.text.Machine.(*textlang.Trie); few {
		return false
	}
	k := kindWalk{textWalk: x, runs: x.w.runs[:0], left: mostApart}
	known := x.w.ask(k.walk)
	k.take()
	x.w.runs = k.runs
	for _, kind := range k.again {
		x.walk(x.w.v.Trie().Between(inASCII(kind)), 0)
	}
	x.w.setTwins(x.w.v.Trie())
	return known
}

// kindWalk is a walk of the tokens by the kinds of their characters.
type kindWalk struct {
	*textWalk
	apart [][]rune
	runs  [][2]int32 // of tokens that are allowed
	again []uint8    // kinds with which a token begins that are to be decided by bytes
	left  int        // of mostApart
}

// walk decides the tree, or gives up. The lock is held.
func (k *kindWalk) walk() (known bool) {
	w := k.w
	k.apart = w.m.kindsApart(k.text)
	loose := w.m.looseFrom(k.text, k.at.q)
	far := k.longest(loose.states)
	nodes := w.v.Kinds().Nodes()
	w.text[0] = k.at
	within := 0 // the depth up to which all kinds are loose ones
	for i := 1; i < len(nodes)-1; {
		n := &nodes[i]
		d, beyond := int(n.Depth), i+int(n.Size)
		if within = min(within, d-1); within == d-1 && loose.kinds>>n.Kind&1 != 0 {
			within = d
			if n.Kinds&^loose.kinds == 0 && int(n.Deepest) <= far {
				k.allow(n.Low, nodes[beyond].Low)
				i = beyond
				continue
			}
		}
		to, one := k.step(&w.text[d-1], n.Kind)
		switch {
		case !one && d == 1 && tokenizer.KindFirsts()[n.Kind] < utf8.RuneSelf:
			k.again = append(k.again, n.Kind)
			i = beyond
		case !one:
			if !k.each(w.v.Kinds().Tokens(i, beyond), d-1) {
				return false
			}
			i = beyond
		case to.q == textlang.Dead:
			i = beyond
		default:
			w.text[d] = to
			k.allow(n.Low, nodes[i+1].Low)
			i++
		}
	}
	return true
}

// step reads a character of a kind. one says that all of them lead to one state.
func (k *kindWalk) step(from *textState, kind uint8) (to textState, one bool) {
	q := k.text.Step(from.q, tokenizer.KindFirsts()[kind])
	for _, r := range k.apart[kind] {
		if k.text.Step(from.q, r) != q {
			return to, false
		}
	}
	to, ok := from.whole(k.text, q)
	if !ok {
		to.q = textlang.Dead
	}
	return to, true
}

// allow adds a run of tokens.
func (k *kindWalk) allow(low, high int32) {
	if last := len(k.runs) - 1; last >= 0 && k.runs[last][1] == low {
		k.runs[last][1] = high
	} else if low < high {
		k.runs = append(k.runs, [2]int32{low, high})
	}
}

// take puts the runs into the mask: those tokens, or all but the others.
func (k *kindWalk) take() {
	all, taken := k.w.v.Kinds().All(), int32(0)
	for _, r := range k.runs {
		taken += r[1] - r[0]
	}
	if int(taken) <= len(all)/2 {
		for _, r := range k.runs {
			k.w.setAll(all[r[0]:r[1]])
		}
		return
	}
	safe := k.w.v.Safe(k.w.v.SafeLength())
	if int(taken) == len(all) {
		k.w.allow(safe)
		return
	}
	but := append(k.w.but[:0], safe...)
	low := int32(0)
	for _, r := range append(k.runs, [2]int32{int32(len(all)), 0}) {
		for _, id := range all[low:r[0]] {
			but[id>>6] &^= 1 << (id & 63)
		}
		low = r[1]
	}
	for i, word := range but {
		k.w.found[i] |= word
	}
	k.w.but = but
}

// each decides one by one tokens whose first characters are decided.
func (k *kindWalk) each(tokens []tokenizer.ID, decided int) bool {
	if k.left -= len(tokens); k.left < 0 {
		return false
	}
	for _, id := range tokens {
		text := k.w.v.Token(id).Bytes
		for range decided {
			_, size := utf8.DecodeRuneInString(text)
			text = text[size:]
		}
		if k.takes(k.w.text[decided], text) {
			k.w.set(uint32(id))
		}
	}
	return true
}

// takes reports whether a text without quotes and escapes can follow.
func (k *kindWalk) takes(at textState, text string) (ok bool) {
	for _, r := range text {
		if at, ok = at.whole(k.text, k.text.Step(at.q, r)); !ok {
			return false
		}
	}
	return true
}

// inASCII are the first and the last character of a kind.
func inASCII(kind uint8) (first, last byte) {
	firsts := tokenizer.KindFirsts()
	return byte(firsts[kind]), byte(firsts[kind+1] - 1)
}

// kindsApart are, by kind, the code points within it that some state of a text tells
// apart from those before.
func (m *machine) kindsApart(l *textlang.Lang) [][]rune {
	if apart, ok := m.apart[l]; ok {
		return apart
	}
	firsts := tokenizer.KindFirsts()
	apart := make([][]rune, len(firsts))
	for _, r := range l.Firsts() {
		if i, exact := slices.BinarySearch(firsts, r); !exact {
			apart[i-1] = append(apart[i-1], r)
		}
	}
	m.apart[l] = apart
	return apart
}
