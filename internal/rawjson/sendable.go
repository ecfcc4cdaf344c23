package rawjson

import (
	"bytes"
	"unicode/utf8"
)

// Valid reports whether raw is exactly one JSON value, white space around it
// allowed. Repeated names and invalid UTF-8 are no fault here.
func Valid(raw []byte) bool {
	c := Cursor{b: raw}
	c.Skip()
	return c.Done()
}

// IsObject reports whether raw is exactly one valid JSON object.
func IsObject(raw []byte) bool { return Kind(raw) == '{' && Valid(raw) }

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
		r, ok := hex4(raw[i:])
		switch {
		case !ok || r < 0xD800 || r > 0xDFFF:
			i += 6
		case isHigh(r) && lowAt(raw[min(i+6, len(raw)):]):
			i += 12
		default:
			return i
		}
		if i > len(raw) {
			return -1
		}
	}
}

func lowAt(raw []byte) bool {
	r, ok := hex4(raw)
	return ok && isLow(r)
}
