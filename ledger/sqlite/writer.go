package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdfast-go/holdfast/internal/groupcommit"
	"github.com/holdfast-go/holdfast/ledger"
)

// Update runs fn in one transaction, together with what other goroutines ask
// for at the same time: one commit, and one sync, for all.
func (s *Store) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	if s.writer.Closed() {
		return errClosed
	}
	return s.writer.Update(ctx, func(t *tx) error { return fn(t) })
}

// writing is the writer's connection.
type writing struct {
	*conn
	store *Store
}

var _ groupcommit.Conn[*tx] = (*writing)(nil)

func (s *Store) openWriter() (groupcommit.Conn[*tx], error) {
	c, err := s.connect()
	if err != nil {
		return nil, err
	}
	c.watchLog()
	return &writing{c, s}, nil
}

func (w *writing) Check() error { return w.store.present() }

// Begin takes the file's write lock, for which another process may make it wait.
func (w *writing) Begin([]any) error {
	if err := w.run("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	version, err := w.ask("PRAGMA data_version")
	if w.recent.begin(version) {
		w.late.known = false
	}
	return err
}

func (w *writing) Ahead([]any) error { return nil } // reading is cheap

func (w *writing) Lend(any) *tx { return &tx{store: w.store, conn: w.conn, writes: true} }

func (w *writing) Return(t *tx) (wrote bool, ended error) {
	t.ended = true
	w.held.prepare(prepared)
	if ended = w.held.failed; ended == nil && !w.inTransaction() {
		ended = errors.New("the transaction was ended")
	}
	return t.wrote, ended
}

func (w *writing) Save() error { return w.run("SAVEPOINT one") }

// Settle writes what was held back. Only a body that cannot be made is the fault
// of its update.
func (w *writing) Settle() (again bool, err error) {
	w.held.prepare(preparedLast)
	if err := w.writeHeld(); err != nil {
		return errors.Is(err, errBody), err
	}
	return false, w.keepLate()
}

func (w *writing) Undo() error {
	w.forget()
	return w.run("ROLLBACK TO one")
}

func (w *writing) Keep() error { return w.run("RELEASE one") }

func (w *writing) Rollback() error {
	w.forget()
	return w.run("ROLLBACK")
}

func (w *writing) forget() {
	w.held.forget()
	w.recent.forget()
	w.late.known = false
}

// Commit makes the batch durable. After an error of the disk the connection is
// given up: to sync again would tell a lie about what the first sync lost.
func (w *writing) Commit() error {
	err := w.run("COMMIT")
	switch {
	case err == nil:
		w.store.log.afterCommit(w.conn)
		if gone := w.store.present(); gone != nil {
			return errors.New("committing: the database file went away meanwhile")
		}
		return nil
	case unchanged(err):
		return unavailable("committing", err)
	}
	return fmt.Errorf("committing, with an end that is not known: %w", explain(err))
}

func (w *writing) Close() error { return w.close() }
