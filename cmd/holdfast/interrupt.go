package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// errInterrupted is why a turn ends after Ctrl-C.
var errInterrupted = errors.New("interrupted")

// interrupts turns signals into ends: the first ends what is under way, a second
// one the command. After that the system's own way holds, so that a third kills.
type interrupts struct {
	signals chan os.Signal
	done    chan struct{}
	ended   context.Context // the command is to end

	mu      sync.Mutex
	current context.CancelCauseFunc // what is under way, or nil
}

// listen starts listening; stop ends it.
func listen(ctx context.Context) (i *interrupts, stop func()) {
	ended, end := context.WithCancelCause(ctx)
	i = &interrupts{signals: make(chan os.Signal, 4), done: make(chan struct{}), ended: ended}
	signal.Notify(i.signals, os.Interrupt, syscall.SIGTERM)
	stopping := make(chan struct{})
	go func() {
		defer close(i.done)
		for {
			select {
			case s := <-i.signals:
				if s == syscall.SIGTERM || !i.interrupt() {
					signal.Stop(i.signals)
					end(errInterrupted)
				}
			case <-stopping:
				return
			}
		}
	}()
	return i, func() {
		signal.Stop(i.signals)
		close(stopping)
		<-i.done
		end(nil)
	}
}

// interrupt ends what is under way and reports whether there was something.
func (i *interrupts) interrupt() bool {
	i.mu.Lock()
	cancel := i.current
	i.current = nil
	i.mu.Unlock()
	if cancel == nil {
		return false
	}
	cancel(errInterrupted)
	return true
}

// during is a context for what is under way; leave says that it ended.
func (i *interrupts) during(ctx context.Context) (under context.Context, leave func()) {
	under, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(i.ended, func() { cancel(errInterrupted) })
	i.mu.Lock()
	i.current = cancel
	i.mu.Unlock()
	return under, func() {
		i.mu.Lock()
		i.current = nil
		i.mu.Unlock()
		stop()
		cancel(nil)
	}
}

// interruptible does work that Ctrl-C ends in order: what runs is cancelled and
// recorded.
func interruptible(ctx context.Context, work func(context.Context) error) error {
	interrupts, stop := listen(ctx)
	defer stop()
	ctx, leave := interrupts.during(ctx)
	defer leave()
	return work(ctx)
}
