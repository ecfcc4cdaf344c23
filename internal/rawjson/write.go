package rawjson

import (
	"bytes"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendQuoted appends text as a JSON string. What is not valid UTF-8 becomes
// U+FFFD, one for each lone surrogate half that AppendString kept.
func AppendQuoted(dst, text []byte) []byte {
	dst = append(dst, '"')
	start := 0 // of what is taken as it is
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		n := 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, n = utf8.DecodeRune(text[i:]); r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
		}
		dst = append(dst, text[start:i]...)
		switch {
		case c < utf8.RuneSelf:
			dst = appendByte(dst, c)
		case isHalf(text[i:]):
			n = 3
			fallthrough
		default:
			dst = append(dst, "\uFFFD"...)
		}
		i += n
		start = i
	}
	return append(append(dst, text[start:]...), '"')
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

// Shown is what may be shown of a growing text from an offset on, and where to go
// on: a high surrogate half at the end waits for its other half.
func Shown(text []byte, from int) (string, int) {
	end := len(text)
	if endsInHigh(text) {
		end -= 3
	}
	if end <= from {
		return "", from
	}
	return Text(text[from:end]), end
}

// Quote is text as a JSON string.
func Quote(text string) []byte {
	return AppendQuoted(make([]byte, 0, len(text)+2), []byte(text))
}

func appendByte(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if c < ' ' {
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
	return append(dst, c)
}

// isHalf reports a surrogate half in the three bytes that AppendString kept.
func isHalf(text []byte) bool {
	return len(text) >= 3 && text[0] == 0xED && text[1] >= 0xA0 && text[1] <= 0xBF && text[2]&0xC0 == 0x80
}

// Set is a copy of the object raw in which name has that value, in its old place
// or, where it is new, at the end. Of two members of the name the later goes.
func Set(raw []byte, name string, value []byte) []byte {
	out := make([]byte, 0, len(raw)+len(name)+len(value)+4)
	out = append(out, '{')
	set := false
	for n, v := range Members(raw) {
		if string(n) == name {
			if set {
				continue
			}
			set, v = true, value
		}
		out = appendMember(out, n, v)
	}
	if !set {
		out = appendMember(out, []byte(name), value)
	}
	return append(out, '}')
}

// Drop is a copy of the object raw without the members of that name.
func Drop(raw []byte, name string) []byte {
	out := append(make([]byte, 0, len(raw)), '{')
	for n, v := range Members(raw) {
		if string(n) != name {
			out = appendMember(out, n, v)
		}
	}
	return append(out, '}')
}

func appendMember(out, name, value []byte) []byte {
	if len(out) > 1 {
		out = append(out, ',')
	}
	out = append(AppendQuoted(out, name), ':')
	return append(out, value...)
}

// Sendable reports whether raw is one JSON value that any provider's parser
// reads back: valid UTF-8 and no escaped surrogate half that stands alone.
func Sendable(raw []byte) bool {
	return Valid(raw) && utf8.Valid(raw) && loneHalf(raw, 0) < 0
}

// Clean is raw where it is sendable, else a copy of the valid text raw in which
// U+FFFD stands for each lone surrogate half and each run of bytes that is not UTF-8.
func Clean(raw []byte) []byte {
	if utf8.Valid(raw) && loneHalf(raw, 0) < 0 {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for start := 0; ; {
		i := loneHalf(raw, start)
		if i < 0 {
			return bytes.ToValidUTF8(append(out, raw[start:]...), []byte("\uFFFD"))
		}
		out = append(append(out, raw[start:i]...), "\uFFFD"...)
		start = i + 6
	}
}

// loneHalf is the index of the first \uD800 to \uDFFF escape at or after i that
// is not half of a pair, or -1.
func loneHalf(raw []byte, i int) int {
	for {
		n := bytes.IndexByte(raw[i:], '\\')
		if n < 0 || i+n+1 >= len(raw) {
			return -1
		}
		i += n
		if raw[i+1] != 'u' {
			i += 2
			continue
		}
		r, ok := hex4(raw, i+2)
		switch {
		case !ok || r < 0xD800 || r > 0xDFFF:
			i += 6
		case r < 0xDC00 && isLow(raw, i+6):
			i += 12
		default:
			return i
		}
		if i > len(raw) {
			return -1
		}
	}
}

func isLow(raw []byte, i int) bool {
	if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
		return false
	}
	r, ok := hex4(raw, i+2)
	return ok && r >= 0xDC00 && r <= 0xDFFF
}
