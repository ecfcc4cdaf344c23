// Package tokenizer reads the vocabularies of language models: which bytes each
// token stands for, which tokens are text at all, and how a text becomes tokens.
//
//	v, err := tokenizer.ReadJSON(file, nil) // a model's tokenizer.json
//	ids := v.Encode(`{"a": 1}`)
//	text := v.Decode(ids)
//
// Its other use is the mask: [Vocabulary.Trie] is every text token in one flat,
// immutable array that is walked with a byte automaton, and [Vocabulary.Safe] and
// [Vocabulary.Leftover] divide it for the bodies of JSON strings, so that the big
// array is seldom walked at all.
//
// A Vocabulary is immutable and is shared by any number of goroutines.
package tokenizer
