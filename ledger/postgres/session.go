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
	"github.com/holdfast-go/holdfast/ledger"
)

// session is one connection inside a transaction. Writes need no answer, so they
// wait and go with the next question, in one exchange.
type session struct {
	pg      *pgx.Conn
	ctx     func() (context.Context, context.CancelFunc) // of one exchange
	now     time.Time
	pending pgx.Batch
}

func (s *session) queue(sql string, args ...any) { s.pending.Queue(sql, args...) }

// question is what is asked in an exchange, and what to do with the answer.
type question struct {
	sql  string
	args []any
	read func(pgx.Rows) error
}

// one is a question whose answer is one row.
func one(sql string, args []any, into ...any) question {
	return question{sql, args, func(rows pgx.Rows) error {
		if !rows.Next() {
			return errors.Join(rows.Err(), errors.New("no answer"))
		}
		return rows.Scan(into...)
	}}
}

// ask sends what waits, and questions, in one exchange.
func (s *session) ask(questions ...question) error {
	batch := s.pending
	s.pending = pgx.Batch{}
	before := batch.Len()
	for _, q := range questions {
		batch.Queue(q.sql, q.args...)
	}
	ctx, cancel := s.ctx()
	defer cancel()
	results := s.pg.SendBatch(ctx, &batch)
	err := answers(results, before, questions)
	return errors.Join(err, results.Close())
}

func answers(results pgx.BatchResults, before int, questions []question) error {
	for range before {
		if _, err := results.Exec(); err != nil {
			return err
		}
	}
	for _, q := range questions {
		rows, err := results.Query()
		if err != nil {
			return err
		}
		err = q.read(rows)
		rows.Close()
		if err = errors.Join(err, rows.Err()); err != nil {
			return err
		}
	}
	return nil
}

// writing is the session that writes.
type writing struct {
	session
	store  *Store
	locked map[string]bool       // owners that this session has locked
	last   map[string]int64      // the newest Seq of each table
	newest map[string]ledger.Row // of rows without an id, as this transaction added them
	ahead  foreseen
	bulks  bulks
}

var _ groupcommit.Conn[*tx] = (*writing)(nil)

func (s *Store) connect(ctx context.Context) (*writing, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	pg, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return nil, err
	}
	w := &writing{store: s, locked: map[string]bool{}, newest: map[string]ledger.Row{}}
	w.pg = pg
	return w, nil
}

func (s *Store) openWriter() (groupcommit.Conn[*tx], error) {
	return s.connect(context.Background())
}

func (w *writing) Check() error { return nil }

// Begin waits for the schema's write lock, so that transactions are one after
// the other, and learns the time, where the tables end, and what the updates are
// going to read.
func (w *writing) Begin(reads []any) error {
	deadline := time.Now().Add(w.store.timeout)
	w.ctx = func() (context.Context, context.CancelFunc) {
		return context.WithDeadline(context.Background(), deadline)
	}
	w.pending = pgx.Batch{}
	w.bulks.forget()
	clear(w.newest)
	w.queue("BEGIN")
	w.queue("SELECT pg_advisory_xact_lock($1)", w.store.writeLock())
	ends := make([]int64, len(tableNames))
	into := []any{&w.now}
	for i := range ends {
		into = append(into, &ends[i])
	}
	questions := append([]question{one(whereTablesEnd, nil, into...)}, w.ahead.foresee(reads)...)
	if err := w.ask(questions...); err != nil {
		return err
	}
	w.last = map[string]int64{}
	for i, table := range tableNames {
		w.last[table] = ends[i]
	}
	return w.lockOwners()
}

// Ahead sends what the updates before have written, and asks what those that
// came meanwhile are going to read.
func (w *writing) Ahead(reads []any) error {
	if questions := w.ahead.foresee(reads); len(questions) > 0 {
		return w.ask(questions...)
	}
	return nil
}

// ask is the session's, after what is to be written.
func (w *writing) ask(questions ...question) error {
	w.send()
	return w.session.ask(questions...)
}

// send puts the bulks among what waits.
func (w *writing) send() {
	for _, one := range w.bulks.list {
		w.queue(one.sql, one.args()...)
	}
	w.bulks.forget()
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
	return t.wrote, t.broken
}

// Settle leaves what waits to the commit, which sends it along.
func (w *writing) Settle() (again bool, err error) { return false, nil }

func (w *writing) Save() error {
	w.send()
	w.queue("SAVEPOINT one")
	return nil
}

func (w *writing) Undo() error {
	clear(w.newest)
	w.ahead.foresee(nil)
	w.send()
	w.queue("ROLLBACK TO one")
	return nil
}

func (w *writing) Keep() error {
	w.send()
	w.queue("RELEASE one")
	return nil
}

func (w *writing) Rollback() error {
	w.bulks.forget()
	w.pending = pgx.Batch{}
	ctx, cancel := w.ctx()
	defer cancel()
	_, err := w.pg.Exec(ctx, "ROLLBACK")
	return err
}

// Commit makes the batch durable. Where the database has refused it, nothing is
// changed; where it did not answer, nobody knows.
func (w *writing) Commit() (_ *groupcommit.Rest, err error) {
	w.send()
	batch := w.pending
	w.pending = pgx.Batch{}
	batch.Queue("COMMIT")
	ctx, cancel := w.ctx()
	defer cancel()
	results := w.pg.SendBatch(ctx, &batch)
	var tag pgconn.CommandTag
	for range batch.Len() {
		if tag, err = results.Exec(); err != nil {
			break
		}
	}
	err = errors.Join(err, results.Close())
	var refused *pgconn.PgError
	switch {
	case err == nil && tag.String() == "COMMIT":
		return nil, nil
	case err == nil:
		return nil, unavailable("committing", errors.New("the transaction was rolled back"))
	case pgconn.SafeToRetry(err), errors.As(err, &refused) && refused.Severity == "ERROR":
		return nil, unavailable("committing", err)
	}
	return nil, fmt.Errorf("committing, with an end that is not known: %w", err)
}

func (w *writing) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return w.pg.Close(ctx)
}
