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
	// Begin begins the transaction of a batch, and Ahead goes on with it when
	// others have come meanwhile. Both are given what these updates said that
	// they would read, nil where one said nothing.
	Begin(reads []any) error
	Ahead(reads []any) error
	// Lend gives out the transaction for one update, and Return takes it back.
	// ended says that the whole transaction is gone.
	Lend(reads any) T
	Return(tx T) (wrote bool, ended error)
	// Settle writes what was held back until now. again says that it was an update
	// that could not be written: the others may be run anew, each by itself.
	Settle() (again bool, err error)
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
	reads any
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
	return w.UpdateAhead(ctx, nil, fn)
}

// UpdateAhead is Update where the connection is told what fn will read.
func (w *Writer[T]) UpdateAhead(ctx context.Context, reads any, fn func(T) error) error {
	r := &request[T]{reads: reads, turn: make(chan T, 1), ran: make(chan error, 1), end: make(chan error, 1)}
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
	wave := w.gather([]*request[T]{first}, maxBatch)
	c, err := w.begin(c, wave)
	if err != nil {
		tell(wave, err)
		return c
	}
	var batch []*request[T]
	for {
		for i, r := range wave {
			if batch, err = w.runOne(c, batch, r); err != nil {
				return fail(c, append(batch, wave[i+1:]...), err)
			}
		}
		wave = w.gather(nil, maxBatch-len(batch))
		if len(wave) == 0 {
			return w.commit(c, batch)
		}
		if err := c.Ahead(readsOf(wave)); err != nil {
			return fail(c, append(batch, wave...), w.unavailable(err))
		}
	}
}

// gather adds the requests that wait already to list, to most in all.
func (w *Writer[T]) gather(list []*request[T], most int) []*request[T] {
	for yielded := false; len(list) < most; {
		select {
		case r := <-w.queue:
			list = append(list, r)
		default:
			if yielded {
				return list
			}
			yielded = true
			runtime.Gosched() // those who were told the last end are about to ask again
		}
	}
	return list
}

func readsOf[T any](wave []*request[T]) []any {
	reads := make([]any, len(wave))
	for i, r := range wave {
		reads[i] = r.reads
	}
	return reads
}

// runOne runs one request inside the transaction. It returns the batch with it,
// where it succeeded; after an error the transaction is gone, and the batch is
// all whom it took along.
func (w *Writer[T]) runOne(c Conn[T], batch []*request[T], r *request[T]) ([]*request[T], error) {
	if !r.state.CompareAndSwap(waiting, running) {
		return batch, nil
	}
	wrote, fnErr, ended := w.lend(c, r, r.reads)
	if ended != nil || fnErr == nil {
		return append(batch, r), ended
	}
	r.end <- fnErr
	if wrote {
		return w.again(c, batch)
	}
	return batch, nil
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
func (w *Writer[T]) begin(c Conn[T], wave []*request[T]) (Conn[T], error) {
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
	if err := c.Begin(readsOf(wave)); err != nil {
		_ = c.Close()
		return nil, w.unavailable(err)
	}
	w.step()
	return c, nil
}

// lend runs one request inside the batch's transaction, and reports whether it
// wrote anything.
func (w *Writer[T]) lend(c Conn[T], r *request[T], reads any) (wrote bool, fnErr, ended error) {
	tx := c.Lend(reads)
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
	err := c.Rollback()
	if err == nil {
		err = c.Begin(nil)
	}
	if err != nil {
		return batch, w.unavailable(err)
	}
	var kept []*request[T]
	for i, r := range batch {
		if err := c.Save(); err != nil {
			return append(kept, batch[i:]...), w.unavailable(err)
		}
		_, fnErr, ended := w.lend(c, r, nil)
		if ended == nil && fnErr == nil {
			if its, err := c.Settle(); its {
				fnErr = err
			} else {
				ended = err
			}
		}
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
	again, err := c.Settle()
	if again {
		batch, err = w.again(c, batch)
	}
	if err != nil {
		return fail(c, batch, w.unavailable(err))
	}
	if len(batch) == 0 {
		if err := c.Rollback(); err != nil {
			_ = c.Close()
			return nil
		}
		return c
	}
	w.step()
	err = c.Commit()
	w.step()
	if err != nil {
		return fail(c, batch, err)
	}
	tell(batch, nil)
	return c
}
