// Package numlang holds sets of numbers as automata over the text of JSON
// numbers, however a number is spelt: 100, 1e2 and 100.0 are one.
//
//	l, err := numlang.Compile(numlang.And(numlang.AtLeast(d), numlang.MultipleOf(one)))
//	q := l.Start()
//	q = l.Step(q, '1')   // Dead where no number of the set is spelt so
//
// A state keeps of the digits only what a bound or a divisor asks for, so that
// there are few of them. An automaton is not safe for concurrent use.
package numlang
