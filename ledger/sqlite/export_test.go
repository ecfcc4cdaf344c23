package sqlite

import (
	"context"

	"github.com/holdfast-go/holdfast/ledger"
)

// At makes s call fn at each step of the writer, where a process may die.
func (s *Store) At(fn func()) { s.step.Store(&fn) }

// OpenWith opens a store on a disk that a test controls.
func OpenWith(ctx context.Context, path string, o *Options, vfs string) (*Store, error) {
	return openWith(ctx, path, o, vfs)
}

// Path is the database file.
func (s *Store) Path() string { return s.path }

// ShortLog makes s bring its log in after so many pages.
func (s *Store) ShortLog(pages int) { s.log.pages.Store(int64(pages)) }

// FindSQL is the statement that lists the rows of q by their words.
func FindSQL(q ledger.Query) string { return findSQL(shapeOf(q)) }
