package postgres

import (
	"context"
	"time"
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

// WriteLock is the number of the lock that the session which writes holds.
func (s *Store) WriteLock() int64 { return s.writeLock() }
