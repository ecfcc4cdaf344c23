package gate

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

// reads lets one read answer for others: for the same one that runs at the same
// time, and, where its tool says for how long, for later ones. The same means:
// the same tool, principal and arguments, whatever the run. Whether the principal
// may make the call was asked before, for each call by itself.
type reads struct {
	mu      sync.Mutex
	running map[reader][]*flight
	kept    *cache // nil: nothing is kept
}

// reader is who runs what.
type reader struct {
	tool      *holdfast.Tool
	principal holdfast.Principal
}

// flight is one read that runs.
type flight struct {
	args    schema.Value
	done    chan struct{}     // made by the first that waits, closed at the end
	outcome *holdfast.Outcome // of its end, where it answers for others too
}

// shareable reports whether another call's result may answer for c. One that a
// person agreed to is entered in its own name.
func (c *call) shareable() bool {
	return c.effect() == holdfast.Read && c.info.options.Precondition == nil && c.approval == nil && c.own == nil
}

// readOnce runs c unless an equal read answers for it.
func (g *Gate) readOnce(ctx context.Context, c *call, run func()) {
	if !c.shareable() {
		run()
		return
	}
	for {
		if o, ok := g.reads.keptFor(c); ok {
			g.answeredBy(ctx, c, o)
			return
		}
		other := g.reads.enter(c)
		if other == nil {
			defer g.reads.leave(c)
			run()
			return
		}
		select {
		case <-other.done:
			if other.outcome != nil {
				g.answeredBy(ctx, c, *other.outcome)
				return
			}
			// It did not run, or was cancelled: that says nothing of this call.
		case <-ctx.Done():
			c.enter(Admit)
			c.outcome, c.decided = *c.cancelledBefore(), true
			return
		}
	}
}

// answeredBy takes the outcome of an equal read: nothing ran for this call, but the
// run is marked with what it brings all the same.
func (g *Gate) answeredBy(ctx context.Context, c *call, o holdfast.Outcome) {
	c.enter(Admit)
	if no := g.mark(ctx, c); no != nil {
		o = *no
	}
	c.outcome, c.decided = o, true
}

func (c *call) reader() reader { return reader{c.tool, c.round.Principal} }

// enter makes c the one that runs, and gives nil, or finds the one that does.
func (r *reads) enter(c *call) *flight {
	r.mu.Lock()
	defer r.mu.Unlock()
	who := c.reader()
	for _, f := range r.running[who] {
		if f.args.Equal(c.args) {
			if f.done == nil {
				f.done = make(chan struct{})
			}
			return f
		}
	}
	if r.running == nil {
		r.running = make(map[reader][]*flight)
	}
	c.flight = &flight{args: c.args}
	r.running[who] = append(r.running[who], c.flight)
	return nil
}

// leave ends c's flight, tells those who wait for it, and keeps what may be kept.
func (r *reads) leave(c *call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	who, f := c.reader(), c.flight
	if rest := slices.DeleteFunc(r.running[who], func(other *flight) bool { return other == f }); len(rest) > 0 {
		r.running[who] = rest
	} else {
		delete(r.running, who)
	}
	switch {
	case c.outcome.Status == holdfast.OK, c.outcome.Status == holdfast.Failed && c.outcome.Code != holdfast.Cancelled:
		outcome := c.outcome
		f.outcome = &outcome
	}
	if f.done != nil {
		close(f.done)
	}
	if d := c.info.options.CacheFor; d > 0 && c.outcome.Status == holdfast.OK && c.outcome.Code == "" {
		r.kept.put(c.cacheKey(), c.outcome, time.Now().Add(d))
	}
}

// keptFor is the result that is still kept of an equal read.
func (r *reads) keptFor(c *call) (holdfast.Outcome, bool) {
	if r.kept == nil || c.info.options.CacheFor <= 0 {
		return holdfast.Outcome{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept.get(c.cacheKey(), time.Now())
}

func (c *call) cacheKey() cacheKey { return cacheKey{c.reader(), string(c.canon())} }
