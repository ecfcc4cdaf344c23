package textlang

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Formula is a language made of others by and, or and not.
type Formula struct {
	op      op
	machine Machine
	min     int
	max     int
	words   []string
	kids    []*Formula
}

type op uint8

const (
	opIs op = iota
	opLength
	opAnd
	opOr
	opNot
)

// Is is a machine's own language.
func Is(m Machine) *Formula { return &Formula{op: opIs, machine: m} }

// Words is a finite set of texts.
func Words(words []string) *Formula {
	t := NewTrie(words)
	return &Formula{op: opIs, machine: t, words: t.words}
}

// Length is the texts of min to max code points; max is negative where there is
// none.
func Length(min, max int) *Formula { return &Formula{op: opLength, min: min, max: max} }

// And of formulas; of none it is every text.
func And(kids ...*Formula) *Formula { return &Formula{op: opAnd, kids: kids} }

// Or of formulas; of none it is no text.
func Or(kids ...*Formula) *Formula { return &Formula{op: opOr, kids: kids} }

// Not is every other text.
func Not(kid *Formula) *Formula { return &Formula{op: opNot, kids: []*Formula{kid}} }

// simple pushes not to the leaves, merges nested and and or, and drops constants.
func (f *Formula) simple(neg bool) *Formula {
	switch f.op {
	case opNot:
		return f.kids[0].simple(!neg)
	case opAnd, opOr:
		o := f.op
		if neg {
			o = opAnd + opOr - o
		}
		out := &Formula{op: o}
		for _, k := range f.kids {
			k = k.simple(neg)
			if k.op == o {
				out.kids = append(out.kids, k.kids...)
				continue
			}
			if len(k.kids) == 0 && (k.op == opAnd || k.op == opOr) { // the other constant
				return k
			}
			out.kids = append(out.kids, k)
		}
		if len(out.kids) == 1 {
			return out.kids[0]
		}
		return out
	case opIs:
		if f.machine == Any {
			if neg {
				return Or()
			}
			return And()
		}
	case opLength:
		return f.length(neg)
	}
	if neg {
		return Not(f)
	}
	return f
}

func (f *Formula) length(neg bool) *Formula {
	switch {
	case !neg && f.min <= 0 && f.max < 0:
		return And()
	case !neg:
		return f
	}
	var out []*Formula
	if f.min > 0 {
		out = append(out, Length(0, f.min-1))
	}
	if f.max >= 0 {
		out = append(out, Length(f.max+1, -1))
	}
	if len(out) == 1 {
		return out[0]
	}
	return Or(out...)
}

// Key tells formulas apart that may differ, as long as their machines live.
func (f *Formula) Key() string {
	var b strings.Builder
	f.simple(false).write(&b)
	return b.String()
}

func (f *Formula) write(b *strings.Builder) {
	switch {
	case f.op == opLength:
		fmt.Fprintf(b, "%d-%d", f.min, f.max)
	case f.words != nil:
		fmt.Fprintf(b, "%q", f.words)
	case f.op == opIs:
		if c, ok := f.machine.(count); ok {
			fmt.Fprintf(b, "#%d-%d", c.min, c.max)
			break
		}
		fmt.Fprintf(b, "%p", f.machine)
	default:
		b.WriteByte(byte('a' + f.op))
		b.WriteByte('(')
		for _, k := range f.kids {
			k.write(b)
			b.WriteByte(',')
		}
		b.WriteByte(')')
	}
}

// Lang is a machine and bounds of the length in code points, which are counted
// outside of it.
type Lang struct {
	Machine
	Min, Max int     // Max is negative where there is none
	lengths  lengths // nil: as for every text
}

// Firsts are the first code points of the classes that no state tells apart. The
// caller must not change them.
func (l *Lang) Firsts() []rune {
	starts := l.bounds()
	if len(starts) == 0 || starts[0] != 0 {
		starts = slices.Insert(slices.Clone(starts), 0, 0)
	}
	return starts
}

// Chars is code points that no state tells apart.
type Chars struct {
	First, Last rune
	Plain       rune // one that JSON's strings hold as it is
}

// Plain are the classes that have a code point which JSON's strings hold as it is.
func (l *Lang) Plain() []Chars {
	starts := l.Firsts()
	var out []Chars
	for i, r := range starts {
		c := Chars{r, unicode.MaxRune, r}
		if i+1 < len(starts) {
			c.Last = starts[i+1] - 1
		}
		for c.Plain <= c.Last && !isPlain(c.Plain) {
			c.Plain++
		}
		if c.Plain <= c.Last {
			out = append(out, c)
		}
	}
	return out
}

func isPlain(r rune) bool {
	return r >= ' ' && r != '"' && r != '\\' && (r < 0xd800 || r > 0xdfff)
}

// Compile makes the machines of a formula, one for each part of an Or whose
// lengths must be counted apart. A language that is empty is left out.
func Compile(f *Formula) ([]*Lang, error) {
	f = f.simple(false)
	parts := []*Formula{f}
	if f.op == opOr && slices.ContainsFunc(f.kids, long) {
		parts = f.kids
	}
	var out []*Lang
	for _, p := range parts {
		l, err := compilePart(p)
		if err != nil {
			return nil, err
		}
		if l != nil {
			out = append(out, l)
		}
	}
	return out, nil
}

// long reports whether a formula counts further than states should.
func long(f *Formula) bool {
	if f.op == opLength {
		return f.min > 64 || f.max > 64
	}
	return slices.ContainsFunc(f.kids, long)
}

func compilePart(f *Formula) (*Lang, error) {
	l := &Lang{Max: -1}
	var rest []*Formula
	conj := []*Formula{f}
	if f.op == opAnd {
		conj = f.kids
	}
	for _, k := range conj {
		if k.op != opLength {
			rest = append(rest, k)
			continue
		}
		l.Min = max(l.Min, k.min)
		if k.max >= 0 && (l.Max < 0 || k.max < l.Max) {
			l.Max = k.max
		}
	}
	m, err := machineOf(rest)
	if err != nil {
		return nil, err
	}
	l.Machine = m
	if m.Start() == Dead || (l.Max >= 0 && l.Max < l.Min) {
		return nil, tooLarge(m)
	}
	if l.Min == 0 && l.Max < 0 {
		return l, inLimits(m)
	}
	if t, ok := m.(*Trie); ok {
		return l.cutTrie(t), nil
	}
	if m != Any {
		if l.lengths, err = newLengths(m, l.Min, l.Max); err != nil {
			return nil, err
		}
		if !l.lengths.fits(m.Start(), l.Min, l.Max) {
			return nil, tooLarge(m)
		}
	}
	return l, tooLarge(m)
}

// cutTrie keeps the words of the right length.
func (l *Lang) cutTrie(t *Trie) *Lang {
	var words []string
	for _, w := range t.words {
		if n := runes(w); n >= l.Min && (l.Max < 0 || n <= l.Max) {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return nil
	}
	return &Lang{Machine: NewTrie(words), Max: -1}
}

func runes(s string) int {
	n := 0
	for range s {
		n++
	}
	return n
}

func tooLarge(m Machine) error {
	if l, ok := m.(*lazy); ok && l.over {
		return ErrTooLarge
	}
	return nil
}

// machineOf makes one machine of a conjunction without lengths at its top.
func machineOf(conj []*Formula) (Machine, error) {
	switch {
	case len(conj) == 0:
		return Any, nil
	case len(conj) == 1 && conj[0].op == opIs:
		return conj[0].machine, nil
	}
	f := And(conj...)
	if words, ok := f.finite(); ok {
		return NewTrie(words), nil
	}
	p := &product{}
	p.root = p.flatten(f)
	if p.err != nil {
		return nil, p.err
	}
	return newLazy(p), nil
}

// finite gives the words of a formula whose form shows that it is a finite set.
func (f *Formula) finite() (words []string, ok bool) {
	switch f.op {
	case opIs:
		return f.words, f.words != nil
	case opOr:
		for _, k := range f.kids {
			more, finite := k.finite()
			if !finite {
				return nil, false
			}
			words = append(words, more...)
		}
		return words, true
	case opAnd:
		for _, k := range f.kids {
			if set, finite := k.finite(); finite && (!ok || len(set) < len(words)) {
				words, ok = set, true
			}
		}
		return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !f.matches(w) }), ok
	}
	return nil, false
}

func (f *Formula) matches(word string) bool {
	is := func(k *Formula) bool { return k.matches(word) }
	switch f.op {
	case opLength:
		n := runes(word)
		return n >= f.min && (f.max < 0 || n <= f.max)
	case opAnd:
		return !slices.ContainsFunc(f.kids, func(k *Formula) bool { return !is(k) })
	case opOr:
		return slices.ContainsFunc(f.kids, is)
	case opNot:
		return !is(f.kids[0])
	}
	q := f.machine.Start()
	for _, r := range word {
		if q == Dead {
			return false
		}
		q = f.machine.Step(q, r)
	}
	return q != Dead && f.machine.Accept(q)
}

// product runs the machines of a formula side by side.
type product struct {
	side
	root *term
	err  error
}

type term struct {
	op   op
	part int
	kids []*term
}

func (p *product) flatten(f *Formula) *term {
	switch f.op {
	case opIs:
		return p.leaf(f.machine)
	case opLength:
		if f.min > maxStates/4 || f.max > maxStates/4 {
			p.err = ErrTooLarge
		}
		c := count{int32(min(f.min, math.MaxInt32)), -1}
		if f.max >= 0 {
			c.max = int32(min(f.max, math.MaxInt32))
		}
		return p.leaf(c)
	}
	t := &term{op: f.op}
	for _, k := range f.kids {
		t.kids = append(t.kids, p.flatten(k))
	}
	return t
}

func (p *product) leaf(m Machine) *term {
	p.side = append(p.side, m)
	return &term{op: opIs, part: len(p.side) - 1}
}

// settled is the key, or the constant that the formula has become.
func (p *product) settled(key []byte) []byte {
	switch p.truth(p.root, key, false) {
	case yes:
		return []byte(all)
	case no:
		return nil
	}
	return key
}

// sure reports whether a key is live because one part of an or is.
func (p *product) sure(key []byte) bool {
	if string(key) == all {
		return true
	}
	var is func(t *term) bool
	is = func(t *term) bool {
		switch t.op {
		case opIs:
			return stateAt(key, t.part) != Dead
		case opOr:
			return slices.ContainsFunc(t.kids, is)
		}
		return false
	}
	return is(p.root)
}

func (p *product) accept(key []byte) bool { return p.truth(p.root, key, true) == yes }

// truth of a term at a key: at its end, or for every continuation, 0 where that
// is open.
func (p *product) truth(t *term, key []byte, atEnd bool) uint8 {
	switch t.op {
	case opIs:
		q, m := stateAt(key, t.part), p.side[t.part]
		switch {
		case q == Dead:
			return no
		case atEnd && m.Accept(q), m.Total(q):
			return yes
		case atEnd:
			return no
		}
		return 0
	case opNot:
		switch p.truth(t.kids[0], key, atEnd) {
		case yes:
			return no
		case no:
			return yes
		}
		return 0
	}
	stop, pass := uint8(no), uint8(yes)
	if t.op == opOr {
		stop, pass = yes, no
	}
	for _, k := range t.kids {
		switch p.truth(k, key, atEnd) {
		case stop:
			return stop
		case 0:
			pass = 0
		}
	}
	return pass
}

// Leads reports whether some code point from first to last leads to a word that
// ends lo to hi code points behind q; hi is negative where there is no bound.
func (l *Lang) Leads(q int32, first, last rune, lo, hi int) bool {
	if first > last || hi == 0 || !l.SomeIn(q, first, last) {
		return false
	}
	if l.lengths == nil {
		return true
	}
	starts := l.bounds()
	for c, r := range starts {
		if c+1 < len(starts) && starts[c+1] <= first || r > last || surrogateClass(starts, c) {
			continue
		}
		if to := l.Step(q, max(r, first)); to != Dead && l.lengths.fits(to, lo-1, max(hi-1, -1)) {
			return true
		}
	}
	return false
}

// Counted is like Length, counted by the machine itself: for bounds that are a
// part of something larger.
func Counted(min, max int) *Formula { return Is(count{int32(min), int32(max)}) }
