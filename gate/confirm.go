package gate

import (
	"context"

	"github.com/holdfast-go/holdfast"
)

// confirm asks a write's confirm function whether the effect is there, after
// success too: a result is only what the tool believes. It is not asked where
// the handler said that nothing happened. The caller's cancellation does not
// stop it; it has the tool's timeout for itself.
func (g *Gate) confirm(ctx context.Context, c *call) {
	if c.info.options.Confirm == nil || c.outcome.Status == holdfast.Failed || c.outcome.Status == holdfast.Rejected {
		return
	}
	c.enter(Confirm)
	// An answer of the handler says that the API is done with it.
	c.inFlight = c.outcome.Status != holdfast.OK && c.info.options.InFlight > 0
	g.askEffect(context.WithoutCancel(ctx), c)
}

// askEffect asks the tool's confirm function, under the tool's timeout, and makes
// the outcome of its answer.
func (g *Gate) askEffect(ctx context.Context, c *call) {
	check := c.info.options.Confirm
	base := holdfast.WithCallInfo(ctx, c.callInfo())
	answer, end := contain(base, g, c.tool.Timeout(), g.options.Grace, func(ctx context.Context) (holdfast.Confirmation, error) {
		return check(ctx, c.key, c.args)
	})
	g.leave(c, "confirm", end, nil)
	if err := end.asError(c.tool.Timeout()); err != nil {
		c.outcome = c.unconfirmed(c.errText(err))
		return
	}
	c.confirmed(answer.value)
}

// confirmed turns the answer into the outcome. A "no" does not count while what
// is not there yet may still come.
func (c *call) confirmed(answer holdfast.Confirmation) {
	c.evidence = shorten(c.scrub(answer.Evidence), maxEvidence)
	switch answer.Effect {
	case holdfast.Happened:
		if c.outcome.Status == holdfast.OK {
			return
		}
		c.outcome = c.happened(answer.Result)
	case holdfast.DidNotHappen:
		switch {
		case c.left != nil:
			c.outcome = c.unconfirmed("its handler still runs")
		case c.inFlight:
			c.outcome = c.unconfirmed("it is not there yet, and may still come")
		default:
			c.outcome = c.noEffect()
		}
	default:
		c.outcome = c.unconfirmed("")
	}
}

// happened is the outcome of a write that ended badly and did happen.
func (c *call) happened(r *holdfast.Result) holdfast.Outcome {
	if r == nil {
		return holdfast.Outcome{Status: holdfast.OK, Result: happenedResult()}
	}
	handed := *r
	result, code, problems := c.checkResult(&handed)
	if code != "" {
		return c.oddResult(code, result, problems)
	}
	return holdfast.Outcome{Status: holdfast.OK, Result: result}
}
