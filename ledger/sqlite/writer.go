package sqlite

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/holdfast-go/holdfast/ledger"
)

// maxBatch bounds how many updates share a commit, and so how long the first
// of them waits for the last.
const maxBatch = 256

// request is one Update. The writer lends its transaction to the goroutine that
// asked (turn), which runs fn there, so that a panic or an exit of fn is that
// goroutine's own, and hands it back (ran). done is the end, durable or not.
type request struct {
	state atomic.Int32
	turn  chan *tx
	ran   chan error
	done  chan error
}

// The states of a request. Only one that waits can be called off.
const (
	waiting int32 = iota
	running
	calledOff
)

// Update runs fn in one transaction, together with what other goroutines ask
// for at the same time: one commit, and one sync, for all.
func (s *Store) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	r := &request{turn: make(chan *tx, 1), ran: make(chan error, 1), done: make(chan error, 1)}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", ledger.ErrUnavailable, err)
	}
	select {
	case s.queue <- r:
	case <-s.closing:
		return errClosed
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ledger.ErrUnavailable, context.Cause(ctx))
	}
	select {
	case t := <-r.turn:
		return r.run(t, fn)
	case err := <-r.done:
		return err
	case <-ctx.Done():
	}
	if r.state.CompareAndSwap(waiting, calledOff) {
		return fmt.Errorf("%w: %w", ledger.ErrUnavailable, context.Cause(ctx))
	}
	select { // it is our turn already: to give it back without a word would be a lie
	case t := <-r.turn:
		return r.run(t, fn)
	case err := <-r.done:
		return err
	}
}

var errExited = errors.New("the update's function did not return")

// run runs fn whenever it is our turn: more than once, where the failure of a
// neighbour took our changes back with its own.
func (r *request) run(t *tx, fn func(ledger.Tx) error) error {
	for {
		err := errExited
		func() {
			defer func() { r.ran <- err }() // also when fn panics
			err = fn(t)
		}()
		select {
		case t = <-r.turn:
		case err := <-r.done:
			return err
		}
	}
}

// write is the one goroutine that writes. It ends with the store.
func (s *Store) write(c *conn) {
	defer close(s.done)
	defer func() {
		if c != nil {
			_ = c.close()
		}
	}()
	for {
		select {
		case r := <-s.queue:
			c = s.commitBatch(c, r)
		case <-s.closing:
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
func (s *Store) commitBatch(c *conn, first *request) *conn {
	c, err := s.begin(c)
	if err != nil {
		first.done <- err
		return c
	}
	var batch []*request
	for r := first; r != nil; r = s.next(len(batch)) {
		if !r.state.CompareAndSwap(waiting, running) {
			continue
		}
		wrote, fnErr, ended := s.lend(c, r)
		switch {
		case ended != nil:
			tell(append(batch, r), ended)
			_ = c.close()
			return nil
		case fnErr == nil:
			batch = append(batch, r)
			continue
		}
		r.done <- fnErr
		if wrote {
			if batch, ended = s.again(c, batch); ended != nil {
				tell(batch, ended)
				_ = c.close()
				return nil
			}
		}
	}
	return s.commit(c, batch)
}

// again runs the updates of a batch anew, each with a savepoint, and returns
// those that succeed. After an error nothing of the batch is changed.
func (s *Store) again(c *conn, batch []*request) ([]*request, error) {
	for _, sql := range []string{"ROLLBACK", "BEGIN IMMEDIATE"} {
		if err := c.run(sql); err != nil {
			return batch, unavailable("taking back", err)
		}
	}
	clear(c.newest)
	var kept []*request
	for i, r := range batch {
		if err := c.run("SAVEPOINT one"); err != nil {
			return append(kept, batch[i:]...), unavailable("beginning to write", err)
		}
		_, fnErr, ended := s.lend(c, r)
		if ended == nil && fnErr != nil {
			clear(c.newest)
			ended = c.run("ROLLBACK TO one")
		}
		if ended == nil {
			ended = c.run("RELEASE one")
		}
		if ended != nil {
			return append(kept, batch[i:]...), unavailable("taking back", ended)
		}
		if fnErr != nil {
			r.done <- fnErr
			continue
		}
		kept = append(kept, r)
	}
	return kept, nil
}

func (s *Store) begin(c *conn) (*conn, error) {
	if err := s.present(); err != nil {
		return c, err
	}
	if c == nil {
		fresh, err := s.connect()
		if err != nil {
			return nil, unavailable("opening the writer", err)
		}
		c = fresh
	}
	s.reach()
	if err := c.run("BEGIN IMMEDIATE"); err != nil {
		_ = c.close()
		return nil, unavailable("beginning to write", err)
	}
	clear(c.newest)
	s.reach()
	return c, nil
}

// reach is where a process may die, in tests.
func (s *Store) reach() {
	if fn := s.step.Load(); fn != nil {
		(*fn)()
	}
}

// next is another request that waits already, or nil.
func (s *Store) next(n int) *request {
	if n >= maxBatch {
		return nil
	}
	select {
	case r := <-s.queue:
		return r
	default:
		return nil
	}
}

// lend runs one request inside the batch's transaction, and reports whether it
// wrote anything. ended says that SQLite has ended the whole transaction, and
// nothing of the batch is changed.
func (s *Store) lend(c *conn, r *request) (wrote bool, fnErr, ended error) {
	t := &tx{store: s, conn: c, writes: true}
	r.turn <- t
	fnErr = <-r.ran
	t.ended = true
	s.reach()
	if !c.inTransaction() {
		return t.wrote, nil, unavailable("writing", errors.Join(fnErr, errors.New("the transaction was ended")))
	}
	return t.wrote, fnErr, nil
}

func (s *Store) commit(c *conn, batch []*request) *conn {
	if len(batch) == 0 {
		if err := c.run("ROLLBACK"); err != nil {
			_ = c.close()
			return nil
		}
		return c
	}
	s.reach()
	err := c.run("COMMIT")
	s.reach()
	if err == nil {
		if gone := s.present(); gone != nil {
			err = fmt.Errorf("committing: %w", errors.New("the database file went away meanwhile"))
		}
		tell(batch, err)
		return c
	}
	_ = c.close()
	if unchanged(err) {
		tell(batch, unavailable("committing", err))
	} else {
		tell(batch, fmt.Errorf("committing, with an end that is not known: %w", explain(err)))
	}
	return nil
}

func tell(batch []*request, err error) {
	for _, r := range batch {
		r.done <- err
	}
}
