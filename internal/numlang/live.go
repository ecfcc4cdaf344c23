package numlang

import "slices"

// sigState is a run of digits from the first that is not zero, apart from where
// the point stands: an exponent can put it anywhere.
type sigState struct {
	neg    bool
	some   bool
	lo, hi int32
	typed  int16
	size   int16 // digits up to the last that is not zero
	zeros  int16 // behind that
	rem    uint32
}

// range_ finds the scales beyond which numbers no longer differ.
func (l *Lang) range_() {
	if l.bounded {
		l.first, l.last = l.low, l.high
	}
	if l.divided {
		if !l.bounded {
			l.first, l.last = l.unit, l.unit
		}
		l.first, l.last = min(l.first, l.unit), max(l.last, l.unit)
		for p := l.period; p > 0; p /= 10 {
			l.last++
		}
	}
	for _, s := range l.sigs { // room for all digits of a bound behind the point
		l.first = min(l.first, l.low-len(s))
		l.longest = max(l.longest, len(s))
	}
	l.first -= 2
	l.last += 2
}

func (s state) sig() sigState {
	return sigState{
		neg: s.neg, some: s.some, lo: s.lo, hi: s.hi, typed: s.typed,
		size: s.scale - s.last, zeros: s.last + s.frac, rem: s.rem,
	}
}

// accepts reports whether the number may end here.
func (l *Lang) accepts(s state) bool {
	e := int(s.exp)
	if s.eneg {
		e = -e
	}
	switch s.phase {
	case phaseZero, phaseInt, phaseFrac, phaseExp:
	default:
		return false
	}
	return l.holds(l.root, point{s.sig(), int(s.scale) + e, int(s.last) + e})
}

// point is a number: a run of digits, its scale, and the power of ten of its last
// digit that is not zero.
type point struct {
	sigState
	scale, last int
}

// holds reports whether a number is in the set.
func (l *Lang) holds(a *atom, p point) bool {
	switch a.op {
	case opAnd:
		return !slices.ContainsFunc(a.kids, func(k *atom) bool { return !l.holds(k, p) })
	case opOr:
		return slices.ContainsFunc(a.kids, func(k *atom) bool { return l.holds(k, p) })
	case opNot:
		return !l.holds(a.kids[0], p)
	case opIn:
		return l.isIn(a, p)
	case opMultiple:
		return l.isMultiple(l.steps[a.step], p)
	}
	c := l.compare(a, p)
	return c > 0 || (c == 0 && a.op == opLeast)
}

// ended reports whether bound i's digits are exactly those of p.
func (l *Lang) ended(i int, p point) bool {
	return int(p.lo) <= i && i < int(p.hi) && len(l.sigs[i]) <= int(p.typed)
}

func (l *Lang) isIn(a *atom, p point) bool {
	if !p.some {
		return a.in[inKey{sig: zeroSig}]
	}
	for i := p.lo; i < p.hi && l.ended(int(i), p); i++ {
		if a.in[inKey{p.neg, int(i), p.scale}] {
			return true
		}
	}
	return false
}

// compare p with the bound of a.
func (l *Lang) compare(a *atom, p point) int {
	sign := func(zero, neg bool) int {
		switch {
		case zero:
			return 0
		case neg:
			return -1
		}
		return 1
	}
	mine, its := sign(!p.some, p.neg), sign(a.zero, a.neg)
	if mine != its || mine == 0 {
		return mine - its
	}
	c := 0
	switch {
	case p.scale != a.scale:
		c = p.scale - a.scale
	case a.sig < int(p.lo):
		c = 1
	case a.sig >= int(p.hi) || !l.ended(a.sig, p):
		c = -1
	}
	if p.neg {
		return -c
	}
	return c
}

func (l *Lang) isMultiple(step uint64, p point) bool {
	if !p.some {
		return true
	}
	shift := p.last - l.unit
	if shift < 0 {
		return false
	}
	shift = min(shift, periodBits) // 10^20 has every factor 2 and 5 of a step; more make no difference
	r := uint64(p.rem) % step
	for ; shift > 0 && r != 0; shift-- {
		r = r * 10 % step
	}
	return r == 0
}

// isLive reports whether some number of the set is spelt on from state q.
func (l *Lang) isLive(q int32) bool {
	if l.live[q] == 0 {
		l.live[q] = 2
		if l.acc[q] || l.leads(l.states[q]) {
			l.live[q] = 1
		}
	}
	return l.live[q] == 1
}

func (l *Lang) leads(s state) bool {
	switch s.phase {
	case phaseStart:
		minus := s
		minus.neg = true
		return l.leadsAny(s) || l.leadsAny(minus)
	case phaseE:
		plus, minus := s, s
		plus.phase, minus.phase, minus.eneg = phaseSign, phaseSign, true
		return l.leads(plus) || l.leads(minus)
	case phaseSign:
		return l.exponents(s, 0, maxExponent)
	case phaseExp:
		if s.exp == 0 {
			return l.exponents(s, 0, maxExponent)
		}
		for lo, hi := int(s.exp), int(s.exp); lo <= maxExponent; lo, hi = lo*10, hi*10+9 {
			if l.exponents(s, lo, min(hi, maxExponent)) {
				return true
			}
		}
		return false
	}
	return l.leadsAny(s)
}

// exponents reports whether one of the exponents makes a number of the set.
func (l *Lang) exponents(s state, lo, hi int) bool {
	s.phase = phaseExp
	for e := lo; e <= hi; e++ {
		s.exp = int16(e)
		if l.accepts(s) {
			return true
		}
		if !s.some {
			return false // zero stays zero
		}
	}
	return false
}

// leadsAny reports whether digits and an exponent can still make a number of the
// set.
func (l *Lang) leadsAny(s state) bool {
	if s.some {
		return l.sigLeads(s.sig())
	}
	zero := point{sigState: sigState{neg: s.neg}}
	if l.holds(l.root, zero) {
		return true
	}
	for d := 1; d <= 9; d++ {
		next := sigState{neg: s.neg, hi: int32(len(l.sigs))}
		if l.sigLeads(l.sigDigit(next, d)) {
			return true
		}
	}
	return false
}

func (l *Lang) sigDigit(s sigState, d int) sigState {
	if d == 0 {
		s.zeros++
	} else {
		zeros := int(s.zeros)
		if !s.some {
			zeros = 0
		}
		s.rem = l.remainder(s.rem, zeros, d)
		s.size += int16(zeros) + 1
		s.zeros, s.some = 0, true
	}
	s.lo, s.hi = l.within(s.lo, s.hi, int(s.typed), d)
	s.typed++
	if s.lo == s.hi {
		s.typed = 0
	}
	return s
}

// sigLeads reports whether digits that begin so make a number of the set at some
// scale.
func (l *Lang) sigLeads(s sigState) bool {
	if ok, known := l.sigLive[s]; known {
		return ok
	}
	ok := l.sigSearch(s)
	l.sigLive[s] = ok
	return ok
}

func (l *Lang) sigSearch(s sigState) bool {
	for scale := l.first; scale <= l.last+int(s.size)+int(s.zeros); scale++ {
		if l.holds(l.root, point{s, scale, scale - int(s.size)}) {
			return true
		}
	}
	if s.lo == s.hi {
		return l.divided && l.sigExtends(s)
	}
	// Behind all digits of the bounds only so many zeros make a difference.
	if int(s.typed) > l.longest+l.last-l.first {
		return false
	}
	for d := range 10 {
		if l.sigLeads(l.sigDigit(s, d)) {
			return true
		}
	}
	return false
}

// sigExtends reports whether more digits make a multiple, or none, as the set
// wants, where no bound can be hit exactly any more.
func (l *Lang) sigExtends(s sigState) bool {
	for scale := l.first; scale <= l.last+int(s.size)+int(s.zeros); scale++ {
		// A digit far behind: no multiple of anything.
		p := point{s, scale, l.unit - 1}
		if l.holds(l.root, p) {
			return true
		}
		room := scale - int(s.size) - int(s.zeros) - l.unit // digits to come before the unit
		if room <= 0 {
			continue
		}
		count, base := uint64(1), uint64(s.rem)
		for range room {
			base = base * 10 % l.period
			if count < l.period {
				count *= 10
			}
		}
		for range s.zeros {
			base = base * 10 % l.period
		}
		p.last = l.unit
		for y := range min(count, l.period) {
			p.rem = uint32((base + y) % l.period)
			if l.holds(l.root, p) {
				return true
			}
		}
	}
	return false
}

// Endless reports whether every number that has begun can still become one of
// infinitely many: there are no bounds.
func (l *Lang) Endless() bool { return !l.bounded && l.root.op == opAnd && !l.signed }
