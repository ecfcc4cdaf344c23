package schema

import (
	"math"
	"slices"
	"strings"
)

// nearest are the candidates so like s that a slip is likely, best first.
func nearest(s string, candidates []string, n int) []string {
	var m meter
	var out []string
	for _, at := range m.closest(s, newRoster(candidates), n, likely, nil) {
		out = append(out, candidates[at.place])
	}
	return out
}

// likely is the greatest distance of a slip, by the sizes of both names.
func likely(given, size int) int {
	return min(max(1, max(given, size)/3), 4, size-1)
}

// maxCandidates bounds what one message may cost.
const maxCandidates = 2000

// roster is candidates made ready to be measured: folded, and in the order of
// that, so that what a name begins with is measured once for all that share it.
type roster []folded

type folded struct {
	text   string
	place  int // among the candidates
	shared int // how many bytes it begins with as the one before
}

func newRoster(candidates []string) roster {
	candidates = candidates[:min(len(candidates), maxCandidates)]
	list := make(roster, len(candidates))
	var b [meterSize]byte
	for n, c := range candidates {
		list[n] = folded{text: string(b[:fold(&b, c)]), place: n}
	}
	slices.SortFunc(list, func(a, b folded) int { return strings.Compare(a.text, b.text) })
	for n := 1; n < len(list); n++ {
		a, b := list[n-1].text, list[n].text
		for list[n].shared < min(len(a), len(b)) && a[list[n].shared] == b[list[n].shared] {
			list[n].shared++
		}
	}
	return list
}

// near is a candidate that was measured.
type near struct{ place, distance int }

// closest are the n candidates with the least distance, in their order where
// that is equal; limit, if there is one, is the greatest distance by the two
// lengths, and skip says which candidates are out. The meter owns the list.
func (m *meter) closest(s string, candidates roster, n int, limit func(given, size int) int, skip []bool) []near {
	m.set(s)
	list := m.list[:0]
	ready := 0
	worst := near{math.MaxInt, meterSize} // of a full list
	for c := range candidates {
		x := &candidates[c]
		ready = min(ready, x.shared)
		size := len(x.text)
		if (skip != nil && skip[x.place]) || (size == 0 && m.size > 0) {
			continue
		}
		most := worst.distance
		if x.place > worst.place {
			most--
		}
		if limit != nil {
			most = min(most, limit(m.size, size))
		}
		var d int
		if d, ready = m.distance(x.text, ready, most); d > most {
			continue
		}
		at := len(list)
		for at > 0 && (list[at-1].distance > d || (list[at-1].distance == d && list[at-1].place > x.place)) {
			at--
		}
		if len(list) < n {
			list = append(list, near{})
		}
		copy(list[at+1:], list[at:])
		list[at] = near{x.place, d}
		if len(list) == n {
			worst = list[n-1]
		}
	}
	m.list = list
	return list
}

// meterSize is how many bytes of a name are compared.
const meterSize = 64

// meter measures the distance of names from one name, by the edits (insert,
// delete, replace, swap neighbours) between them. Names that differ by case or
// word marks count as equal. A column of the usual table is two bit vectors, one
// bit a byte of the name (Hyyrö 2003).
type meter struct {
	name    [meterSize]byte
	places  [256]uint64 // where each byte stands in the name
	size    int
	columns [meterSize + 1]column // by how much of the other name they stand for
	depth   int                   // how many of them, but for the first, are made
	list    []near
}

type column struct {
	same, down, before, up uint64
	distance               int
}

// fold writes a name in lower case and without word marks.
func fold(dst *[meterSize]byte, s string) int {
	n := 0
	for i := 0; i < len(s) && n < meterSize; i++ {
		c := s[i]
		switch {
		case c == '_' || c == '-' || c == ' ' || c == '.':
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		dst[n] = c
		n++
	}
	return n
}

func (m *meter) set(name string) {
	for _, c := range m.name[:m.size] {
		m.places[c] = 0
	}
	m.size = fold(&m.name, name)
	for i, c := range m.name[:m.size] {
		m.places[c] |= 1 << i
	}
	m.columns[0], m.depth = column{up: ^uint64(0), distance: m.size}, 0
}

// distance from a folded name is exact up to most, and greater than most beyond
// it. The first columns are ready; it gives how many are then.
func (m *meter) distance(other string, ready, most int) (int, int) {
	if d := m.size - len(other); most < 0 || d > most || -d > most {
		return most + 1, ready
	}
	if m.size == 0 {
		return len(other), 0
	}
	// To bytes that the name does not hold, all that it does not hold are the same.
	for ready < min(len(other), m.depth) && m.columns[ready+1].before == m.places[other[ready]] {
		ready++
	}
	if ready == len(other) {
		return m.columns[ready].distance, ready
	}
	m.depth = ready
	x := m.columns[ready]
	for n := ready; n < len(other); n++ {
		if x.distance-(len(other)-n) > most {
			return most + 1, n
		}
		at := m.places[other[n]]
		swapped := ((^x.same & at) << 1) & x.before
		x.same = (((at & x.up) + x.up) ^ x.up) | at | x.down | swapped
		right := x.down | ^(x.same | x.up)
		left := x.same & x.up
		x.distance += int(right>>(m.size-1)&1) - int(left>>(m.size-1)&1)
		right = right<<1 | 1
		left <<= 1
		x.up = left | ^(x.same | right)
		x.down = right & x.same
		x.before = at
		m.depth++
		m.columns[m.depth] = x
	}
	return x.distance, len(other)
}
