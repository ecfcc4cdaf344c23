package postgres

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-go/holdfast/ledger"
)

// At makes s call fn at each step of the writer, where a process may die.
func (s *Store) At(fn func()) { s.step.Store(&fn) }

// Clock makes s go by another clock than the database's.
func (s *Store) Clock(now func() time.Time) { s.now.Store(&now) }

// Exec runs SQL in the store's schema, behind its back.
func (s *Store) Exec(ctx context.Context, sql string) error {
	_, err := s.readers.Exec(ctx, sql)
	return err
}

// Plan is how the database finds the rows of a query.
func (s *Store) Plan(ctx context.Context, q ledger.Query) (string, error) {
	sql, args := findSQL(q)
	rows, err := s.readers.Query(ctx, "EXPLAIN "+sql, args...)
	if err != nil {
		return "", err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return strings.Join(lines, "\n"), err
}

// WriteLock is the number of the lock that the session which writes holds.
func (s *Store) WriteLock() int64 { return s.writeLock() }
