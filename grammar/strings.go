package grammar

import (
	"github.com/holdfast-go/holdfast/internal/jsonchar"
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
	from := textState{q: w.state, char: w.char, lo: w.lo, hi: w.hi}
	to, ok := from.step(w.text, b)
	if !ok || to.char != 0 && !to.leads(w.text) {
		return out
	}
	next := *w
	next.state, next.char, next.lo, next.hi = to.q, to.char, to.lo, to.hi
	return append(out, next)
}

// textState is where a text stands in its automaton.
type textState struct {
	q      int32
	char   jsonchar.Part
	lo, hi int32         // how many characters must come, and may; negative: no bound
	row    *textlang.Row // of q, where a walk asked for it
}

// step reads one byte that is no closing quote. Whether a character that is cut can
// become one that leads on is for leads to say.
func (from *textState) step(l *textlang.Lang, b byte) (to textState, ok bool) {
	s := from.char.Step(b)
	if !s.OK {
		return to, false
	}
	if s.Next != 0 {
		to = *from
		to.char = s.Next
		return to, true
	}
	return from.whole(l, l.Step(from.q, s.Rune))
}

// leads reports whether a character that is cut can become one that leads on.
func (from *textState) leads(l *textlang.Lang) bool {
	if l.Max < 0 && l.Open(from.q) {
		return true
	}
	for _, r := range from.char.Ranges() {
		if l.Leads(from.q, r[0], r[1], int(from.lo), int(from.hi)) {
			return true
		}
	}
	return false
}

// whole counts a character that led to q.
func (from *textState) whole(l *textlang.Lang, q int32) (to textState, ok bool) {
	if from.hi == 0 || q == textlang.Dead {
		return to, false
	}
	to = textState{q: q, lo: from.lo, hi: from.hi}
	if from.lo <= 0 && from.hi < 0 {
		return to, true
	}
	// Counts that are capped stay.
	far := l.Far()
	limit := int32(farEnough + far)
	if far < 0 || from.lo < limit {
		to.lo = max(from.lo-1, 0)
	}
	if from.hi > 0 && (far < 0 || from.hi < limit) {
		to.hi = from.hi - 1
	}
	return to, l.Fits(q, int(to.lo), int(to.hi))
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
