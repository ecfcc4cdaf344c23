package rawjson

import (
	"bytes"
	"unicode/utf8"
)

// AppendString appends a JSON string's value to text; of anything else, nothing.
// Halves of a surrogate pair may stand in two strings of a stream: a low half
// joins a high half at the end of text.
func AppendString(text, raw []byte) []byte {
	body, ok := quoted(raw)
	if !ok {
		return text
	}
	return unescape(text, body)
}

// Text is text made valid UTF-8: what is not becomes U+FFFD, once for a lone
// surrogate half.
func Text(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 && isHalf(text[i:]) {
			n = 3
		}
		out = utf8.AppendRune(out, r)
		i += n
	}
	return string(out)
}

// quoted is what stands between the quotes of a string.
func quoted(raw []byte) ([]byte, bool) {
	raw = bytes.TrimSpace(raw)
	n := len(raw)
	if n < 2 || raw[0] != '"' || raw[n-1] != '"' {
		return nil, false
	}
	return raw[1 : n-1], true
}

// unescape appends the text of a string's body to dst.
func unescape(dst, body []byte) []byte {
	for len(body) > 0 {
		at := bytes.IndexByte(body, '\\')
		if at < 0 || at+1 >= len(body) {
			return append(dst, body...)
		}
		dst = append(dst, body[:at]...)
		body = body[at:]
		if r, ok := hex4(body); ok {
			dst = appendUnit(dst, r)
			body = body[6:]
			continue
		}
		dst = append(dst, simpleEscape(body[1]))
		body = body[2:]
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
		case isDigit(x):
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

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isHigh(r rune) bool  { return r >= 0xD800 && r < 0xDC00 }
func isLow(r rune) bool   { return r >= 0xDC00 && r < 0xE000 }

// appendUnit appends one UTF-16 unit, joining it to a high half before it. A half
// that stays alone is kept in three bytes.
func appendUnit(text []byte, r rune) []byte {
	switch {
	case isLow(r) && endsInHigh(text):
		n := len(text)
		return utf8.AppendRune(text[:n-3], 0x10000+(half(text[n-3:])-0xD800)<<10+(r-0xDC00))
	case isHigh(r) || isLow(r):
		return append(text, 0xED, 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(text, r)
}

// join appends the next fragment of a text. A surrogate pair whose halves stand
// at the seam becomes the character that it means.
func join(text, fragment []byte) []byte {
	if endsInHigh(text) && isHalf(fragment) && isLow(half(fragment)) {
		text = appendUnit(text, half(fragment))
		fragment = fragment[3:]
	}
	return append(text, fragment...)
}

// isHalf reports a surrogate half at the start of text.
func isHalf(text []byte) bool {
	return len(text) >= 3 && text[0] == 0xED && text[1]&0xE0 == 0xA0 && text[2]&0xC0 == 0x80
}

// half is the surrogate at the start of text.
func half(text []byte) rune {
	return 0xD000 | rune(text[1]&0x3F)<<6 | rune(text[2]&0x3F)
}

func endsInHigh(text []byte) bool {
	n := len(text)
	return n >= 3 && isHalf(text[n-3:]) && isHigh(half(text[n-3:]))
}
