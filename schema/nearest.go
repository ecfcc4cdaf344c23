package schema

import "slices"

// nearest are the candidates so like s that a slip is likely, best first.
func nearest(s string, candidates []string, n int) []string {
	return closest(s, candidates, n, func(given, size int) int {
		return max(1, min(max(size, given)/3, 4, size-1))
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
// word marks count as equal.
type meter struct {
	name, other [meterSize]byte
	size, len   int
	rows        [3][meterSize + 1]uint8
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

func (m *meter) set(name string) { m.size = fold(&m.name, name) }

// against takes the name to measure next and gives its length.
func (m *meter) against(name string) int {
	m.len = fold(&m.other, name)
	return m.len
}

// distance is exact up to most, and greater than most beyond it.
func (m *meter) distance(most int) int {
	a, b := m.name[:m.size], m.other[:m.len]
	if d := len(a) - len(b); most < 0 || d > most || -d > most {
		return most + 1
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	before, prev, cur := &m.rows[0], &m.rows[1], &m.rows[2]
	for j := range len(b) + 1 {
		prev[j] = uint8(j)
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = uint8(i)
		least := cur[0]
		for j := 1; j <= len(b); j++ {
			cost := uint8(1)
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			cur[j] = d
			least = min(least, d)
		}
		if int(least) > most+1 { // a swap may reach back one row
			return most + 1
		}
		before, prev, cur = prev, cur, before
	}
	return int(prev[len(b)])
}
