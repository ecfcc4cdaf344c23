package textlang

import (
	"errors"
	"slices"
	"unicode"
)

// Dead is the state from which no word of the language is reached.
const Dead = int32(-1)

// Machine is a deterministic automaton over code points.
type Machine interface {
	Start() int32 // Dead where the language is empty
	Step(q int32, r rune) int32
	Accept(q int32) bool
	// Open reports whether every continuation leads on: nothing typed from here
	// can go wrong before the end.
	Open(q int32) bool
	// Total reports whether every continuation, none included, is a word.
	Total(q int32) bool
	// SomeIn reports whether a code point from lo to hi leads on.
	SomeIn(q int32, lo, hi rune) bool
	// bounds are the first code points of the classes that no state tells apart.
	bounds() []rune
}

// ErrTooLarge says that an automaton outgrew its limit.
var ErrTooLarge = errors.New("the automaton of the text is too large")

// maxStates bounds one automaton.
const maxStates = 1 << 16

// source gives the states of a lazily built automaton, each named by a key. The
// empty key is the dead state, all that of every text.
type source interface {
	first() []byte
	// step appends the key that r leads to. It is asked often, and settled once for
	// each key that it gives.
	step(to, key []byte, r rune) []byte
	// settled is the key under which that state goes.
	settled(key []byte) []byte
	accept(key []byte) bool
	bounds() []rune
}

const all = "*"

const (
	yes = 1
	no  = 2
)

// lazy is an automaton that is built as it is walked.
type lazy struct {
	src    source
	starts []rune // of the classes
	ascii  [128]uint16
	ids    map[string]int32
	keys   [][]byte
	room   []byte    // for a key
	next   [][]int32 // by state and class; nil: no class was asked for
	rows   []*Row    // by state, where they were asked for
	acc    []bool
	live   []uint8 // yes, no or not known yet
	open   []uint8
	start  int32
	over   bool // outgrew its limit; unknown transitions are dead
	small  bool // is known not to

	met []bool         // by a search
	out map[int32]bool // see RunsOut, of states where it is known
}

func newLazy(src source) *lazy {
	l := &lazy{src: src, starts: src.bounds(), ids: map[string]int32{}}
	if len(l.starts) == 0 || l.starts[0] != 0 {
		l.starts = slices.Insert(l.starts, 0, 0)
	}
	for c := range l.ascii {
		l.ascii[c] = uint16(l.search(rune(c)))
	}
	l.start = l.named(src.first())
	return l
}

func (l *lazy) bounds() []rune { return l.starts }

func (l *lazy) search(r rune) int {
	i, found := slices.BinarySearch(l.starts, r)
	if !found {
		i--
	}
	return i
}

func (l *lazy) class(r rune) int {
	if r < 128 {
		return int(l.ascii[r])
	}
	return l.search(r)
}

func (l *lazy) add(key []byte) int32 {
	if len(key) == 0 {
		return Dead
	}
	if id, ok := l.ids[string(key)]; ok {
		return id
	}
	if len(l.keys) >= maxStates {
		l.over = true
		return Dead
	}
	id := int32(len(l.keys))
	key = slices.Clone(key)
	l.ids[string(key)] = id
	l.keys = append(l.keys, key)
	l.next = append(l.next, nil)
	l.rows = append(l.rows, nil)
	l.acc = append(l.acc, string(key) == all || l.src.accept(key))
	l.live = append(l.live, 0)
	l.open = append(l.open, 0)
	if l.acc[id] {
		l.live[id] = yes
	}
	return id
}

// raw is the next state, which may be a dead end.
func (l *lazy) raw(q int32, class int) int32 {
	next := l.next[q]
	if next == nil {
		next = slices.Repeat([]int32{Unknown}, len(l.starts))
		l.next[q] = next
	}
	if to := next[class]; to != Unknown {
		return to
	}
	to := q
	if key := l.keys[q]; string(key) != all {
		l.room = l.src.step(l.room[:0], key, l.starts[class])
		to = l.named(l.room)
	}
	next[class] = to
	return to
}

// named is the state of a key that may not be settled.
func (l *lazy) named(key []byte) int32 {
	if id, ok := l.ids[string(key)]; ok {
		return id
	}
	id := l.add(l.src.settled(key))
	if !l.over {
		l.ids[string(key)] = id
	}
	return id
}

func (l *lazy) stepClass(q int32, class int) int32 {
	to := l.raw(q, class)
	if to != Dead && !l.isLive(to) {
		l.next[q][class] = Dead
		return Dead
	}
	return to
}

// Start is the first state.
func (l *lazy) Start() int32 {
	if l.start != Dead && !l.isLive(l.start) {
		return Dead
	}
	return l.start
}

func (l *lazy) Step(q int32, r rune) int32 {
	class := l.class(r)
	if next := l.next[q]; next != nil {
		if to := next[class]; to == Dead || to >= 0 && l.live[to] == yes {
			return to
		}
	}
	return l.stepClass(q, class)
}

// Row is where a state leads by ASCII characters, [Unknown] where that was not
// asked yet, and whether any other leads on.
type Row struct {
	To     [0x80]int32
	Beyond bool
}

// Unknown is no state.
const Unknown = int32(-2)

// Row is that of a state, nil for a machine without any. The caller fills To from
// Step.
func (l *Lang) Row(q int32) *Row {
	z, ok := l.Machine.(*lazy)
	if !ok {
		return nil
	}
	r := z.rows[q]
	if r == nil {
		r = &Row{Beyond: z.SomeIn(q, 0x80, unicode.MaxRune)}
		for c := range r.To {
			r.To[c] = Unknown
		}
		z.rows[q] = r
	}
	return r
}

func (l *lazy) Accept(q int32) bool { return l.acc[q] }

func (l *lazy) Total(q int32) bool { return string(l.keys[q]) == all }

// isLive looks for a word from q on. What it passes on the way to one is live;
// what it passes without finding any is not.
func (l *lazy) isLive(q int32) bool {
	if l.live[q] != 0 {
		return l.live[q] == yes
	}
	if s, ok := l.src.(interface{ sure(key []byte) bool }); ok && s.sure(l.keys[q]) {
		l.live[q] = yes
		return true
	}
	l.meet(q)
	met := []int32{q}
	defer func() {
		for _, s := range met {
			l.met[s] = false
		}
	}()
	way := []visit{{q, len(l.starts)}}
	for len(way) > 0 {
		at := &way[len(way)-1]
		if at.class--; at.class < 0 {
			way = way[:len(way)-1]
			continue
		}
		if surrogateClass(l.starts, at.class) {
			continue
		}
		switch to := l.raw(at.state, at.class); {
		case to == Dead || l.live[to] == no:
		case l.live[to] == yes:
			for _, v := range way {
				l.live[v.state] = yes
			}
			return true
		case l.meet(to):
			met = append(met, to)
			way = append(way, visit{to, len(l.starts)})
		}
	}
	for _, s := range met {
		l.live[s] = no
	}
	return false
}

// visit is a state on the way of a search, and the class that was tried last.
type visit struct {
	state int32
	class int
}

// meet notes that a search met a state, if it did not before.
func (l *lazy) meet(q int32) bool {
	for int(q) >= len(l.met) {
		l.met = append(l.met, false)
	}
	if l.met[q] {
		return false
	}
	l.met[q] = true
	return true
}

// surrogateClass reports whether a class holds nothing but halves of surrogate
// pairs, which never stand in text.
func surrogateClass(starts []rune, c int) bool {
	return starts[c] >= 0xd800 && starts[c] <= 0xdfff && c+1 < len(starts) && starts[c+1] <= 0xe000
}

// maxOpen bounds the search of Open, which is an answer for speed alone.
const maxOpen = 512

func (l *lazy) Open(q int32) bool {
	if l.open[q] != 0 {
		return l.open[q] == yes
	}
	seen := map[int32]bool{q: true}
	queue := []int32{q}
	for len(queue) > 0 && len(seen) < maxOpen {
		s := queue[0]
		queue = queue[1:]
		for c := range l.starts {
			if surrogateClass(l.starts, c) {
				continue
			}
			to := l.stepClass(s, c)
			if to == Dead || l.open[to] == no {
				l.open[q] = no
				return false
			}
			if !seen[to] && l.open[to] != yes {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	if len(queue) > 0 {
		l.open[q] = no
		return false
	}
	for s := range seen {
		l.open[s] = yes
	}
	return true
}

func (l *lazy) SomeIn(q int32, lo, hi rune) bool {
	for c := l.search(lo); c < len(l.starts) && l.starts[c] <= hi; c++ {
		if surrogateClass(l.starts, c) {
			continue
		}
		if l.stepClass(q, c) != Dead {
			return true
		}
	}
	return false
}
