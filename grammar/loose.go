package grammar

import (
	"math/bits"
	"slices"
	"unicode"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// looseKinds are kinds of characters that may follow each other in any order and
// number, and the states that they lead to. There may be none.
type looseKinds struct {
	kinds  uint64
	states []int32
}

// looseState is where they are asked for.
type looseState struct {
	text *textlang.Lang
	q    int32
}

const (
	enoughChars = 20 // for a set of them to be worth it
	mostStates  = 32 // that they may pass
	mostTries   = 12 // to find them
)

// plainKinds are those that JSON's strings hold as they are.
var plainKinds = func() (set uint64) {
	for kind, r := range tokenizer.KindFirsts() {
		if r >= ' ' && r != '"' && r != '\\' && r != 0xd800 {
			set |= 1 << kind
		}
	}
	return set
}()

// looseFrom finds loose kinds from a state on. The lock is held.
func (m *machine) looseFrom(l *textlang.Lang, q int32) *looseKinds {
	at := looseState{l, q}
	found := m.loose[at]
	if found == nil {
		s := looseSearch{text: l, apart: m.kindsApart(l)}
		found = s.find(q)
		m.loose[at] = found
		m.held.Add(looseBytes + 4*int64(len(found.states)))
	}
	return found
}

// looseSearch tries kinds, and leaves out what leads to a dead end.
type looseSearch struct {
	text   *textlang.Lang
	apart  [][]rune
	states []int32
	by     []int // by state: the kind that led to it first
}

func (s *looseSearch) find(q int32) *looseKinds {
	none := &looseKinds{}
	set := s.leading(q, plainKinds)
	for range mostTries {
		if chars(set) < enoughChars {
			return none
		}
		bad, few := s.pass(q, set)
		switch {
		case !few:
			return none
		case bad < 0:
			return &looseKinds{set, slices.Clone(s.states)}
		}
		leading := s.leading(s.states[bad], set)
		if lost := bits.OnesCount64(set &^ leading); 4*lost > bits.OnesCount64(set) {
			leading = set &^ (1 << s.by[bad])
		}
		set = leading
	}
	return none
}

// chars is how many characters are of some kinds.
func chars(kinds uint64) int {
	firsts, count := tokenizer.KindFirsts(), 0
	for ; kinds != 0; kinds &= kinds - 1 {
		kind, next := trailing(kinds), rune(unicode.MaxRune+1)
		if kind+1 < len(firsts) {
			next = firsts[kind+1]
		}
		count += int(next - firsts[kind])
	}
	return count
}

// pass meets the states to which kinds lead from q, until one has a dead end. few
// says that they are few.
func (s *looseSearch) pass(q int32, set uint64) (bad int, few bool) {
	s.states, s.by = append(s.states[:0], q), append(s.by[:0], -1)
	for i := 0; i < len(s.states); i++ {
		for kinds := set; kinds != 0; kinds &= kinds - 1 {
			kind := trailing(kinds)
			for _, to := range s.steps(s.states[i], kind) {
				if to == textlang.Dead {
					return i, true
				}
				if slices.Contains(s.states, to) {
					continue
				}
				if len(s.states) == mostStates {
					return -1, false
				}
				s.states, s.by = append(s.states, to), append(s.by, kind)
			}
		}
	}
	return -1, true
}

// leading are the kinds of a set whose characters all lead on.
func (s *looseSearch) leading(q int32, set uint64) uint64 {
	for kinds := set; kinds != 0; kinds &= kinds - 1 {
		if kind := trailing(kinds); slices.Contains(s.steps(q, kind), textlang.Dead) {
			set &^= 1 << kind
		}
	}
	return set
}

// steps are the states to which the characters of a kind lead.
func (s *looseSearch) steps(q int32, kind int) []int32 {
	out := append(make([]int32, 0, 8), s.text.Step(q, tokenizer.KindFirsts()[kind]))
	for _, r := range s.apart[kind] {
		out = append(out, s.text.Step(q, r))
	}
	return out
}

// longest is for how many characters the length allows whatever leads to states.
func (x *textWalk) longest(states []int32) int {
	lo, hi := int(x.at.lo), int(x.at.hi)
	for n := x.w.v.SafeLength(); len(states) > 0 && n > 0; n /= 2 {
		fits := func(q int32) bool { return x.text.Fits(q, lo, max(hi-n, -1)) }
		if lo <= 0 && hi < 0 || (hi < 0 || hi >= n) && !slices.ContainsFunc(states, func(q int32) bool { return !fits(q) }) {
			return n
		}
	}
	return 0
}
