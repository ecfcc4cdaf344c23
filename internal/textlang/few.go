package textlang

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
