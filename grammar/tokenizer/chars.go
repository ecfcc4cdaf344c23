package tokenizer

import (
	"sync"
	"unicode/utf8"
)

// CharSet is a set of ASCII characters and of what stands for all others.
type CharSet [3]uint64

// BeyondASCII stands for every character beyond ASCII but the two that end a line,
// which patterns often leave out, and LineEnds for these: U+2028 and U+2029.
const (
	BeyondASCII = 128 + iota
	LineEnds

	charKinds
)

// Add puts a member in.
func (s *CharSet) Add(c int) { s[c>>6] |= 1 << (c & 63) }

// Remove takes a member out.
func (s *CharSet) Remove(c int) { s[c>>6] &^= 1 << (c & 63) }

// Has reports whether c is in.
func (s *CharSet) Has(c int) bool { return s[c>>6]>>(c&63)&1 != 0 }

// charMasks is which safe tokens hold which characters, worked out when it is
// first asked for.
type charMasks struct {
	once  sync.Once
	holds [charKinds][]uint64

	mu   sync.Mutex
	only map[CharSet][]uint64
}

// maxOnly bounds how many masks Only keeps.
const maxOnly = 64

// Holding is the mask of the safe tokens that hold a character, nil where there is
// none. It is shared.
func (v *Vocabulary) Holding(c int) []uint64 {
	v.chars.once.Do(v.holdings)
	return v.chars.holds[c]
}

// Only is the mask of the safe tokens that hold characters of a set alone. It is
// shared.
func (v *Vocabulary) Only(s CharSet) []uint64 {
	v.chars.once.Do(v.holdings)
	v.chars.mu.Lock()
	defer v.chars.mu.Unlock()
	if mask, ok := v.chars.only[s]; ok {
		return mask
	}
	mask := append([]uint64(nil), v.Safe(v.SafeLength())...)
	for c, held := range v.chars.holds {
		if held != nil && !s.Has(c) {
			for i := range mask {
				mask[i] &^= held[i]
			}
		}
	}
	if len(v.chars.only) >= maxOnly {
		clear(v.chars.only)
	}
	v.chars.only[s] = mask
	return mask
}

func (v *Vocabulary) holdings() {
	v.chars.only = map[CharSet][]uint64{}
	for id, t := range v.tokens {
		if safeLength(t) == 0 {
			continue
		}
		for _, r := range t.Bytes {
			c := int(r)
			switch {
			case r == 0x2028 || r == 0x2029:
				c = LineEnds
			case r >= utf8.RuneSelf:
				c = BeyondASCII
			}
			if v.chars.holds[c] == nil {
				v.chars.holds[c] = make([]uint64, v.Words())
			}
			v.chars.holds[c][id>>6] |= 1 << (id & 63)
		}
	}
}
