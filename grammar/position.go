package grammar

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/holdfast-go/holdfast/internal/numlang"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// position is where a text stands in the grammar: every way to read it so far that
// some valid text goes on with. Equal positions are one, and remember where each
// byte leads.
type position struct {
	ways  []way
	class positionClass
	far   bool // lengths were capped: the matcher counts
	ends  bool // the text may end here
	other bool // a name would end here that some reading does not mention
	rows  [16]atomic.Pointer[row]
	masks atomic.Pointer[mask]
}

type row [16]atomic.Pointer[position]

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
	char  char
	lo    int32 // of a string's length: how many characters must come
	hi    int32 // and may come at most; negative: no bound
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
)

// frame is an object or an array that is open.
type frame struct {
	frameKey
	id    uint32
	depth int
}

type frameKey struct {
	up     *frame
	object *object
	array  *array
	seen   names  // members, or values of a finite set
	count  int32  // members, as far as it matters
	pended uint32 // obligations that are not settled
	spot   spot
}

func (f *frame) level() int {
	if f == nil {
		return 0
	}
	return f.depth
}

// dead is where nothing valid leads.
var dead = &position{}

func classOf(w way) positionClass {
	switch w.at {
	case atStart, atEnd, inText, inKey, inSet, inTrue, inFalse, inNull:
		return classInside
	case inNumber:
		return classNumber
	}
	return classSpace
}

func (f *frame) number() uint32 {
	if f == nil {
		return 0
	}
	return f.id
}

// appendKey tells ways apart.
func (m *machine) appendKey(k []byte, w *way) []byte {
	k = append(k, byte(w.at))
	k = binary.LittleEndian.AppendUint32(k, w.in.number())
	id := uint32(0)
	switch {
	case w.goal != nil:
		id = m.id(w.goal)
	case w.text != nil:
		id = m.id(w.text)
	case w.num != nil:
		id = m.id(w.num)
	}
	k = binary.LittleEndian.AppendUint32(k, id)
	k = binary.LittleEndian.AppendUint32(k, uint32(w.state))
	k = binary.LittleEndian.AppendUint32(k, uint32(w.word))
	k = binary.LittleEndian.AppendUint32(k, uint32(w.char))
	k = binary.LittleEndian.AppendUint32(k, uint32(w.lo))
	return binary.LittleEndian.AppendUint32(k, uint32(w.hi))
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

// position interns a set of ways. The caller may reuse the slice.
func (m *machine) position(ways []way) *position {
	if len(ways) == 0 {
		return dead
	}
	k := m.keyRoom[:0]
	kept := ways[:0]
	for i := range ways {
		start := len(k)
		k = m.appendKey(k, &ways[i])
		twice := false
		for at := 0; at < start && !twice; at += wayKeyLen {
			twice = string(k[at:at+wayKeyLen]) == string(k[start:])
		}
		if twice {
			k = k[:start]
			continue
		}
		kept = append(kept, ways[i])
	}
	m.keyRoom = k
	if p, ok := m.positions[string(k)]; ok {
		return p
	}
	p := &position{ways: append([]way(nil), kept...), class: classOf(kept[0])}
	for i := range kept {
		w := &kept[i]
		switch {
		case w.at == inText && w.text.Min+w.text.Max > -1:
			p.far = p.far || m.capped(w)
		case w.at == inKey:
			p.other = p.other || w.word < 0 || w.in.object.trie.Word(w.word) < 0
		case w.at == atEnd, w.at == inNumber && w.in == nil && w.num.Accept(w.state):
			p.ends = true
		}
	}
	m.positions[string(k)] = p
	return p
}

const wayKeyLen = 1 + 4*7

func (m *machine) frame(k frameKey) *frame {
	if f, ok := m.frames[k]; ok {
		return f
	}
	f := &frame{frameKey: k, id: uint32(len(m.frames)) + 1, depth: k.up.level() + 1}
	m.frames[k] = f
	return f
}
