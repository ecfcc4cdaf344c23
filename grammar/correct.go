package grammar

import (
	"slices"

	"github.com/holdfast-go/holdfast/internal/jsonchar"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
)

// A mask is made as if no name and no element had come before, so that it can be
// shared. Where some have, the tokens that could repeat one are tried byte by byte.

// quoting lists the tokens of a vocabulary with quotes, which end names.
type quoting struct {
	one     []tokenizer.ID // with a quote
	two     []tokenizer.ID // with two or more
	escaped []tokenizer.ID // with a backslash and a quote
}

func newQuoting(v *tokenizer.Vocabulary) *quoting {
	q := &quoting{}
	for id := range tokenizer.ID(v.Size()) {
		t := v.Token(id)
		if t.Kind != tokenizer.Text {
			continue
		}
		quotes, slashes := 0, 0
		for i := range len(t.Bytes) {
			switch t.Bytes[i] {
			case '"':
				quotes++
			case '\\':
				slashes++
			}
		}
		if quotes == 0 {
			continue
		}
		q.one = append(q.one, id)
		if quotes > 1 {
			q.two = append(q.two, id)
		}
		if slashes > 0 {
			q.escaped = append(q.escaped, id)
		}
	}
	return q
}

// quoting of the matcher's vocabulary, made once for a grammar.
func (m *Matcher) quoting() *quoting {
	m.g.mu.Lock()
	defer m.g.mu.Unlock()
	q, ok := m.g.quotings[m.v]
	if !ok {
		q = newQuoting(m.v)
		m.g.quotings[m.v] = q
	}
	return q
}

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
func (m *Matcher) corrected(k *mask, elements bool) []uint64 {
	var bad []tokenizer.ID
	try := func(list []tokenizer.ID) {
		for _, id := range list {
			if k.allows(id) && !m.goesOn(id) {
				bad = append(bad, id)
			}
		}
	}
	at := m.at.ways[0]
	switch {
	case elements && !isString(at.at):
		try(m.allowed(k))
	case elements:
		try(m.quoting().one)
		try(m.alongEntries())
	case at.at == inKey && at.char != 0:
		try(m.quoting().one)
		try(m.alongEntries())
	case at.at == inKey:
		try(m.quoting().two)
		try(m.quoting().escaped)
		try(m.alongEntries())
	default:
		try(m.quoting().two)
	}
	if len(bad) == 0 {
		return m.show(k)
	}
	if k.whole != nil {
		copy(m.room, k.whole)
	} else {
		m.fill(k)
	}
	m.shown = nil
	for _, id := range bad {
		m.room[id>>6] &^= 1 << (id & 63)
	}
	return m.room
}

func (m *Matcher) allowed(k *mask) []tokenizer.ID {
	var out []tokenizer.ID
	for id := range tokenizer.ID(m.v.Size()) {
		if k.allows(id) && m.v.Token(id).Kind == tokenizer.Text {
			out = append(out, id)
		}
	}
	return out
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
