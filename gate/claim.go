package gate

import (
	"context"
	"strconv"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

// claim asks whether the key is free, atomically this time, and writes the call
// as started, durably, before its handler can be entered. The approval is
// consumed in that same write. Reads start without it.
func (g *Gate) claim(ctx context.Context, c *call) *holdfast.Outcome {
	if !c.goesOn() {
		if no := g.examineAgain(ctx, c); no != nil {
			return no
		}
	}
	if no := g.mark(ctx, c); no != nil {
		return no
	}
	if c.effect() == holdfast.Read && c.approval == nil {
		return g.spend(ctx, c)
	}
	c.makePlaceKey()
	startCtx := limit(ctx, g.options.RecordTimeout)
	defer startCtx.end()
	entry, standing, err := g.ledger.Start(startCtx, c.claim())
	if err != nil {
		// The handler is not entered. A start that is durable all the same, the
		// ledger takes back with its next one.
		if ctx.Err() != nil {
			return c.cancelledBefore()
		}
		g.logLedger("starting", c, err)
		c.stage = Admit
		return c.ledgerUnavailable()
	}
	if !standing.Free() {
		return g.notFree(ctx, c, standing)
	}
	c.fence, c.started, c.ledgerID, c.ran = entry.Fence, true, entry.ID, entry.Ran
	return nil
}

// spend counts a read in its budgets; whatever has a start of its own is counted
// with that.
func (g *Gate) spend(ctx context.Context, c *call) *holdfast.Outcome {
	if len(c.ruling.Budgets) == 0 {
		return nil
	}
	counting := limit(ctx, g.options.RecordTimeout)
	defer counting.end()
	over, err := g.ledger.Spend(counting, c.round.Run, c.ruling.Budgets)
	switch {
	case err == nil && over == "":
		return nil
	case err == nil:
		return c.overBudget(over)
	case ctx.Err() != nil:
		return c.cancelledBefore()
	}
	g.logLedger("counting", c, err)
	c.stage = Admit
	return c.ledgerUnavailable()
}

// overBudget is the outcome where a budget of the policy has no room.
func (c *call) overBudget(name string) *holdfast.Outcome {
	c.stage, c.relied, c.ruling.Rule = Admit, false, name
	return c.notAdmitted(Admission{Code: holdfast.BudgetExceeded, Why: "the budget " + strconv.Quote(name) + " for its calls is used up"})
}

// examineAgain runs the precondition directly before the start: what a person
// saw, or what made a person unnecessary, must still hold.
func (g *Gate) examineAgain(ctx context.Context, c *call) *holdfast.Outcome {
	if c.info.options.Precondition == nil {
		return nil
	}
	no := g.examine(ctx, c)
	if no == nil {
		no = g.mayStart(ctx, c)
	}
	if no != nil {
		c.stage = Approve
	}
	return no
}

// notFree is the outcome where somebody was faster than this claim.
func (g *Gate) notFree(ctx context.Context, c *call, s ledger.Standing) *holdfast.Outcome {
	switch s.Code {
	case holdfast.ApprovalDenied, holdfast.ApprovalExpired, holdfast.ApprovalVoid:
		c.stage = Approve
		return c.approvalEnded(s.Code, "")
	}
	if no := g.standing(c, s); no != nil {
		return g.told(ctx, c, no)
	}
	c.stage = Approve
	no := g.mayStart(ctx, c)
	if no == nil {
		// The standing is not free, yet nothing of it stands in the way of an
		// approval that names it: the ledger and the gate disagree.
		return c.approvalEnded(holdfast.ApprovalVoid, "")
	}
	return no
}
