package tokenizer

import "unicode/utf8"

// divide tells the tokens that may stand anywhere in the body of a JSON string,
// whole characters without a quote, a backslash or a control, from the others.
func (v *Vocabulary) divide() {
	longest := 0
	for _, t := range v.tokens {
		if n := safeLength(t); n > longest {
			longest = n
		}
	}
	byLength := make([][]ID, longest+1)
	for id, t := range v.tokens {
		if n := safeLength(t); n > 0 {
			byLength[n] = append(byLength[n], ID(id))
		}
	}
	v.safe = make([][]uint64, longest+1)
	v.safe[0] = make([]uint64, v.Words())
	for n := 1; n <= longest; n++ {
		v.safe[n] = v.safe[n-1]
		if len(byLength[n]) == 0 {
			continue
		}
		v.safe[n] = append([]uint64(nil), v.safe[n-1]...)
		for _, id := range byLength[n] {
			v.safe[n][id>>6] |= 1 << (id & 63)
		}
	}
	v.leftover = newTrie(v, func(text string) bool { return safeLength(Token{Bytes: text}) == 0 })
}

// safeLength is how many code points a safe token has; 0: it is none.
func safeLength(t Token) int {
	if t.Kind != Text || len(t.Bytes) > maxDepth || !utf8.ValidString(t.Bytes) {
		return 0
	}
	for i := range len(t.Bytes) {
		if c := t.Bytes[i]; c < ' ' || c == '"' || c == '\\' {
			return 0
		}
	}
	return utf8.RuneCountInString(t.Bytes)
}

// Safe is the mask of the tokens that are safe within a JSON string, wherever a
// character may begin: one to runes whole characters, none of them a quote, a
// backslash or a control. It is shared; the caller must not change it.
func (v *Vocabulary) Safe(runes int) []uint64 {
	return v.safe[max(0, min(runes, len(v.safe)-1))]
}

// SafeLength is how many characters the longest safe token has: from there on
// Safe is the same.
func (v *Vocabulary) SafeLength() int { return len(v.safe) - 1 }

// Leftover is every text token that is not safe within a JSON string.
func (v *Vocabulary) Leftover() *Trie { return v.leftover }
