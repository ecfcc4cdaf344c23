package grammar

import (
	"math/bits"
	"slices"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
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

	anywhere, inArray []tokenizer.ID // tokens of it, see Vocabulary.Repeats
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
	names, elements := m.cautious()
	if names || elements || len(k.anywhere) > 0 || len(k.inArray) > 0 && m.amongUnique() {
		return m.corrected(k, names, elements)
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
	m.g.keep(int64(len(k.whole)*8 + (len(k.more)+len(k.anywhere)+len(k.inArray))*4 + maskBytes))
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
	w := &m.walker
	w.start(m.g, m.v)
	if list := w.readings(p); list != nil {
		w.texts(list)
	} else if !w.names(m.v.Body, p) && !w.someNames(p) {
		w.bodies = true
		w.walk(m.v.Trie(), p, n)
	}
	k.base = w.base
	if p.ends {
		for _, id := range m.v.End() {
			w.set(uint32(id))
		}
	}
	for _, c := range m.controls {
		if m.g.takes(p, n, c.text) {
			w.set(uint32(c.id))
		}
	}
	clearFrom(w.found, m.v.Size())
	w.pack(k)
	anywhere, inArray := m.v.Repeats()
	k.anywhere, k.inArray = k.among(anywhere), k.among(inArray)
	return k
}

// pack keeps what was found beside the base.
func (w *walker) pack(k *mask) {
	w.more = w.more[:0]
	for low := 0; low < len(w.found); low += packed {
		some := uint64(0)
		part := w.found[low:min(low+packed, len(w.found))]
		for _, word := range part {
			some |= word
		}
		if some == 0 {
			continue
		}
		for i, word := range part {
			if i += low; k.base != nil {
				word &^= k.base[i]
			}
			for ; word != 0; word &= word - 1 {
				w.more = append(w.more, uint32(i<<6+bits.TrailingZeros64(word)))
			}
		}
		if len(w.more) > fewTokens {
			w.packWhole(k)
			return
		}
	}
	if len(w.more) > 0 {
		k.more = slices.Clone(w.more)
	}
}

// packed is how many words are looked at together, most of which have nothing.
const packed = 16

func (w *walker) packWhole(k *mask) {
	k.whole = slices.Clone(w.found)
	for i := range k.base {
		k.whole[i] |= k.base[i]
	}
	k.base = nil
}

func clearFrom(set []uint64, size int) { set[size>>6] &= 1<<(size&63) - 1 }

func trailing(word uint64) int { return bits.TrailingZeros64(word) }
