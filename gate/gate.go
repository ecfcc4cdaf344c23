package gate

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

// Stage of the gate, in the order in which a call passes them.
type Stage string

// The stages. The first "no" ends the call.
const (
	Complete  Stage = "complete"
	Lookup    Stage = "lookup"
	Parse     Stage = "parse"
	Validate  Stage = "validate"
	Authorise Stage = "authorise"
	Approve   Stage = "approve"
	Admit     Stage = "admit"
	Claim     Stage = "claim"
	Execute   Stage = "execute"
	Confirm   Stage = "confirm"
	Record    Stage = "record"
)

// Gate is the one place that every call passes. Safe for concurrent use.
type Gate struct {
	catalog *holdfast.Catalog
	ledger  *ledger.Ledger
	options Options
	tools   map[*holdfast.Tool]*toolInfo
	secrets bool // some tool of the catalog takes a secret

	keeper    keeper
	reads     reads
	timers    sync.Pool // of *time.Timer, stopped
	abandoned atomic.Int64
	lingering atomic.Int64
	stillRuns sync.Map // ids of entries whose handlers were abandoned and still run
}

// Options of New; nil means defaults, and so does each zero field.
type Options struct {
	Authorizer Authorizer    // AllowAll
	Admitter   Admitter      // a Counter with its defaults
	Limits     schema.Limits // of argument texts
	Parallel   int           // reads of one round that run at once; 8
	Calls      int           // calls of one round that may run; 64
	CacheBytes int           // of results of reads that are kept; 16 MiB; below 0: none is kept
	// Grace is how long a handler may take to return after its context ended
	// before it is abandoned; 500 ms.
	Grace time.Duration
	// RecordTimeout bounds one write to the ledger once an effect may exist; 10 s.
	RecordTimeout time.Duration
	Log           *slog.Logger // silent; it never gets arguments or results
	// Observe is told of every call of every round, for traces and metrics: once
	// when it is about to be decided on, and once with its verdict. What it gives
	// at first is the call's context from there on, that of its handler too; what
	// it gives at last is not looked at. It is safe for concurrent use, does not
	// block, and changes nothing of what becomes of the call.
	Observe func(ctx context.Context, p Progress) context.Context
}

// toolInfo is what the gate asks of a tool for every call of it.
type toolInfo struct {
	name    string // qualified
	options holdfast.ToolOptions
	secrets bool // its arguments have fields that nobody may see
}

// New makes a gate for a closed catalog over a ledger. It starts nothing.
func New(c *holdfast.Catalog, l *ledger.Ledger, o *Options) (*Gate, error) {
	if c == nil || l == nil {
		return nil, errors.New("gate needs a catalog and a ledger")
	}
	g := &Gate{catalog: c, ledger: l, tools: make(map[*holdfast.Tool]*toolInfo)}
	if o != nil {
		g.options = *o
	}
	g.options.complete()
	g.keeper.init(g)
	g.reads.kept = newCache(g.options.CacheBytes)
	for _, t := range c.Tools() {
		info := &toolInfo{name: c.Qualify(t), options: t.Options(), secrets: mayHoldSecrets(t.Input())}
		g.tools[t] = info
		g.secrets = g.secrets || info.secrets
	}
	return g, nil
}

func (o *Options) complete() {
	if o.Authorizer == nil {
		o.Authorizer = AllowAll{}
	}
	if o.Admitter == nil {
		o.Admitter = NewCounter(nil)
	}
	if o.Parallel <= 0 {
		o.Parallel = 8
	}
	if o.Calls <= 0 {
		o.Calls = 64
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = 16 << 20
	}
	if o.Grace <= 0 {
		o.Grace = 500 * time.Millisecond
	}
	if o.RecordTimeout <= 0 {
		o.RecordTimeout = 10 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// inspect passes the stages that look at the call's bytes alone. They are
// passed for the whole round first: which calls are identical must be known
// before the first key is made.
func (g *Gate) inspect(c *call) bool {
	defer c.clock.turn("")
	return g.pass(c, Complete, (*Gate).complete) &&
		g.pass(c, Lookup, (*Gate).lookup) &&
		g.pass(c, Parse, (*Gate).parse) &&
		g.pass(c, Validate, (*Gate).validate)
}

// clear passes the stages that ask whether the call may be made at all. They
// are passed one call after another, so that nothing after a call that waits
// for a person goes on.
func (g *Gate) clear(ctx context.Context, c *call) bool {
	defer c.clock.turn("")
	return g.ask(ctx, c, Authorise, (*Gate).authorise) &&
		(c.goesOn() || g.ask(ctx, c, Approve, (*Gate).approve))
}

// carryOut passes the rest. Up to claim nothing of the handler has run; in
// execute it is entered; from then on nothing stops the recording. A read that
// another answers for passes none of it.
func (g *Gate) carryOut(ctx context.Context, c *call) {
	g.readOnce(ctx, c, func() {
		if (c.goesOn() || g.ask(ctx, c, Admit, (*Gate).admit)) && g.ask(ctx, c, Claim, (*Gate).claim) {
			c.enter(Execute)
			g.execute(ctx, c)
			g.confirm(ctx, c)
		}
		g.ended(c)
	})
	g.finish(ctx, c)
}

// finish records what became of c. An agent call that had begun, and may not go
// on, ends what waits in it first.
func (g *Gate) finish(ctx context.Context, c *call) {
	if c.goesOn() && !c.started && !c.waiting && !c.recorded && c.outcome.Status == holdfast.Rejected {
		g.callOff(ctx, c)
	}
	g.record(ctx, c)
}

// pass puts c through a stage that asks nobody and reports whether it passed.
func (g *Gate) pass(c *call, s Stage, stage func(*Gate, *call) *holdfast.Outcome) bool {
	c.enter(s)
	if no := stage(g, c); no != nil {
		c.outcome, c.decided = *no, true
	}
	return !c.decided
}

// ask puts c through a stage that may wait; a cancelled call enters none.
func (g *Gate) ask(ctx context.Context, c *call, s Stage, stage func(*Gate, context.Context, *call) *holdfast.Outcome) bool {
	c.enter(s)
	no := (*holdfast.Outcome)(nil)
	if ctx.Err() != nil {
		no = c.cancelledBefore()
	} else {
		no = stage(g, ctx, c)
	}
	if no != nil {
		c.outcome, c.decided = *no, true
	}
	return !c.decided
}

// Catalog that the gate was made for: the one a model may be offered.
func (g *Gate) Catalog() *holdfast.Catalog { return g.catalog }

// Abandoned counts the handlers that ignored their cancellation: all that ever
// did, and those that still run.
func (g *Gate) Abandoned() (total, running int) {
	return int(g.abandoned.Load()), int(g.lingering.Load())
}

// Close waits until every outcome that the ledger did not take at first is
// committed, or gives up on them when ctx ends; then they stay started there,
// which the next owner tells as uncertain. The gate must not be used after it.
func (g *Gate) Close(ctx context.Context) error { return g.keeper.close(ctx) }

// guarded calls f and turns its panic into an error that names no value.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errPanicked
		}
	}()
	return f()
}

var errPanicked = errors.New("panicked")
