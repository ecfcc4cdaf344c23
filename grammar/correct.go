package grammar

import (
	"slices"

	"github.com/holdfast-go/holdfast/internal/jsonchar"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
)

// A mask is made as if no name and no element had come before, so that it can be
// shared. Where some have, the tokens that could repeat one are tried byte by byte.

// cautious reports whether something came that may not come again, and whether it
// is an element.
func (m *Matcher) cautious() (names, elements bool) {
	for i := m.scope; i >= 0; i = m.scopes[i].up {
		if s := &m.scopes[i]; s.last >= 0 {
			names, elements = names || !s.array, elements || s.array
		}
	}
	return names, elements
}

// amongUnique reports whether an open array has elements that must differ.
func (m *Matcher) amongUnique() bool {
	for i := m.scope; i >= 0; i = m.scopes[i].up {
		if m.scopes[i].unique {
			return true
		}
	}
	return false
}

// among are those tokens that a mask has.
func (k *mask) among(ids []tokenizer.ID) (out []tokenizer.ID) {
	for _, id := range ids {
		if k.allows(id) {
			out = append(out, id)
		}
	}
	return out
}

// allows reports whether a mask has a token.
func (k *mask) allows(id tokenizer.ID) bool {
	has := func(set []uint64) bool { return len(set) > 0 && set[id>>6]>>(id&63)&1 != 0 }
	if has(k.base) || has(k.whole) {
		return true
	}
	_, ok := slices.BinarySearch(k.more, uint32(id))
	return ok
}

// corrected is the mask without the tokens that would repeat a name or an element.
func (m *Matcher) corrected(k *mask, names, elements bool) []uint64 {
	m.bad = m.bad[:0]
	m.tryAll(k, k.anywhere)
	if m.amongUnique() {
		m.tryAll(k, k.inArray)
	}
	if names || elements {
		m.tryEntries(k, elements)
	}
	if len(m.bad) == 0 {
		return m.show(k)
	}
	if k.whole != nil {
		copy(m.room, k.whole)
	} else {
		m.fill(k)
	}
	m.shown = nil
	for _, id := range m.bad {
		m.room[id>>6] &^= 1 << (id & 63)
	}
	return m.room
}

// tryEntries tries what could repeat a name or an element that came.
func (m *Matcher) tryEntries(k *mask, elements bool) {
	one, two, both, escapes := m.v.Quotes()
	at := m.at.ways[0]
	switch {
	case isString(at.at) && slices.ContainsFunc(m.at.ways, m.g.mayRunOut):
		if at.char != 0 {
			m.tryAmong(k, nil)
			return
		}
		m.tryAmong(k, one)
		m.tryAmong(k, escapes)
		m.tryAll(k, m.alongEntries())
	case elements && !isString(at.at):
		m.tryAmong(k, nil)
	case elements, at.at == inKey && at.char != 0:
		m.tryAmong(k, one)
		m.tryAll(k, m.alongEntries())
	case at.at == inKey:
		m.tryAmong(k, two)
		m.tryAmong(k, both)
		m.tryAll(k, m.alongEntries())
	case !isString(at.at) && slices.ContainsFunc(m.at.ways, m.g.namesMayRunOut):
		m.tryAmong(k, one)
	default:
		m.tryAmong(k, two)
	}
}

// tryAmong tries the tokens of a mask that are in a set; nil is every token. Those
// of the base stay within one string and end nothing.
func (m *Matcher) tryAmong(k *mask, set []uint64) {
	in := func(id uint32) bool { return set == nil || set[id>>6]>>(id&63)&1 != 0 }
	for _, id := range k.more {
		if in(id) {
			m.try(tokenizer.ID(id))
		}
	}
	for i, word := range k.whole {
		if set != nil {
			word &= set[i]
		}
		for ; word != 0; word &= word - 1 {
			m.try(tokenizer.ID(i<<6 + trailing(word)))
		}
	}
}

func (m *Matcher) tryAll(k *mask, list []tokenizer.ID) {
	for _, id := range list {
		if k.allows(id) {
			m.try(id)
		}
	}
}

// try notes a token that the text cannot go on with.
func (m *Matcher) try(id tokenizer.ID) {
	if m.v.Token(id).Kind == tokenizer.Text && !m.goesOn(id) {
		m.bad = append(m.bad, id)
	}
}

// alongEntries lists the tokens that go on as an entry of the innermost scope does
// that begins like the open string, through its end and beyond.
func (m *Matcher) alongEntries() []tokenizer.ID {
	var out []tokenizer.ID
	start := len(m.decoded)
	m.decoded = jsonchar.AppendDecoded(m.decoded, m.text[m.begin:])
	stem := string(m.decoded[start:])
	m.decoded = m.decoded[:start]
	s := &m.scopes[m.scope]
	for i := s.last; i >= 0; i = m.entries[i].before {
		e := &m.entries[i]
		text := m.decoded[e.begin:e.end]
		if s.array { // canonical JSON
			if text[0] != '"' {
				continue
			}
			text = jsonchar.AppendDecoded(nil, text[1:len(text)-1])
		}
		if len(text) >= len(stem) && string(text[:len(stem)]) == stem {
			out = append(out, along(m.v.Trie(), string(text[len(stem):])+`"`)...)
		}
	}
	return out
}

// along lists the tokens on the way of a text through a trie, and all below its
// end.
func along(t *tokenizer.Trie, text string) []tokenizer.ID {
	var out []tokenizer.ID
	nodes := t.Nodes()
	lo, hi := 0, len(nodes)
	for d := 0; d < len(text) && lo < hi; {
		n := nodes[lo]
		if n.Byte() != text[d] {
			lo += n.Size()
			continue
		}
		hi = lo + n.Size()
		if d++; d == len(text) {
			for _, below := range nodes[lo:hi] {
				out = append(out, tokenizer.ID(below.Token()))
			}
			break
		}
		out = append(out, tokenizer.ID(n.Token()))
		lo++
	}
	for _, twin := range t.Twins() {
		if slices.Contains(out, twin[0]) {
			out = append(out, twin[1])
		}
	}
	return out
}

// goesOn tries a token and leaves the matcher as it was.
func (m *Matcher) goesOn(id tokenizer.ID) bool {
	t := m.v.Token(id)
	before := m.place
	ok := true
	for i := 0; i < len(t.Bytes) && ok; i++ {
		ok = m.feed(t.Bytes[i])
	}
	m.restore(before)
	return ok
}
