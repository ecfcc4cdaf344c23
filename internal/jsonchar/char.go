// Package jsonchar reads the characters of a JSON string byte by byte: UTF-8 and
// escapes, each of which may be cut anywhere.
package jsonchar

import "unicode/utf8"

// Part is what is known of a character of a string between two bytes: nothing
// (0), or the part that came of its UTF-8 or of its escape.
type Part uint32

// The kinds of a Part, in its top bits. Below stand: of UTF-8 how many bytes it
// has, how many are missing, and the bits so far; of an escape how many digits
// came and their value; of the second half of a pair also the first half.
const (
	charUTF8 Part = (iota + 1) << 28
	charEscape
	charHex
	charHigh
	charHighEscape
	charLow

	charKind Part = 15 << 28
)

// Step is what one more byte makes of a Part.
type Step struct {
	Next Part
	Rune rune // where the character is whole: Next is 0
	OK   bool
}

func whole(r rune) Step { return Step{Rune: r, OK: true} }

func part1(c Part) Step { return Step{Next: c, OK: true} }

// Step reads one byte of a string that is no closing quote.
func (c Part) Step(b byte) Step {
	switch c & charKind {
	case 0:
		return firstByte(b)
	case charUTF8:
		return c.utf8(b)
	case charEscape:
		return escaped(b)
	case charHex:
		return c.hex(b)
	case charHigh:
		if b == '\\' {
			return part1(charHighEscape | c&0x3ff)
		}
	case charHighEscape:
		if b == 'u' {
			return part1(charLow | c&0x3ff)
		}
	case charLow:
		return c.low(b)
	}
	return Step{}
}

func firstByte(b byte) Step {
	switch {
	case b == '\\':
		return part1(charEscape)
	case b < 0x20:
		return Step{}
	case b < 0x80:
		return whole(rune(b))
	case 0xc2 <= b && b <= 0xdf:
		return part1(utf8Part(2, 1, rune(b&0x1f)))
	case 0xe0 <= b && b <= 0xef:
		return part1(utf8Part(3, 2, rune(b&0x0f)))
	case 0xf0 <= b && b <= 0xf4:
		return part1(utf8Part(4, 3, rune(b&0x07)))
	}
	return Step{}
}

func utf8Part(total, missing int, bits rune) Part {
	return charUTF8 | Part(total)<<25 | Part(missing)<<22 | Part(bits)
}

func (c Part) utf8(b byte) Step {
	if b&0xc0 != 0x80 {
		return Step{}
	}
	missing := int(c>>22&7) - 1
	bits := rune(c&0x3fffff)<<6 | rune(b&0x3f)
	next := utf8Part(int(c>>25&7), missing, bits)
	if lo, hi := next.utf8Range(); lo > hi {
		return Step{}
	}
	if missing == 0 {
		return whole(bits)
	}
	return part1(next)
}

// utf8Range are the characters that can still become of c. Those that have a
// shorter form and the halves of pairs are none.
func (c Part) utf8Range() (lo, hi rune) {
	missing := int(c >> 22 & 7)
	lo = rune(c&0x3fffff) << (6 * missing)
	hi = lo | (1<<(6*missing) - 1)
	switch c >> 25 & 7 {
	case 2:
		lo = max(lo, 0x80)
	case 3:
		lo = max(lo, 0x800)
		if lo >= 0xd800 && lo <= 0xdfff {
			lo = 0xe000
		}
	case 4:
		lo, hi = max(lo, 0x10000), min(hi, utf8.MaxRune)
	}
	return lo, hi
}

func escaped(b byte) Step {
	switch b {
	case '"', '\\', '/':
		return whole(rune(b))
	case 'b':
		return whole('\b')
	case 'f':
		return whole('\f')
	case 'n':
		return whole('\n')
	case 'r':
		return whole('\r')
	case 't':
		return whole('\t')
	case 'u':
		return part1(charHex)
	}
	return Step{}
}

func hexValue(b byte) (Part, bool) {
	switch {
	case '0' <= b && b <= '9':
		return Part(b - '0'), true
	case 'a' <= b|0x20 && b|0x20 <= 'f':
		return Part(b|0x20-'a') + 10, true
	}
	return 0, false
}

func (c Part) hex(b byte) Step {
	d, ok := hexValue(b)
	if !ok {
		return Step{}
	}
	digits, v := c>>16&7+1, c&0xffff<<4|d
	switch {
	case digits < 4:
		next := charHex | digits<<16 | v
		if lo, hi := next.hexRange(); lo >= 0xdc00 && hi <= 0xdfff {
			return Step{} // the second half of a pair without the first
		}
		return part1(next)
	case 0xd800 <= v && v <= 0xdbff:
		return part1(charHigh | (v - 0xd800))
	case 0xdc00 <= v && v <= 0xdfff:
		return Step{}
	}
	return whole(rune(v))
}

func (c Part) hexRange() (lo, hi rune) {
	left := 4 * (4 - int(c>>16&7))
	lo = rune(c&0xffff) << left
	return lo, lo | (1<<left - 1)
}

func (c Part) low(b byte) Step {
	d, ok := hexValue(b)
	if !ok {
		return Step{}
	}
	digits, v := c>>26&3+1, c>>10&0xffff<<4|d
	if digits < 4 {
		next := charLow | digits<<26 | v<<10 | c&0x3ff
		if lo, hi := next.lowRange(); lo > hi {
			return Step{}
		}
		return part1(next)
	}
	if v < 0xdc00 || v > 0xdfff {
		return Step{}
	}
	return whole(pair(rune(c&0x3ff), rune(v)))
}

func pair(high, low rune) rune { return 0x10000 + high<<10 + (low - 0xdc00) }

// lowRange are the second halves that can still become of c.
func (c Part) lowRange() (lo, hi rune) {
	left := 4 * (4 - int(c>>26&3))
	lo = rune(c>>10&0xffff) << left
	return max(lo, 0xdc00), min(lo|(1<<left-1), 0xdfff)
}

// Ranges are the characters that can still become of a Part, as at most three
// ranges; of none, everything.
func (c Part) Ranges() [][2]rune {
	switch c & charKind {
	case charUTF8:
		lo, hi := c.utf8Range()
		return [][2]rune{{lo, hi}}
	case charHex:
		lo, hi := c.hexRange()
		out := [][2]rune{{lo, min(hi, 0xd7ff)}, {max(lo, 0xe000), hi}}
		if first, last := max(lo, 0xd800), min(hi, 0xdbff); first <= last {
			out = append(out, [2]rune{pair(first-0xd800, 0xdc00), pair(last-0xd800, 0xdfff)})
		}
		return out
	case charHigh, charHighEscape:
		return [][2]rune{{pair(rune(c&0x3ff), 0xdc00), pair(rune(c&0x3ff), 0xdfff)}}
	case charLow:
		lo, hi := c.lowRange()
		return [][2]rune{{pair(rune(c&0x3ff), lo), pair(rune(c&0x3ff), hi)}}
	}
	return [][2]rune{{0, 0xd7ff}, {0xe000, utf8.MaxRune}}
}

// AppendDecoded adds the characters of the inside of a JSON string that is well
// formed, without a last one that is cut.
func AppendDecoded(dst, raw []byte) []byte {
	c := Part(0)
	for _, b := range raw {
		s := c.Step(b)
		if c = s.Next; s.OK && c == 0 {
			dst = utf8.AppendRune(dst, s.Rune)
		}
	}
	return dst
}
