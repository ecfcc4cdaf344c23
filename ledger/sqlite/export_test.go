package sqlite

import (
	"context"
	"errors"

	"github.com/holdfast-go/holdfast/internal/groupcommit"
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

// Writer is a writer's connection that a test leads by hand.
type Writer struct {
	groupcommit.Conn[*tx]
	w *writing
}

// OpenWriter opens another writer's connection of s.
func (s *Store) OpenWriter() (Writer, error) {
	c, err := s.openWriter()
	if err != nil {
		return Writer{}, err
	}
	return Writer{c, c.(*writing)}, nil
}

// Batch runs fn as a batch of its own, up to its commit.
func (w Writer) Batch(fn func(ledger.Tx) error) (*groupcommit.Rest, error) {
	if err := w.Begin([]any{nil}); err != nil {
		return nil, err
	}
	t := w.Lend(nil)
	err := fn(t)
	_, ended := w.Return(t)
	_, unsettled := w.Settle()
	if err := errors.Join(err, ended, unsettled); err != nil {
		return nil, err
	}
	return w.Commit()
}

// KnowsKeys reports whether it can tell of keys that no entry has them.
func (w Writer) KnowsKeys() bool { return w.w.keys.set != nil }

// Path is the database file.
func (w Writer) Path() string { return w.w.store.path }
