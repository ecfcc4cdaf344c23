package rawjson

import (
	"bytes"
	"encoding/json"
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

// List is a JSON array of the values.
func List[T ~[]byte](values []T) []byte {
	out := []byte{'['}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}

// Marshal is v as JSON without HTML escapes: a model reads it, not a browser.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
