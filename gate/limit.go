package gate

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errTimedOut is the cause of a context that ended by a limit of ours; a
// caller's own deadline is a cancellation.
var errTimedOut = errors.New("timed out")

// limited is a context with a limit of ours. Most handlers and stores that are
// quick never wait for its end, so it is only armed when somebody does.
type limited struct {
	context.Context
	deadline time.Time

	mu     sync.Mutex
	armed  context.Context
	cancel context.CancelFunc
	ended  bool
}

// limit is ctx with a limit of d; end frees what it holds.
func limit(ctx context.Context, d time.Duration) *limited {
	l := new(limited)
	l.begin(ctx, d)
	return l
}

// begin makes l, which is new, such a context.
func (l *limited) begin(ctx context.Context, d time.Duration) {
	l.Context, l.deadline = ctx, time.Now().Add(d)
}

// Deadline is ours or, where that is sooner, the caller's.
func (l *limited) Deadline() (time.Time, bool) {
	if theirs, ok := l.Context.Deadline(); ok && theirs.Before(l.deadline) {
		return theirs, true
	}
	return l.deadline, true
}

func (l *limited) Done() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended && l.armed == nil {
		return closedChannel
	}
	if l.armed == nil {
		l.armed, l.cancel = context.WithDeadlineCause(l.Context, l.deadline, errTimedOut)
	}
	return l.armed.Done()
}

func (l *limited) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.armed != nil {
		return l.armed.Err()
	}
	if l.ended {
		return context.Canceled
	}
	if err := l.Context.Err(); err != nil {
		return err
	}
	if !time.Now().Before(l.deadline) {
		return context.DeadlineExceeded
	}
	return nil
}

// Value lets the context package find the armed context, so that one derived
// from l costs no goroutine.
func (l *limited) Value(key any) any {
	l.mu.Lock()
	ctx := l.Context
	if l.armed != nil {
		ctx = l.armed
	}
	l.mu.Unlock()
	return ctx.Value(key)
}

// end cancels what was derived from l.
func (l *limited) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	if l.armed != nil {
		l.cancel()
	}
}

var closedChannel = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()
