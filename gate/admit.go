package gate

import (
	"context"
	"time"

	"github.com/holdfast-go/holdfast"
)

// Admitter says whether a tool can be run now: circuit, rate, budget. It is
// safe for concurrent use and does not block.
type Admitter interface {
	Admit(ctx context.Context, p Proposal) Admission
	// Ended tells what became of an admitted call, once: rejected or pending
	// where it did not start in the end.
	Ended(p Proposal, o holdfast.Outcome)
}

// Admission is an Admitter's answer; the zero Admission admits.
type Admission struct {
	Code holdfast.Code // circuit_open, rate_limited, budget_exceeded
	Wait time.Duration // until it may be tried again, if that is known
	Why  string        // one clause for the model; "" for the usual words
}

// admit asks whether the tool can be run now. That the ledger is reachable,
// claim finds out: it writes before the handler is entered.
func (g *Gate) admit(ctx context.Context, c *call) *holdfast.Outcome {
	var a Admission
	err := guarded(func() error {
		a = g.options.Admitter.Admit(ctx, c.proposal())
		return nil
	})
	if err != nil {
		g.options.Log.Error("admitter panicked", "tool", c.name(), "run", c.round.Run)
		a = Admission{Code: holdfast.BudgetExceeded, Why: "it could not be found out whether it can run now"}
	}
	if a.Code != "" {
		return c.notAdmitted(a)
	}
	c.admitted = true
	return nil
}

// ended tells the admitter what became of a call that it admitted.
func (g *Gate) ended(c *call) {
	if !c.admitted {
		return
	}
	c.admitted = false
	err := guarded(func() error {
		g.options.Admitter.Ended(c.proposal(), c.outcome)
		return nil
	})
	if err != nil {
		g.options.Log.Error("admitter panicked", "tool", c.name(), "run", c.round.Run)
	}
}
