package gate

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/holdfast-go/holdfast"
)

const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 10 * time.Second
)

// attempt enters the handler. A read that failed in passing is run again, after a
// pause, within the one timeout of the call; nothing else ever is.
func (g *Gate) attempt(ctx context.Context, c *call) (*ran[holdfast.Result], end) {
	tool, args := c.tool, c.args
	handle := func(ctx context.Context) (holdfast.Result, error) { return tool.Handle(ctx, args) }
	left := tool.Timeout() - c.ran
	deadline := time.Now().Add(left)
	for {
		c.attempts++
		r, e := contain(ctx, g, left, g.graceOf(c), handle)
		pause, again := c.mayRetry(e)
		left = time.Until(deadline) - pause
		if !again || left <= 0 {
			return r, e
		}
		if !g.rest(ctx, pause) {
			e.stopped = true
			return r, e
		}
	}
}

// mayRetry decides whether c is run again, and after which pause.
func (c *call) mayRetry(e end) (time.Duration, bool) {
	if c.effect() != holdfast.Read || e.panicked || e.gaveUp || e.timedOut || e.stopped || c.attempts > c.info.options.Retries {
		return 0, false
	}
	transient, ok := asTransient(e.err)
	if !ok {
		return 0, false
	}
	pause := min(firstRetry<<min(c.attempts-1, 10), lastRetry)
	pause = pause/2 + rand.N(pause/2+1) // so that those who failed together do not return together
	return max(pause, transient.After), true
}

// asTransient asks an error whether the same may succeed later. An error is code
// that is not ours: one that panics says nothing.
func asTransient(err error) (transient *holdfast.TransientError, ok bool) {
	defer func() {
		if recover() != nil {
			transient, ok = nil, false
		}
	}()
	ok = errors.As(err, &transient) && transient != nil
	return transient, ok
}

// rest pauses, and reports whether the call is still wanted.
func (g *Gate) rest(ctx context.Context, d time.Duration) bool {
	timer := g.timer(d)
	defer g.keepTimer(timer)
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
