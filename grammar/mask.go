package grammar

import (
	"math/bits"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// mask is what a position allows of a vocabulary, as if no name and no element had
// come before: a shared base, and the tokens beside it.
type mask struct {
	v     *tokenizer.Vocabulary
	space byte
	base  []uint64 // shared; nil: none
	more  []uint32 // tokens that are not in base
	whole []uint64 // all of it, where more would be long; base and more are nil
	next  *mask    // of the same position with other white space or vocabulary
}

// fewTokens is how many tokens are kept as a list.
const fewTokens = 1500

// Mask has one bit for each entry of the vocabulary: is it allowed next. The end
// tokens are allowed where the text is whole. It is read-only, and valid until the
// matcher is used again.
func (m *Matcher) Mask() []uint64 {
	if m.v == nil {
		return nil
	}
	if m.room == nil {
		m.room = make([]uint64, m.v.Words())
	}
	if m.ended {
		clear(m.room)
		m.shown = nil
		return m.room
	}
	k := m.maskAt(m.settled(), m.space)
	if names, elements := m.cautious(); names || elements {
		return m.corrected(k, elements)
	}
	return m.show(k)
}

// show gives a mask, in the matcher's room unless it is shared as it stands.
func (m *Matcher) show(k *mask) []uint64 {
	switch {
	case k.whole != nil:
		return k.whole
	case len(k.more) == 0 && k.base != nil:
		return k.base
	case m.shown == k:
		return m.room
	}
	m.fill(k)
	m.shown = k
	return m.room
}

func (m *Matcher) fill(k *mask) {
	if m.shown != nil && sameBase(m.shown.base, k.base) && m.shown.whole == nil {
		for _, t := range m.shown.more {
			m.room[t>>6] &^= 1 << (t & 63)
		}
	} else if k.base != nil {
		copy(m.room, k.base)
	} else {
		clear(m.room)
	}
	for _, t := range k.more {
		m.room[t>>6] |= 1 << (t & 63)
	}
}

func sameBase(a, b []uint64) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// maskAt finds or makes the mask of a position.
func (m *Matcher) maskAt(p *position, n byte) *mask {
	first := p.masks.Load()
	for k := first; k != nil; k = k.next {
		if k.v == m.v && k.space == n {
			return k
		}
	}
	k := m.make(p, n)
	for {
		k.next = first
		if p.masks.CompareAndSwap(first, k) {
			return k
		}
		first = p.masks.Load()
	}
}

// make walks the vocabulary from a position.
func (m *Matcher) make(p *position, n byte) *mask {
	k := &mask{v: m.v, space: n}
	trie := m.v.Trie()
	if safe, ok := m.bodyOf(p); ok {
		k.base, trie = safe, m.v.Leftover()
	}
	w := walker{m: m.g, found: make([]uint64, m.v.Words())}
	w.walk(trie, p, n)
	for _, t := range trie.Twins() {
		if w.found[t[0]>>6]>>(t[0]&63)&1 != 0 {
			w.set(uint32(t[1]))
		}
	}
	if p.ends {
		for _, id := range m.v.End() {
			w.set(uint32(id))
		}
	}
	clearFrom(w.found, m.v.Size())
	if c := countBits(w.found); c > fewTokens {
		k.whole = w.found
		for i := range k.base {
			k.whole[i] |= k.base[i]
		}
		k.base = nil
		return k
	}
	for i, word := range w.found {
		for ; word != 0; word &= word - 1 {
			k.more = append(k.more, uint32(i<<6+bits.TrailingZeros64(word)))
		}
	}
	return k
}

func clearFrom(set []uint64, size int) { set[size>>6] &= 1<<(size&63) - 1 }

func countBits(set []uint64) int {
	n := 0
	for _, w := range set {
		n += bits.OnesCount64(w)
	}
	return n
}

// bodyOf is the mask of the tokens that stay within the string that p is in, if
// that is known of all of them at once.
func (m *Matcher) bodyOf(p *position) ([]uint64, bool) {
	most := -1
	for i := range p.ways {
		w := &p.ways[i]
		if w.char != 0 {
			return nil, false
		}
		switch {
		case w.at == inText && w.text.Open(w.state) && w.hi >= 0 && w.lo == 0 && w.text.Machine == textlang.Any:
			most = max(most, int(w.hi))
		case w.at == inText && w.text.Open(w.state) && w.hi < 0,
			w.at == inKey && w.state >= 0 && w.in.object.others.Open(w.state):
			most = m.v.SafeLength()
		}
	}
	if most < 0 {
		return nil, false
	}
	return m.v.Safe(min(most, m.v.SafeLength())), true
}

// walker decides a trie with the machine.
type walker struct {
	m      *machine
	found  []uint64
	at     [256]*position
	spaces [256]byte
}

func (w *walker) set(t uint32) { w.found[t>>6] |= 1 << (t & 63) }

func (w *walker) walk(t *tokenizer.Trie, p *position, n byte) {
	nodes := t.Nodes()
	w.at[0], w.spaces[0] = p, n
	for i := 0; i < len(nodes); {
		node := nodes[i]
		d := node.Depth() & 255
		to, space := w.step(w.at[d-1], w.spaces[d-1], node.Byte())
		if to == dead {
			i += node.Size()
			continue
		}
		w.at[d], w.spaces[d] = to, space
		w.set(node.Token())
		i++
	}
}

func (w *walker) step(p *position, n, b byte) (*position, byte) {
	if n|b > ' ' || p.class == classInside {
		if r := p.rows[b>>4].Load(); r != nil && (n != spaceReturn) {
			if to := r[b&15].Load(); to != nil && !(p.class != classInside && isSpace(b)) {
				return to, 0
			}
		}
	}
	return w.m.next(p, n, b)
}
