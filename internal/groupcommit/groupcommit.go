// Package groupcommit lets many goroutines write through one connection and
// share its commits: one durable write, and one sync, for all that ask at the
// same time. The writing and the sync of a commit may run beside the updates of the
// next.
package groupcommit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
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
	// others have come meanwhile, who are next. Both are given what these updates
	// said that they would read, nil where one said nothing. Begin is given no list
	// where each update is to have a savepoint.
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
	// Commit makes the batch lasting. What it says is still to be done is done
	// beside the updates of the next batches.
	Commit() (*Rest, error)
	Close() error
}

// Rest is what a commit still owes: first Write, which may be nil, then Sync. Those
// of one batch are done before the same of the next. After an error, which must be the
// end of those behind it too, the connection is closed, and all that was built upon
// the batch is refused; it is told as it is to those of the batch, but for ErrAgain of
// Write.
type Rest struct{ Write, Sync func() error }

// ErrAgain says that nothing of a batch is changed, and that its updates are to be
// run anew, each with a savepoint. Write says it of all batches behind it, too, until
// Begin is given no list. Return says it also of the one update that is at fault, and
// Commit of its batch.
var ErrAgain = errors.New("to be run again")

// Later is a transaction that has something left to do for the update that it was
// lent for: the goroutine that asked does it beside the writer.
type Later interface{ Later() }

// Writer is the one goroutine that runs updates, and those beside it.
type Writer[T any] struct {
	open        func() (Conn[T], error)
	unavailable func(error) error
	step        func()

	queue   chan *request[T]
	callers atomic.Int64 // within Update
	closing chan struct{}
	done    chan struct{}
	close   sync.Once

	// The rest is the writer's own.
	conn Conn[T] // nil: to be opened
	air  air[T]
	pace pace
}

// New starts a writer on first, which may be nil. open opens the connections
// after it. unavailable marks an error after which nothing is changed. step,
// which may be nil, is called where a process may die, in tests.
func New[T any](first Conn[T], open func() (Conn[T], error), unavailable func(error) error, step func()) *Writer[T] {
	w := &Writer[T]{
		open: open, unavailable: unavailable, step: step, conn: first,
		queue: make(chan *request[T]), closing: make(chan struct{}), done: make(chan struct{}),
		air: newAir[T](),
	}
	if step == nil {
		w.step = func() {}
	}
	go w.write()
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
// goroutine's own, and hands it back (ran). end is the end, durable or not. refused is
// what fn said, which is told when all that fn may have read is durable.
type request[T any] struct {
	reads   any
	state   atomic.Int32
	turn    chan T
	ran     chan error
	end     chan error
	refused error
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
	w.callers.Add(1)
	defer w.callers.Add(-1)
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
		if later, ok := any(tx).(Later); ok && err == nil {
			later.Later()
		}
		select {
		case tx = <-r.turn:
		case err := <-r.end:
			return err
		}
	}
}

func (w *Writer[T]) write() {
	defer close(w.done)
	var beside sync.WaitGroup
	beside.Go(w.fly)
	beside.Go(w.sync)
	defer func() {
		w.giveUp()
		close(w.air.up)
		beside.Wait()
	}()
	var wave []*request[T]
	for {
		if len(wave) == 0 {
			select {
			case r := <-w.queue:
				wave = w.gather([]*request[T]{r}, maxBatch)
			case l := <-w.air.landed:
				if w.air.land(l); w.air.lost != nil {
					w.giveUp()
				} else if w.air.again != nil {
					wave = w.commit(batch[T]{}, nil)
				}
				continue
			case <-w.closing:
				return
			}
		}
		if w.Closed() {
			w.tell(wave, w.unavailable(ErrClosed))
			return
		}
		wave = w.commitBatch(wave)
	}
}

// commitBatch runs the first wave, and whatever else is asked for meanwhile, and
// commits it. It returns those who wait then. After an error of the disk nothing is
// tried again on the same connection.
//
// Updates hardly ever fail once they have written, so none has a savepoint at
// first; when one does fail then, all is taken back and the others run again.
func (w *Writer[T]) commitBatch(wave []*request[T]) (next []*request[T]) {
	if err := w.begin(wave); err != nil {
		w.tell(wave, err)
		return nil
	}
	var b batch[T]
	w.pace.begin()
	for {
		next, err := w.ahead(w.waiting(nil, maxBatch-len(b.all)-len(wave)))
		if err != nil {
			w.fail(slices.Concat(b.all, wave, next), err)
			return nil
		}
		for i, r := range wave {
			if err := w.runOne(&b, r); err != nil {
				w.fail(slices.Concat(b.all, wave[i+1:], next), err)
				return nil
			}
			if w.enough(len(b.all)) {
				return w.commit(b, slices.Concat(wave[i+1:], next))
			}
		}
		if len(next) == 0 {
			if next, err = w.ahead(w.more(len(b.all))); err != nil {
				w.fail(append(b.all, next...), err)
				return nil
			}
		}
		if len(next) == 0 {
			return w.commit(b, nil)
		}
		wave = next
	}
}

// batch is those who have had their turn and wait for the end.
type batch[T any] struct {
	all   []*request[T]
	wrote bool
}

// gather adds the requests that wait already to list, to most in all.
func (w *Writer[T]) gather(list []*request[T], most int) []*request[T] {
	if list = w.waiting(list, most); len(list) < most {
		runtime.Gosched() // those who were told the last end are about to ask again
		list = w.waiting(list, most)
	}
	return list
}

func (w *Writer[T]) waiting(list []*request[T], most int) []*request[T] {
	for len(list) < most {
		select {
		case r := <-w.queue:
			list = append(list, r)
		default:
			return list
		}
	}
	return list
}

// ahead tells the connection what list, who are next, will read.
func (w *Writer[T]) ahead(list []*request[T]) ([]*request[T], error) {
	if len(list) == 0 {
		return nil, nil
	}
	if err := w.conn.Ahead(readsOf(list)); err != nil {
		return list, w.unavailable(err)
	}
	return list, nil
}

func readsOf[T any](wave []*request[T]) []any {
	reads := make([]any, len(wave))
	for i, r := range wave {
		reads[i] = r.reads
	}
	return reads
}

// runOne runs one request inside the transaction, and puts it into the batch. After
// an error the transaction is gone.
func (w *Writer[T]) runOne(b *batch[T], r *request[T]) error {
	if !r.state.CompareAndSwap(waiting, running) {
		return nil
	}
	wrote, err := w.lend(r, r.reads)
	if err == nil && r.refused != nil && !wrote && !b.wrote && w.air.flying == 0 && w.air.lost == nil && w.air.again == nil {
		r.end <- r.refused // all that it can have read is durable
		return nil
	}
	b.all = append(b.all, r)
	b.wrote = b.wrote || wrote
	if errors.Is(err, ErrAgain) || err == nil && r.refused != nil && wrote {
		return w.again(b)
	}
	return err
}

func (w *Writer[T]) lost() error {
	return w.unavailable(fmt.Errorf("what it would have built upon is lost: %w", w.air.lost))
}

// fail tells a batch its end and gives the connection up.
func (w *Writer[T]) fail(all []*request[T], err error) {
	w.tell(all, err)
	w.giveUp()
}

// giveUp closes the connection, once nothing needs it.
func (w *Writer[T]) giveUp() {
	w.air.clear()
	w.tell(w.air.again, w.unavailable(cmp.Or(w.air.lost, ErrClosed)))
	w.air.again, w.air.lost = nil, nil
	if w.conn != nil {
		_ = w.conn.Close()
		w.conn = nil
	}
}

// tell tells the end of a batch. One that was refused has changed nothing, whatever
// has become of the batch, and what it was refused for may be gone.
func (w *Writer[T]) tell(all []*request[T], err error) {
	for _, r := range all {
		switch {
		case r.refused == nil:
			r.end <- err
		case err == nil:
			r.end <- r.refused
		default:
			r.end <- w.unavailable(err)
		}
	}
}

// begin keeps the connection also with an error, where that leaves it as it is.
func (w *Writer[T]) begin(wave []*request[T]) error {
	if w.conn == nil {
		fresh, err := w.open()
		if err != nil {
			return w.unavailable(err)
		}
		w.conn = fresh
	}
	if err := w.conn.Check(); err != nil {
		return w.unavailable(err)
	}
	w.step()
	if err := w.conn.Begin(readsOf(wave)); err != nil {
		w.giveUp()
		return w.unavailable(err)
	}
	w.step()
	return nil
}

// lend runs one request inside the batch's transaction, and reports whether it
// wrote anything. After an error the transaction is gone.
func (w *Writer[T]) lend(r *request[T], reads any) (wrote bool, err error) {
	tx := w.conn.Lend(reads)
	r.turn <- tx
	r.refused = <-r.ran
	wrote, err = w.conn.Return(tx)
	w.step()
	if err != nil && !errors.Is(err, ErrAgain) {
		err = w.unavailable(errors.Join(err, r.refused))
	}
	return wrote, err
}

// again runs the updates of a batch anew, each with a savepoint, behind those that
// were in the air and come back.
func (w *Writer[T]) again(b *batch[T]) error {
	w.air.clear() // or none would be written behind what is run now
	if w.air.lost != nil {
		return w.lost()
	}
	b.all, w.air.again = append(w.air.again, b.all...), nil
	b.wrote = false
	err := w.conn.Rollback()
	if err == nil {
		err = w.conn.Begin(nil)
	}
	for _, r := range b.all {
		if err != nil {
			break
		}
		if !errors.Is(r.refused, errExited) { // there is no goroutine any more
			err = w.runSaved(b, r)
		}
	}
	if err != nil {
		return w.unavailable(err)
	}
	return nil
}

func (w *Writer[T]) runSaved(b *batch[T], r *request[T]) error {
	if err := w.conn.Save(); err != nil {
		return err
	}
	wrote, err := w.lend(r, nil)
	if errors.Is(err, ErrAgain) {
		r.refused = cmp.Or(r.refused, err)
	} else if err != nil {
		return err
	}
	if r.refused == nil {
		if its, err := w.conn.Settle(); its {
			r.refused = err
		} else if err != nil {
			return err
		}
	}
	if r.refused != nil {
		err = w.conn.Undo()
	} else {
		b.wrote = b.wrote || wrote
	}
	return errors.Join(err, w.conn.Keep())
}

// commit ends a batch. It returns those who wait then, the first of whom wait already.
func (w *Writer[T]) commit(b batch[T], wave []*request[T]) (next []*request[T]) {
	if w.air.lost != nil {
		w.fail(b.all, w.lost())
		return wave
	}
	again, err := w.air.again != nil, error(nil)
	if !again {
		again, err = w.conn.Settle()
	}
	if again {
		err = w.again(&b)
	}
	if err != nil {
		w.fail(b.all, w.unavailable(err))
		return wave
	}
	if w.air.flying == 0 && !slices.ContainsFunc(b.all, func(r *request[T]) bool { return r.refused == nil }) {
		err := w.conn.Rollback()
		w.tell(b.all, nil)
		if err != nil {
			w.giveUp()
		}
		return wave
	}
	w.step()
	rest, err := w.conn.Commit()
	if errors.Is(err, ErrAgain) {
		if err = w.again(&b); err == nil {
			rest, err = w.conn.Commit()
		}
	}
	w.step()
	if err != nil {
		w.fail(b.all, err)
		return wave
	}
	w.pace.ran(len(b.all))
	if rest == nil {
		w.tell(b.all, nil)
		return wave
	}
	return w.send(flight[T]{b.all, *rest, nil}, wave)
}
