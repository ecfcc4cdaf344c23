package gate

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

// Schema is what a final answer must satisfy, under this package's name.
type Schema = schema.Schema

// CheckAnswer asks of a model's final answer what parse and validate ask of a
// call's arguments: is it one JSON value within the limits, and does it satisfy
// s? An answer that does is ok, with the value as it was sent; any other is
// rejected as output_invalid, with every problem.
func (g *Gate) CheckAnswer(s *Schema, text string) holdfast.Outcome {
	v, err := schema.Read([]byte(text), &g.options.Limits)
	if err != nil {
		p := readProblem(err)
		p.Expected = "one JSON value"
		return answerRejected("The answer is not one readable JSON value.", []schema.Problem{p})
	}
	report := s.Validate(v)
	if report.Valid() {
		return holdfast.Outcome{Status: holdfast.OK, Result: &holdfast.Result{JSON: json.RawMessage(strings.TrimSpace(text))}}
	}
	why := "The answer does not fit its schema: 1 thing is wrong."
	if n := len(report.Problems); n != 1 {
		why = "The answer does not fit its schema: " + strconv.Itoa(n) + " things are wrong."
	}
	return answerRejected(why, report.Problems)
}

func answerRejected(why string, problems []schema.Problem) holdfast.Outcome {
	o := holdfast.Reject(holdfast.OutputInvalid, why, "Send the whole answer again: one JSON value that satisfies the schema, and nothing else.")
	o.Problems = problems
	return o
}
