package grammar

import (
	"slices"
	"sync/atomic"

	"github.com/holdfast-go/holdfast/internal/jsonchar"

	"github.com/holdfast-go/holdfast/internal/numlang"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// position is where a text stands in the grammar: every way to read it so far that
// some valid text goes on with. Equal positions are one, and remember where each
// byte leads.
type position struct {
	ways   []way
	one    [1]way // room for the only way
	hash   uint64
	class  positionClass
	far    bool    // lengths were capped: the matcher counts
	ends   bool    // the text may end here
	other  bool    // a name would end here that some reading does not mention
	plain  bool    // plain characters of a string lead back here
	digit  bool    // the last byte was a digit of a number itself
	first  byteSet // no other byte leads on, white space apart
	rows   atomic.Pointer[rows]
	masks  atomic.Pointer[mask]
	forced atomic.Int32 // the only byte that leads on; -1: there is none
	// valid says which suffixes of a vocabulary go on from here.
	valid atomic.Pointer[validity]
}

type (
	rows [16]atomic.Pointer[row]
	row  [16]atomic.Pointer[position]
)

// byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) has(b byte) bool { return s[b>>6]>>(b&63)&1 != 0 }

func (s *byteSet) add(text string) {
	for i := range len(text) {
		s[text[i]>>6] |= 1 << (text[i] & 63)
	}
}

// known is where a byte leads, nil where that is not worked out yet.
func (p *position) known(b byte) *position {
	if rs := p.rows.Load(); rs != nil {
		if r := rs[b>>4].Load(); r != nil {
			return r[b&15].Load()
		}
	}
	return nil
}

// learn notes where a byte leads. The lock is held.
func (m *machine) learn(p *position, b byte, to *position) {
	rs := p.rows.Load()
	if rs == nil {
		rs = &rows{}
		p.rows.Store(rs)
		m.held.Add(rowBytes)
	}
	r := rs[b>>4].Load()
	if r == nil {
		r = &row{}
		rs[b>>4].Store(r)
		m.held.Add(rowBytes)
	}
	r[b&15].Store(to)
}

// positionClass is what may come between two bytes.
type positionClass uint8

const (
	classInside positionClass = iota // of a string, a word: no white space
	classSpace                       // between two tokens of JSON
	classNumber                      // white space ends the number
)

// way is one reading.
type way struct {
	at    point
	in    *frame
	goal  *goal
	text  *textlang.Lang
	num   *numlang.Lang
	state int32 // of text or num, or of the names that are not mentioned
	word  int32 // a place in a trie; of true, false and null the place in the word
	char  jsonchar.Part
	of    uint32 // the number of goal, text or num
	lo    int32  // of a string's length: how many characters must come
	hi    int32  // and may come at most; negative: no bound
}

type point uint8

const (
	atStart point = iota // before the first byte
	atValue              // before a value
	atFirst              // behind { or [
	atName               // behind a comma in an object
	atColon              // behind a name
	atNext               // behind a member or an element
	atEnd                // behind the value
	inText
	inKey
	inSet // a string of a finite set of unique elements
	inNumber
	inTrue
	inFalse
	inNull
	atSet // before an element of a finite set of unique ones
	inScript
)

// frame is an object or an array that is open.
type frame struct {
	frameKey
	id    uint32
	depth int
	any   []*frame // it stands for any of these; there is nothing else
}

type frameKey struct {
	up     *frame
	object *object
	array  *array
	seen   names  // members, or values of a finite set
	count  int32  // members, as far as it matters
	pended uint32 // obligations that are not settled
	spot   spot
	node   int    // of the script behind which the value stands, plus one; there is no array and object
	any    string // the numbers of any
}

func (f *frame) level() int {
	if f == nil {
		return 0
	}
	return f.depth
}

// isScript reports whether the value stands in a script, in no object or array.
func (f *frame) isScript() bool { return f != nil && f.node > 0 }

// dead is where nothing valid leads.
var dead = &position{}

func classOf(w way) positionClass {
	switch w.at {
	case atStart, atEnd, inText, inKey, inSet, inTrue, inFalse, inNull, inScript:
		return classInside
	case inNumber:
		if !w.in.isScript() {
			return classNumber
		}
		return classInside
	}
	return classSpace
}

func (f *frame) number() uint32 {
	if f == nil {
		return 0
	}
	return f.id
}

// id numbers goals and languages.
func (m *machine) id(of any) uint32 {
	n, ok := m.ids[of]
	if !ok {
		n = uint32(len(m.ids)) + 1
		m.ids[of] = n
	}
	return n
}

func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func (w *way) hash() uint64 {
	h := mix(uint64(w.at)<<32|uint64(w.in.number()), uint64(uint32(w.state))<<32|uint64(uint32(w.word)))
	h = mix(h, uint64(w.char)<<32^uint64(uint32(w.lo))<<16^uint64(uint32(w.hi)))
	return mix(h, uint64(w.of))
}

// position interns a set of ways. The caller may reuse the slice.
func (m *machine) position(ways []way) *position {
	if len(ways) == 0 {
		return dead
	}
	if len(ways) > 1 {
		ways = m.joined(distinctWays(ways))
	}
	h := uint64(0)
	for i := range ways {
		h = mix(h, ways[i].hash())
	}
	if p := m.positions.find(h, ways); p != nil {
		return p
	}
	p := &position{hash: h, class: classOf(ways[0])}
	if len(ways) == 1 {
		p.one[0] = ways[0]
		p.ways = p.one[:]
	} else {
		p.ways = slices.Clone(ways)
	}
	for i := range p.ways {
		m.describe(p, &p.ways[i])
	}
	m.positions.add(p)
	m.held.Add(positionBytes + wayBytes*int64(len(p.ways)))
	return p
}

// maxDistinct is how many ways are compared with each other.
const maxDistinct = 24

func distinctWays(ways []way) []way {
	kept := ways[:0]
	if len(ways) > maxDistinct {
		seen := make(map[way]bool, len(ways))
		for _, w := range ways {
			if !seen[w] {
				seen[w] = true
				kept = append(kept, w)
			}
		}
		return kept
	}
	for _, w := range ways {
		if !slices.Contains(kept, w) {
			kept = append(kept, w)
		}
	}
	return kept
}

// describe notes what one of its ways makes of a position.
func (m *machine) describe(p *position, w *way) {
	switch w.at {
	case inText:
		p.far = p.far || ((w.text.Min > 0 || w.text.Max >= 0) && m.capped(w))
		p.plain = len(p.ways) == 1 && w.char == 0 && w.lo <= 0 && w.hi < 0 && w.text.Total(w.state)
		p.first = everyByte
	case inKey:
		p.other = p.other || w.word < 0 || w.in.object.trie.Word(w.word) < 0
		p.plain = len(p.ways) == 1 && w.char == 0 && w.word < 0 && w.in.object.others == textlang.Any
		p.first = everyByte
	case atEnd:
		p.ends = true
	case inNumber:
		p.ends = p.ends || w.in == nil && w.num.Accept(w.state)
		p.digit = w == &p.ways[0] && w.num.Digit(w.state)
		p.first.add("0123456789.eE+-,]}")
		if w.in.isScript() {
			p.first = everyByte
			for _, v := range m.follow(nil, w.in.node-1) {
				p.ends = p.ends || v.at == atEnd && w.num.Accept(w.state)
			}
		}
	case inScript:
		p.ends = p.ends || m.script[w.state].ends && m.script[w.state].free && w.char == 0
		p.first = everyByte
	case atColon:
		p.first.add(":")
	case atName:
		p.first.add(`"`)
	case atNext:
		p.first.add(",")
		p.first.add(w.in.bracket())
	case atFirst:
		p.first.add(w.in.bracket())
		if w.in.object != nil {
			p.first.add(`"`)
		} else {
			p.first.add(valueBytes)
		}
	case atStart, atValue, atSet:
		p.first.add(valueBytes)
	default:
		p.first = everyByte
	}
}

const valueBytes = `"{[tfn-0123456789`

var everyByte = byteSet{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}

func (f *frame) bracket() string {
	if f.object != nil {
		return "}"
	}
	return "]"
}

// positionTable is a set of positions by their ways.
type positionTable struct {
	slots []*position
	count int
}

func (t *positionTable) find(h uint64, ways []way) *position {
	if len(t.slots) == 0 {
		return nil
	}
	mask := uint64(len(t.slots) - 1)
	for i := h & mask; t.slots[i] != nil; i = (i + 1) & mask {
		if p := t.slots[i]; p.hash == h && slices.Equal(p.ways, ways) {
			return p
		}
	}
	return nil
}

func (t *positionTable) add(p *position) {
	if 2*(t.count+1) > len(t.slots) {
		old := t.slots
		t.slots = make([]*position, max(256, 2*len(old)))
		for _, q := range old {
			if q != nil {
				t.put(q)
			}
		}
	}
	t.count++
	t.put(p)
}

func (t *positionTable) put(p *position) {
	mask := uint64(len(t.slots) - 1)
	i := p.hash & mask
	for t.slots[i] != nil {
		i = (i + 1) & mask
	}
	t.slots[i] = p
}

func (m *machine) frame(k frameKey) *frame {
	if f, ok := m.frames[k]; ok {
		return f
	}
	f := &frame{frameKey: k, id: uint32(len(m.frames)) + 1, depth: k.up.level() + 1}
	if f.isScript() {
		f.depth = 0
	}
	m.frames[k] = f
	return f
}
