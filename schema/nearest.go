package schema

import "slices"

// nearest are the candidates so like s that a slip is likely, best first.
func nearest(s string, candidates []string, n int) []string {
	return closest(s, candidates, n, func(given, size int) int {
		return min(max(1, max(size, given)/3), 4, size-1)
	})
}

// maxCandidates bounds what one message may cost.
const maxCandidates = 2000

// closest are the n candidates with the least distance, in their order where
// that is equal; limit, if there is one, is the greatest distance by the two
// lengths.
func closest(s string, candidates []string, n int, limit func(given, size int) int) []string {
	type scored struct {
		name string
		d    int
	}
	var list []scored
	var m meter
	m.set(s)
	for _, c := range candidates[:min(len(candidates), maxCandidates)] {
		size := m.against(c)
		most := meterSize
		if limit != nil {
			most = limit(m.size, size)
		}
		if len(list) == n {
			most = min(most, list[n-1].d-1)
		}
		d := m.distance(most)
		if d > most || (size == 0 && m.size > 0) {
			continue
		}
		at := len(list)
		for at > 0 && list[at-1].d > d {
			at--
		}
		list = slices.Insert(list, at, scored{c, d})
		list = list[:min(len(list), n)]
	}
	var out []string
	for _, x := range list {
		out = append(out, x.name)
	}
	return out
}

// meterSize is how many bytes of a name are compared.
const meterSize = 64

// meter measures the distance of names from one name, by the edits (insert,
// delete, replace, swap neighbours) between them. Names that differ by case or
// word marks count as equal. A column of the usual table is two bit vectors, one
// bit a byte of the name (Hyyrö 2003).
type meter struct {
	other     [meterSize]byte
	places    [256]uint64 // where each byte stands in the name
	size, len int
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
	m.size = fold(&m.other, name)
	for i, c := range m.other[:m.size] {
		m.places[c] |= 1 << i
	}
}

// against takes the name to measure next and gives its length.
func (m *meter) against(name string) int {
	m.len = fold(&m.other, name)
	return m.len
}

// distance is exact up to most, and greater than most beyond it.
func (m *meter) distance(most int) int {
	if d := m.size - m.len; most < 0 || d > most || -d > most {
		return most + 1
	}
	if m.size == 0 {
		return m.len
	}
	var same, down, before uint64
	up := ^uint64(0)
	d := m.size
	for _, c := range m.other[:m.len] {
		at := m.places[c]
		swapped := ((^same & at) << 1) & before
		same = (((at & up) + up) ^ up) | at | down | swapped
		right := down | ^(same | up)
		left := same & up
		d += int(right>>(m.size-1)&1) - int(left>>(m.size-1)&1)
		right = right<<1 | 1
		left <<= 1
		up = left | ^(same | right)
		down = right & same
		before = at
	}
	return d
}
