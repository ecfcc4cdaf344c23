package numlang

import (
	"errors"
	"math/big"
	"slices"
	"strings"
)

// Formula is a set of numbers, made of bounds, divisors and finite sets by and,
// or and not.
type Formula struct {
	op     op
	values []string // of opIn; one of the bounds and of opMultiple
	kids   []*Formula
}

type op uint8

const (
	opIn       op = iota // one of the values
	opLeast              // at least the value
	opAbove              // more than the value
	opMultiple           // a whole multiple of the value
	opAnd
	opOr
	opNot
)

// In is a finite set of numbers, by their texts.
func In(values ...string) *Formula { return &Formula{op: opIn, values: values} }

// AtLeast is the numbers from a bound on.
func AtLeast(v string) *Formula { return &Formula{op: opLeast, values: []string{v}} }

// Above is the numbers greater than a bound.
func Above(v string) *Formula { return &Formula{op: opAbove, values: []string{v}} }

// MultipleOf is the whole multiples of a number.
func MultipleOf(v string) *Formula { return &Formula{op: opMultiple, values: []string{v}} }

// And of formulas; of none it is every number.
func And(kids ...*Formula) *Formula { return &Formula{op: opAnd, kids: kids} }

// Or of formulas; of none it is no number.
func Or(kids ...*Formula) *Formula { return &Formula{op: opOr, kids: kids} }

// Not is every other number.
func Not(kid *Formula) *Formula { return &Formula{op: opNot, kids: []*Formula{kid}} }

// ErrTooLarge says that a set of numbers needs more than its automaton may hold.
var ErrTooLarge = errors.New("the automaton of the numbers is too large")

// atom is a formula with its numbers read.
type atom struct {
	op    op
	neg   bool // of the bound
	zero  bool
	sig   int // the bound's digits, by their place among all
	scale int
	step  int            // of opMultiple: its place among the divisors
	in    map[inKey]bool // of opIn
	kids  []*atom
}

type inKey struct {
	neg   bool
	sig   int
	scale int
}

// zeroSig is the digits of zero.
const zeroSig = -1

// maxPeriod bounds the common multiple of all divisors.
const (
	maxPeriod  = 1 << periodBits
	periodBits = 20
)

// Compile makes the automaton of a formula.
func Compile(f *Formula) (*Lang, error) {
	c := &compiler{lang: &Lang{ids: map[state]int32{}, sigLive: map[sigState]bool{}, period: 1}, sigs: map[string]int{}}
	if err := c.collect(f); err != nil {
		return nil, err
	}
	l := c.lang
	for s := range c.sigs {
		l.sigs = append(l.sigs, s)
	}
	slices.Sort(l.sigs)
	for i, s := range l.sigs {
		c.sigs[s] = i
	}
	if err := c.divisors(); err != nil {
		return nil, err
	}
	l.root = c.atom(f)
	l.range_()
	l.start = l.add(state{phase: phaseStart, hi: int32(len(l.sigs))})
	if !l.isLive(l.start) {
		l.start = Dead
	}
	return l, nil
}

type compiler struct {
	lang  *Lang
	sigs  map[string]int
	steps []decimal
	texts []string
}

// collect reads all numbers of a formula.
func (c *compiler) collect(f *Formula) error {
	l := c.lang
	for _, v := range f.values {
		d, err := parse(v)
		if err != nil {
			return err
		}
		switch {
		case f.op == opMultiple:
			if !slices.Contains(c.texts, v) {
				c.steps, c.texts = append(c.steps, d), append(c.texts, v)
			}
			continue
		case d.zero():
			l.signed = true
			continue // its sign is enough
		}
		c.sigs[d.digits] = 0
		if !l.bounded {
			l.bounded, l.low, l.high = true, d.scale, d.scale
		}
		l.low, l.high = min(l.low, d.scale), max(l.high, d.scale)
	}
	for _, k := range f.kids {
		if err := c.collect(k); err != nil {
			return err
		}
	}
	return nil
}

// divisors brings all divisors to one unit and finds their period.
func (c *compiler) divisors() error {
	l := c.lang
	if len(c.steps) == 0 {
		return nil
	}
	l.divided = true
	l.unit = 1 << 30
	for _, d := range c.steps {
		_, u := d.unit()
		l.unit = min(l.unit, u)
	}
	period := big.NewInt(1)
	for _, d := range c.steps {
		n, u := d.unit()
		if u-l.unit > 18 {
			return ErrTooLarge
		}
		n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(u-l.unit)), nil))
		if !n.IsInt64() || n.Int64() > maxPeriod {
			return ErrTooLarge
		}
		l.steps = append(l.steps, uint64(n.Int64()))
		gcd := new(big.Int).GCD(nil, nil, period, n)
		period.Mul(period, n.Div(n, gcd))
		if period.Cmp(big.NewInt(maxPeriod)) > 0 {
			return ErrTooLarge
		}
	}
	l.period = uint64(period.Int64())
	return nil
}

func (c *compiler) key(v string) inKey {
	d, _ := parse(v)
	if d.zero() {
		return inKey{sig: zeroSig}
	}
	return inKey{d.neg, c.sigs[d.digits], d.scale}
}

func (c *compiler) atom(f *Formula) *atom {
	a := &atom{op: f.op}
	switch f.op {
	case opIn:
		a.in = map[inKey]bool{}
		for _, v := range f.values {
			a.in[c.key(v)] = true
		}
	case opLeast, opAbove:
		k := c.key(f.values[0])
		a.neg, a.sig, a.scale, a.zero = k.neg, k.sig, k.scale, k.sig == zeroSig
	case opMultiple:
		a.step = slices.Index(c.texts, f.values[0])
	}
	for _, k := range f.kids {
		a.kids = append(a.kids, c.atom(k))
	}
	return a
}

// Key tells formulas apart that may differ.
func (f *Formula) Key() string {
	var b strings.Builder
	f.write(&b)
	return b.String()
}

func (f *Formula) write(b *strings.Builder) {
	b.WriteByte(byte('a' + f.op))
	for _, v := range f.values {
		b.WriteString(v + ",")
	}
	b.WriteByte('(')
	for _, k := range f.kids {
		k.write(b)
	}
	b.WriteByte(')')
}
