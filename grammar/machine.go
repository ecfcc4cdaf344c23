package grammar

import (
	"sync"
	"sync/atomic"

	"github.com/holdfast-go/holdfast/internal/rules"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// machine leads from position to position. What it has worked out is shared by all
// matchers; only what is new takes the lock.
type machine struct {
	order  bool // declared members come in the order of the schema
	script script
	// controls are the names of control tokens that may stand in the script as text.
	controls []string
	start    *position
	finish   *position // behind the value

	limit int64        // of what is held
	held  atomic.Int64 // bytes of positions and masks, about

	mu        sync.Mutex
	goals     *goals
	positions positionTable
	frames    map[frameKey]*frame
	ids       map[any]uint32
	apart     map[*textlang.Lang][][]rune
	loose     map[looseState]*looseKinds
	wayRoom   []way
}

// maxDepth is how deep package schema reads.
const maxDepth = 64

func newMachine(b *builder, root *goal, o *Options) *machine {
	m := &machine{
		order: o.SchemaOrder, goals: b.goals,
		frames: map[frameKey]*frame{}, ids: map[any]uint32{}, apart: map[*textlang.Lang][][]rune{}, loose: map[looseState]*looseKinds{},
	}
	m.start = m.position([]way{{at: atStart, goal: root}})
	m.finish = m.position([]way{{at: atEnd}})
	if m.limit = int64(o.CacheBytes); m.limit <= 0 {
		m.limit = defaultCache
	}
	return m
}

// White space is counted in a byte: 0 is none, then so many blanks, then a carriage
// return alone, then a line break and so many blanks.
const (
	maxBlanks = 8
	maxIndent = 128

	spaceReturn = maxBlanks + 1
	spaceLine   = maxBlanks + 2
	spaceFull   = 255
)

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// space counts one more byte of white space; spaceFull is too much.
func space(n, b byte) byte {
	switch {
	case b == '\n' && n <= spaceReturn:
		return spaceLine
	case b == '\r' && n <= maxBlanks:
		return spaceReturn
	case b == '\n' || b == '\r':
		return spaceFull
	case n < maxBlanks, n >= spaceLine && n < spaceLine+maxIndent:
		return n + 1
	}
	return spaceFull
}

// next leads on by one byte, with the white space so far.
func (m *machine) next(p *position, n, b byte) (*position, byte) {
	if isSpace(b) {
		switch p.class {
		case classSpace:
			if n = space(n, b); n == spaceFull {
				return dead, 0
			}
			return p, n
		case classNumber:
			if p = m.step(p, b); p == dead {
				return dead, 0
			}
			return p, space(0, b)
		}
	}
	if n == spaceReturn {
		return dead, 0
	}
	return m.step(p, b), 0
}

func (m *machine) step(p *position, b byte) *position {
	if to := p.known(b); to != nil {
		return to
	}
	if p == dead || !p.first.has(b) && !isSpace(b) {
		return dead
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.work(p, b)
}

// work finds where a byte leads for the first time. The lock is held.
func (m *machine) work(p *position, b byte) *position {
	if to := p.known(b); to != nil {
		return to
	}
	to := p
	if !p.plain || b < ' ' || b >= 0x80 || b == '"' || b == '\\' {
		to = m.position(m.leads(p, b))
	}
	m.learn(p, b, to)
	return to
}

// leads are the ways that a byte opens. They are void when the next are asked for.
func (m *machine) leads(p *position, b byte) []way {
	out := m.wayRoom[:0]
	for i := range p.ways {
		out = m.lead(out, &p.ways[i], b)
	}
	m.wayRoom = out
	return out
}

// alive reports whether a byte leads on, without asking where.
func (m *machine) alive(p *position, b byte) bool {
	if to := p.known(b); to != nil {
		return to != dead
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.leads(p, b)
	if len(out) == 0 {
		m.learn(p, b, dead)
		return false
	}
	if len(out) == 1 && len(p.ways) == 1 && out[0] == p.ways[0] {
		m.learn(p, b, p)
	}
	return true
}

// lead adds the ways that a byte opens from one.
func (m *machine) lead(out []way, w *way, b byte) []way {
	switch w.at {
	case atStart, atValue:
		return m.value(out, w.in, w.goal, b)
	case atSet:
		return m.setElement(out, w.in, b)
	case atFirst:
		return m.first(out, w.in, b)
	case atName:
		if b == '"' {
			return m.key(out, w.in)
		}
	case atColon:
		if b == ':' {
			return append(out, way{at: atValue, in: w.in, goal: w.goal, of: w.of})
		}
	case atNext:
		return m.behind(out, w.in, b)
	case inText:
		return m.inText(out, w, b)
	case inKey:
		return m.inKey(out, w, b)
	case inSet:
		return m.inSet(out, w, b)
	case inNumber:
		if q := w.num.Step(w.state, b); q >= 0 {
			return append(out, way{at: inNumber, in: w.in, num: w.num, state: q, of: w.of})
		}
		switch {
		case w.in == nil || !w.num.Accept(w.state):
		case w.in.isScript():
			for _, v := range m.follow(nil, w.in.node-1) {
				out = m.lead(out, &v, b)
			}
		default:
			if isSpace(b) {
				return append(out, way{at: atNext, in: w.in})
			}
			return m.behind(out, w.in, b)
		}
	case inTrue, inFalse, inNull:
		return m.inWord(out, w, b)
	case inScript:
		return m.inScript(out, w, b)
	}
	return out
}

var wordTexts = map[point]string{inTrue: "true", inFalse: "false", inNull: "null"}

func (m *machine) inWord(out []way, w *way, b byte) []way {
	text := wordTexts[w.at]
	if text[w.word] != b {
		return out
	}
	if int(w.word)+1 == len(text) {
		return m.whole(out, w.in)
	}
	next := *w
	next.word++
	return append(out, next)
}

// whole is what may come behind a value.
func (m *machine) whole(out []way, in *frame) []way {
	switch {
	case in == nil:
		return append(out, way{at: atEnd})
	case in.isScript():
		return m.follow(out, in.node-1)
	case in.any != nil:
		for _, f := range in.any {
			out = m.whole(out, f)
		}
		return out
	}
	return append(out, way{at: atNext, in: in})
}

// value begins a value.
func (m *machine) value(out []way, in *frame, g *goal, b byte) []way {
	switch b {
	case '"':
		for _, t := range g.texts {
			w := way{at: inText, in: in, text: t, of: m.id(t), state: t.Start(), lo: int32(t.Min), hi: int32(t.Max)}
			m.capAll(&w, t.Min, t.Max)
			out = append(out, w)
		}
	case '{':
		for _, o := range g.objects {
			if in.level()+o.height <= maxDepth {
				every := uint32(1)<<len(o.some) - 1
				out = append(out, way{at: atFirst, in: m.frame(frameKey{up: in, object: o, pended: every})})
			}
		}
	case '[':
		for _, a := range g.arrays {
			if in.level()+a.height <= maxDepth {
				out = append(out, way{at: atFirst, in: m.frame(frameKey{up: in, array: a})})
			}
		}
	case 't':
		if g.yes {
			out = append(out, way{at: inTrue, in: in, word: 1})
		}
	case 'f':
		if g.no {
			out = append(out, way{at: inFalse, in: in, word: 1})
		}
	case 'n':
		if g.null {
			out = append(out, way{at: inNull, in: in, word: 1})
		}
	default:
		if g.number == nil {
			break
		}
		if q := g.number.Step(g.number.Start(), b); q >= 0 {
			out = append(out, way{at: inNumber, in: in, num: g.number, state: q, of: m.id(g.number)})
		}
	}
	return out
}

// first is what may come behind { or [.
func (m *machine) first(out []way, in *frame, b byte) []way {
	switch {
	case in.object != nil && b == '"':
		return m.key(out, in)
	case in.object != nil && b == '}', in.array != nil && b == ']':
		return m.close(out, in)
	case in.array != nil:
		for _, w := range m.elementWays(nil, in) {
			out = m.lead(out, &w, b)
		}
	}
	return out
}

// behind is what may come behind a member or an element.
func (m *machine) behind(out []way, in *frame, b byte) []way {
	switch {
	case b == ',' && in.object != nil:
		if len(m.key(nil, in)) > 0 {
			out = append(out, way{at: atName, in: in})
		}
	case b == ',':
		out = m.elementWays(out, in)
	case b == '}' && in.object != nil, b == ']' && in.array != nil:
		return m.close(out, in)
	}
	return out
}

func (m *machine) close(out []way, in *frame) []way {
	if in.object != nil && !in.mayClose() || in.array != nil && !in.array.mayEnd(in.spot) {
		return out
	}
	return m.whole(out, in.up)
}

// elementWays are the ways to begin the next element.
func (m *machine) elementWays(out []way, in *frame) []way {
	a := in.array
	if a.unique == uniqueInSet {
		if (a.max < 0 || int(in.spot.place) < a.max) && a.max >= -1 && in.seen.len() < len(a.set) {
			out = append(out, way{at: atSet, in: in})
		}
		return out
	}
	for _, e := range m.goals.elements(a, in.spot) {
		if in.depth+e.goal.height > maxDepth || !m.goals.endsFrom(a, e.next) {
			continue
		}
		k := in.frameKey
		k.spot = e.next
		out = append(out, way{at: atValue, in: m.frame(k), goal: e.goal, of: m.id(e.goal)})
	}
	return out
}

// setElement begins an element that must differ from those before.
func (m *machine) setElement(out []way, in *frame, b byte) []way {
	a := in.array
	if b == '"' && m.setLeft(in, 0) {
		return append(out, way{at: inSet, in: in})
	}
	for i, r := range a.set {
		if b != '"' && r.Types != rules.Str && !in.seen.has(i) {
			out = m.value(out, m.taken(in, i), m.goals.goalOf([]literal{literalOf(r, false)}), b)
		}
	}
	return out
}

// taken is the array with a value of its set used up.
func (m *machine) taken(in *frame, i int) *frame {
	k := in.frameKey
	k.seen, k.spot = k.seen.add(i), in.array.advance(in.spot)
	return m.frame(k)
}

// setLeft reports whether a string of the set that is not used up lies below a
// place of its trie.
func (m *machine) setLeft(in *frame, at int32) bool {
	a := in.array
	lo, hi := a.trie.Below(at)
	for i := lo; i < hi; i++ {
		if !in.seen.has(a.byWord[i]) {
			return true
		}
	}
	return false
}

func (m *machine) inSet(out []way, w *way, b byte) []way {
	t := w.in.array.trie
	if b == '"' && w.char == 0 {
		if i := t.Word(w.word); i >= 0 && !w.in.seen.has(w.in.array.byWord[i]) {
			return m.whole(out, m.taken(w.in, w.in.array.byWord[i]))
		}
		return out
	}
	s := w.char.Step(b)
	if !s.OK {
		return out
	}
	next := *w
	next.char = s.Next
	if s.Next == 0 {
		next.word = t.Step(w.word, s.Rune)
		if next.word == textlang.Dead || !m.setLeft(w.in, next.word) {
			return out
		}
		return append(out, next)
	}
	for _, r := range s.Next.Ranges() {
		if t.Next(w.word, r[0], r[1], func(to int32) bool { return m.setLeft(w.in, to) }) {
			return append(out, next)
		}
	}
	return out
}
