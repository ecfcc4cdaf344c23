package gate

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/digest"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

const (
	lookEvery = 2 * time.Second // how often Run looks for uncertain writes
	firstAsk  = 2 * time.Second // pause after the first question; each later one is twice as long
	lastAsk   = time.Hour
	mostAsked = 16 // times in all: about six hours
)

// Run asks about uncertain writes, with Reconfirm, until ctx ends. What fails is
// logged and tried again.
func (g *Gate) Run(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if _, err := g.Reconfirm(ctx); err != nil && ctx.Err() == nil {
			g.options.Log.Error("asking about uncertain writes", "error", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// Reconfirm asks the confirm functions of the catalog's tools about their
// uncertain writes, whichever process left them behind, and moves on what they
// know of. It tells what became of those that it asked about. Without ids it asks about those whose turn it
// is, with pauses that double, 16 times in all; with ids about those writes, at any
// time. When and how often is in the record, so that several processes do not ask
// at once, and a restart does not begin anew. [Options.Observe] is told of each
// write that is asked about, as of a call that is in no stage but confirm.
//
// A "no" counts only once [holdfast.ToolOptions.InFlight] is over since the write
// became uncertain, or, after a crash, at least the tool's timeout.
func (g *Gate) Reconfirm(ctx context.Context, ids ...string) ([]Verdict, error) {
	waiting, err := g.uncertain(ctx, ids)
	if err != nil {
		return nil, err
	}
	asked := make([]*call, len(waiting))
	var wg sync.WaitGroup
	room := make(chan struct{}, g.options.Parallel)
	for i, e := range waiting {
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			asked[i] = g.reconfirmOne(ctx, e, len(ids) > 0)
		})
	}
	wg.Wait()
	var list []Verdict
	for _, c := range asked {
		if c != nil {
			list = append(list, c.verdict())
		}
	}
	return list, ctx.Err()
}

// uncertain lists the writes that a confirm function of this catalog can be asked
// about: those of the ids, or all that were not asked about too often.
func (g *Gate) uncertain(ctx context.Context, ids []string) ([]Entry, error) {
	var list []Entry
	for _, id := range ids {
		e, err := g.ledger.Entry(ctx, id)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	if len(ids) > 0 {
		return list, nil
	}
	for _, t := range g.catalog.Tools() {
		info := g.tools[t]
		if info.options.Confirm == nil {
			continue
		}
		f := ledger.Filter{Tool: info.name, State: string(ledger.StateUncertain), InOrder: true, Limit: 500}
		for {
			found, err := g.ledger.Entries(ctx, f)
			if err != nil {
				return nil, err
			}
			for _, e := range found {
				f.Before = e.ID
				if e.Asked < mostAsked {
					list = append(list, e)
				}
			}
			if len(found) < f.Limit {
				break
			}
		}
	}
	return list, nil
}

// reconfirmOne asks about one write if it is its turn, or now, and gives nil where
// it is not asked about.
func (g *Gate) reconfirmOne(ctx context.Context, e Entry, now bool) *call {
	c, why := g.recallWrite(e)
	if why != "" && !now {
		return nil
	}
	if why != "" {
		return c.stays(e, why)
	}
	// The pause also keeps others away while this process asks.
	pause := min(firstAsk<<min(e.Asked, 20), lastAsk) + c.tool.Timeout() + g.options.Grace
	taken, mine, err := g.ledger.Ask(ctx, e.ID, e.Fence, pause, now)
	switch {
	case errors.Is(err, ledger.ErrLost):
		return c.stays(taken, "it moved on just now")
	case err != nil:
		g.logLedger("taking the turn to ask", c, err)
		return nil
	case !mine && now:
		return c.stays(taken, "the process that ran it lives, and asks by itself")
	case !mine:
		return nil
	}
	c.clock = g.newClock()
	ctx = g.begin(ctx, c)
	defer func() { g.end(ctx, c) }()
	c.clock.turn(Confirm)
	_, c.inFlight = g.stillRuns.Load(e.ID)
	c.inFlight = c.inFlight || taken.AskAfter.Add(-pause).Sub(taken.End) < c.window()
	g.askEffect(ctx, c)
	if ctx.Err() != nil {
		return nil // the answer may be that end's doing
	}
	if c.outcome.Status != holdfast.Uncertain {
		g.moveOn(ctx, c, taken)
	}
	return c
}

// stays tells of a write as it stands, and why it was not asked about.
func (c *call) stays(e Entry, why string) *call {
	if e.State != ledger.StateUncertain && e.Outcome != nil {
		c.recallOutcome(e)
		return c
	}
	c.outcome = holdfast.Outcome{
		Status: holdfast.Uncertain, Code: holdfast.Unconfirmed, Message: "It is not known whether " + c.called() + " took effect, and nobody was asked: " + why + ".",
	}
	return c
}

// moveOn resolves a write by what its confirm function said.
func (g *Gate) moveOn(ctx context.Context, c *call, e Entry) {
	recording := g.recording(ctx)
	defer recording.end()
	resolved, err := g.ledger.Resolve(recording, e.ID, e.Fence, c.outcome, "confirm function", orElse(c.evidence, "the confirm function said so"))
	switch {
	case err == nil:
		g.options.Log.Info("uncertain write resolved", "entry", e.ID, "tool", c.name(), "run", e.Run, "state", resolved.State)
	case errors.Is(err, ledger.ErrLost): // a person was faster
		c.stays(e, "somebody else resolved it meanwhile")
	default:
		g.logLedger("resolving", c, err)
		c.stays(e, "the answer could not be recorded")
	}
}

// window is how long what was sent may still take effect after nobody waited for
// its answer any more.
func (c *call) window() time.Duration {
	d := c.info.options.InFlight
	if c.outcome.Code == holdfast.Unrecorded {
		return max(d, c.tool.Timeout()) // its process may have died as it sent
	}
	return d
}

// recallWrite is a write in the record as a call, to be asked about, and why it
// cannot be, or "".
func (g *Gate) recallWrite(e Entry) (c *call, why string) {
	p := &passage{gate: g, Round: Round{Run: e.Run, Turn: e.Turn, Number: e.Round, Principal: e.Principal}}
	c = &call{
		round: p, position: e.Position, sent: &holdfast.Call{Name: e.Tool}, id: e.CallID, twinOf: -1,
		key: e.Key, ledgerID: e.ID, stage: Confirm, outcome: holdfast.Outcome{Status: holdfast.Uncertain},
	}
	if e.Outcome != nil {
		c.outcome.Code = e.Outcome.Code
	}
	t, ok := g.catalog.Lookup(e.Tool)
	if !ok {
		return c, "the catalog has no tool of its name"
	}
	c.tool, c.info, c.sent.Name = t, g.tools[t], t.Name()
	if e.State != ledger.StateUncertain {
		return c, "it is " + string(e.State)
	}
	if c.info.options.Confirm == nil {
		return c, "its tool has no confirm function, so only a person can tell"
	}
	args, err := schema.Read(e.Arguments, &g.options.Limits)
	if err != nil || digest.Of(args.Canonical()) != e.ArgumentsDigest {
		return c, "its arguments are not whole in the record, where secrets are masked"
	}
	c.args = args
	return c, ""
}
