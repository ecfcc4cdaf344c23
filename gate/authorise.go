package gate

import (
	"context"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/rule"
	"github.com/holdfast-go/holdfast/schema"
)

// Proposal is a validated call as the seams see it. Arguments hold secrets in
// the clear: they must not be logged.
type Proposal struct {
	Tool      *holdfast.Tool
	Name      string // qualified
	Arguments schema.Value
	Principal holdfast.Principal
	Run       string
	Turn      int
	Round     int
	Position  int
	// Labels that the run holds: what entered it, or may by a call before this one.
	Labels []holdfast.Label
}

// Authorizer says whether a principal may make a call with these arguments,
// here and now. It is safe for concurrent use. An error or a panic means no.
type Authorizer interface {
	Authorize(ctx context.Context, p Proposal) (Ruling, error)
}

// Ruling is an Authorizer's answer. The zero Ruling says no.
type Ruling struct {
	Allow bool
	// Ask wants a person to agree, whatever the tool's own rule says.
	Ask bool
	// Why is told: to the model with a no, to the person with an Ask.
	Why string
	// Rule is the name of the rule that decided, for the record.
	Rule string
	// Agreed is a saved rule by which a person agreed to such calls beforehand. It
	// answers what the tool's own rule, an Ask and the labels that it names want a
	// person for, and nothing that is found out later.
	Agreed *rule.Saved
	// Budgets that the start of the call counts in.
	Budgets []rule.Budget
	// Despite lists the labels of the proposal that the call is allowed in spite
	// of. A write, or a call that sends data out, in a run with others needs a
	// person.
	Despite []holdfast.Label
}

// AllowAll is the Authorizer that says yes to everything, in spite of no label.
type AllowAll struct{}

// Authorize says yes.
func (AllowAll) Authorize(context.Context, Proposal) (Ruling, error) {
	return Ruling{Allow: true}, nil
}

// authorise asks whether this principal may make this call.
func (g *Gate) authorise(ctx context.Context, c *call) *holdfast.Outcome {
	if err := g.lookLabels(ctx, c); err != nil {
		if ctx.Err() != nil {
			return c.cancelledBefore()
		}
		g.logLedger("reading labels", c, err)
		c.stage = Admit
		return c.ledgerUnavailable()
	}
	err := guarded(func() (err error) {
		c.ruling, err = g.options.Authorizer.Authorize(ctx, c.proposal())
		return err
	})
	if ctx.Err() != nil {
		return c.cancelledBefore()
	}
	if err != nil {
		g.options.Log.Error("authorizer gave no answer", "tool", c.name(), "run", c.round.Run, "error", err)
		return c.notPermitted("it could not be found out whether it is permitted")
	}
	if !c.ruling.Allow {
		return c.notPermitted(c.ruling.Why)
	}
	return nil
}
