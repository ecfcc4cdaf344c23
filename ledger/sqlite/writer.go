package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3/vfs"

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
	log   *logFile
}

const asWriter = "&" + writerMark + "=1"

var _ groupcommit.Conn[*tx] = (*writing)(nil)

func (s *Store) openWriter() (groupcommit.Conn[*tx], error) {
	c, err := s.connectAs(asWriter)
	if err != nil {
		return nil, err
	}
	c.watchLog()
	return &writing{c, s, s.owed.log}, nil
}

func (w *writing) Check() error { return w.store.present() }

// Begin takes the file's write lock, for which another process may make it wait.
func (w *writing) Begin([]any) error {
	if err := w.store.owed.failed(); err != nil {
		return err
	}
	w.store.log.afterCommit(w.conn)
	if err := w.run("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	w.log.tx++
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
	if ended = w.held.failed; ended == nil && !w.inTransaction() {
		ended = errors.New("the transaction was ended")
	}
	return t.wrote, ended
}

func (w *writing) Save() error { return w.run("SAVEPOINT one") }

// Settle writes what was held back. Only a body that cannot be made is the fault
// of its update.
func (w *writing) Settle() (again bool, err error) {
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
	w.store.owed.drop(w.log.tx)
	return w.run("ROLLBACK")
}

func (w *writing) forget() {
	w.held.forget()
	w.recent.forget()
	w.late.known = false
}

// Commit makes the batch durable, or owes that. After an error of the disk the
// connection is given up: to sync again would tell a lie about what the first sync lost.
func (w *writing) Commit() (durable func() error, err error) {
	o := &w.store.owed
	owes, err := o.begin()
	if err != nil {
		return nil, unavailable("committing", err)
	}
	w.log.later, w.log.put = owes != nil, false
	err = w.run("COMMIT")
	w.log.later = false
	if owes != nil && (err != nil || !w.log.put) {
		o.cancel(owes)
	}
	switch {
	case err != nil && unchanged(err):
		return nil, unavailable("committing", err)
	case err != nil:
		return nil, notKnown(err)
	case w.log.put:
		flags := w.log.flags // the next commit sets them again
		return func() error { return w.durable(owes, flags) }, nil
	}
	return nil, w.stillThere()
}

// durable syncs what was committed.
func (w *writing) durable(c *owedCommit, flags vfs.SyncFlag) error {
	o := &w.store.owed
	err := o.sync(w.log.File, flags)
	if err != nil {
		err = notKnown(err)
	}
	if o.end(c, err); err != nil {
		return err
	}
	return w.stillThere()
}

func notKnown(err error) error {
	return fmt.Errorf("committing, with an end that is not known: %w", explain(err))
}

func (w *writing) stillThere() error {
	if w.store.present() != nil {
		return errors.New("committing: the database file went away meanwhile")
	}
	return nil
}

func (w *writing) Close() error { return w.close() }
