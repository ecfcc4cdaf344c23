// Package textlang holds languages of text as automata over code points, built
// as far as they are walked: patterns, finite sets, lengths, formats, and what
// and, or and not make of them.
//
//	l, err := textlang.Compile(textlang.And(textlang.Pattern(re), textlang.Not(textlang.Words(names))))
//	q := l.Start()
//	q = l.Step(q, 'a')   // Dead where no word of the language goes on so
//
// A state that is given out is never a dead end: some word of the language goes
// on from it. An automaton is not safe for concurrent use.
package textlang
