package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/holdfast-go/holdfast/internal/groupcommit"
)

// session is one connection inside a transaction. Writes need no answer, so they
// wait and go with the next exchange, which may be beside the caller.
type session struct {
	pg      *pgx.Conn
	ctx     func() (context.Context, context.CancelFunc) // of one exchange
	now     time.Time
	pending pgx.Batch
	last    *exchange // that was begun beside the caller; nil: it has been waited for
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
			return errNoAnswer(rows)
		}
		return rows.Scan(into...)
	}}
}

func errNoAnswer(rows pgx.Rows) error { return errors.Join(rows.Err(), errors.New("no answer")) }

// exchange is statements that go to the database together, and their answers.
type exchange struct {
	batch     pgx.Batch
	writes    int // how many of them, before the questions
	questions []question
	tag       pgconn.CommandTag // of the last write
	done      chan struct{}
	err       error
}

// newExchange is of what waits, and questions.
func (s *session) newExchange(questions []question) *exchange {
	e := &exchange{batch: s.pending, writes: s.pending.Len(), questions: questions}
	s.pending = pgx.Batch{}
	for _, q := range questions {
		e.batch.Queue(q.sql, q.args...)
	}
	return e
}

// ask sends what waits, and questions, and reads the answers.
func (s *session) ask(questions ...question) error {
	if err := s.wait(); err != nil {
		return err
	}
	return s.newExchange(questions).run(s)
}

// begin is ask beside the caller. It is behind what was begun before, and not done
// where that failed.
func (s *session) begin(questions ...question) *exchange {
	e, before := s.newExchange(questions), s.last
	e.done = make(chan struct{})
	s.last = e
	go func() {
		defer close(e.done)
		if before != nil {
			if e.err = before.wait(); e.err != nil {
				return
			}
		}
		e.err = e.run(s)
	}()
	return e
}

// wait waits until nothing is under way beside the caller, and for its error.
func (s *session) wait() error {
	e := s.last
	if e == nil {
		return nil
	}
	s.last = nil
	return e.wait()
}

// idle reports whether nothing is under way.
func (s *session) idle() bool {
	if s.last == nil {
		return true
	}
	select {
	case <-s.last.done:
		return true
	default:
		return false
	}
}

func (e *exchange) wait() error {
	<-e.done
	return e.err
}

func (e *exchange) run(s *session) error {
	ctx, cancel := s.ctx()
	defer cancel()
	results := s.pg.SendBatch(ctx, &e.batch)
	err := errors.Join(e.read(results), results.Close())
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == uniqueViolation {
		return fmt.Errorf("%w: %w", groupcommit.ErrAgain, err)
	}
	return err
}

// uniqueViolation is told of a row that was put without looking, and is there
// already. An update that has a savepoint looks.
const uniqueViolation = "23505"

func (e *exchange) read(results pgx.BatchResults) (err error) {
	for range e.writes {
		if e.tag, err = results.Exec(); err != nil {
			return err
		}
	}
	for _, q := range e.questions {
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
