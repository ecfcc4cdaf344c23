package sqlite

import "context"

// At makes s call fn at each step of the writer, where a process may die.
func (s *Store) At(fn func()) { s.step.Store(&fn) }

// OpenWith opens a store on a disk that a test controls.
func OpenWith(ctx context.Context, path string, o *Options, vfs string) (*Store, error) {
	return openWith(ctx, path, o, vfs)
}
