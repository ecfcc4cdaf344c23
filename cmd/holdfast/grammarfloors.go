package main

import (
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
)

// floors are what a mask of this vocabulary costs at least: to clear, copy and
// unite masks, and to walk the whole trie as the body of a JSON string. clock is what
// the clock itself takes, which is no part of any time. In microseconds; the names
// are fixed.
type floors struct {
	Clear float64 `json:"clear"`
	Copy  float64 `json:"copy"`
	Or    float64 `json:"or"`
	Walk  float64 `json:"walk"`
	Clock float64 `json:"clock"`
}

func (b *bench) floors() floors {
	mask, other := make([]uint64, b.vocabulary.Words()), make([]uint64, b.vocabulary.Words())
	body := newStringBody()
	return floors{
		Clear: microseconds(b.clock.best(20, 500, func() { clear(mask) })),
		Copy:  microseconds(b.clock.best(20, 500, func() { copy(mask, other) })),
		Or: microseconds(b.clock.best(20, 500, func() {
			for i, w := range other {
				mask[i] |= w
			}
		})),
		Walk:  microseconds(b.clock.best(10, 1, func() { body.walk(b.vocabulary.Trie(), mask) })),
		Clock: microseconds(b.clock.cost),
	}
}

// stringBody is the plainest automaton over bytes for the body of a JSON string:
// state 0 is dead, state 1 is between two characters.
type stringBody [][256]uint8

const (
	bodyDead = iota
	bodyPlain
	bodyEscape
	bodyHex1
	bodyHex2
	bodyHex3
	bodyHex4
	bodyEnd
	bodyUTF8 // the first of those within a character
)

func newStringBody() stringBody {
	b := make(stringBody, bodyUTF8)
	for c := ' '; c < utf8.RuneSelf; c++ {
		b[bodyPlain][c] = bodyPlain
	}
	b[bodyPlain]['"'], b[bodyPlain]['\\'] = bodyEnd, bodyEscape
	for _, c := range `"\/bfnrt` {
		b[bodyEscape][c] = bodyPlain
	}
	b[bodyEscape]['u'] = bodyHex1
	for _, c := range "0123456789abcdefABCDEF" {
		b[bodyHex1][c], b[bodyHex2][c], b[bodyHex3][c], b[bodyHex4][c] = bodyHex2, bodyHex3, bodyHex4, bodyPlain
	}
	for _, lead := range []struct{ from, to, low, high, rest byte }{
		{0xc2, 0xdf, 0x80, 0xbf, 0},
		{0xe0, 0xe0, 0xa0, 0xbf, 1},
		{0xe1, 0xec, 0x80, 0xbf, 1},
		{0xed, 0xed, 0x80, 0x9f, 1},
		{0xee, 0xef, 0x80, 0xbf, 1},
		{0xf0, 0xf0, 0x90, 0xbf, 2},
		{0xf1, 0xf3, 0x80, 0xbf, 2},
		{0xf4, 0xf4, 0x80, 0x8f, 2},
	} {
		next := uint8(bodyPlain)
		for range lead.rest {
			next = b.within(0x80, 0xbf, next)
		}
		next = b.within(lead.low, lead.high, next)
		for c := int(lead.from); c <= int(lead.to); c++ {
			b[bodyPlain][c] = next
		}
	}
	return b
}

// within adds a state in which one byte more of a character must come.
func (b *stringBody) within(low, high byte, next uint8) uint8 {
	*b = append(*b, [256]uint8{})
	at := len(*b) - 1
	for c := int(low); c <= int(high); c++ {
		(*b)[at][c] = next
	}
	return uint8(at)
}

func (b stringBody) walk(t *tokenizer.Trie, mask []uint64) {
	var stack [256]uint8
	stack[0] = bodyPlain
	nodes := t.Nodes()
	for p := 0; p < len(nodes); {
		n := nodes[p]
		s := b[stack[uint8(n.Depth()-1)]][n.Byte()]
		if s == bodyDead {
			p += n.Size()
			continue
		}
		stack[uint8(n.Depth())] = s
		mask[n.Token()>>6] |= 1 << (n.Token() & 63)
		p++
	}
}
