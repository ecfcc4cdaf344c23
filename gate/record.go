package gate

import (
	"context"
	"errors"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

// record asks whether the outcome is durable. A write's must be before it is
// told; a rejection or a read is told anyway, and the failure logged.
func (g *Gate) record(ctx context.Context, c *call) {
	defer g.end(ctx, c)
	if c.recorded || c.skipped || c.waiting {
		return
	}
	c.clock.turn(Record)
	c.round.tell(c, Record)
	switch {
	case c.started:
		g.settle(ctx, c)
	case c.outcome.Status != holdfast.Pending:
		g.recordEnded(ctx, c)
	}
	if c.left != nil {
		close(c.left.recorded)
	}
	c.round.done(c)
}

// recording is a context for what must be written whatever became of the caller.
func (g *Gate) recording(ctx context.Context) *limited {
	return limit(context.WithoutCancel(ctx), g.options.RecordTimeout)
}

// recordEnded writes an entry that is settled as it comes.
func (g *Gate) recordEnded(ctx context.Context, c *call) {
	e := c.newEntry()
	e.Outcome, e.State = &c.outcome, stateOf(c.outcome.Status)
	recording := g.recording(ctx)
	defer recording.end()
	written, err := g.write(recording, c, e)
	switch {
	case err == nil:
		c.ledgerID = written.ID
	case c.own != nil && errors.Is(err, ledger.ErrLost):
		c.movedOn(written)
	default:
		g.logLedger("recording", c, err)
		if c.own != nil {
			g.keeper.end(e)
		}
	}
}

// write records e, or ends the entry that an earlier passage left started and
// that may not go on now.
func (g *Gate) write(ctx context.Context, c *call, e ledger.Entry) (ledger.Entry, error) {
	if c.own != nil && (c.own.State == ledger.StateStarted || c.own.State == ledger.StateParked) {
		return g.ledger.Settle(ctx, c.own.ID, c.own.Fence, c.outcome, string(c.stage), "")
	}
	return g.ledger.Record(ctx, e)
}

// movedOn tells what stands where another process went on with the call.
func (c *call) movedOn(e ledger.Entry) {
	if e.Outcome != nil {
		c.recallOutcome(e)
		return
	}
	c.runsElsewhere()
}

func stateOf(s holdfast.Status) ledger.State {
	switch s {
	case holdfast.OK:
		return ledger.StateOK
	case holdfast.Failed:
		return ledger.StateFailed
	case holdfast.Uncertain:
		return ledger.StateUncertain
	case holdfast.Pending:
		return ledger.StatePending
	}
	return ledger.StateRejected
}

// settle commits the outcome of a started call by compare-and-set. While that
// fails, the write is told as uncertain, and the result is kept and committed
// as soon as the ledger takes it.
func (g *Gate) settle(ctx context.Context, c *call) {
	recording := g.recording(ctx)
	defer recording.end()
	e, err := g.ledger.Settle(recording, c.ledgerID, c.fence, c.outcome, string(c.stage), c.evidence)
	switch {
	case err == nil:
	case errors.Is(err, ledger.ErrLost):
		g.options.Log.Warn("entry moved on without its owner", "entry", c.ledgerID, "tool", c.name())
		c.lost(e)
	default:
		g.logLedger("settling", c, err)
		g.keeper.keep(c.ledgerID, c.fence, c.outcome, c.evidence)
		if c.effect() == holdfast.Write && c.outcome.Status != holdfast.Uncertain {
			c.stage, c.outcome = Record, c.unrecorded()
		}
	}
}

// lost tells what stands in the ledger where another word came first.
func (c *call) lost(e ledger.Entry) {
	c.stage = Record
	if e.Outcome != nil {
		c.outcome = *e.Outcome
		return
	}
	c.outcome = c.unrecorded()
}

// logLedger logs a failure of the ledger. Its errors hold no arguments.
func (g *Gate) logLedger(doing string, c *call, err error) {
	g.options.Log.Error("ledger failed", "doing", doing, "tool", c.name(), "run", c.round.Run,
		"turn", c.round.Turn, "round", c.round.Number, "position", c.position, "error", err)
}
