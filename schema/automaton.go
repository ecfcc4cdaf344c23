package schema

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
)

// automaton is a table that decides a pattern over ASCII text, one step a byte.
type automaton struct {
	class [128]uint8
	width int      // classes
	next  []uint16 // state*width + class
	atEnd []bool   // does the state accept where the text ends
}

const (
	stateDead   = 0
	stateMatch  = 1 // whatever follows
	stateOffset = 2

	maxProgram = 600
	maxStates  = 300
	maxWork    = 60_000
)

func (a *automaton) match(text string) bool {
	state := uint16(stateOffset)
	for i := range len(text) {
		state = a.next[int(state)*a.width+int(a.class[text[i]&127])]
		if state <= stateMatch {
			return state == stateMatch
		}
	}
	return a.atEnd[state]
}

// builder makes an automaton by the subset construction.
type builder struct {
	prog  *syntax.Prog
	a     *automaton
	reps  []rune // one character of each class
	sets  [][]uint32
	ids   map[string]uint16
	work  int
	stack []uint32
	seen  []uint32
	mark  uint32
}

// newAutomaton gives nil where the pattern is not simple enough.
func newAutomaton(re2 string) *automaton {
	parsed, err := syntax.Parse(re2, syntax.Perl)
	if err != nil {
		return nil
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(prog.Inst) > maxProgram {
		return nil
	}
	for n := range prog.Inst {
		in := &prog.Inst[n]
		if in.Op == syntax.InstEmptyWidth && syntax.EmptyOp(in.Arg)&^(syntax.EmptyBeginText|syntax.EmptyEndText) != 0 {
			return nil
		}
	}
	b := &builder{prog: prog, a: &automaton{}, ids: map[string]uint16{}, seen: make([]uint32, len(prog.Inst))}
	b.classes()
	if !b.build() {
		return nil
	}
	return b.a
}

// classes groups the characters that no instruction tells apart.
func (b *builder) classes() {
	ids := map[string]uint8{}
	var runes []*syntax.Inst
	for n := range b.prog.Inst {
		switch in := &b.prog.Inst[n]; in.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			runes = append(runes, in)
		}
	}
	// Repetition copies instructions; their sets are what counts.
	slices.SortFunc(runes, func(x, y *syntax.Inst) int { return slices.Compare(x.Rune, y.Rune) })
	runes = slices.CompactFunc(runes, func(x, y *syntax.Inst) bool {
		return x.Op == y.Op && x.Arg == y.Arg && slices.Equal(x.Rune, y.Rune)
	})
	key := make([]byte, len(runes))
	for c := range rune(128) {
		for n, in := range runes {
			key[n] = '0'
			if in.MatchRune(c) {
				key[n] = '1'
			}
		}
		id, ok := ids[string(key)]
		if !ok {
			id = uint8(len(ids))
			ids[string(key)] = id
			b.reps = append(b.reps, c)
		}
		b.a.class[c] = id
	}
	b.a.width = len(b.reps)
}

func (b *builder) build() bool {
	start := uint32(b.prog.Start)
	b.sets = make([][]uint32, stateOffset)
	b.a.atEnd = []bool{false, true}
	first := b.closure([]uint32{start}, syntax.EmptyBeginText)
	switch b.add(first, syntax.EmptyBeginText) {
	case stateDead:
		return false
	case stateMatch:
		// It matches the empty text: one state that leads to the match.
		b.sets = append(b.sets, nil)
		b.a.atEnd = append(b.a.atEnd, true)
		b.a.next = make([]uint16, (stateOffset+1)*b.a.width)
		for n := range b.a.width {
			b.a.next[stateOffset*b.a.width+n] = stateMatch
		}
		return true
	}
	b.a.next = make([]uint16, stateOffset*b.a.width)
	for id := stateOffset; id < len(b.sets); id++ {
		for _, c := range b.reps {
			var moved []uint32
			for _, pc := range b.sets[id] {
				in := &b.prog.Inst[pc]
				switch in.Op {
				case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
					if in.MatchRune(c) {
						moved = append(moved, in.Out)
					}
				}
			}
			moved = append(moved, start) // the match may begin anywhere
			to := b.add(b.closure(moved, 0), 0)
			if b.work > maxWork || len(b.sets) > maxStates {
				return false
			}
			b.a.next = append(b.a.next, to)
		}
	}
	return true
}

// closure follows what consumes nothing, under the conditions that hold.
func (b *builder) closure(from []uint32, holds syntax.EmptyOp) []uint32 {
	b.mark++
	var out []uint32
	b.stack = append(b.stack[:0], from...)
	for len(b.stack) > 0 {
		pc := b.stack[len(b.stack)-1]
		b.stack = b.stack[:len(b.stack)-1]
		if b.seen[pc] == b.mark {
			continue
		}
		b.seen[pc] = b.mark
		b.work++
		in := &b.prog.Inst[pc]
		switch in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			b.stack = append(b.stack, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			b.stack = append(b.stack, in.Out)
		case syntax.InstEmptyWidth:
			if need := syntax.EmptyOp(in.Arg); need&^holds == 0 {
				b.stack = append(b.stack, in.Out)
			} else if need&^(holds|syntax.EmptyEndText) == 0 {
				out = append(out, pc) // holds if the text ends here
			}
		case syntax.InstFail:
		default:
			out = append(out, pc)
		}
	}
	slices.Sort(out)
	return out
}

// add gives the state of a set of instructions.
func (b *builder) add(set []uint32, holds syntax.EmptyOp) uint16 {
	if len(set) == 0 {
		return stateDead
	}
	for _, pc := range set {
		if b.prog.Inst[pc].Op == syntax.InstMatch {
			return stateMatch
		}
	}
	key := make([]byte, 0, 4*len(set)+1)
	for _, pc := range set {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	if id, ok := b.ids[string(key)]; ok {
		return id
	}
	id := uint16(len(b.sets))
	if holds == 0 { // the first state is like no other: the text begins there
		b.ids[string(key)] = id
	}
	b.sets = append(b.sets, set)
	accepts := false
	for _, pc := range b.closure(set, holds|syntax.EmptyEndText) {
		accepts = accepts || b.prog.Inst[pc].Op == syntax.InstMatch
	}
	b.a.atEnd = append(b.a.atEnd, accepts)
	return id
}
