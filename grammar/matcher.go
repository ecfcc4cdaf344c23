package grammar

import (
	"slices"

	"github.com/holdfast-go/holdfast/internal/jsonchar"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
)

// Matcher follows one text through a grammar. It is not safe for concurrent use;
// any number of matchers share a grammar.
type Matcher struct {
	g *machine
	v *tokenizer.Vocabulary // nil: bytes only
	// controls are the control tokens that may come as text.
	controls []control
	place
	text    []byte // the bytes so far
	decoded []byte // of names and elements that may not come again
	scopes  []scope
	entries []entry
	past    []place // before each accepted token

	room   []uint64 // for a mask that is not shared
	walker walker
	bad    []tokenizer.ID
	shown  *mask // what room holds, if it holds nothing else
}

// place is all that Rollback must bring back.
type place struct {
	at      *position
	space   byte
	ended   bool
	scope   int32 // the innermost open object or array, or -1
	begin   int32 // where the string begins that is open
	chars   int32 // its characters so far
	text    int32 // lengths of the matcher's lists
	decoded int32
	scopes  int32
	entries int32
}

// scope is an open object or array of the text.
type scope struct {
	up     int32
	last   int32 // entry, or -1
	begin  int32 // where its element begins
	unique bool  // an array whose elements must differ, by some reading
	array  bool
}

// entry is a name or an element that may not come again.
type entry struct {
	before     int32
	begin, end int32 // in decoded
}

// Matcher begins a text. With a nil vocabulary it takes bytes only.
func (g *Grammar) Matcher(v *tokenizer.Vocabulary) *Matcher {
	if v != nil { // what a vocabulary works out once is not for a mask to pay
		v.Body()
	}
	m := &Matcher{
		g: g.machine, v: v, place: place{at: g.machine.start, scope: -1},
		text: make([]byte, 0, 1024), past: make([]place, 0, 256),
	}
	if v != nil {
		m.controls = g.machine.controlsOf(v)
	}
	return m
}

// Clone is a matcher of its own at the same place. It cannot roll back to before.
func (m *Matcher) Clone() *Matcher {
	c := &Matcher{g: m.g, v: m.v, controls: m.controls, place: m.place}
	c.text, c.decoded = slices.Clone(m.text), slices.Clone(m.decoded)
	c.scopes, c.entries = slices.Clone(m.scopes), slices.Clone(m.entries)
	return c
}

// CanEnd reports whether the text is whole as it stands.
func (m *Matcher) CanEnd() bool { return m.at.ends && !m.ended }

// Done reports whether an end token was accepted, or nothing but the end can come.
func (m *Matcher) Done() bool { return m.ended || m.at == m.g.finish }

// AcceptBytes takes the bytes if some valid text goes on with all of them;
// otherwise it takes none, and says how many could be.
func (m *Matcher) AcceptBytes(text []byte) (n int, ok bool) {
	if m.ended {
		return 0, len(text) == 0
	}
	before := m.place
	for i, b := range text {
		if !m.feed(b) {
			m.restore(before)
			return i, false
		}
	}
	m.past = append(m.past, before)
	return len(text), true
}

// longestToken is the longest that a mask allows, in bytes: see tokenizer.Trie.
const longestToken = 255

// Accept takes a token that the mask allows. It reports false, and takes nothing,
// for one that the mask does not allow.
func (m *Matcher) Accept(id tokenizer.ID) bool {
	if m.ended || m.v == nil {
		return false
	}
	text := m.asText(id)
	if !text && slices.Contains(m.v.End(), id) {
		if !m.at.ends {
			return false
		}
		m.past = append(m.past, m.place)
		m.ended = true
		return true
	}
	t := m.v.Token(id)
	if !text && t.Kind != tokenizer.Text || t.Bytes == "" || len(t.Bytes) > longestToken {
		return false
	}
	before := m.place
	for i := range len(t.Bytes) {
		if !m.feed(t.Bytes[i]) {
			m.restore(before)
			return false
		}
	}
	m.past = append(m.past, before)
	return true
}

// Rollback takes back the last n things that were accepted. It reports false, and
// takes back nothing, if there were fewer.
func (m *Matcher) Rollback(n int) bool {
	if n < 0 || n > len(m.past) {
		return false
	}
	if n > 0 {
		m.restore(m.past[len(m.past)-n])
		m.past = m.past[:len(m.past)-n]
	}
	return true
}

func (m *Matcher) restore(p place) {
	m.place = p
	m.text, m.decoded = m.text[:p.text], m.decoded[:p.decoded]
	m.scopes, m.entries = m.scopes[:p.scopes], m.entries[:p.entries]
}

// What package schema reads at most: of a text, of a string, of a number.
const (
	maxText   = 1 << 20
	maxString = 256 << 10
	maxDigits = 400
)

// feed takes one byte; on false the place is void.
func (m *Matcher) feed(b byte) bool {
	if m.endsNumber(b) && !m.endElement(len(m.text)) {
		return false
	}
	from := m.at
	to, space := m.g.next(from, m.space, b)
	if to == dead || len(m.text) >= maxText {
		return false
	}
	m.at, m.space = to, space
	m.text = append(m.text, b)
	m.place.text = int32(len(m.text))
	if isSpace(b) && to == from && to.class != classInside {
		return true // white space
	}
	was, is := from.ways[0].at, to.ways[0].at
	switch {
	case isString(is):
		if !isString(was) {
			m.opened(was, b)
			m.begin, m.chars = m.place.text, 0
			return true
		}
		return m.inside()
	case was == inKey:
		return m.endName(from)
	case is == inNumber && !m.countDigit(was):
		return false
	}
	return m.between(was, b)
}

func isString(at point) bool { return at == inText || at == inKey || at == inSet }

// countDigit counts the digits of an open number, of which there is a limit.
func (m *Matcher) countDigit(was point) bool {
	if was != inNumber {
		m.chars = 0
	}
	if m.at.digit {
		m.chars++
	}
	return m.chars <= maxDigits
}

// inside counts the characters of an open string.
func (m *Matcher) inside() bool {
	if m.place.text-m.begin > maxString {
		return false
	}
	if m.at.ways[0].char == 0 {
		m.chars++
	}
	if m.at.far && m.chars&63 == 0 {
		m.at = m.g.recount(m.at, int(m.chars))
	}
	if m.scope >= 0 && m.scopes[m.scope].last >= 0 && m.at.ways[0].char == 0 {
		m.at = m.withoutUsedUp()
	}
	return m.at != dead
}

// settled recounts a long string where a mask is asked for.
func (m *Matcher) settled() *position {
	if m.at.far {
		m.at = m.g.recount(m.at, int(m.chars))
	}
	return m.at
}

// between follows a byte that is no part of a string.
func (m *Matcher) between(was point, b byte) bool {
	if was == inScript {
		return true
	}
	if m.scope >= 0 && m.scopes[m.scope].unique && m.endsScalar(was) && !m.endElement(len(m.text)) {
		return false
	}
	switch b {
	case '{', '[':
		if isString(was) {
			return true
		}
		m.opened(was, b)
		m.push(b == '[')
	case '}', ']':
		if !isString(was) && m.scope >= 0 {
			m.scope = m.scopes[m.scope].up
			if m.scope >= 0 && m.scopes[m.scope].unique {
				return m.endElement(len(m.text))
			}
		}
	case 't', 'f', 'n':
		m.opened(was, b)
		if m.scope >= 0 && m.scopes[m.scope].unique && m.seenWord(b) {
			m.at = m.g.without(m.at)
			return m.at != dead
		}
	default:
		m.opened(was, b)
	}
	return true
}

// opened notes where an element begins, in an array whose elements must differ.
func (m *Matcher) opened(was point, b byte) {
	if m.scope < 0 || !m.scopes[m.scope].unique || isSpace(b) || b == ',' || b == ']' {
		return
	}
	if was == atValue || was == atFirst || was == atSet {
		s := m.scopes[m.scope]
		s.begin = m.place.text - 1
		m.setScope(s)
	}
}

// setScope replaces the innermost scope; the old one stays for Rollback.
func (m *Matcher) setScope(s scope) {
	m.scopes = append(m.scopes, s)
	m.place.scopes = int32(len(m.scopes))
	m.scope = int32(len(m.scopes)) - 1
}

func (m *Matcher) push(array bool) {
	s := scope{up: m.scope, last: -1, array: array}
	if array {
		for i := range m.at.ways {
			if in := m.at.ways[i].in; in != nil && in.array != nil && in.array.unique == uniqueByText {
				s.unique = true
			}
		}
	}
	m.setScope(s)
}

// endName holds that no name comes twice in an object.
func (m *Matcher) endName(from *position) bool {
	if !from.other {
		return true // by every reading the schema mentions it, and the frame knows
	}
	raw := m.text[m.begin : len(m.text)-1]
	start := len(m.decoded)
	m.decoded = jsonchar.AppendDecoded(m.decoded, raw)
	if m.seen(m.decoded[start:]) {
		return false
	}
	m.record(start)
	return true
}

// seen reports whether the innermost scope has an entry.
func (m *Matcher) seen(text []byte) bool {
	for i := m.scopes[m.scope].last; i >= 0; i = m.entries[i].before {
		e := &m.entries[i]
		if int(e.end-e.begin) == len(text) && string(m.decoded[e.begin:e.end]) == string(text) {
			return true
		}
	}
	return false
}

// record enters what was decoded from start on.
func (m *Matcher) record(start int) {
	s := m.scopes[m.scope]
	m.entries = append(m.entries, entry{s.last, int32(start), int32(len(m.decoded))})
	s.last = int32(len(m.entries)) - 1
	m.place.entries, m.place.decoded = int32(len(m.entries)), int32(len(m.decoded))
	m.setScope(s)
}
