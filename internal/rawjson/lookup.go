package rawjson

import (
	"bytes"
	"iter"
)

// Kind tells a value by its first byte: one of { [ " t f n, '0' for a number, and
// a zero byte where there is none.
func Kind(raw []byte) byte {
	i := space(raw, 0)
	if i >= len(raw) {
		return 0
	}
	switch b := raw[i]; b {
	case '{', '[', '"', 't', 'f', 'n':
		return b
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return '0'
	}
	return 0
}

func space(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\r' || raw[i] == '\t') {
		i++
	}
	return i
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
				name = unescape(nil, name)
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

// MemberString is the last value of that name where it is a string, or "".
func MemberString(raw []byte, name string) string { return String(Member(raw, name)) }

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
	body, _ := quoted(raw)
	if bytes.IndexByte(body, '\\') < 0 {
		return string(body)
	}
	return string(unescape(nil, body))
}

// Int is a JSON integer's value.
func Int(raw []byte) (int64, bool) {
	raw = bytes.TrimSpace(raw)
	negative := len(raw) > 0 && raw[0] == '-'
	if negative {
		raw = raw[1:]
	}
	var n int64
	for _, d := range raw {
		if !isDigit(d) || n > (1<<63-1-int64(d-'0'))/10 {
			return 0, false
		}
		n = n*10 + int64(d-'0')
	}
	if negative {
		n = -n
	}
	return n, len(raw) > 0
}

// IsNull reports whether raw is null or nothing at all.
func IsNull(raw []byte) bool {
	k := Kind(raw)
	return k == 'n' || k == 0
}

// IsEmpty reports an object or a list without anything in it.
func IsEmpty(raw []byte) bool {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '{' && raw[i] != '[' {
		return false
	}
	i = space(raw, i+1)
	return i < len(raw) && (raw[i] == '}' || raw[i] == ']')
}

// True reports whether raw is the literal true.
func True(raw []byte) bool { return Kind(raw) == 't' }
