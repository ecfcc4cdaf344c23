package grammar

import (
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// farEnough is more than the characters of one token.
const farEnough = 256

// capAll sets how many characters of a string must and may come, capped where more
// make no difference within one token.
func (m *machine) capAll(w *way, lo, hi int) {
	far := w.text.Far()
	limit := farEnough + far
	cut := func(n int) int32 {
		if far >= 0 && n > limit {
			return int32(limit)
		}
		return int32(n)
	}
	w.lo = cut(max(lo, 0))
	w.hi = -1
	if w.text.Max >= 0 {
		w.hi = cut(hi)
	}
}

// capped reports whether a count of w stands for more than it says.
func (m *machine) capped(w *way) bool {
	far := w.text.Far()
	limit := int32(farEnough + far)
	return far >= 0 && (w.lo >= limit || w.hi >= limit)
}

func (m *machine) inText(out []way, w *way, b byte) []way {
	if b == '"' && w.char == 0 {
		if w.lo <= 0 && w.text.Accept(w.state) {
			return m.whole(out, w.in)
		}
		return out
	}
	s := w.char.Step(b)
	if !s.OK {
		return out
	}
	next := *w
	next.char = s.Next
	if s.Next != 0 {
		if w.text.Max < 0 && w.text.Open(w.state) {
			return append(out, next)
		}
		for _, r := range s.Next.Ranges() {
			if w.text.Leads(w.state, r[0], r[1], int(w.lo), int(w.hi)) {
				return append(out, next)
			}
		}
		return out
	}
	if w.hi == 0 {
		return out
	}
	next.state = w.text.Step(w.state, s.Rune)
	if next.state == textlang.Dead {
		return out
	}
	countDown(w, &next)
	if (w.lo > 0 || w.hi >= 0) && !w.text.Fits(next.state, int(next.lo), int(next.hi)) {
		return out
	}
	return append(out, next)
}

// countDown counts one character off those counts that are not capped.
func countDown(w, next *way) {
	far := w.text.Far()
	limit := int32(farEnough + far)
	if far < 0 || w.lo < limit {
		next.lo = max(w.lo-1, 0)
	}
	if w.hi > 0 && (far < 0 || w.hi < limit) {
		next.hi = w.hi - 1
	}
}

// recount is a position with the counts of its strings as they are after so many
// characters.
func (m *machine) recount(p *position, chars int) *position {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.wayRoom[:0]
	for i := range p.ways {
		w := p.ways[i]
		if w.at == inText {
			m.capAll(&w, w.text.Min-chars, w.text.Max-chars)
		}
		out = append(out, w)
	}
	m.wayRoom = out
	return m.position(out)
}
