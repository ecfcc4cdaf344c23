// Package grammar compiles a schema into a grammar of JSON texts and says, step by
// step, which bytes or tokens of a vocabulary may come next.
//
//	g, err := grammar.Compile(s, nil)            // a *RefusedError names what cannot be held exactly
//	m := g.Matcher(vocabulary)
//	for !m.Done() {
//		mask := m.Mask()                         // one bit a token
//		m.Accept(sample(logits, mask))
//	}
//
// A token is allowed exactly when some valid text goes on with it: one that package
// schema reads and accepts. Properties come in any order unless Options say
// otherwise, and no name comes twice, however it is spelt.
//
// White space is bounded: none before the value and behind it; between two tokens
// of JSON at most 8 blanks (spaces or tabs), one line break, and 128 blanks behind
// that.
package grammar
