package numlang

import "sort"

// Dead is the state from which no number of the set is reached.
const Dead = int32(-1)

// maxExponent is the greatest exponent that may be written.
const maxExponent = 400

// maxStates bounds one automaton.
const maxStates = 1 << 18

// Lang is the automaton of a set of numbers.
type Lang struct {
	root    *atom
	sigs    []string // the digits of all bounds, in order
	longest int      // of sigs
	bounded bool     // there are bounds
	signed  bool     // zero is a bound
	low     int      // scales of the bounds
	high    int
	divided bool     // there are divisors
	steps   []uint64 // in units
	unit    int      // 10^unit
	period  uint64   // the divisors' common multiple, in units

	first, last int // the scales at which numbers differ

	ids     map[state]int32
	states  []state
	next    []int32 // 15 a state
	acc     []bool
	live    []uint8
	sigLive map[sigState]bool
	start   int32
}

type phase uint8

const (
	phaseStart phase = iota
	phaseMinus
	phaseZero
	phaseInt
	phasePoint
	phaseFrac
	phaseE
	phaseSign
	phaseExp
)

// state is what is known of the text so far. The digits from the first that is not
// zero are d1d2…; scale is theirs as in decimal; last is the power of ten of the
// last digit that is not zero, and frac counts the digits behind the point.
type state struct {
	phase  phase
	neg    bool
	eneg   bool
	some   bool // a digit that is not zero came
	exp    int16
	scale  int16 // only where there are bounds
	last   int16 // only where there are divisors or bounds
	frac   int16 // likewise
	lo, hi int32 // the bounds' digits that begin with these
	typed  int16 // how many digits, where lo < hi
	rem    uint32
}

const width = 15

// column of a byte, or -1.
func column(b byte) int {
	switch {
	case '0' <= b && b <= '9':
		return int(b - '0')
	case b == '-':
		return 10
	case b == '+':
		return 11
	case b == '.':
		return 12
	case b == 'e':
		return 13
	case b == 'E':
		return 14
	}
	return -1
}

const unknown = int32(-2)

func (l *Lang) add(s state) int32 {
	if id, ok := l.ids[s]; ok {
		return id
	}
	if len(l.states) >= maxStates {
		return Dead
	}
	id := int32(len(l.states))
	l.ids[s] = id
	l.states = append(l.states, s)
	for range width {
		l.next = append(l.next, unknown)
	}
	l.acc = append(l.acc, l.accepts(s))
	l.live = append(l.live, 0)
	return id
}

// Start is the first state, Dead where the set is empty.
func (l *Lang) Start() int32 { return l.start }

// Accept reports whether the number may end at q.
func (l *Lang) Accept(q int32) bool { return l.acc[q] }

// Digit reports whether the last byte before q was a digit of the number itself,
// which are counted by a reader's limit.
func (l *Lang) Digit(q int32) bool {
	switch l.states[q].phase {
	case phaseZero, phaseInt, phaseFrac:
		return true
	}
	return false
}

// Step leads on by one byte.
func (l *Lang) Step(q int32, b byte) int32 {
	col := column(b)
	if col < 0 {
		return Dead
	}
	at := int(q)*width + col
	if to := l.next[at]; to != unknown {
		return to
	}
	to := Dead
	if s, ok := l.move(l.states[q], b); ok {
		if to = l.add(s); to != Dead && !l.isLive(to) {
			to = Dead
		}
	}
	l.next[at] = to
	return to
}

func (l *Lang) move(s state, b byte) (state, bool) {
	digit := '0' <= b && b <= '9'
	switch s.phase {
	case phaseStart:
		if b == '-' {
			s.phase, s.neg = phaseMinus, true
			return s, true
		}
		return l.firstDigit(s, b)
	case phaseMinus:
		return l.firstDigit(s, b)
	case phaseZero, phaseInt:
		switch {
		case b == '.':
			s.phase = phasePoint
			return s, true
		case b|0x20 == 'e':
			s.phase = phaseE
			return s, true
		case digit && s.phase == phaseInt:
			return l.digit(s, int(b-'0'), false)
		}
	case phasePoint, phaseFrac:
		switch {
		case digit:
			s.phase = phaseFrac
			return l.digit(s, int(b-'0'), true)
		case b|0x20 == 'e' && s.phase == phaseFrac:
			s.phase = phaseE
			return s, true
		}
	case phaseE, phaseSign, phaseExp:
		return l.exponent(s, b)
	}
	return s, false
}

func (l *Lang) firstDigit(s state, b byte) (state, bool) {
	switch {
	case b == '0':
		s.phase = phaseZero
		return s, true
	case '1' <= b && b <= '9':
		s.phase = phaseInt
		return l.digit(s, int(b-'0'), false)
	}
	return s, false
}

// maxDigits keeps counts within their type; a reader's limit is lower.
const maxDigits = 2000

// digit adds one digit to the number.
func (l *Lang) digit(s state, d int, frac bool) (state, bool) {
	if s.scale > maxDigits || s.frac > maxDigits || s.last > maxDigits {
		return s, false
	}
	count := l.bounded || l.divided
	if frac && count {
		s.frac++
	}
	if !s.some && d == 0 { // zeros before the first digit
		if l.bounded {
			s.scale--
		}
		return s, true
	}
	if !frac && l.bounded {
		s.scale++
	}
	s.some = true
	if !count {
		return s, true
	}
	zeros := int(s.last) + int(s.frac) // since the last digit that is not zero
	if frac {
		zeros--
	}
	if d == 0 {
		if !frac {
			s.last++
		}
		return l.narrow(s, 0), true
	}
	s.rem = l.remainder(s.rem, zeros, d)
	s.last = -s.frac
	return l.narrow(s, d), true
}

// remainder adds a digit behind zeros.
func (l *Lang) remainder(rem uint32, zeros, d int) uint32 {
	if l.period == 1 {
		return 0
	}
	r := uint64(rem)
	for range zeros + 1 {
		r = r * 10 % l.period
	}
	return uint32((r + uint64(d)) % l.period)
}

// narrow keeps the bounds whose digits go on with d. A bound whose digits have
// ended goes on with zeros.
func (l *Lang) narrow(s state, d int) state {
	s.lo, s.hi = l.within(s.lo, s.hi, int(s.typed), d)
	s.typed++
	if s.lo == s.hi {
		s.typed = 0
	}
	return s
}

func (l *Lang) within(lo, hi int32, at, d int) (int32, int32) {
	if lo == hi {
		return lo, hi
	}
	digitOf := func(i int) int {
		if s := l.sigs[i]; at < len(s) {
			return int(s[at] - '0')
		}
		return 0
	}
	n := int(hi - lo)
	from := sort.Search(n, func(i int) bool { return digitOf(int(lo)+i) >= d })
	to := sort.Search(n, func(i int) bool { return digitOf(int(lo)+i) > d })
	return lo + int32(from), lo + int32(to)
}

func (l *Lang) exponent(s state, b byte) (state, bool) {
	digit := '0' <= b && b <= '9'
	switch {
	case s.phase == phaseE && (b == '+' || b == '-'):
		s.phase, s.eneg = phaseSign, b == '-'
		return s, true
	case !digit:
		return s, false
	}
	s.phase = phaseExp
	e := int(s.exp)*10 + int(b-'0')
	if e > maxExponent {
		return s, false
	}
	s.exp = int16(e)
	return s, true
}
