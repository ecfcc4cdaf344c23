// Package groupcommit lets many goroutines write through one connection and
// share its commits: one durable write, and one sync, for all that ask at the
// same time.
package groupcommit

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// maxBatch bounds how many updates share a commit, and so how long the first
// of them waits for the last.
const maxBatch = 256

// Conn is the connection that writes. Only the writer uses it, but for what it
// lends. An error of any method means that nothing of the batch is changed,
// unless Commit says otherwise by its error; the connection is closed then, and
// opened anew for the next batch.
type Conn[T any] interface {
	// Check refuses a batch before anything of it is done, and leaves the
	// connection as it is.
	Check() error
	Begin() error
	// Lend gives out the transaction for one update, and Return takes it back.
	// ended says that the whole transaction is gone.
	Lend() T
	Return(tx T) (wrote bool, ended error)
	Save() error // a savepoint
	Undo() error // back to it
	Keep() error // and done with it
	Rollback() error
	Commit() error
	Close() error
}

// Writer is the one goroutine that writes.
type Writer[T any] struct {
	open        func() (Conn[T], error)
	unavailable func(error) error
	step        func()

	queue   chan *request[T]
	closing chan struct{}
	done    chan struct{}
	close   sync.Once
}

// New starts a writer on first, which may be nil. open opens the connections
// after it. unavailable marks an error after which nothing is changed. step,
// which may be nil, is called where a process may die, in tests.
func New[T any](first Conn[T], open func() (Conn[T], error), unavailable func(error) error, step func()) *Writer[T] {
	w := &Writer[T]{
		open: open, unavailable: unavailable, step: step,
		queue: make(chan *request[T]), closing: make(chan struct{}), done: make(chan struct{}),
	}
	if step == nil {
		w.step = func() {}
	}
	go w.write(first)
	return w
}

// Close ends the writer and closes its connection. Updates that still wait are
// refused.
func (w *Writer[T]) Close() {
	w.close.Do(func() { close(w.closing) })
	<-w.done
}

// Closed reports whether Close was called.
func (w *Writer[T]) Closed() bool {
	select {
	case <-w.closing:
		return true
	default:
		return false
	}
}

// ErrClosed is what is refused after Close.
var ErrClosed = errors.New("store is closed")

// request is one update. The writer lends its transaction to the goroutine that
// asked (turn), which runs fn there, so that a panic or an exit of fn is that
// goroutine's own, and hands it back (ran). end is the end, durable or not.
type request[T any] struct {
	state atomic.Int32
	turn  chan T
	ran   chan error
	end   chan error
}

// The states of a request. Only one that waits can be called off.
const (
	waiting int32 = iota
	running
	calledOff
)

// Update runs fn in a transaction that it shares with others, and returns when
// its changes are durable. fn may be run again. Once its turn has come an update
// is not called off.
func (w *Writer[T]) Update(ctx context.Context, fn func(T) error) error {
	r := &request[T]{turn: make(chan T, 1), ran: make(chan error, 1), end: make(chan error, 1)}
	if err := ctx.Err(); err != nil {
		return w.unavailable(err)
	}
	select {
	case w.queue <- r:
	case <-w.closing:
		return w.unavailable(ErrClosed)
	case <-ctx.Done():
		return w.unavailable(context.Cause(ctx))
	}
	select {
	case tx := <-r.turn:
		return r.run(tx, fn)
	case err := <-r.end:
		return err
	case <-ctx.Done():
	}
	if r.state.CompareAndSwap(waiting, calledOff) {
		return w.unavailable(context.Cause(ctx))
	}
	select { // it is our turn already: to give it back without a word would be a lie
	case tx := <-r.turn:
		return r.run(tx, fn)
	case err := <-r.end:
		return err
	}
}

var errExited = errors.New("the update's function did not return")

// run runs fn whenever it is our turn: more than once, where the failure of a
// neighbour took our changes back with its own.
func (r *request[T]) run(tx T, fn func(T) error) error {
	for {
		err := errExited
		func() {
			defer func() { r.ran <- err }() // also when fn panics
			err = fn(tx)
		}()
		select {
		case tx = <-r.turn:
		case err := <-r.end:
			return err
		}
	}
}

func (w *Writer[T]) write(c Conn[T]) {
	defer close(w.done)
	defer func() {
		if c != nil {
			_ = c.Close()
		}
	}()
	for {
		select {
		case r := <-w.queue:
			c = w.commitBatch(c, r)
		case <-w.closing:
			return
		}
	}
}

// commitBatch runs first, and whatever else is asked for meanwhile, and commits
// it. It returns the connection to go on with; nil: to be opened anew. After an
// error of the disk nothing is tried again on the same connection.
//
// Updates hardly ever fail once they have written, so none has a savepoint at
// first; when one does fail then, all is taken back and the others run again.
func (w *Writer[T]) commitBatch(c Conn[T], first *request[T]) Conn[T] {
	c, err := w.begin(c)
	if err != nil {
		first.end <- err
		return c
	}
	var batch []*request[T]
	for r := first; r != nil; r = w.next(len(batch)) {
		if !r.state.CompareAndSwap(waiting, running) {
			continue
		}
		wrote, fnErr, ended := w.lend(c, r)
		switch {
		case ended != nil:
			return fail(c, append(batch, r), ended)
		case fnErr == nil:
			batch = append(batch, r)
			continue
		}
		r.end <- fnErr
		if wrote {
			if batch, ended = w.again(c, batch); ended != nil {
				return fail(c, batch, ended)
			}
		}
	}
	return w.commit(c, batch)
}

// fail tells a batch its end and gives the connection up.
func fail[T any](c Conn[T], batch []*request[T], err error) Conn[T] {
	tell(batch, err)
	_ = c.Close()
	return nil
}

func tell[T any](batch []*request[T], err error) {
	for _, r := range batch {
		r.end <- err
	}
}

// begin returns the connection also with an error, where that leaves it as it is.
func (w *Writer[T]) begin(c Conn[T]) (Conn[T], error) {
	if c == nil {
		fresh, err := w.open()
		if err != nil {
			return nil, w.unavailable(err)
		}
		c = fresh
	}
	if err := c.Check(); err != nil {
		return c, w.unavailable(err)
	}
	w.step()
	if err := c.Begin(); err != nil {
		_ = c.Close()
		return nil, w.unavailable(err)
	}
	w.step()
	return c, nil
}

// next is another request that waits already, or nil.
func (w *Writer[T]) next(n int) *request[T] {
	if n >= maxBatch {
		return nil
	}
	for range 2 {
		select {
		case r := <-w.queue:
			return r
		default:
			runtime.Gosched() // those who were told the last end are about to ask again
		}
	}
	return nil
}

// lend runs one request inside the batch's transaction, and reports whether it
// wrote anything.
func (w *Writer[T]) lend(c Conn[T], r *request[T]) (wrote bool, fnErr, ended error) {
	tx := c.Lend()
	r.turn <- tx
	fnErr = <-r.ran
	wrote, ended = c.Return(tx)
	w.step()
	if ended != nil {
		ended = w.unavailable(errors.Join(ended, fnErr))
	}
	return wrote, fnErr, ended
}

// again runs the updates of a batch anew, each with a savepoint, and returns
// those that succeed.
func (w *Writer[T]) again(c Conn[T], batch []*request[T]) ([]*request[T], error) {
	for _, do := range []func() error{c.Rollback, c.Begin} {
		if err := do(); err != nil {
			return batch, w.unavailable(err)
		}
	}
	var kept []*request[T]
	for i, r := range batch {
		if err := c.Save(); err != nil {
			return append(kept, batch[i:]...), w.unavailable(err)
		}
		_, fnErr, ended := w.lend(c, r)
		if ended == nil && fnErr != nil {
			ended = c.Undo()
		}
		if ended == nil {
			ended = c.Keep()
		}
		if ended != nil {
			return append(kept, batch[i:]...), w.unavailable(ended)
		}
		if fnErr != nil {
			r.end <- fnErr
			continue
		}
		kept = append(kept, r)
	}
	return kept, nil
}

func (w *Writer[T]) commit(c Conn[T], batch []*request[T]) Conn[T] {
	if len(batch) == 0 {
		if err := c.Rollback(); err != nil {
			_ = c.Close()
			return nil
		}
		return c
	}
	w.step()
	err := c.Commit()
	w.step()
	if err != nil {
		return fail(c, batch, err)
	}
	tell(batch, nil)
	return c
}
