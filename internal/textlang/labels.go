package textlang

import (
	"cmp"
	"slices"
	"unicode"
)

// Labels tells by which of several machines each word is taken.
type Labels struct{ parts side }

// NewMachine makes one machine of a formula, lengths included.
func NewMachine(f *Formula) (Machine, error) {
	f = f.simple(false)
	if f.op == opLength {
		f = And(f, Is(Any))
	}
	conj := []*Formula{f}
	if f.op == opAnd {
		conj = f.kids
	}
	m, err := machineOf(conj)
	if err != nil {
		return nil, err
	}
	return m, tooLarge(m)
}

// NewLabels takes at most 60 machines.
func NewLabels(parts []Machine) (*Labels, error) {
	if len(parts) > 60 {
		return nil, ErrTooLarge
	}
	return &Labels{parts}, nil
}

// Class is the words with the same labels: bit i for machine i.
type Class struct {
	Labels   uint64
	Infinite bool
	Words    []string // where there are few
}

// of is the labels of the word that ends at a key.
func (l *Labels) of(key []byte) (set uint64) {
	for i, m := range l.parts {
		if q := stateAt(key, i); q >= 0 && m.Accept(q) {
			set |= 1 << i
		}
	}
	return set
}

// maxLabelStates bounds the search for classes, and maxFew the words of one that
// are listed.
const (
	maxLabelStates = 1 << 13
	maxFew         = 64
)

// Classes lists the classes that have words beside some that are given.
func (l *Labels) Classes(beside map[string]bool) ([]Class, error) {
	g := graph{starts: l.parts.bounds(), beside: beside}
	ends, err := g.explore(l)
	if err != nil {
		return nil, err
	}
	var out []Class
	for set, at := range ends {
		c := Class{Labels: set}
		if c.Words, c.Infinite = g.words(at); c.Infinite || len(c.Words) > 0 {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Class) int { return cmp.Compare(a.Labels, b.Labels) })
	return out, nil
}

// graph is all states of machines that run side by side.
type graph struct {
	starts []rune
	next   [][]int32 // by class, Dead for one that no text holds
	back   [][]int32 // the states that lead to each
	beside map[string]bool
}

// explore gives the states by the labels of the words that end there.
func (g *graph) explore(l *Labels) (map[uint64][]int32, error) {
	ids := map[string]int32{}
	var keys [][]byte
	var room []byte
	add := func(key []byte) int32 {
		id, ok := ids[string(key)]
		if !ok {
			id = int32(len(keys))
			ids[string(key)] = id
			keys = append(keys, slices.Clone(key))
		}
		return id
	}
	add(l.parts.first())
	ends := map[uint64][]int32{}
	for at := 0; at < len(keys); at++ {
		if len(keys) > maxLabelStates {
			return nil, ErrTooLarge
		}
		set := l.of(keys[at])
		ends[set] = append(ends[set], int32(at))
		to := make([]int32, len(g.starts))
		for c, r := range g.starts {
			to[c] = Dead
			if !surrogateClass(g.starts, c) {
				room = l.parts.step(room[:0], keys[at], r)
				to[c] = add(room)
			}
		}
		g.next = append(g.next, to)
	}
	g.back = make([][]int32, len(g.next))
	for s, row := range g.next {
		for _, to := range row {
			if to == Dead {
				continue
			}
			if last := len(g.back[to]) - 1; last < 0 || g.back[to][last] != int32(s) {
				g.back[to] = append(g.back[to], int32(s))
			}
		}
	}
	return ends, nil
}

// words lists the words that lead from state 0 to one of the ends, or says that
// there are many.
func (g *graph) words(ends []int32) (words []string, many bool) {
	isEnd := make([]bool, len(g.next))
	for _, e := range ends {
		isEnd[e] = true
	}
	leads := g.leading(ends)
	var walk func(s int32, prefix string, deep int) bool
	walk = func(s int32, prefix string, deep int) bool {
		if isEnd[s] && !g.beside[prefix] {
			words = append(words, prefix)
		}
		if len(words) > maxFew || deep > len(g.next) {
			return false
		}
		for c, to := range g.next[s] {
			if to == Dead || !leads[to] {
				continue
			}
			last := rune(unicode.MaxRune)
			if c+1 < len(g.starts) {
				last = g.starts[c+1] - 1
			}
			if int(last-g.starts[c]) >= maxFew+len(g.beside) {
				return false
			}
			for r := g.starts[c]; r <= last; r++ {
				if !walk(to, prefix+string(r), deep+1) {
					return false
				}
			}
		}
		return true
	}
	if !leads[0] || walk(0, "", 0) {
		return words, false
	}
	return nil, true
}

// leading are the states from which one of the ends is reached.
func (g *graph) leading(ends []int32) []bool {
	leads := make([]bool, len(g.next))
	todo := slices.Clone(ends)
	for _, e := range ends {
		leads[e] = true
	}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, p := range g.back[s] {
			if !leads[p] {
				leads[p] = true
				todo = append(todo, p)
			}
		}
	}
	return leads
}

// Only is the machine of the words whose labels are wanted, without those of a
// trie; every says that these are all words but those.
func (l *Labels) Only(without *Trie, want func(labels uint64) bool, every bool) *Labelled {
	f := &filtered{append(slices.Clone(l.parts), without), l, want}
	return &Labelled{lazy: newLazy(f), all: l, every: every}
}

// Labelled is a machine that tells the labels of the words it takes.
type Labelled struct {
	*lazy
	all   *Labels
	every bool
}

// Open is as in [Machine]. A finite set can always be left by going on.
func (m *Labelled) Open(q int32) bool { return m.every || m.lazy.Open(q) }

// Labels of the word that ends at q.
func (m *Labelled) Labels(q int32) uint64 { return m.all.of(m.keys[q]) }

// filtered runs a trie beside what is labelled.
type filtered struct {
	side
	labels *Labels
	want   func(uint64) bool
}

func (f *filtered) settled(key []byte) []byte { return key }

func (f *filtered) accept(key []byte) bool {
	at := len(f.side) - 1
	if q := stateAt(key, at); q >= 0 && f.side[at].Accept(q) {
		return false
	}
	return f.want(f.labels.of(key))
}
