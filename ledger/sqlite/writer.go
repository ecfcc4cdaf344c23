package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

// writing is the writer's connection, and what it knows of the database without
// asking. A batch stays in memory while its updates run, and is written beside those
// of the next, if this store is alone on the file then. Where it is not, or where an
// update must ask the database, its batch has the connection to itself, behind
// those that are being written.
type writing struct {
	*conn
	store *Store
	log   *logFile

	recent recent
	keys   keySet
	seen   lates     // the list as those before flying have left it
	flying []*flight // batches before this one that are being written, or have been
	held   held      // of this batch
	own    bool      // this batch has a transaction on the connection
	holds  bool      // this batch holds the file: it is about to be written
	shared bool      // the last one could not, for another store has the file open

	spoiled error // of the batches that are being written: none is any more
}

const asWriter = "&" + writerMark + "=1"

var _ groupcommit.Conn[*tx] = (*writing)(nil)

func (s *Store) newWriting(c *conn) *writing {
	c.watchLog()
	return &writing{conn: c, store: s, log: s.owed.log}
}

func (s *Store) openWriter() (groupcommit.Conn[*tx], error) {
	c, err := s.connectAs(asWriter)
	if err != nil {
		return nil, err
	}
	return s.newWriting(c), nil
}

func (w *writing) Check() error { return w.store.present() }

// Begin begins a batch in memory, which must know the file as it is now: while
// others are being written nobody else writes it. Else it takes the connection.
func (w *writing) Begin(reads []any) error {
	if err := w.store.owed.failed(); err != nil {
		return err
	}
	w.own = false
	w.landed()
	if reads != nil && w.writes() {
		return nil
	}
	w.keys.due(w.store)
	if reads == nil || w.shared || w.spoiled != nil || !w.seen.known {
		return w.takeNew()
	}
	if again, err := w.changed(); err != nil || !again {
		return err
	}
	return w.takeNew()
}

// writes reports whether a batch before this one is being written: then it holds the
// file, and uses the connection.
func (w *writing) writes() bool {
	return slices.ContainsFunc(w.flying, func(f *flight) bool { return f.holds && !f.ended() })
}

// changed reports whether another has written the file, so that what is known of it
// may be no longer so.
func (w *writing) changed() (bool, error) {
	if w.own || w.writes() {
		return false, nil
	}
	version, err := w.ask("PRAGMA data_version")
	return version != w.recent.version, err
}

// takeNew takes the connection for a batch that knows nothing yet, and the file's
// write lock, for which another process may make it wait.
func (w *writing) takeNew() error {
	for _, f := range w.flying {
		<-f.done
	}
	w.landed()
	if err := w.spoiled; err != nil {
		if !errors.Is(err, groupcommit.ErrAgain) {
			return err
		}
		w.recent.forget() // it has rows that never were
		w.spoiled = nil
	}
	w.store.log.afterCommit(w.conn)
	version, err := w.begin()
	if err != nil {
		return err
	}
	w.own = true
	if w.recent.begin(version) {
		w.unsure()
		w.seen.known = false
		w.keys.forget()
	}
	return nil
}

// take takes the connection for a batch that has begun in memory.
func (w *writing) take() error {
	if w.own {
		return nil
	}
	for _, f := range w.flying {
		<-f.done
	}
	if w.spoiled != nil {
		return w.spoiled
	}
	knew := w.recent.version
	if err := w.takeNew(); err != nil {
		return err
	}
	if w.recent.version != knew {
		return groupcommit.ErrAgain
	}
	return nil
}

// begin begins a transaction of the connection, and tells which version of the file it
// has found.
func (w *writing) begin() (version string, err error) {
	if err := w.run("BEGIN IMMEDIATE"); err != nil {
		return "", err
	}
	w.log.tx++
	return w.ask("PRAGMA data_version")
}

func (w *writing) Ahead([]any) error { return nil } // reading is cheap

func (w *writing) Lend(any) *tx { return &tx{store: w.store, conn: w.conn, writer: w} }

func (w *writing) Return(t *tx) (wrote bool, ended error) {
	t.ended = true
	ended = w.held.failed
	switch {
	case errors.Is(ended, errBody): // of one of the batch
		ended = groupcommit.ErrAgain
	case ended == nil && w.own && !w.inTransaction():
		ended = errors.New("the transaction was ended")
	case ended == nil && len(w.held.rows) == 0: // it may be told at once what it has read
		var again bool
		if again, ended = w.changed(); again {
			ended = groupcommit.ErrAgain
		}
	}
	return t.wrote, ended
}

func (w *writing) Save() error { return w.run("SAVEPOINT one") }

// Settle writes what was held back, where that is not done beside the next batch.
// Only a body that cannot be made is the fault of its update.
func (w *writing) Settle() (again bool, err error) {
	if !w.own {
		if len(w.held.rows) == 0 {
			return w.changed()
		}
		if err := w.hold(); w.holds || err != nil {
			return false, err
		}
	}
	if err := w.writeHeld(); err != nil {
		return errors.Is(err, errBody) || errors.Is(err, groupcommit.ErrAgain), err
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
	defer w.letGo()
	if !w.own {
		return nil
	}
	w.own = false
	return w.rollback()
}

func (w *writing) forget() {
	w.held.forget()
	w.recent.forget()
	if w.own {
		w.unsure()
	}
}

func (w *writing) rollback() error {
	w.store.owed.drop(w.log.tx)
	return w.run("ROLLBACK")
}

// hold keeps other stores from the file, where there are none.
func (w *writing) hold() (err error) {
	if !w.holds {
		w.holds, err = w.store.owed.hold()
		w.shared = !w.holds
	}
	return err
}

func (w *writing) letGo() {
	if w.holds {
		w.holds = false
		w.store.owed.letGo()
	}
}

// Commit has the batch written beside the next one, or commits what it has
// written. After an error of the disk the connection is given up: to sync again would
// tell a lie about what the first sync lost.
func (w *writing) Commit() (*groupcommit.Rest, error) {
	if !w.own {
		f := w.takeOff()
		return &groupcommit.Rest{Write: func() error { return w.write(f) }, Sync: func() error { return w.sync(f.owes) }}, nil
	}
	err := w.hold()
	if err == nil && !w.holds {
		err = w.store.owed.wait(context.Background())
	}
	if err != nil {
		return nil, unavailable("committing", err)
	}
	defer w.letGo()
	owes, err := w.commit(w.holds)
	if err != nil {
		return nil, err
	}
	w.seen = w.late.clone()
	return &groupcommit.Rest{Sync: func() error { return w.sync(owes) }}, nil
}

// commit commits the transaction of the connection; its sync may be put off.
func (w *writing) commit(putOff bool) (*owedCommit, error) {
	o := &w.store.owed
	var owes *owedCommit
	if putOff {
		owes = o.owe()
	}
	w.log.later, w.log.put = putOff, false
	err := w.run("COMMIT")
	w.log.later = false
	if owes != nil && (err != nil || !w.log.put) {
		o.cancel(owes)
		owes = nil
	}
	switch {
	case err != nil && unchanged(err):
		o.drop(w.log.tx) // or it would be written with what is owed
		return nil, unavailable("committing", err)
	case err != nil:
		return nil, notKnown(err)
	case owes != nil:
		owes.flags = w.log.flags // the next commit sets them again
	}
	return owes, nil
}

// sync makes durable what was committed, where that is owed, and all before it.
func (w *writing) sync(owes *owedCommit) error {
	o := &w.store.owed
	if owes == nil {
		if err := o.failed(); err != nil {
			return unavailable("committing", err)
		}
		return w.stillThere()
	}
	err := o.sync(w.log.File, owes.flags)
	if err != nil {
		err = notKnown(err)
	}
	if o.end(owes, err); err != nil {
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

func (w *writing) Close() error {
	w.letGo()
	return w.close()
}
