package sqlite

// At makes s call fn at each step of the writer, where a process may die.
func (s *Store) At(fn func()) { s.step.Store(&fn) }
