package grammar

import "testing"

// TestElementsOfASetDiffer: each value of a list comes once, whatever its type.
func TestElementsOfASetDiffer(t *testing.T) {
	checkTexts(t,
		`{"type":"object","properties":{"s":{"type":"array","items":{"enum":[1,"a",null,true,[2],{"b":3}]},"uniqueItems":true,"minItems":2}}}`,
		[]string{`{"s": [1, "a"]}`, `{"s": ["a", null, 1.0]}`, `{"s": [{"b": 3}, [2], true, null, "a", 10e-1]}`},
		[]string{`{"s": [1]}`, `{"s": [1, 1.0]}`, `{"s": ["a", "\u0061"]}`, `{"s": [[2], [2]]}`, `{"s": [null, 1, null]}`})
}
