package tokenizer

import (
	"strconv"
	"strings"
)

// alphabet writes bytes as characters, as byte-level vocabularies do: a byte that
// is a printable character stands for itself, the others for those from U+0100 on,
// in their order.
type alphabet struct {
	rune  [256]rune
	bytes map[rune]byte
}

func newAlphabet() *alphabet {
	a := &alphabet{bytes: make(map[rune]byte, 256)}
	next := rune(0x100)
	for b := range 256 {
		r := rune(b)
		if b < '!' || b > '~' && b < 0xa1 || b == 0xad {
			r = next
			next++
		}
		a.rune[b], a.bytes[r] = r, byte(b)
	}
	return a
}

// decode gives the bytes of a token. One with a character that stands for no byte
// is meant as it is written.
func (a *alphabet) decode(token string) string {
	b := make([]byte, 0, len(token))
	for _, r := range token {
		c, ok := a.bytes[r]
		if !ok {
			return token
		}
		b = append(b, c)
	}
	return string(b)
}

// space is how SentencePiece writes one.
const space = "▁"

// pieceText gives the bytes of a SentencePiece token: <0x0A> is one byte.
func pieceText(token string) (text string, isByte bool) {
	if len(token) == len("<0x00>") && strings.HasPrefix(token, "<0x") && token[5] == '>' {
		if b, err := strconv.ParseUint(token[3:5], 16, 8); err == nil {
			return string([]byte{byte(b)}), true
		}
	}
	return strings.ReplaceAll(token, space, " "), false
}
