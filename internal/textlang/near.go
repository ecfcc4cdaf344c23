package textlang

import "math"

// near says how many code points may yet come before a word ends, where lengths
// are short: it searches from a state when it is asked about it, so that most of
// the automaton is never built.
type near struct {
	machine Machine
	starts  []rune
	some    []int32   // by state: how far some end is, or 0 where none was looked for
	known   [][]int32 // by lo and state: what nearest gives, or 0 where it is not known
}

// What near counts: so many code points that must come, so many that may.
const (
	nearMin = 16
	nearMax = 256
)

// nowhere is farther than any word ends.
const nowhere = math.MaxInt32

func newNear(m Machine) *near { return &near{machine: m, starts: m.bounds()} }

func (n *near) fits(q int32, lo, hi int) bool {
	lo = max(lo, 0)
	if n.someFits(q, lo, hi) {
		return true // any end will do: where words are of one length, the nearest is as far as all
	}
	k := n.nearest(q, lo)
	return k < nowhere && (hi < 0 || int(k) <= hi)
}

// someFits tries one way on.
func (n *near) someFits(q int32, lo, hi int) bool {
	for range lo {
		next := Dead
		n.each(q, func(to int32) bool {
			next = to
			return false
		})
		if next == Dead {
			return false
		}
		q = next
	}
	k := n.someEnd(q)
	return k < nowhere && (hi < 0 || int(k)+lo <= hi)
}

func (n *near) far() int { return -1 }

// someEnd is how far some end is behind q, which is no dead end.
func (n *near) someEnd(q int32) int32 {
	for int(q) >= len(n.some) {
		n.some = append(n.some, 0)
	}
	if n.some[q] == 0 && !n.machine.Accept(q) {
		n.some[q] = nowhere // while it is looked for, and where only what goes in circles is found
		n.each(q, func(to int32) bool {
			if k := n.someEnd(to); k < nowhere {
				n.some[q] = k + 1
			}
			return n.some[q] == nowhere
		})
	}
	return n.some[q]
}

// nearest is how many code points behind q, lo at least, a word ends first.
func (n *near) nearest(q int32, lo int) int32 {
	if lo == 0 && n.machine.Accept(q) {
		return 0
	}
	k := n.place(q, lo)
	if *k != 0 {
		return *k
	}
	if lo == 0 {
		n.search(q)
		return *n.place(q, lo)
	}
	least := int32(nowhere)
	n.each(q, func(to int32) bool {
		if k := n.nearest(to, lo-1); k < nowhere {
			least = min(least, k+1)
		}
		return true
	})
	*n.place(q, lo) = least
	return least
}

func (n *near) place(q int32, lo int) *int32 {
	for lo >= len(n.known) {
		n.known = append(n.known, nil)
	}
	for int(q) >= len(n.known[lo]) {
		n.known[lo] = append(n.known[lo], 0)
	}
	return &n.known[lo][q]
}

// each calls f for where the code points of each class lead, until it says false.
func (n *near) each(q int32, f func(to int32) bool) bool {
	for c, r := range n.starts {
		if surrogateClass(n.starts, c) {
			continue
		}
		if to := n.machine.Step(q, r); to != Dead && !f(to) {
			return false
		}
	}
	return true
}

// search finds the nearest end of a word behind q, and notes it for all states on
// the way there.
func (n *near) search(q int32) {
	type step struct {
		q    int32
		from int
	}
	met := map[int32]bool{q: true}
	queue := []step{{q, -1}}
	for at := 0; at < len(queue); at++ {
		more := n.each(queue[at].q, func(to int32) bool {
			if n.machine.Accept(to) {
				return false
			}
			if !met[to] {
				met[to] = true
				queue = append(queue, step{to, at})
			}
			return true
		})
		if more {
			continue
		}
		for k, i := int32(1), at; i >= 0; k, i = k+1, queue[i].from {
			*n.place(queue[i].q, 0) = k
		}
		return
	}
	*n.place(q, 0) = nowhere
}
