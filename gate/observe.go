package gate

import (
	"context"
	"log/slog"
	"time"

	"github.com/holdfast-go/holdfast"
)

// clock measures how long a call is in each stage. Nil, where nobody asks, it
// measures nothing.
type clock struct {
	took  map[Stage]time.Duration
	stage Stage // "": between two stages, while the call waits for others of its round
	since time.Time
	begun bool // the observer knows of the call
	left  bool // code of the tool was abandoned
}

func (g *Gate) newClock() *clock {
	if g.options.Observe == nil {
		return nil
	}
	return &clock{took: map[Stage]time.Duration{}}
}

// turn is the end of one stage and the begin of the next.
func (k *clock) turn(next Stage) {
	if k == nil {
		return
	}
	now := time.Now()
	if k.stage != "" {
		k.took[k.stage] += now.Sub(k.since)
	}
	k.stage, k.since = next, now
}

func (k *clock) abandoned() {
	if k != nil {
		k.left = true
	}
}

// begin tells the observer that c is about to be decided on, and gives the
// context under which it goes on. What the record had decided before, it is not
// told again.
func (g *Gate) begin(ctx context.Context, c *call) context.Context {
	stands := c.recorded || c.own != nil && c.decided && c.outcome.Status == holdfast.Pending
	if c.clock == nil || stands {
		return ctx
	}
	c.clock.begun = true
	return g.tellObserver(ctx, c.progress(c.stage))
}

// end tells the observer and the log what became of c, once.
func (g *Gate) end(ctx context.Context, c *call) {
	c.clock.turn("")
	if !c.waiting && !c.recorded && !c.skipped {
		g.logCall(ctx, c)
	}
	if c.clock == nil || !c.clock.begun {
		return
	}
	c.clock.begun = false
	v := c.verdict()
	p := c.progress(c.stage)
	p.Verdict, p.Arguments, p.Took, p.Abandoned = &v, c.masked, c.clock.took, c.clock.left
	g.tellObserver(ctx, p)
}

// tellObserver gives ctx where the observer gives none, or panics: it decides
// nothing.
func (g *Gate) tellObserver(ctx context.Context, p Progress) context.Context {
	own := ctx
	err := guarded(func() error {
		own = g.options.Observe(ctx, p)
		return nil
	})
	if err != nil {
		g.options.Log.Error("observer panicked", "tool", p.Tool, "run", p.Run)
	}
	if err != nil || own == nil {
		return ctx
	}
	return own
}

// logCall writes one line for a call: where it stood and what became of it, never
// what it said.
func (g *Gate) logCall(ctx context.Context, c *call) {
	if !g.options.Log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	r := &c.round.Round
	g.options.Log.LogAttrs(ctx, slog.LevelInfo, "call",
		slog.String("run", r.Run), slog.Int("turn", r.Turn), slog.Int("round", r.Number), slog.Int("position", c.position),
		slog.String("call", c.id), slog.String("tool", c.name()), slog.String("effect", string(c.effect())), slog.String("stage", string(c.stage)),
		slog.String("outcome", string(c.outcome.Status)), slog.String("code", string(c.outcome.Code)), slog.Bool("replayed", c.outcome.Replayed),
		slog.String("entry", c.ledgerID), slog.String("approval", c.outcome.ApprovalID))
}

// progress is what a watcher and the observer are told of c.
func (c *call) progress(s Stage) Progress {
	r := &c.round.Round
	return Progress{
		Run: r.Run, Turn: r.Turn, Round: r.Number, Position: c.position, CallID: c.id, Name: c.sent.Name, Tool: c.name(), Definition: c.tool, Stage: s,
	}
}
