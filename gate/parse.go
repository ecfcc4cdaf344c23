package gate

import (
	"errors"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

// parse asks whether the bytes are one JSON object within the limits. Absent or
// blank text is {}; the text null is not.
func (g *Gate) parse(c *call) *holdfast.Outcome {
	text := strings.Trim(c.sent.Arguments, " \t\r\n")
	if text == "" {
		text = "{}"
	}
	if most := g.maxArgumentBytes(); len(text) > most {
		text = text[:most+1] // refused by its length; the rest need not be copied for that
	}
	c.text = []byte(text)
	v, err := schema.Read(c.text, &g.options.Limits)
	if err != nil {
		return c.unreadable(readProblem(err))
	}
	if v.Kind() != schema.Object {
		return c.unreadable(schema.Problem{
			Keyword: "json", Expected: "one JSON object", Got: kindName(v.Kind()),
			Message: "must be one JSON object, not " + kindName(v.Kind()),
		})
	}
	c.args = v
	return nil
}

func (g *Gate) maxArgumentBytes() int {
	if g.options.Limits.Bytes > 0 {
		return g.options.Limits.Bytes
	}
	return 1 << 20
}

func readProblem(err error) schema.Problem {
	var re *schema.ReadError
	if !errors.As(err, &re) {
		return schema.Problem{Keyword: "json", Expected: "one JSON object", Message: "is not one JSON object"}
	}
	return schema.Problem{Path: re.Path, Keyword: re.Keyword, Expected: "one JSON object", Message: re.Message}
}

func kindName(k schema.Kind) string {
	switch k {
	case schema.Null:
		return "null"
	case schema.Bool:
		return "a boolean"
	case schema.Number:
		return "a number"
	case schema.String:
		return "a string"
	case schema.Array:
		return "an array"
	case schema.Object:
		return "an object"
	}
	return "nothing"
}
