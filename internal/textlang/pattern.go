package textlang

import (
	"bytes"
	"errors"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// ErrLook says that a pattern looks around where no automaton can follow.
var ErrLook = errors.New("the pattern looks around in the middle, which no automaton follows")

// Pattern gives the texts in which a pattern of RE2's syntax matches somewhere.
// With looks, look-ahead groups right after the beginning and at the end are
// taken apart; others are refused.
func Pattern(re2 string, looks bool) (*Formula, error) {
	if looks {
		return lookPattern(re2)
	}
	re, err := syntax.Parse(re2, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if words, ok := listed(re); ok {
		return Words(words), nil
	}
	re, least, most, isCounted := counted(re)
	m, err := newPattern(re)
	if err != nil {
		return nil, err
	}
	if isCounted {
		return And(Is(m), Length(least, most)), nil
	}
	return Is(m), nil
}

func parsePattern(re2 string) (Machine, error) {
	re, err := syntax.Parse(re2, syntax.Perl)
	if err != nil {
		return nil, err
	}
	return newPattern(re)
}

// lookPattern reads \A(?!x)(?=y)rest, and rest(?=z) where nothing follows.
func lookPattern(re2 string) (*Formula, error) {
	rest, anchored := strings.CutPrefix(re2, `\A`)
	if topLevelAlternatives(re2) {
		return nil, ErrLook
	}
	var parts []*Formula
	for anchored && (strings.HasPrefix(rest, "(?=") || strings.HasPrefix(rest, "(?!")) {
		end := groupEnd(rest)
		if end < 0 {
			return nil, ErrLook
		}
		m, err := parsePattern(`\A(?:` + rest[3:end] + `)`)
		if err != nil {
			return nil, lookError(rest[3:end], err)
		}
		f := Is(m)
		if rest[2] == '!' {
			f = Not(f)
		}
		parts = append(parts, f)
		rest = rest[end+1:]
	}
	if at := strings.LastIndex(rest, "(?="); at >= 0 && groupEnd(rest[at:]) == len(rest)-at-1 {
		rest = rest[:at] + "(?:" + rest[at+3:]
	}
	if anchored {
		rest = `\A` + rest
	}
	m, err := parsePattern(rest)
	if err != nil {
		return nil, lookError(rest, err)
	}
	return And(append(parts, Is(m))...), nil
}

func lookError(part string, err error) error {
	if strings.Contains(part, "(?=") || strings.Contains(part, "(?!") || strings.Contains(part, "(?<") || strings.Contains(part, "(?(") {
		return ErrLook
	}
	return err
}

// groupEnd is the place of the bracket that closes the group at 0, or -1.
func groupEnd(s string) int {
	depth, class := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func topLevelAlternatives(s string) bool {
	depth, class := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth == 0:
			return true
		}
	}
	return false
}

// counted takes a pattern from end to end whose parts have fixed lengths but for
// one class that repeats: how often is then a matter of the length alone, which is
// counted outside of the automaton. It gives the pattern with the class repeated at
// will, and the lengths.
func counted(re *syntax.Regexp) (_ *syntax.Regexp, least, most int, ok bool) {
	if re.Op != syntax.OpConcat || len(re.Sub) < 3 ||
		re.Sub[0].Op != syntax.OpBeginText || re.Sub[len(re.Sub)-1].Op != syntax.OpEndText {
		return re, 0, 0, false
	}
	at, fixed := -1, 0
	for i, s := range re.Sub[1 : len(re.Sub)-1] {
		s = uncaptured(s)
		if n, ok := fixedLength(s); ok {
			fixed += n
			continue
		}
		if at >= 0 || s.Op != syntax.OpRepeat || s.Max < minCounted {
			return re, 0, 0, false
		}
		if n, ok := fixedLength(uncaptured(s.Sub[0])); !ok || n != 1 {
			return re, 0, 0, false
		}
		at = i + 1
	}
	if at < 0 {
		return re, 0, 0, false
	}
	rep := uncaptured(re.Sub[at])
	free := *re
	free.Sub = slices.Clone(re.Sub)
	free.Sub[at] = &syntax.Regexp{Op: syntax.OpStar, Flags: rep.Flags, Sub: rep.Sub}
	return &free, fixed + rep.Min, fixed + rep.Max, true
}

// minCounted is how often a class must repeat to be counted outside.
const minCounted = 12

func uncaptured(re *syntax.Regexp) *syntax.Regexp {
	for re.Op == syntax.OpCapture || re.Op == syntax.OpConcat && len(re.Sub) == 1 {
		re = re.Sub[0]
	}
	return re
}

// fixedLength is how many code points every match has.
func fixedLength(re *syntax.Regexp) (int, bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune), true
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1, true
	case syntax.OpEmptyMatch:
		return 0, true
	case syntax.OpCapture:
		return fixedLength(re.Sub[0])
	case syntax.OpRepeat:
		n, ok := fixedLength(re.Sub[0])
		return n * re.Min, ok && re.Min == re.Max
	case syntax.OpConcat:
		total := 0
		for _, s := range re.Sub {
			n, ok := fixedLength(s)
			if !ok {
				return 0, false
			}
			total += n
		}
		return total, true
	}
	return 0, false
}

// maxProgram bounds the instructions of one pattern.
const maxProgram = 20_000

func newPattern(re *syntax.Regexp) (Machine, error) {
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, err
	}
	if len(prog.Inst) > maxProgram {
		return nil, ErrTooLarge
	}
	n := &nfa{prog: prog, anchored: prog.StartCond()&syntax.EmptyBeginText != 0, seen: make([]uint32, len(prog.Inst))}
	for i := range prog.Inst {
		in := &prog.Inst[i]
		if in.Op == syntax.InstEmptyWidth && syntax.EmptyOp(in.Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 {
			n.words = true
		}
	}
	return newLazy(n), nil
}

// nfa is a pattern's program. A key is a byte of what stands before, and the
// instructions from which the next code point is read, before anything that
// consumes nothing is followed: that waits until the next code point is known.
type nfa struct {
	prog     *syntax.Prog
	anchored bool
	words    bool // it asks for the boundaries of words
	seen     []uint32
	mark     uint32
	stack    []uint32
	next     []int32
	end      []uint32
	last     struct { // closure
		key     []byte
		holds   syntax.EmptyOp
		out     []uint32
		matched bool
	}
}

const (
	atStart   = 1
	afterWord = 2
)

func (n *nfa) bounds() []rune {
	var out []rune
	add := func(lo, hi rune) { out = append(out, lo, hi+1) }
	for i := range n.prog.Inst {
		in := &n.prog.Inst[i]
		switch in.Op {
		case syntax.InstRuneAnyNotNL:
			add('\n', '\n')
		case syntax.InstRune, syntax.InstRune1:
			if len(in.Rune) == 1 {
				add(in.Rune[0], in.Rune[0])
				if syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
					for f := unicode.SimpleFold(in.Rune[0]); f != in.Rune[0]; f = unicode.SimpleFold(f) {
						add(f, f)
					}
				}
				continue
			}
			for k := 0; k+1 < len(in.Rune); k += 2 {
				add(in.Rune[k], in.Rune[k+1])
			}
		}
	}
	if n.words {
		add('0', '9')
		add('A', 'Z')
		add('_', '_')
		add('a', 'z')
	}
	out = append(out, 0, 0xd800, 0xe000)
	slices.Sort(out)
	out = slices.Compact(out)
	return slices.DeleteFunc(out, func(r rune) bool { return r > unicode.MaxRune })
}

func (n *nfa) first() []byte { return appendState([]byte{atStart}, int32(n.prog.Start)) }

// closure follows what consumes nothing, under the conditions that hold.
// The list is void when the next is asked for.
func (n *nfa) closure(key []byte, holds syntax.EmptyOp) (out []uint32, matched bool) {
	if n.last.holds == holds && bytes.Equal(n.last.key, key) {
		return n.last.out, n.last.matched
	}
	n.last.key, n.last.holds = append(n.last.key[:0], key...), holds
	n.last.out, n.last.matched = n.follow(n.last.out[:0], key, holds)
	return n.last.out, n.last.matched
}

func (n *nfa) follow(out []uint32, key []byte, holds syntax.EmptyOp) ([]uint32, bool) {
	n.mark++
	n.stack = n.stack[:0]
	for i := 0; i < (len(key)-1)/4; i++ {
		n.stack = append(n.stack, uint32(stateAt(key[1:], i)))
	}
	for len(n.stack) > 0 {
		pc := n.stack[len(n.stack)-1]
		n.stack = n.stack[:len(n.stack)-1]
		if n.seen[pc] == n.mark {
			continue
		}
		n.seen[pc] = n.mark
		in := &n.prog.Inst[pc]
		switch in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			n.stack = append(n.stack, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			n.stack = append(n.stack, in.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^holds == 0 {
				n.stack = append(n.stack, in.Out)
			}
		case syntax.InstMatch:
			return out[:0], true
		case syntax.InstFail:
		default:
			out = append(out, pc)
		}
	}
	return out, false
}

func (n *nfa) holds(key []byte, nextIsWord bool) syntax.EmptyOp {
	var op syntax.EmptyOp
	if key[0]&atStart != 0 {
		op |= syntax.EmptyBeginText | syntax.EmptyBeginLine
	}
	if (key[0]&afterWord != 0) != nextIsWord {
		return op | syntax.EmptyWordBoundary
	}
	return op | syntax.EmptyNoWordBoundary
}

func (n *nfa) step(to, key []byte, r rune) []byte {
	word := n.words && syntax.IsWordChar(r)
	pcs, matched := n.closure(key, n.holds(key, word))
	if matched {
		return append(to, all...)
	}
	next := n.next[:0]
	for _, pc := range pcs {
		if in := &n.prog.Inst[pc]; in.MatchRune(r) {
			next = append(next, int32(in.Out))
		}
	}
	if !n.anchored {
		next = append(next, int32(n.prog.Start)) // the match may begin anywhere
	}
	n.next = next
	if len(next) == 0 {
		return to
	}
	slices.Sort(next)
	next = slices.Compact(next)
	before := byte(0)
	if word {
		before = afterWord
	}
	to = append(to, before)
	for _, pc := range next {
		to = appendState(to, pc)
	}
	return to
}

func (n *nfa) settled(key []byte) []byte { return key }

// accept leaves alone what closure holds: states are met while another is left.
func (n *nfa) accept(key []byte) (matched bool) {
	n.end, matched = n.follow(n.end[:0], key, n.holds(key, false)|syntax.EmptyEndText|syntax.EmptyEndLine)
	return matched
}
