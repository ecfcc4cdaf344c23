package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

// What an agent loop needs of the ledger's records, under this package's name.
type (
	Round    = ledger.Round
	Run      = ledger.Run
	Turn     = ledger.Turn
	Entry    = ledger.Entry
	Approval = ledger.Approval
)

// RoundOptions of Gate.Round; nil means none.
type RoundOptions struct {
	// Resume goes on with a round that was put through before, in this process
	// or another: what its places already say stands, a call that a person
	// approved is run, and the rest goes on from lookup.
	Resume bool
	// NoWait tells a pending call as such and goes on with the next, for a
	// caller that puts single calls through and does not wait.
	NoWait bool
	// Watch is told each call's stages and verdict as they come, from one
	// goroutine at a time.
	Watch func(Progress)
}

// Progress of one call.
type Progress struct {
	Run        string
	Turn       int
	Round      int
	Position   int
	CallID     string
	Name       string         // as sent
	Tool       string         // qualified, from lookup on
	Definition *holdfast.Tool // from lookup on; nil: the catalog has none of that name
	Stage      Stage
	// Verdict is set once there is one; nothing follows it.
	Verdict *Verdict
	// Arguments as validated, secrets masked. They and what is below are told with
	// the verdict, and to Options.Observe alone.
	Arguments json.RawMessage
	Took      map[Stage]time.Duration // in each stage that it entered
	Abandoned bool                    // code of the tool ignored its cancellation
}

// Verdict is what became of one call of a round.
type Verdict struct {
	Position   int
	CallID     string // the provider's, or one made from the call's place
	Tool       string // qualified; as sent where no tool has that name
	LedgerID   string // of a replay: the call that ran
	Key        string
	ApprovalID string
	Rule       string           // of the policy, that decided about it
	Labels     []holdfast.Label // that the run held
	Stage      Stage            // that gave the outcome
	Outcome    holdfast.Outcome
	Warnings   []schema.Problem
	// Attempts is how often the handler was entered for this call: not at all where
	// an equal read answered for it, several times where a read was run again.
	Attempts int
	// Observation is the outcome for the model. It is owed to the provider only
	// if Answer is set: not for a call that waits, that the provider ran itself,
	// or whose id came before (its rejection is in the first one's observation).
	Observation holdfast.Observation
	Answer      bool
	// Waiting says that nothing is decided of this call: one before it is
	// pending, or another process runs it just now.
	Waiting bool
	// Skipped says that the provider ran the call itself.
	Skipped bool
}

// passage is a round on its way through the gate.
type passage struct {
	Round
	gate    *Gate
	options RoundOptions
	calls   []*call
	first   call // most rounds have one call, which then lies here
	room    [1]*call

	labels      []holdfast.Label // of the run, and of what the calls so far may bring
	labelsKnown bool             // they were read

	reads    sync.WaitGroup
	running  chan struct{} // full while as many reads run as may; nil before the first
	watching sync.Mutex    // held while Watch runs
}

// Round puts every call of a reply through the gate: one verdict a call, in the
// provider's order. Whatever becomes of a call is an outcome; an error is only
// this caller's misuse or, resuming, a record that cannot be read, and then
// nothing has run.
func (g *Gate) Round(ctx context.Context, r Round, o *RoundOptions) ([]Verdict, error) {
	p, err := g.propose(ctx, r, o)
	if err != nil {
		return nil, err
	}
	p.schedule(ctx)
	return p.verdicts(), nil
}

// propose passes every call of a round through the stages that look at its bytes
// alone and, resuming, looks up what the record says of it.
func (g *Gate) propose(ctx context.Context, r Round, o *RoundOptions) (*passage, error) {
	p, err := g.newPassage(r, o)
	if err != nil {
		return nil, err
	}
	for _, c := range p.calls {
		if !c.skipped {
			g.inspect(c)
		}
	}
	countTwins(p.calls)
	if p.options.Resume {
		err = g.recall(ctx, p)
	}
	return p, err
}

func (g *Gate) newPassage(r Round, o *RoundOptions) (*passage, error) {
	if r.Run == "" || r.Turn < 1 || r.Number < 1 {
		return nil, fmt.Errorf("round %d of turn %d of run %q: run, turn and round must be named", r.Number, r.Turn, r.Run)
	}
	for position, key := range r.Keys {
		if position < 0 || position >= len(r.Calls) {
			return nil, fmt.Errorf("key for call %d of %d", position, len(r.Calls))
		}
		if err := checkKey(key); err != nil {
			return nil, fmt.Errorf("call %d: %w", position, err)
		}
	}
	p := &passage{Round: r, gate: g}
	if o != nil {
		p.options = *o
	}
	p.calls = p.room[:0]
	for i := range r.Calls {
		c := &p.first
		if i > 0 {
			c = new(call)
		}
		*c = call{clock: g.newClock(), round: p, position: i, sent: &r.Calls[i], twinOf: -1, skipped: r.Calls[i].ProviderExecuted}
		p.calls = append(p.calls, c)
	}
	identify(p.calls)
	return p, nil
}

// schedule takes the calls in order. Reads next to each other run in parallel;
// a write or an agent call waits for what stands before it and is waited for.
// Behind a call that waits for a person, every other waits too.
func (p *passage) schedule(ctx context.Context) {
	g := p.gate
	parked := false
	for i, c := range p.calls {
		switch {
		case c.skipped:
			continue
		case parked:
			c.waiting = !c.recorded
			continue
		}
		if c.effect() != holdfast.Read {
			p.reads.Wait()
		}
		if c.waiting {
			parked = true
			continue
		}
		ctx := g.begin(ctx, c)
		if c.decided || !g.clear(ctx, c) {
			g.finish(ctx, c)
			parked = c.parks()
			continue
		}
		p.brings(c)
		if c.alone() || len(p.running) == 0 && !p.readFollows(i) {
			g.carryOut(ctx, c)
			parked = c.parks()
			continue
		}
		p.read(ctx, c)
	}
	p.reads.Wait()
}

// read carries c out beside what runs, once there is room.
func (p *passage) read(ctx context.Context, c *call) {
	if p.running == nil {
		p.running = make(chan struct{}, p.gate.options.Parallel)
	}
	p.running <- struct{}{}
	p.reads.Go(func() {
		defer func() { <-p.running }()
		p.gate.carryOut(ctx, c)
	})
}

// alone reports whether nothing behind c may start before it ended: a write, an
// agent call, and a read of which it turns out only at its start whether it waits.
func (c *call) alone() bool {
	return c.effect() != holdfast.Read || c.info.options.Precondition != nil || c.approval != nil
}

// parks reports whether the calls behind c must wait.
func (c *call) parks() bool {
	return c.waiting || c.outcome.Status == holdfast.Pending && !c.round.options.NoWait
}

// readFollows reports whether the next call that may run is a read too.
func (p *passage) readFollows(i int) bool {
	for _, c := range p.calls[i+1:] {
		if !c.skipped && !c.decided && !c.waiting {
			return c.effect() == holdfast.Read
		}
	}
	return false
}

// verdicts are the calls' in order. A rejection of an id that came before is
// folded into the first's observation: an id has exactly one result.
func (p *passage) verdicts() []Verdict {
	for _, c := range p.calls {
		if c.twinOf >= 0 && !c.waiting {
			first := p.calls[c.twinOf]
			first.outcome.Also = append(first.outcome.Also[:len(first.outcome.Also):len(first.outcome.Also)], c.outcome)
		}
	}
	all := make([]Verdict, len(p.calls))
	for i, c := range p.calls {
		all[i] = c.verdict()
	}
	return all
}

// tell tells the watcher that c entered a stage.
func (p *passage) tell(c *call, s Stage) {
	if p.options.Watch == nil {
		return
	}
	p.watch(c.progress(s))
}

// done tells the watcher what became of c.
func (p *passage) done(c *call) {
	if p.options.Watch == nil {
		return
	}
	v, pr := c.verdict(), c.progress(c.stage)
	pr.Verdict = &v
	p.watch(pr)
}

func (p *passage) watch(pr Progress) {
	p.watching.Lock()
	defer p.watching.Unlock()
	p.options.Watch(pr)
}
