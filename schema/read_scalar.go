package schema

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special marks, by its high bit, the first byte of w that ends a plain run: a
// quote, a backslash, a control character or a byte beyond ASCII.
func special(w uint64) uint64 {
	quote := w ^ (ones * '"')
	slash := w ^ (ones * '\\')
	return ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*0x20)&^w | w) & highs
}

// str reads a string; a name's hash is kept for the tables.
func (r *reader) str(name bool) bool {
	src, start := r.src, r.pos+1
	p := start
	var flags uint8
	for {
		for p+8 <= len(src) {
			s := special(binary.LittleEndian.Uint64(src[p:]))
			if s != 0 {
				p += bits.TrailingZeros64(s) >> 3
				break
			}
			p += 8
		}
		if p >= len(src) {
			return r.unended(start, p)
		}
		switch c := src[p]; {
		case c == '"':
			return r.endString(start, p, flags, name)
		case c == '\\':
			return r.escaped(start, p, flags, name)
		case c < 0x20:
			return r.fail("json", p, fmt.Sprintf("a string holds the control character 0x%02x unescaped", c))
		case c >= 0x80:
			flags = flagNonASCII
			for p < len(src) && src[p] >= 0x80 {
				p++
			}
		default:
			p++
		}
	}
}

func (r *reader) unended(start, p int) bool {
	if p-start > r.lim.String {
		return r.tooLong(start)
	}
	return r.fail("json", p, "the text ends inside a string")
}

func (r *reader) tooLong(start int) bool {
	return r.fail("limit", start-1, fmt.Sprintf("a string is longer than the %d bytes allowed", r.lim.String))
}

func (r *reader) endString(start, p int, flags uint8, name bool) bool {
	if p-start > r.lim.String {
		return r.tooLong(start)
	}
	text := r.src[start:p]
	if flags != 0 && !utf8.Valid(text) {
		return r.fail("json", start+firstInvalid(text), "a string holds bytes that are not UTF-8")
	}
	n := node{off: uint32(start), end: uint32(p), kind: uint8(String), flags: flags}
	if name {
		n.aux = hashBytes(text)
	}
	r.nodes = append(r.nodes, n)
	r.pos = p + 1
	return true
}

// hashBytes is hashText; the compiler keeps the conversion from copying.
func hashBytes(b []byte) uint32 {
	if len(b) <= 32 {
		return hashText(string(b)) // a small buffer on the stack
	}
	return hashText(string(b))
}

func firstInvalid(b []byte) int {
	for i := 0; i < len(b); {
		c, n := utf8.DecodeRune(b[i:])
		if c == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return 0
}

// escaped reads on from the first backslash at p and keeps the decoded text.
func (r *reader) escaped(start, p int, flags uint8, name bool) bool {
	src := r.src
	out := append(make([]byte, 0, 2*(p-start)+16), src[start:p]...)
	for {
		if p >= len(src) {
			return r.unended(start, p)
		}
		if p-start > r.lim.String {
			return r.tooLong(start)
		}
		switch c := src[p]; {
		case c == '"':
			return r.endEscaped(start, p, flags, name, out)
		case c == '\\':
			var ok bool
			if out, p, ok = r.escape(out, p); !ok {
				return false
			}
		case c < 0x20:
			return r.fail("json", p, fmt.Sprintf("a string holds the control character 0x%02x unescaped", c))
		default:
			if c >= 0x80 {
				flags |= flagNonASCII
			}
			out = append(out, c)
			p++
		}
	}
}

func (r *reader) endEscaped(start, p int, flags uint8, name bool, out []byte) bool {
	if flags != 0 && !utf8.Valid(r.src[start:p]) {
		return r.fail("json", start+firstInvalid(r.src[start:p]), "a string holds bytes that are not UTF-8")
	}
	for _, c := range out {
		if c >= 0x80 {
			flags |= flagNonASCII
			break
		}
	}
	text := string(out)
	n := node{off: uint32(start), end: uint32(p), next: uint32(len(r.strs)), kind: uint8(String), flags: flags | flagEscaped}
	if name {
		n.aux = hashText(text)
	}
	r.strs = append(r.strs, text)
	r.nodes = append(r.nodes, n)
	r.pos = p + 1
	return true
}

// escape decodes the escape at p.
func (r *reader) escape(out []byte, p int) ([]byte, int, bool) {
	if p+1 >= len(r.src) {
		return nil, 0, r.fail("json", p, "the text ends inside a string")
	}
	switch c := r.src[p+1]; c {
	case '"', '\\', '/':
		return append(out, c), p + 2, true
	case 'b':
		return append(out, '\b'), p + 2, true
	case 'f':
		return append(out, '\f'), p + 2, true
	case 'n':
		return append(out, '\n'), p + 2, true
	case 'r':
		return append(out, '\r'), p + 2, true
	case 't':
		return append(out, '\t'), p + 2, true
	case 'u':
		return r.unicodeEscape(out, p)
	default:
		return nil, 0, r.fail("json", p, "a string holds an escape that JSON does not have")
	}
}

func (r *reader) unicodeEscape(out []byte, p int) ([]byte, int, bool) {
	u, ok := r.hex4(p)
	if !ok {
		return nil, 0, r.fail("json", p, `\u must be followed by four hexadecimal digits`)
	}
	if !utf16.IsSurrogate(u) {
		return utf8.AppendRune(out, u), p + 6, true
	}
	if low, ok := r.hex4(p + 6); ok {
		if c := utf16.DecodeRune(u, low); c != utf8.RuneError {
			return utf8.AppendRune(out, c), p + 12, true
		}
	}
	return nil, 0, r.fail("json", p, "a string holds half of a surrogate pair")
}

// hex4 is the value of the escape \uXXXX at p.
func (r *reader) hex4(p int) (rune, bool) {
	if p+6 > len(r.src) || r.src[p] != '\\' || r.src[p+1] != 'u' {
		return 0, false
	}
	var u rune
	for _, c := range r.src[p+2 : p+6] {
		switch {
		case '0' <= c && c <= '9':
			u = u<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			u = u<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return u, true
}

// number reads a number's literal; nothing is computed but its length.
func (r *reader) number() bool {
	src, start := r.src, r.pos
	p := start
	if src[p] == '-' {
		p++
	}
	first := p
	p = digitsFrom(src, p)
	digits := p - first
	switch {
	case digits == 0:
		r.pos = p
		return r.unexpected("where a digit must stand")
	case digits > 1 && src[first] == '0':
		return r.fail("json", first, "a number has a leading zero")
	}
	flags := uint8(flagPlainInt)
	if p < len(src) && src[p] == '.' {
		flags = 0
		end := digitsFrom(src, p+1)
		if end == p+1 {
			r.pos = end
			return r.unexpected("where a digit must stand")
		}
		digits += end - p - 1
		p = end
	}
	if digits > r.lim.Digits {
		return r.fail("limit", start, fmt.Sprintf("a number has %d digits, more than the %d allowed", digits, r.lim.Digits))
	}
	if p < len(src) && src[p]|0x20 == 'e' {
		flags = 0
		end, ok := r.exponent(start, p+1)
		if !ok {
			return false
		}
		p = end
	}
	r.nodes = append(r.nodes, node{off: uint32(start), end: uint32(p), kind: uint8(Number), flags: flags})
	r.pos = p
	return true
}

func (r *reader) exponent(start, p int) (int, bool) {
	if p < len(r.src) && (r.src[p] == '+' || r.src[p] == '-') {
		p++
	}
	end := digitsFrom(r.src, p)
	if end == p {
		r.pos = end
		return 0, r.unexpected("where a digit must stand")
	}
	for p < end-1 && r.src[p] == '0' {
		p++
	}
	e, err := strconv.Atoi(string(r.src[p:min(end, p+9)]))
	if err != nil || end-p > 8 || e > r.lim.Exponent {
		return 0, r.fail("limit", start, fmt.Sprintf("a number's exponent is beyond ±%d", r.lim.Exponent))
	}
	return end, true
}

func digitsFrom(src []byte, p int) int {
	for p < len(src) && '0' <= src[p] && src[p] <= '9' {
		p++
	}
	return p
}
