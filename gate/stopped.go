package gate

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/schema"
)

// stopped is about a call that the loop itself stopped: its arguments end with the
// first byte from which nothing valid could follow. What they began is closed, and
// of what the schema says of that, only what the last byte is to blame for counts:
// what is missing might still have come.
func (g *Gate) stopped(c *call) *holdfast.Outcome {
	t, ok := g.find(c)
	if !ok {
		return c.unknownTool(g.nearest(c))
	}
	c.tool, c.info = t, g.tools[t]
	text := strings.TrimLeft(c.sent.Arguments, " \t\r\n")
	whole, path := rawjson.Finish([]byte(text))
	v, err := schema.Read(whole, &g.options.Limits)
	if err != nil {
		return c.stoppedAt([]schema.Problem{readProblem(err)})
	}
	ended := text != "" && strings.ContainsRune("}]\"", rune(text[len(text)-1]))
	here := slices.DeleteFunc(slices.Clone(t.Input().Validate(v).Problems), func(p schema.Problem) bool {
		return !strings.HasPrefix(p.Path, path) || wantsMore(p.Keyword) && !(ended && p.Path == path)
	})
	if len(here) == 0 {
		here = []schema.Problem{{
			Path: path, Keyword: "arguments", Expected: "what the schema admits here", Got: "something else",
			Message: "cannot go on like this: no valid arguments begin so",
		}}
	}
	return c.stoppedAt(here)
}

// wantsMore reports whether a keyword's problem may be that something is missing.
func wantsMore(keyword string) bool {
	switch keyword {
	case "required", "minProperties", "minItems", "minLength", "contains", "minContains", "dependencies", "dependentRequired":
		return true
	}
	return false
}
