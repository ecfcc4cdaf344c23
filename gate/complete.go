package gate

import (
	"fmt"

	"github.com/holdfast-go/holdfast"
)

// complete asks whether the provider finished this reply, and whether this is a
// function call with an id of its own. The reply's veto comes first: it stands
// over every call of the reply, finished ones too.
func (g *Gate) complete(c *call) *holdfast.Outcome {
	switch {
	case !c.round.Complete && c.sent.Problem == holdfast.InvalidArguments:
		return g.stopped(c)
	case !c.round.Complete:
		return c.cutReply(c.round.Ending)
	case !c.sent.Complete:
		return c.cutCall()
	case c.twinOf >= 0:
		return c.duplicateID()
	case c.sent.Problem != "":
		return c.codecProblem(c.sent.Problem)
	case c.sent.Kind != holdfast.FunctionCall:
		return c.notAFunction()
	case c.position >= g.options.Calls:
		return c.tooMany(g.options.Calls)
	}
	return nil
}

// identify gives every call an id, minting those that the provider did not
// send, and finds the ids that come twice. A call that the provider ran itself
// owns no id here: no result is owed for it.
func identify(calls []*call) {
	var first map[string]int
	if len(calls) > 1 {
		first = make(map[string]int, len(calls))
	}
	for _, c := range calls {
		c.twinOf = -1
		if c.id = c.sent.ID; c.id == "" || c.skipped {
			continue
		}
		if at, taken := first[c.id]; taken {
			c.twinOf = at
		} else if first != nil {
			first[c.id] = c.position
		}
	}
	for _, c := range calls {
		if c.id == "" {
			c.id = mint(c, first)
		}
	}
}

// mint makes an id from the call's place, so that it is the same whenever the
// round is told again.
func mint(c *call, taken map[string]int) string {
	id := fmt.Sprintf("call_%d_%d_%d", c.round.Turn, c.round.Number, c.position)
	for {
		if _, used := taken[id]; !used {
			return id
		}
		id += "_"
	}
}
