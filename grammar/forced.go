package grammar

import (
	"strings"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
)

// maxForced bounds what Forced looks ahead.
const maxForced = 256

// Forced gives the text that is the only way on, and the tokens that spell it. That
// a character may also be written as an escape does not count as another way; that
// white space may come does. The tokens are those of the vocabulary's own encoder,
// without the last ones that a longer allowed token may take in; there may be fewer
// than the text needs, or none. Nothing is accepted by it.
func (m *Matcher) Forced() (text []byte, tokens []tokenizer.ID) {
	if m.ended {
		return nil, nil
	}
	before := m.place
	for len(text) < maxForced {
		b, ok := m.g.only(m.settled())
		if !ok || !m.feed(b) {
			break
		}
		text = append(text, b)
	}
	end, space := m.at, m.space
	m.restore(before)
	if m.v == nil || len(text) == 0 {
		return text, nil
	}
	if tokens = m.Encode(string(text)); !m.spells(tokens, string(text)) {
		return text, nil
	}
	return text, tokens[:m.firm(tokens, text, end, space)]
}

// only is the byte that alone leads on from p.
func (m *machine) only(p *position) (byte, bool) {
	if p.ends || p.class != classInside || p == dead {
		return 0, false
	}
	if known := p.forced.Load(); known != 0 {
		return byte(known), known > 0
	}
	found := -1
	for b := range 256 {
		if b == '\\' && isString(p.ways[0].at) || !p.first.has(byte(b)) || !m.alive(p, byte(b)) {
			continue
		}
		if found >= 0 {
			found = -1
			break
		}
		found = b
	}
	if found <= 0 {
		p.forced.Store(-1)
		return 0, false
	}
	p.forced.Store(int32(found))
	return byte(found), true
}

// maxJoined is how many tokens a longer one is taken to join at most.
const maxJoined = 5

// firm is how many of the tokens no longer token can join with what follows them.
func (m *Matcher) firm(tokens []tokenizer.ID, text []byte, end *position, space byte) int {
	from := len(text)
	keep := len(tokens)
	for i := len(tokens) - 1; i >= 0 && i >= len(tokens)-maxJoined; i-- {
		from -= len(m.v.Token(tokens[i]).Bytes)
		if from < 0 {
			return 0
		}
		if m.joins(string(text[from:]), end, space) {
			keep = i
		}
	}
	return keep
}

// joins reports whether an allowed token begins with a text and is longer.
func (m *Matcher) joins(text string, end *position, space byte) bool {
	for _, c := range m.controls {
		if len(c.text) > len(text) && strings.HasPrefix(c.text, text) {
			return true // allowed or not: one token less is forced
		}
	}
	nodes := m.v.Trie().Nodes()
	lo, hi, d := 0, len(nodes), 0
	for d < len(text) && lo < hi {
		n := nodes[lo]
		if n.Byte() != text[d] {
			lo += n.Size()
			continue
		}
		hi = lo + n.Size()
		lo++
		d++
	}
	if d < len(text) {
		return false
	}
	for lo < hi {
		n := nodes[lo]
		if to, _ := m.g.next(end, space, n.Byte()); to != dead {
			return true
		}
		lo += n.Size()
	}
	return false
}
