package grammar

import (
	"slices"

	"github.com/holdfast-go/holdfast/internal/jsonchar"
	"github.com/holdfast-go/holdfast/internal/textlang"
	"github.com/holdfast-go/holdfast/schema"
)

// endsScalar reports whether the last byte ended an element that is a string or a
// word. Objects and arrays end with their bracket.
func (m *Matcher) endsScalar(was point) bool {
	switch was {
	case inText, inTrue, inFalse, inNull:
		return m.at.ways[0].at != was
	}
	return false
}

// endsNumber reports whether the next byte ends a number that is an element.
func (m *Matcher) endsNumber(b byte) bool {
	return m.scope >= 0 && m.scopes[m.scope].unique && m.at.ways[0].at == inNumber && (b == ',' || b == ']' || isSpace(b))
}

// endElement holds that the elements of an array differ, where the schema wants
// it. Readings that do not want it go on.
func (m *Matcher) endElement(end int) bool {
	raw := m.text[m.scopes[m.scope].begin:end]
	v, err := schema.Read(raw, wide)
	if err != nil {
		return false
	}
	start := len(m.decoded)
	m.decoded = append(m.decoded, v.Canonical()...)
	if !m.seen(m.decoded[start:]) {
		m.record(start)
		return true
	}
	m.decoded = m.decoded[:start]
	m.at = m.g.without(m.at)
	return m.at != dead
}

// without drops the readings in which the innermost array wants its elements to
// differ.
func (m *machine) without(p *position) *position {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.wayRoom[:0]
	for i := range p.ways {
		if in := p.ways[i].in; in == nil || in.array == nil || in.array.unique != uniqueByText {
			out = append(out, p.ways[i])
		}
	}
	m.wayRoom = out
	return m.position(out)
}

func (m *Matcher) seenWord(b byte) bool {
	switch b {
	case 't':
		return m.seen([]byte("true"))
	case 'f':
		return m.seen([]byte("false"))
	}
	return m.seen([]byte("null"))
}

// withoutUsedUp drops the readings of an open string that can only become what has
// come already.
func (m *Matcher) withoutUsedUp() *position {
	count := 0
	for i := m.scopes[m.scope].last; i >= 0; i = m.entries[i].before {
		count++
	}
	m.g.mu.Lock()
	defer m.g.mu.Unlock()
	usedUp := func(w way) bool {
		words, few := m.rest(&w, count)
		return few && m.allSeen(&w, words)
	}
	if !slices.ContainsFunc(m.at.ways, usedUp) {
		return m.at
	}
	return m.g.position(slices.DeleteFunc(slices.Clone(m.at.ways), usedUp))
}

// mayRunOut reports whether an open string may become one of few ways on, so that it
// matters before its end what came before.
func (m *machine) mayRunOut(w way) bool {
	m.mu.Lock() // automata of texts grow as they are asked
	defer m.mu.Unlock()
	switch {
	case w.at == inKey:
		return w.state >= 0 && w.in.object.byClass != nil && textlang.RunsOut(w.in.object.byClass, w.state)
	case w.at == inText:
		return w.in != nil && w.in.array != nil && w.in.array.unique == uniqueByText && (w.hi >= 0 || textlang.RunsOut(w.text.Machine, w.state))
	}
	return false
}

// namesMayRunOut is mayRunOut for a name that a token may begin, of an open object.
func (m *machine) namesMayRunOut(w way) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return w.in.namesMayRunOut()
}

func (f *frame) namesMayRunOut() bool {
	for ; f != nil; f = f.up {
		if slices.ContainsFunc(f.any, (*frame).namesMayRunOut) ||
			f.object != nil && f.object.byClass != nil && textlang.RunsOut(f.object.byClass, f.object.byClass.Start()) {
			return true
		}
	}
	return false
}

// rest lists how an open string can go on, where that is a matter of what came
// before and there are few ways.
func (m *Matcher) rest(w *way, limit int) ([]string, bool) {
	switch {
	case w.at == inKey && w.word < 0 && w.state >= 0 && w.in.object.byClass != nil && !w.in.object.byClass.Open(w.state):
		return textlang.FewFrom(w.in.object.byClass, w.state, limit)
	case w.at == inText && w.in != nil && w.in.array != nil && w.in.array.unique == uniqueByText && (w.hi >= 0 || textlang.RunsOut(w.text.Machine, w.state)):
		return w.text.Few(w.state, int(w.lo), int(w.hi), limit)
	}
	return nil, false
}

// allSeen reports whether what came of a string has come before with each of the
// endings.
func (m *Matcher) allSeen(w *way, endings []string) bool {
	start := len(m.decoded)
	defer func() { m.decoded = m.decoded[:start] }()
	m.decoded = jsonchar.AppendDecoded(m.decoded, m.text[m.begin:])
	stem := string(m.decoded[start:])
	for _, e := range endings {
		word := stem + e
		if w.at == inText {
			word = canonicalText(word)
		}
		if !m.seen([]byte(word)) {
			return false
		}
	}
	return true
}

// canonicalText is a string as schema.Value.Canonical writes it.
func canonicalText(s string) string {
	v, err := schema.Read([]byte(quote(s)), wide)
	if err != nil {
		return quote(s)
	}
	return string(v.Canonical())
}
