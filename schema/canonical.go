package schema

import (
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// Canonical is v with names ordered and strings escaped as in RFC 8785, and
// numbers as exact normalised decimals.
func (v Value) Canonical() []byte {
	if v.d == nil {
		return nil
	}
	return v.d.canonical(nil, v.i)
}

func (d *document) canonical(dst []byte, i uint32) []byte {
	n := &d.nodes[i]
	switch Kind(n.kind) {
	case String:
		return appendString(dst, d.text(i))
	case Number:
		return parseDecimal(d.src[n.off:n.end]).canonical(dst)
	case Array:
		dst = append(dst, '[')
		k := i + 1
		for j := range n.aux {
			if j > 0 {
				dst = append(dst, ',')
			}
			dst = d.canonical(dst, k)
			k = d.after(k)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for j, k := range d.sortedNames(i) {
			if j > 0 {
				dst = append(dst, ',')
			}
			dst = appendString(dst, d.text(k))
			dst = append(dst, ':')
			dst = d.canonical(dst, k+1)
		}
		return append(dst, '}')
	}
	return append(dst, d.src[n.off:n.end]...)
}

// sortedNames are the name nodes of object i in the order of RFC 8785: by UTF-16
// code units.
func (d *document) sortedNames(i uint32) []uint32 {
	names := make([]uint32, 0, d.nodes[i].aux)
	k := i + 1
	for range d.nodes[i].aux {
		names = append(names, k)
		k = d.after(k + 1)
	}
	slices.SortFunc(names, func(a, b uint32) int { return compareUTF16(d.text(a), d.text(b)) })
	return names
}

func compareUTF16(a, b string) int {
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if x != y {
			return int(firstUnit(x)) - int(firstUnit(y)) + sameUnit(x, y)
		}
		a, b = a[n:], b[m:]
	}
	return len(a) - len(b)
}

func firstUnit(c rune) rune {
	if c > 0xffff {
		high, _ := utf16.EncodeRune(c)
		return high
	}
	return c
}

// sameUnit orders two different characters that share the first unit.
func sameUnit(x, y rune) int {
	if firstUnit(x) != firstUnit(y) {
		return 0
	}
	return int(x - y)
}

// appendString writes s as a JSON string with the escapes of RFC 8785.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// Equal compares by JSON Schema's rule: numbers by value, objects without order.
func (v Value) Equal(w Value) bool {
	if v.d == nil || w.d == nil {
		return v.d == w.d
	}
	return equal(v.d, v.i, w.d, w.i)
}

func equal(a *document, i uint32, b *document, j uint32) bool {
	m, n := &a.nodes[i], &b.nodes[j]
	if m.kind != n.kind {
		return false
	}
	switch Kind(m.kind) {
	case Null:
		return true
	case Bool:
		return a.src[m.off] == b.src[n.off]
	case String:
		return a.text(i) == b.text(j)
	case Number:
		s, t := a.src[m.off:m.end], b.src[n.off:n.end]
		return s == t || parseDecimal(s).cmp(parseDecimal(t)) == 0
	}
	if m.aux != n.aux {
		return false
	}
	if Kind(m.kind) == Object {
		return equalMembers(a, i, b, j)
	}
	k, l := i+1, j+1
	for range m.aux {
		if !equal(a, k, b, l) {
			return false
		}
		k, l = a.after(k), b.after(l)
	}
	return true
}

// equalMembers compares two objects of the same size.
func equalMembers(a *document, i uint32, b *document, j uint32) bool {
	if a.nodes[i].aux > 16 {
		// Looking each name up would be quadratic.
		x, y := a.sortedNames(i), b.sortedNames(j)
		for n := range x {
			if a.text(x[n]) != b.text(y[n]) || !equal(a, x[n]+1, b, y[n]+1) {
				return false
			}
		}
		return true
	}
	k := i + 1
	for range a.nodes[i].aux {
		l, ok := b.member(j, a.text(k))
		if !ok || !equal(a, k+1, b, l) {
			return false
		}
		k = a.after(k + 1)
	}
	return true
}
