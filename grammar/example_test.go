package grammar_test

import (
	"fmt"
	"log"

	"github.com/holdfast-go/holdfast/grammar"
	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/schema"
)

// Example follows one text by the tokens of a small vocabulary.
func Example() {
	s, err := schema.Compile([]byte(`{"type":"object","properties":{"unit":{"enum":["kg","lb"]}},"required":["unit"],"additionalProperties":false}`), nil)
	if err != nil {
		log.Fatal(err)
	}
	g, err := grammar.Compile(s, nil) // a *grammar.RefusedError names path and keyword
	if err != nil {
		log.Fatal(err)
	}
	v, err := tokenizer.New([]tokenizer.Token{{Bytes: `{"`}, {Bytes: "unit"}, {Bytes: `":"`}, {Bytes: "kg"}, {Bytes: "st"}, {Bytes: `"}`}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	m := g.Matcher(v)
	for !m.Done() {
		for id := range tokenizer.ID(v.Size()) { // the model's choice: here the first that the mask allows
			if m.Mask()[id>>6]>>(id&63)&1 != 0 && m.Accept(id) {
				fmt.Print(v.Token(id).Bytes)
				break
			}
		}
	}
	// Output: {"unit":"kg"}
}
