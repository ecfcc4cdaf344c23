package gate

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
)

// ran is how a contained function ended.
type ran[T any] struct {
	value T
	end
}

// end is how code that is not ours came to its end.
type end struct {
	err      error
	panicked bool   // or left by runtime.Goexit
	stack    string // for the log alone; it holds no argument values
	timedOut bool   // its context ended before it did: by its deadline
	stopped  bool   // or because its caller was cancelled
	gaveUp   bool   // it did not return even then
	late     <-chan struct{}
}

// contain runs f in a goroutine of its own until it returns, panics, exits, or
// ignores the end of ctx for longer than grace. Then it is left behind, and
// late is closed when it ends after all, with r filled in.
func contain[T any](ctx context.Context, grace time.Duration, f func(context.Context) (T, error)) (*ran[T], end) {
	r, done := new(ran[T]), make(chan struct{})
	go run(ctx, f, r, done)
	select {
	case <-done:
		return r, r.endIn(ctx)
	case <-ctx.Done():
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-done:
		return r, r.endIn(ctx)
	case <-timer.C:
		e := end{gaveUp: true, late: done}
		e.ctxEnded(ctx)
		return r, e
	}
}

// run is the one place where code that is not ours is entered.
func run[T any](ctx context.Context, f func(context.Context) (T, error), r *ran[T], done chan<- struct{}) {
	growStack()
	returned := false
	defer func() {
		if p := recover(); p != nil {
			r.panicked, r.stack = true, panicText(p)+"\n"+string(debug.Stack())
		} else if !returned {
			r.panicked, r.stack = true, "left by runtime.Goexit"
		}
		close(done)
	}()
	r.value, r.err = f(ctx)
	returned = true
}

// growStack makes room for a handler at once, where there is nothing to copy
// yet, instead of in several steps with frames to adjust.
//
//go:noinline
func growStack() {
	var room [8 << 10]byte
	keepRoom(&room)
}

//go:noinline
func keepRoom(*[8 << 10]byte) {}

// panicText names a panic without its value, which may hold arguments; what the
// runtime itself says holds none.
func panicText(p any) string {
	if err, ok := p.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("a value of type %T", p)
}

// endIn is r's end; an error after the context ended is that end's doing.
func (r *ran[T]) endIn(ctx context.Context) end {
	e := r.end
	if e.err != nil && ctx.Err() != nil {
		e.ctxEnded(ctx)
	}
	return e
}

// errTimedOut is the cause of a context that ended by a limit of ours; a
// caller's own deadline is a cancellation.
var errTimedOut = errors.New("timed out")

// limit is ctx with a limit of ours.
func limit(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, errTimedOut)
}

func (e *end) ctxEnded(ctx context.Context) {
	e.timedOut = context.Cause(ctx) == errTimedOut
	e.stopped = !e.timedOut
}

func (e *end) clean() bool { return e.err == nil && !e.panicked && !e.gaveUp }

// asError is e in words, or nil after a clean end.
func (e *end) asError(timeout time.Duration) error {
	switch {
	case e.panicked:
		return errPanicked
	case e.timedOut:
		return fmt.Errorf("did not end within %s", timeout)
	case e.stopped:
		return context.Canceled
	}
	return e.err
}
