package gate

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

// collector gathers the outcomes of an agent call's own calls.
type collector struct {
	mu    sync.Mutex
	inner []holdfast.Inner
}

type collectorKey struct{}

// ReportInner tells the outcome of a call that an agent tool's handler made. ctx
// is the handler's; elsewhere it does nothing. The observation of the agent call
// lists what was reported, and an inner uncertain makes the call uncertain.
func ReportInner(ctx context.Context, in holdfast.Inner) {
	if c, ok := ctx.Value(collectorKey{}).(*collector); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.inner = append(c.inner, in)
	}
}

// withInner adds what was reported to an agent call's outcome.
func (c *call) withInner() {
	if c.inner == nil {
		return
	}
	c.inner.mu.Lock()
	inner := slices.Clone(c.inner.inner)
	c.inner.mu.Unlock()
	c.outcome.Inner = inner
	if c.outcome.Parked {
		return
	}
	unknown := slices.ContainsFunc(inner, func(in holdfast.Inner) bool { return in.Status == holdfast.Uncertain })
	if unknown && c.outcome.Status != holdfast.Uncertain {
		c.innerUncertain()
	}
}

// NoAnswer is the error of an agent tool's handler that has no answer to hand back.
type NoAnswer struct {
	// Code says why. ApprovalPending and InProgress park the call: one of its own
	// calls waits for a person, or runs in another process. Nothing is held while
	// it is parked; whoever resumes its round enters the handler again, with the
	// same arguments and the same LedgerID in its CallInfo. With any other code the
	// call is failed.
	Code       holdfast.Code
	ApprovalID string // that a parked call waits for, "" where it is none
	Message    string // why, in words for the calling model
}

func (e *NoAnswer) Error() string { return e.Message }

// noAnswer is the outcome of an agent call whose handler says why it has none.
func (c *call) noAnswer(e end) *holdfast.Outcome {
	no := (*NoAnswer)(nil)
	if c.effect() != holdfast.Agent || e.panicked || e.gaveUp || !errors.As(e.err, &no) {
		return nil
	}
	o := c.unanswered(no)
	switch {
	case no.Code == holdfast.ApprovalPending || no.Code == holdfast.InProgress:
		o = c.parked(no)
	case e.timedOut:
		o.Code = holdfast.Timeout
	case e.stopped:
		o.Code = holdfast.Cancelled
	}
	return &o
}

// goesOn reports whether c is an agent call that an earlier passage began, and
// that may be gone on with. It was agreed to and admitted then; its inner calls
// pass a gate of their own.
func (c *call) goesOn() bool {
	return c.own != nil && c.effect() == holdfast.Agent && (c.own.State == ledger.StateStarted || c.own.State == ledger.StateParked)
}

// callOff ends an agent call that had begun, for the reason that its outcome
// gives. It is taken over first, so that nobody else goes on with it; then its
// handler is entered with a context that has ended, which is how it learns that
// what waits in it is to end too.
func (g *Gate) callOff(ctx context.Context, c *call) {
	why := c.outcome
	kept := context.WithoutCancel(ctx)
	no := g.claim(kept, c)
	c.stage = Execute
	switch {
	case no == nil:
	case no.Code == holdfast.InProgress || no.Code == holdfast.LedgerUnavailable:
		c.outcome, c.waiting = *no, true // it stays as it is
		return
	default:
		if !c.recorded { // as another process did
			c.outcome = c.calledOff(why)
		}
		return
	}
	ended, end := context.WithCancelCause(kept)
	end(context.Canceled)
	g.enterHandler(ended, c)
	inner := c.outcome.Inner
	c.outcome = c.calledOff(why)
	c.outcome.Inner = inner
	c.withInner()
}

// recallParked looks whether what an agent call waits for was decided. If so, or
// if that cannot be said, its handler finds out by going on.
func (g *Gate) recallParked(ctx context.Context, c *call, e ledger.Entry) error {
	c.own, c.ledgerID = &e, e.ID
	if c.decided {
		return nil
	}
	c.stage = Execute
	if e.Outcome == nil || e.Outcome.ApprovalID == "" {
		return nil
	}
	a, err := g.ledger.Approval(ctx, e.Outcome.ApprovalID)
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return nil
	case err != nil:
		return err
	case a.State == ledger.Waiting:
		c.outcome, c.decided = *e.Outcome, true
	}
	return nil
}

// graceOf is how long c's handler may take to return after its context ended. An
// agent call's has the outcomes of its own calls to record.
func (g *Gate) graceOf(c *call) time.Duration {
	if c.effect() == holdfast.Agent {
		return g.options.Grace + g.options.RecordTimeout
	}
	return g.options.Grace
}
