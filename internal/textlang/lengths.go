package textlang

import "slices"

// lengths says how many code points may yet come before a word of a machine ends.
type lengths interface {
	// fits reports whether a word ends lo to hi code points behind q; hi is negative
	// where there is no bound.
	fits(q int32, lo, hi int) bool
	// far is a count beyond which more make no difference to fits, or negative where
	// they always may.
	far() int
}

// newLengths explores a machine, which also finds out whether it is too large,
// unless it is known to be small.
func newLengths(m Machine, least, most int) (lengths, error) {
	if least <= nearMin && most <= nearMax && isSmall(m) {
		return newNear(m), nil
	}
	return newReach(m, least, most)
}

// inLimits finds out whether a machine is too large, unless it is known to be small.
// One that outgrew its limit while it is walked would be wrong from there on.
func inLimits(m Machine) error {
	if isSmall(m) {
		return nil
	}
	_, _, err := explore(m)
	return err
}

// Small vouches for a formula of patterns: their automata are known to be small.
func Small(f *Formula) *Formula {
	if l, ok := f.machine.(*lazy); ok {
		l.small = true
	}
	for _, k := range f.kids {
		Small(k)
	}
	return f
}

func isSmall(m Machine) bool {
	l, ok := m.(*lazy)
	if !ok {
		return true
	}
	p, ok := l.src.(*product)
	return l.small || ok && !slices.ContainsFunc(p.side, func(m Machine) bool { return !isSmall(m) })
}

// Fits reports whether a word ends lo to hi code points behind state q; hi is
// negative where there is no bound. lo and hi may be capped at Far.
func (l *Lang) Fits(q int32, lo, hi int) bool {
	if hi >= 0 && hi < lo {
		return false
	}
	return l.lengths == nil || l.lengths.fits(q, lo, hi)
}

// Far is a count of code points beyond which more make no difference to Fits, or
// a negative number where they always may.
func (l *Lang) Far() int {
	if l.lengths == nil {
		return 1
	}
	return l.lengths.far()
}
