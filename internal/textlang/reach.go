package textlang

import "slices"

// reach says how many code points may yet come before a word ends, state by
// state. The sets of states that a word ends k code points behind repeat from
// some k on.
type reach struct {
	sets  [][]uint64 // by k
	again int        // sets go on from here after the last
}

// maxReach bounds what reach may hold, in words of 64 states.
const maxReach = 1 << 20

func newReach(m Machine, minLen, maxLen int) (*reach, error) {
	next, accept, err := explore(m)
	if err != nil {
		return nil, err
	}
	words := (len(accept) + 63) / 64
	set := make([]uint64, words)
	for q, ok := range accept {
		if ok {
			set[q>>6] |= 1 << (q & 63)
		}
	}
	r := &reach{}
	limit := minLen
	if maxLen >= 0 {
		limit = maxLen
	}
	known := map[string]int{}
	for {
		key := keyOf(set)
		if at, ok := known[key]; ok {
			r.again = at
			return r, nil
		}
		known[key] = len(r.sets)
		r.sets = append(r.sets, set)
		if len(r.sets)*words > maxReach {
			return nil, ErrTooLarge
		}
		if maxLen >= 0 && len(r.sets) > limit+1 {
			r.again = len(r.sets) - 1 // never asked for
			return r, nil
		}
		before := make([]uint64, words)
		for q := range next {
			for _, to := range next[q] {
				if set[to>>6]>>(to&63)&1 != 0 {
					before[q>>6] |= 1 << (q & 63)
					break
				}
			}
		}
		set = before
	}
}

func keyOf(set []uint64) string {
	b := make([]byte, 0, 8*len(set))
	for _, w := range set {
		for range 8 {
			b = append(b, byte(w))
			w >>= 8
		}
	}
	return string(b)
}

// explore lists the states of a machine, which are numbered as they were built.
func explore(m Machine) (next [][]int32, accept []bool, err error) {
	starts := m.bounds()
	todo := []int32{m.Start()}
	seen := map[int32]bool{m.Start(): true}
	for len(todo) > 0 {
		q := todo[0]
		todo = todo[1:]
		for int(q) >= len(next) {
			next, accept = append(next, nil), append(accept, false)
		}
		accept[q] = m.Accept(q)
		for c, r := range starts {
			if surrogateClass(starts, c) {
				continue
			}
			to := m.Step(q, r)
			if to == Dead || slices.Contains(next[q], to) {
				continue
			}
			next[q] = append(next[q], to)
			if !seen[to] {
				seen[to] = true
				todo = append(todo, to)
			}
		}
		if len(seen) > maxStates/4 {
			return nil, nil, ErrTooLarge
		}
	}
	return next, accept, tooLarge(m)
}

func (r *reach) has(q int32, k int) bool {
	if k >= len(r.sets) {
		period := len(r.sets) - r.again
		k = r.again + (k-r.again)%period
	}
	set := r.sets[k]
	return int(q>>6) < len(set) && set[q>>6]>>(q&63)&1 != 0
}

// fits reports whether a word ends lo to hi code points behind q; hi is negative
// where there is no bound.
func (r *reach) fits(q int32, lo, hi int) bool {
	lo = max(lo, 0)
	last := max(lo, r.again) + len(r.sets)
	if hi >= 0 && hi < last {
		last = hi
	}
	for k := lo; k <= last; k++ {
		if r.has(q, k) {
			return true
		}
	}
	return false
}

// far is a count beyond which more make no difference.
func (r *reach) far() int {
	if len(r.sets)-r.again > 1 {
		return -1
	}
	return len(r.sets) + 1
}
