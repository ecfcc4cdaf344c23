package gate

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

// maxRecalled bounds what is read of one round; ordinarily a place has one entry.
const maxRecalled = 10_000

// recall looks up what the places of this round already say. A call's own
// recorded outcome stands and is not a replay. After a crash between two calls
// it is the same: what is recorded stands, the rest goes on.
func (g *Gate) recall(ctx context.Context, p *passage) error {
	entries, err := g.ledger.Entries(ctx, ledger.Filter{
		Run: p.Run, Turn: p.Turn, Round: p.Number, InOrder: true, Limit: maxRecalled,
	})
	if err != nil {
		return fmt.Errorf("resuming round %d of turn %d of run %s: %w", p.Number, p.Turn, p.Run, err)
	}
	for _, e := range entries {
		if e.Position < 0 || e.Position >= len(p.calls) || p.calls[e.Position].skipped {
			continue
		}
		if err := g.recallOne(ctx, p.calls[e.Position], e); err != nil {
			return fmt.Errorf("resuming call %d: %w", e.Position, err)
		}
	}
	return nil
}

func (g *Gate) recallOne(ctx context.Context, c *call, e ledger.Entry) error {
	switch e.State {
	case ledger.StatePending:
		return g.recallPending(ctx, c, e)
	case ledger.StateParked:
		return g.recallParked(ctx, c, e)
	case ledger.StateClaimed, ledger.StateStarted:
		return g.recallStarted(ctx, c, e)
	default:
		c.recallOutcome(e)
	}
	return nil
}

func (c *call) recallOutcome(e ledger.Entry) {
	if e.Outcome == nil || c.recorded && (e.Outcome.Replayed || e.Outcome.Code == holdfast.InProgress) {
		return // neither a replay nor the word of a slower process stands over the outcome itself
	}
	c.outcome, c.decided, c.recorded, c.waiting = *e.Outcome, true, true, false
	c.stage, c.ledgerID, c.key = Stage(e.Stage), e.ID, e.Key
	c.labels, c.relied, c.ruling.Rule = e.Labels, false, e.Rule
}

// recallStarted handles a call that was started and has no outcome. A write is
// being run by an owner that lives, or it would be uncertain by now, so this
// round waits. A read or an agent call, whose inner writes hold keys of their
// own, goes on under its old entry: its start finds out whether its owner lives.
func (g *Gate) recallStarted(ctx context.Context, c *call, e ledger.Entry) error {
	if c.tool == nil || e.Effect == holdfast.Write {
		c.ledgerID, c.stage = e.ID, Claim
		c.runsElsewhere()
		return nil
	}
	c.own, c.ledgerID = &e, e.ID
	if e.ApprovalID == "" {
		return nil
	}
	a, err := g.ledger.Approval(ctx, e.ApprovalID)
	c.approval = &a
	return err
}

// runsElsewhere leaves a call to the one who runs it just now: nothing is
// decided of it here.
func (c *call) runsElsewhere() *holdfast.Outcome {
	c.waiting = true
	c.outcome = *c.taken(holdfast.InProgress, nil)
	return &c.outcome
}

// recallPending looks at the decision. Only an approval lets the call go on;
// what is unknown, unreadable, expired or denied all means: do not run.
func (g *Gate) recallPending(ctx context.Context, c *call, e ledger.Entry) error {
	c.own, c.ledgerID, c.stage = &e, e.ID, Approve
	a, err := g.ledger.Approval(ctx, e.ApprovalID)
	if errors.Is(err, ledger.ErrNotFound) {
		c.outcome, c.decided = *c.approvalEnded(holdfast.ApprovalVoid, ""), true
		return nil
	}
	if err != nil {
		return err
	}
	switch a.State {
	case ledger.Waiting:
		c.outcome, c.decided = *c.pending(a.ID, a.Why), true
	case ledger.Approved:
		// A call that can no longer pass the stages before is rejected there, and
		// its entry ends with that.
		c.approval = &a
	case ledger.Denied:
		c.outcome, c.decided = *c.approvalEnded(holdfast.ApprovalDenied, a.Reason), true
	case ledger.Expired:
		c.outcome, c.decided = *c.approvalEnded(holdfast.ApprovalExpired, ""), true
	case ledger.Consumed:
		// Another process started it between our two looks.
		c.runsElsewhere()
	default:
		c.outcome, c.decided = *c.approvalEnded(holdfast.ApprovalVoid, ""), true
	}
	return nil
}

// Recall tells what the record says of a round that was put through before, and
// runs, decides and records nothing: what a history is rebuilt from. A call
// without an outcome is told as waiting.
func (g *Gate) Recall(ctx context.Context, r Round) ([]Verdict, error) {
	p, err := g.propose(ctx, r, &RoundOptions{Resume: true})
	if err != nil {
		return nil, err
	}
	for _, c := range p.calls {
		c.waiting = !c.recorded && !c.skipped
	}
	return p.verdicts(), nil
}

// Cancel ends a round that was put through before: what has an outcome keeps
// it, a pending call and those that wait with it are rejected as cancelled, and
// the approval is withdrawn. A call that another process runs just now is left
// to it and told as waiting.
func (g *Gate) Cancel(ctx context.Context, r Round) ([]Verdict, error) {
	p, err := g.propose(ctx, r, &RoundOptions{Resume: true})
	if err != nil {
		return nil, err
	}
	for _, c := range p.calls {
		if c.skipped || c.recorded || c.waiting {
			continue
		}
		observed := g.begin(ctx, c)
		err := g.cancelOne(observed, c)
		g.end(observed, c)
		if err != nil {
			return nil, fmt.Errorf("cancelling call %d: %w", c.position, err)
		}
	}
	return p.verdicts(), nil
}

func (g *Gate) cancelOne(ctx context.Context, c *call) error {
	if c.goesOn() {
		c.stage = Admit
		c.outcome, c.decided = *c.cancelledBefore(), true
		g.finish(ctx, c)
		return nil
	}
	undecided := c.own == nil || c.outcome.Status == holdfast.Pending || c.approval != nil
	if undecided {
		c.stage = Admit
		c.outcome, c.decided = *c.cancelledBefore(), true
	}
	if c.own == nil || c.own.State != ledger.StatePending || !undecided {
		g.record(ctx, c)
		return nil
	}
	err := g.ledger.Withdraw(ctx, c.own.ApprovalID, c.outcome)
	var decided *ledger.DecidedError
	if !errors.As(err, &decided) {
		return err
	}
	e, err := g.ledger.Entry(ctx, c.own.ID)
	if err != nil {
		return err
	}
	if e.State == ledger.StatePending {
		g.record(ctx, c)
		return nil
	}
	c.own, c.approval = nil, nil
	return g.recallOne(ctx, c, e)
}
