package jscan

import (
	"bytes"
	"unicode/utf8"
)

// str reads a string at the cursor. Without escapes it is a slice of the source.
func (c *Cursor) str() ([]byte, bool) {
	c.space()
	start := c.i + 1
	c.skipString()
	if c.failed {
		return nil, false
	}
	body := c.b[start : c.i-1 : c.i-1]
	at := bytes.IndexByte(body, '\\')
	if at < 0 {
		return body, true
	}
	from := len(c.scratch)
	c.scratch = unescape(append(c.scratch, body[:at]...), body[at:])
	return c.scratch[from:len(c.scratch):len(c.scratch)], true
}

// skipString passes over a string and checks its escapes.
func (c *Cursor) skipString() {
	if c.failed || c.i >= len(c.b) || c.b[c.i] != '"' {
		c.failed = true
		return
	}
	b := c.b
	for i := c.i + 1; i < len(b); i++ {
		switch x := b[i]; {
		case x == '"':
			c.i = i + 1
			return
		case x < 0x20:
			c.failed = true
			return
		case x == '\\':
			n := escapeLen(b[i:])
			if n == 0 {
				c.failed = true
				return
			}
			i += n - 1
		}
	}
	c.failed = true
}

// escapeLen is the length of the escape that b starts with, 0 if there is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(b); ok {
			return 6
		}
	}
	return 0
}

// hex4 reads \uXXXX.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, x := range b[2:6] {
		switch {
		case x >= '0' && x <= '9':
			x -= '0'
		case x >= 'a' && x <= 'f':
			x -= 'a' - 10
		case x >= 'A' && x <= 'F':
			x -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(x)
	}
	return r, true
}

// unescape appends the text of a checked string body to dst.
func unescape(dst, body []byte) []byte {
	for len(body) > 0 {
		at := bytes.IndexByte(body, '\\')
		if at < 0 {
			return append(dst, body...)
		}
		dst = append(dst, body[:at]...)
		body = body[at:]
		r, isUnicode := hex4(body)
		if !isUnicode {
			dst = append(dst, simpleEscape(body[1]))
			body = body[2:]
			continue
		}
		body = body[6:]
		if low, ok := hex4(body); ok && isHigh(r) && isLow(low) {
			r = combine(r, low)
			body = body[6:]
		}
		dst = appendRune(dst, r)
	}
	return dst
}

func simpleEscape(b byte) byte {
	switch b {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return b
}

func isHigh(r rune) bool { return r >= 0xD800 && r < 0xDC00 }
func isLow(r rune) bool  { return r >= 0xDC00 && r < 0xE000 }

func combine(high, low rune) rune { return 0x10000 + (high-0xD800)<<10 + (low - 0xDC00) }

// appendRune is utf8.AppendRune that keeps a surrogate in three bytes.
func appendRune(dst []byte, r rune) []byte {
	if isHigh(r) || isLow(r) {
		return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0xBF, 0x80|byte(r)&0xBF)
	}
	return utf8.AppendRune(dst, r)
}

// Join appends the next fragment of a text. A surrogate pair whose halves stand
// at the seam becomes the character that it means.
func Join(dst, fragment []byte) []byte {
	n := len(dst)
	if n < 3 || len(fragment) < 3 || dst[n-3] != 0xED || fragment[0] != 0xED {
		return append(dst, fragment...)
	}
	high, low := surrogate(dst[n-3:]), surrogate(fragment)
	if !isHigh(high) || !isLow(low) {
		return append(dst, fragment...)
	}
	dst = utf8.AppendRune(dst[:n-3], combine(high, low))
	return append(dst, fragment[3:]...)
}

func surrogate(b []byte) rune {
	return rune(b[0]&0x0F)<<12 | rune(b[1]&0x3F)<<6 | rune(b[2]&0x3F)
}

// Valid is a text made valid UTF-8: what is not becomes U+FFFD, once for a lone
// surrogate.
func Valid(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 && len(b) >= 3 && b[0] == 0xED && b[1] >= 0xA0 && b[1] < 0xC0 && b[2] >= 0x80 && b[2] < 0xC0 {
			n = 3
		}
		out = utf8.AppendRune(out, r)
		b = b[n:]
	}
	return string(out)
}
