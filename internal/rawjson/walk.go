package rawjson

import (
	"bytes"
	"iter"
	"strconv"
	"unicode/utf8"
)

// Kind is the first byte of the value: { [ " t f n - or 0 for any number, and a
// zero byte where there is nothing.
func Kind(raw []byte) byte {
	i := space(raw, 0)
	if i >= len(raw) {
		return 0
	}
	if isDigit(raw[i]) || raw[i] == '-' {
		return '0'
	}
	return raw[i]
}

// Members yields the names (unescaped) and values of an object, in order; of
// anything else, nothing. Both are slices of raw unless a name was escaped.
func Members(raw []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		i := space(raw, 0)
		if i >= len(raw) || raw[i] != '{' {
			return
		}
		for i = space(raw, i+1); i < len(raw) && raw[i] == '"'; {
			end := skip(raw, i)
			name := raw[i+1 : max(i+1, end-1)]
			if bytes.IndexByte(name, '\\') >= 0 {
				name = AppendString(nil, raw[i:end])
			}
			i = space(raw, end)
			if i >= len(raw) || raw[i] != ':' {
				return
			}
			start := space(raw, i+1)
			end = skip(raw, start)
			if !yield(name, raw[start:end]) {
				return
			}
			if i = space(raw, end); i < len(raw) && raw[i] == ',' {
				i = space(raw, i+1)
			}
		}
	}
}

// Elements yields the values of an array, in order; of anything else, nothing.
func Elements(raw []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		i := space(raw, 0)
		if i >= len(raw) || raw[i] != '[' {
			return
		}
		i = space(raw, i+1)
		for n := 0; i < len(raw) && raw[i] != ']'; n++ {
			end := skip(raw, i)
			if end == i || !yield(n, raw[i:end]) {
				return
			}
			if i = space(raw, end); i < len(raw) && raw[i] == ',' {
				i = space(raw, i+1)
			}
		}
	}
}

// Member is the last value of that name, or nil.
func Member(raw []byte, name string) []byte {
	var found []byte
	for n, v := range Members(raw) {
		if string(n) == name {
			found = v
		}
	}
	return found
}

// skip returns the index behind the value at i of text that is known to be
// valid; of other text, some index between i and the end.
func skip(raw []byte, i int) int {
	if i >= len(raw) {
		return len(raw)
	}
	switch raw[i] {
	case '"':
		return skipString(raw, i)
	case '{', '[':
		depth := 0
		for i < len(raw) {
			switch raw[i] {
			case '"':
				i = skipString(raw, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return len(raw)
	}
	for i < len(raw) {
		switch raw[i] {
		case ',', '}', ']', ' ', '\n', '\r', '\t':
			return i
		}
		i++
	}
	return i
}

func skipString(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(raw)
}

// String is a JSON string's value, or "" of anything else.
func String(raw []byte) string {
	if Kind(raw) != '"' {
		return ""
	}
	raw = bytes.TrimSpace(raw)
	if inner := raw[1:max(1, len(raw)-1)]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	return string(AppendString(nil, raw))
}

// Int is a JSON integer's value.
func Int(raw []byte) (int64, bool) {
	if Kind(raw) != '0' {
		return 0, false
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(raw)), 10, 64)
	return n, err == nil
}

// IsNull reports whether raw is null or nothing at all.
func IsNull(raw []byte) bool {
	k := Kind(raw)
	return k == 'n' || k == 0
}

// True reports whether raw is the literal true.
func True(raw []byte) bool { return Kind(raw) == 't' }

// AppendString appends a JSON string's value to text; of anything else, nothing.
// Halves of a surrogate pair may stand in two strings of a stream: a low half
// joins a high half at the end of text. A half that stays alone is kept in the
// three bytes that no valid UTF-8 has, so that a strict reader refuses it.
func AppendString(text, raw []byte) []byte {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '"' {
		return text
	}
	for i++; i < len(raw); {
		start := i
		for i < len(raw) && raw[i] != '"' && raw[i] != '\\' {
			i++
		}
		text = append(text, raw[start:i]...)
		if i+1 >= len(raw) || raw[i] == '"' {
			return text
		}
		c := raw[i+1]
		i += 2
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r, ok := hex4(raw, i)
			if !ok {
				return text
			}
			i += 4
			text = appendUnit(text, r)
			continue
		}
		text = append(text, c)
	}
	return text
}

// appendUnit appends one UTF-16 unit, joining it to a high half before it.
func appendUnit(text []byte, r rune) []byte {
	switch {
	case r < 0xD800 || r > 0xDFFF:
		return utf8.AppendRune(text, r)
	case r >= 0xDC00 && endsInHigh(text):
		n := len(text)
		high := rune(0xD000) | rune(text[n-2]&0x3F)<<6 | rune(text[n-1]&0x3F)
		return utf8.AppendRune(text[:n-3], 0x10000+(high-0xD800)<<10+(r-0xDC00))
	}
	return append(text, 0xED, 0x80|byte(r>>6&0x3F), 0x80|byte(r&0x3F))
}

func endsInHigh(text []byte) bool {
	n := len(text)
	return n >= 3 && text[n-3] == 0xED && text[n-2]&0xF0 == 0xA0
}
