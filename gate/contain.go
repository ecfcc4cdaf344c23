package gate

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
)

// ran is a contained function: how it ended, and what it needs while it runs.
type ran[T any] struct {
	value T
	end
	limits limited
	done   chan struct{} // closed at its end
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

// contain runs f in a goroutine of its own, under ctx with a limit, until it
// returns, panics, exits, or ignores the end of its context for longer than
// grace. Then it is left behind, and late is closed when it ends after all, with
// what it handed back filled in.
func contain[T any](ctx context.Context, g *Gate, most, grace time.Duration, f func(context.Context) (T, error)) (*ran[T], end) {
	r := &ran[T]{done: make(chan struct{})}
	r.limits.begin(ctx, most)
	defer r.limits.end()
	timer := g.timer(most)
	defer g.keepTimer(timer)
	go r.run(f)
	select {
	case <-r.done:
		return r, r.endIn(ctx)
	case <-ctx.Done():
	case <-timer.C:
	}
	timedOut := ctx.Err() == nil
	timer.Reset(grace)
	select {
	case <-r.done:
		return r, r.endIn(ctx)
	case <-timer.C:
		return r, end{gaveUp: true, timedOut: timedOut, stopped: !timedOut, late: r.done}
	}
}

// timer rings after d. Most are stopped long before, and used again.
func (g *Gate) timer(d time.Duration) *time.Timer {
	if t, ok := g.timers.Get().(*time.Timer); ok {
		t.Reset(d)
		return t
	}
	return time.NewTimer(d)
}

func (g *Gate) keepTimer(t *time.Timer) {
	t.Stop()
	g.timers.Put(t)
}

// run is the one place where code that is not ours is entered.
func (r *ran[T]) run(f func(context.Context) (T, error)) {
	growStack()
	returned := false
	defer func() {
		if p := recover(); p != nil {
			r.panicked, r.stack = true, panicText(p)+"\n"+string(debug.Stack())
		} else if !returned {
			r.panicked, r.stack = true, "left by runtime.Goexit"
		}
		close(r.done)
	}()
	r.value, r.err = f(&r.limits)
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

// endIn is r's end; an error after its context ended is that end's doing.
func (r *ran[T]) endIn(caller context.Context) end {
	e := r.end
	if e.err != nil && r.limits.Err() != nil {
		e.stopped = caller.Err() != nil
		e.timedOut = !e.stopped
	}
	return e
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
