package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/holdfast-go/holdfast/internal/groupcommit"
)

// writing is the session that writes.
type writing struct {
	session
	known
	store  *Store
	locked map[string]bool // owners that this session has locked
	ahead  foreseen
	bulks  bulks
	beside bool // no update has a savepoint: what is written may be sent while others run
	dirty  bool // something was written
}

var _ groupcommit.Conn[*tx] = (*writing)(nil)

func (s *Store) connect(ctx context.Context) (*writing, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	pg, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return nil, err
	}
	w := &writing{store: s, locked: map[string]bool{}, known: newKnown()}
	w.pg = pg
	return w, nil
}

func (s *Store) openWriter() (groupcommit.Conn[*tx], error) {
	return s.connect(context.Background())
}

func (w *writing) Check() error { return nil }

// Begin waits for the schema's write lock, so that transactions are one after
// the other, and learns the time, what the updates are going to read, and what it
// does not know of the tables.
func (w *writing) Begin(reads []any) error {
	deadline := time.Now().Add(w.store.timeout)
	w.ctx = func() (context.Context, context.CancelFunc) {
		return context.WithDeadline(context.Background(), deadline)
	}
	w.pending = pgx.Batch{}
	w.bulks.forget()
	w.ahead.forget()
	w.beside, w.dirty = reads != nil, false
	sure := w.sure && w.beside
	w.sure = false
	w.queue("BEGIN ISOLATION LEVEL READ COMMITTED") // whatever the database has as its default: what is read is from after the lock
	w.queue("SELECT pg_advisory_xact_lock($1)", w.store.writeLock())
	if !sure {
		w.forget()
	}
	if err := w.learn(reads, sure, w.whoWrote(&w.now)); err != nil {
		return err
	}
	if sure && !w.mine {
		w.forget()
		if err := w.learn(reads, false); err != nil {
			return err
		}
	}
	return w.lockOwners()
}

// learn asks questions, and what the updates are going to read, and of the tables
// all that is known otherwise.
func (w *writing) learn(reads []any, sure bool, questions ...question) error {
	if !sure {
		questions = append(questions, w.late.question(), w.whereTablesEnd())
	}
	ahead, _ := w.ahead.foresee(reads, &w.known)
	return w.ask(append(questions, ahead...)...)
}

// Ahead sends what the updates before have written, and asks what those that
// are next are going to read, beside those that run before them.
func (w *writing) Ahead(reads []any) error {
	questions, answers := w.ahead.foresee(reads, &w.known)
	if len(questions) == 0 {
		return nil
	}
	if w.send() != nil {
		w.ahead.forget() // what is not asked for has no answer
		return nil       // Settle says it
	}
	answers.in = w.begin(questions...)
	return nil
}

// ask is the session's, after what is to be written.
func (w *writing) ask(questions ...question) error {
	if err := w.send(); err != nil {
		return err
	}
	return w.session.ask(questions...)
}

// send puts the bulks among what waits. Its error says that a row cannot be made:
// each update is to be run by itself then, to learn whose it is.
func (w *writing) send() error {
	args := make([][]any, len(w.bulks.list))
	for i, one := range w.bulks.list {
		var err error
		if args[i], err = one.args(); err != nil {
			return fmt.Errorf("%w: %w", groupcommit.ErrAgain, err)
		}
	}
	for i, one := range w.bulks.list {
		w.queue(one.sql, args[i]...)
	}
	w.bulks.forget()
	return nil
}

// lockOwners takes the locks that a session before this one had.
func (w *writing) lockOwners() error {
	w.store.mu.Lock()
	held := maps.Clone(w.store.held)
	w.store.mu.Unlock()
	for owner := range held {
		if w.locked[owner] {
			continue
		}
		if _, err := w.lock(owner); err != nil {
			return err
		}
	}
	return nil
}

// lock takes an owner's lock for as long as the session lives, whatever becomes
// of the transaction. The same session could take it twice, so it is asked once.
func (w *writing) lock(owner string) (got bool, err error) {
	if w.locked[owner] {
		return true, nil
	}
	err = w.ask(one("SELECT pg_try_advisory_lock($1)", []any{w.store.ownerLock(owner)}, &got))
	w.locked[owner] = got
	return got, err
}

func (w *writing) unlock(owner string) error {
	delete(w.locked, owner)
	done := false
	return w.ask(one("SELECT pg_advisory_unlock($1)", []any{w.store.ownerLock(owner)}, &done))
}

func (w *writing) Lend(any) *tx { return &tx{store: w.store, session: &w.session, writes: w} }

func (w *writing) Return(t *tx) (wrote bool, ended error) {
	t.ended = true
	if t.broken == nil && w.beside && w.bulks.size >= enough && w.idle() {
		if t.broken = w.send(); t.broken == nil {
			w.begin()
		}
	}
	return t.wrote, t.broken
}

// enough rows are sent while other updates run.
const enough = 32

// Settle leaves what waits to the commit, which sends it along.
func (w *writing) Settle() (again bool, err error) {
	err = w.send()
	return err != nil, err
}

func (w *writing) Save() error {
	w.late.save()
	w.queue("SAVEPOINT one")
	return nil
}

func (w *writing) Undo() error {
	w.late.undo()
	clear(w.tools)
	w.bulks.forget()
	w.queue("ROLLBACK TO one")
	return nil
}

func (w *writing) Keep() error {
	err := w.send()
	w.queue("RELEASE one")
	return err
}

func (w *writing) Rollback() error {
	_ = w.wait() // it is taken back
	w.bulks.forget()
	w.pending = pgx.Batch{}
	w.queue("ROLLBACK")
	err := w.session.ask()
	w.sure = w.beside && !w.dirty && err == nil
	return err
}

// Commit makes the batch durable. Where the database has refused it, nothing is
// changed; where it did not answer, nobody knows.
func (w *writing) Commit() (_ *groupcommit.Rest, err error) {
	if err := w.wait(); err != nil {
		return nil, unavailable("writing", err)
	}
	w.keepLate()
	w.say()
	w.queue("COMMIT")
	end := w.newExchange(nil)
	err = end.run(&w.session)
	var refused *pgconn.PgError
	switch {
	case err == nil && end.tag.String() == "COMMIT":
		w.sure = w.beside
		return nil, nil
	case err == nil:
		return nil, unavailable("committing", errors.New("the transaction was rolled back"))
	case pgconn.SafeToRetry(err), errors.As(err, &refused) && refused.SeverityUnlocalized == "ERROR":
		return nil, unavailable("committing", err)
	}
	return nil, fmt.Errorf("committing, with an end that is not known: %w", err)
}

func (w *writing) Close() error {
	_ = w.wait() // who has begun it knows, or nobody needs it
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return w.pg.Close(ctx)
}
