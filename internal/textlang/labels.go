package textlang

import "slices"

// Labels runs several machines side by side over words that are not of a given
// set, and tells by which of the machines each word is taken.
type Labels struct {
	parts   []Machine
	without *Trie // may be nil
}

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
func NewLabels(parts []Machine, without *Trie) (*Labels, error) {
	if len(parts) > 60 {
		return nil, ErrTooLarge
	}
	return &Labels{parts, without}, nil
}

// Class is the words with the same labels: bit i for machine i.
type Class struct {
	Labels   uint64
	Infinite bool
	Words    []string // where there are few
}

func (l *Labels) bounds() []rune {
	p := product{parts: l.parts}
	out := p.bounds()
	if l.without != nil {
		out = append(out, l.without.bounds()...)
		slices.Sort(out)
		out = slices.Compact(out)
	}
	return out
}

func (l *Labels) first() []byte {
	var key []byte
	for _, m := range l.parts {
		key = appendState(key, m.Start())
	}
	if l.without != nil {
		key = appendState(key, l.without.Start())
	}
	return key
}

func (l *Labels) step(next, key []byte, r rune) []byte {
	for i := range len(key) / 4 {
		q := stateAt(key, i)
		if q >= 0 {
			if i < len(l.parts) {
				q = l.parts[i].Step(q, r)
			} else {
				q = l.without.Step(q, r)
			}
		}
		next = appendState(next, q)
	}
	return next
}

// labels of the word that ends at a key; ok is false for one of the given set.
func (l *Labels) labels(key []byte) (set uint64, ok bool) {
	for i, m := range l.parts {
		if q := stateAt(key, i); q >= 0 && m.Accept(q) {
			set |= 1 << i
		}
	}
	if l.without != nil {
		if q := stateAt(key, len(l.parts)); q >= 0 && l.without.Accept(q) {
			return set, false
		}
	}
	return set, true
}

// maxLabelStates bounds the search for classes, and maxFew the words of one that
// are listed.
const (
	maxLabelStates = 1 << 13
	maxFew         = 64
)

// Classes lists the classes that have words.
func (l *Labels) Classes() ([]Class, error) {
	starts := l.bounds()
	ids := map[string]int{}
	var keys [][]byte
	var room []byte
	add := func(key []byte) int {
		if id, ok := ids[string(key)]; ok {
			return id
		}
		ids[string(key)] = len(keys)
		keys = append(keys, slices.Clone(key))
		return len(keys) - 1
	}
	add(l.first())
	var next [][]int
	byLabel := map[uint64][]int{}
	for at := 0; at < len(keys); at++ {
		if len(keys) > maxLabelStates {
			return nil, ErrTooLarge
		}
		if set, ok := l.labels(keys[at]); ok {
			byLabel[set] = append(byLabel[set], at)
		}
		to := make([]int, len(starts))
		for c, r := range starts {
			to[c] = -1
			if !surrogateClass(starts, c) {
				room = l.step(room[:0], keys[at], r)
				to[c] = add(room)
			}
		}
		next = append(next, to)
	}
	var out []Class
	for set, ends := range byLabel {
		c := Class{Labels: set}
		c.Words, c.Infinite = finiteWords(starts, next, ends)
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Class) int {
		if a.Labels < b.Labels {
			return -1
		}
		return 1
	})
	return out, nil
}

// finiteWords lists the words that lead from state 0 to one of the ends, or says
// that there are many.
func finiteWords(starts []rune, next [][]int, ends []int) (words []string, many bool) {
	back := make([][]int, len(next))
	for s, row := range next {
		for _, to := range row {
			if to >= 0 {
				back[to] = append(back[to], s)
			}
		}
	}
	leads := make([]bool, len(next))
	isEnd := make([]bool, len(next))
	todo := slices.Clone(ends)
	for _, e := range ends {
		leads[e], isEnd[e] = true, true
	}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, p := range back[s] {
			if !leads[p] {
				leads[p] = true
				todo = append(todo, p)
			}
		}
	}
	var walk func(s int, prefix string, deep int) bool
	walk = func(s int, prefix string, deep int) bool {
		if isEnd[s] {
			words = append(words, prefix)
		}
		if len(words) > maxFew || deep > len(next) {
			return false
		}
		for c, to := range next[s] {
			if to < 0 || !leads[to] {
				continue
			}
			last := rune(0x10ffff)
			if c+1 < len(starts) {
				last = starts[c+1] - 1
			}
			if int(last-starts[c]) >= maxFew {
				return false
			}
			for r := starts[c]; r <= last; r++ {
				if !walk(to, prefix+string(r), deep+1) {
					return false
				}
			}
		}
		return true
	}
	if !leads[0] {
		return nil, false
	}
	if !walk(0, "", 0) {
		return nil, true
	}
	return words, false
}

// Only is the machine of the words whose labels are wanted; every says that these
// are all words that are not of the given set.
func (l *Labels) Only(want func(labels uint64) bool, every bool) *Labelled {
	f := &filtered{l, want}
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
func (m *Labelled) Labels(q int32) uint64 {
	set, _ := m.all.labels(m.keys[q])
	return set
}

type filtered struct {
	*Labels
	want func(uint64) bool
}

func (f *filtered) accept(key []byte) bool {
	set, ok := f.labels(key)
	return ok && f.want(set)
}

// Few lists how words of the language go on from q with lo to hi more characters
// (hi is negative where there is no bound), where there are no more than a limit.
func (l *Lang) Few(q int32, lo, hi, limit int) ([]string, bool) {
	f := few{m: l.Machine, starts: l.bounds(), limit: limit, fits: func(q int32, n int) bool {
		return l.Fits(q, max(lo-n, 0), max(hi-n, min(hi, 0)))
	}}
	ok := f.walk(q, "", 0, lo, hi)
	return f.words, ok
}

// FewFrom is Few for a machine without lengths.
func FewFrom(m Machine, q int32, limit int) ([]string, bool) {
	return (&Lang{Machine: m, Max: -1}).Few(q, 0, -1, limit)
}

type few struct {
	m      Machine
	starts []rune
	limit  int
	fits   func(q int32, n int) bool
	words  []string
}

func (f *few) walk(q int32, prefix string, n, lo, hi int) bool {
	if n >= lo && f.m.Accept(q) {
		f.words = append(f.words, prefix)
	}
	if len(f.words) > f.limit || n > 4*maxFew {
		return false
	}
	if hi >= 0 && n >= hi {
		return true
	}
	for c, r := range f.starts {
		if surrogateClass(f.starts, c) {
			continue
		}
		to := f.m.Step(q, r)
		if to == Dead || !f.fits(to, n+1) {
			continue
		}
		last := rune(0x10ffff)
		if c+1 < len(f.starts) {
			last = f.starts[c+1] - 1
		}
		if int(last-r) >= f.limit {
			return false
		}
		for ; r <= last; r++ {
			if !f.walk(to, prefix+string(r), n+1, lo, hi) {
				return false
			}
		}
	}
	return true
}
