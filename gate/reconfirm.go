package gate

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

const (
	lookEvery = 2 * time.Second // how often Run looks for uncertain writes
	firstAsk  = 2 * time.Second // pause after the first question; each later one is twice as long
	lastAsk   = time.Hour
	mostAsked = 16 // times in all: about six hours
)

// Asked is what came of asking about one uncertain write.
type Asked struct {
	Entry Entry // as it stands now
	// Effect is what the confirm function said, and counted.
	Effect holdfast.EffectState
	// Why says why the write stays uncertain, or "".
	Why string
}

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
// know of. It tells what was asked. Without ids it asks about those whose turn it
// is, with pauses that double, 16 times in all; with ids about those writes, at any
// time. When and how often is in the record, so that several processes do not ask
// at once, and a restart does not begin anew.
//
// A "no" counts only once [holdfast.ToolOptions.InFlight] is over since the write
// became uncertain, or, after a crash, at least the tool's timeout.
func (g *Gate) Reconfirm(ctx context.Context, ids ...string) ([]Asked, error) {
	waiting, err := g.uncertain(ctx, ids)
	if err != nil {
		return nil, err
	}
	asked := make([]*Asked, len(waiting))
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
	var list []Asked
	for _, a := range asked {
		if a != nil {
			list = append(list, *a)
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

// reconfirmOne asks about one write if it is its turn, and gives nil if it is not.
func (g *Gate) reconfirmOne(ctx context.Context, e Entry, now bool) *Asked {
	c, why := g.recallWrite(e)
	if why != "" {
		if now {
			return &Asked{Entry: e, Why: why}
		}
		return nil
	}
	// The pause also keeps others away while this process asks.
	pause := min(firstAsk<<min(e.Asked, 20), lastAsk) + c.tool.Timeout() + g.options.Grace
	taken, mine, err := g.ledger.Ask(ctx, e.ID, e.Fence, pause, now)
	switch {
	case errors.Is(err, ledger.ErrLost):
		return nil // it moved on
	case err != nil:
		g.logLedger("taking the turn to ask", c, err)
		return nil
	case !mine && !now:
		return nil
	case !mine:
		return &Asked{Entry: taken, Why: "the process that ran it lives, and asks by itself"}
	}
	_, c.inFlight = g.stillRuns.Load(e.ID)
	c.inFlight = c.inFlight || taken.AskAfter.Add(-pause).Sub(taken.End) < c.window()
	g.askEffect(ctx, c)
	if ctx.Err() != nil {
		return nil // an answer may be cut short by that
	}
	return g.moveOn(ctx, c, taken)
}

// moveOn resolves a write by what its confirm function said.
func (g *Gate) moveOn(ctx context.Context, c *call, e Entry) *Asked {
	a := &Asked{Entry: e, Effect: holdfast.Unknown, Why: c.outcome.Message}
	switch c.outcome.Status {
	case holdfast.OK:
		a.Effect, a.Why = holdfast.Happened, ""
	case holdfast.Failed:
		a.Effect, a.Why = holdfast.DidNotHappen, ""
	default:
		return a
	}
	recording := g.recording(ctx)
	defer recording.end()
	resolved, err := g.ledger.Resolve(recording, e.ID, e.Fence, c.outcome, "confirm function", orElse(c.evidence, "the confirm function said so"))
	if err != nil {
		g.logLedger("resolving", c, err)
		a.Effect, a.Why = holdfast.Unknown, "the answer could not be recorded"
		return a
	}
	a.Entry = resolved
	g.options.Log.Info("uncertain write resolved", "entry", e.ID, "tool", c.name(), "run", e.Run, "state", resolved.State)
	return a
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

// recallWrite is an uncertain write as a call, to be asked about, or why it cannot
// be.
func (g *Gate) recallWrite(e Entry) (c *call, why string) {
	t, ok := g.catalog.Lookup(e.Tool)
	switch {
	case e.State != ledger.StateUncertain:
		return nil, "it is " + string(e.State) + ", and only an uncertain write is asked about"
	case !ok:
		return nil, "the catalog has no tool of its name"
	case t.Options().Confirm == nil:
		return nil, "its tool has no confirm function: only a person can tell"
	}
	args, err := schema.Read(e.Arguments, &g.options.Limits)
	if err != nil || hexDigest(args.Canonical()) != e.ArgumentsDigest {
		return nil, "its arguments are not in the record, or not whole: a secret is masked there"
	}
	p := &passage{gate: g, Round: Round{Run: e.Run, Turn: e.Turn, Number: e.Round, Principal: e.Principal}}
	c = &call{
		round: p, position: e.Position, sent: &holdfast.Call{Name: t.Name()}, id: e.CallID, twinOf: -1,
		tool: t, info: g.tools[t], args: args, key: e.Key, ledgerID: e.ID, stage: Confirm,
		outcome: holdfast.Outcome{Status: holdfast.Uncertain},
	}
	if e.Outcome != nil {
		c.outcome.Code = e.Outcome.Code
	}
	return c, ""
}
