package memory

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/ledger"
)

// Options of New; nil means defaults.
type Options struct {
	// Now is the store's clock; nil: time.Now.
	Now func() time.Time
	// Leases makes Hold prove nothing, so that leases decide who lives, as in a
	// store without locks.
	Leases bool
}

// Store is a ledger.Store in memory. Safe for concurrent use.
type Store struct {
	now    func() time.Time
	leases bool

	mu     sync.RWMutex
	tables map[string]*table
	held   map[string]int
	closed bool
	undo   []change // of the Update that runs; kept for its room
}

var _ ledger.Store = (*Store)(nil)

// New makes an empty store. o is copied.
func New(o *Options) *Store {
	s := &Store{now: time.Now, tables: map[string]*table{}, held: map[string]int{}}
	if o != nil {
		s.leases = o.Leases
		if o.Now != nil {
			s.now = o.Now
		}
	}
	return s
}

// Update runs fn alone: nobody else reads or writes meanwhile.
func (s *Store) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx); err != nil {
		return err
	}
	t := &tx{store: s, writes: true}
	done := false
	defer func() { // also when fn panics
		t.ended = true
		if !done {
			s.rollBack()
		}
		clear(s.undo)
		s.undo = s.undo[:0]
	}()
	if err := fn(t); err != nil {
		return err
	}
	done = true
	return nil
}

// View runs fn beside other views.
func (s *Store) View(ctx context.Context, fn func(ledger.Tx) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.ready(ctx); err != nil {
		return err
	}
	t := &tx{store: s}
	defer func() { t.ended = true }()
	return fn(t)
}

func (s *Store) ready(ctx context.Context) error {
	if s.closed {
		return fmt.Errorf("%w: store is closed", ledger.ErrUnavailable)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", ledger.ErrUnavailable, err)
	}
	return nil
}

// Hold marks owner as living until release: whoever can see this store lives in
// the same process.
func (s *Store) Hold(_ context.Context, owner string) (func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fmt.Errorf("%w: store is closed", ledger.ErrUnavailable)
	}
	s.held[owner]++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.held[owner]--; s.held[owner] == 0 {
			delete(s.held, owner)
		}
	}), nil
}

// Close forgets everything.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.tables = nil
	return nil
}

// tx is one transaction. It writes in place, and the store's undo list takes it
// back: nobody sees the store before the lock is released.
type tx struct {
	store  *Store
	writes bool
	ended  bool
}

var errEnded = errors.New("transaction has ended")

func (t *tx) Now() time.Time { return t.store.now().UTC().Round(0) }

func (t *tx) Get(name, id string) (ledger.Row, error) {
	if t.ended {
		return ledger.Row{}, errEnded
	}
	if tab := t.store.tables[name]; tab != nil && id != "" {
		if e := tab.byID[id]; e != nil {
			return e.row, nil
		}
	}
	return ledger.Row{}, fmt.Errorf("%s %q: %w", name, id, ledger.ErrNotFound)
}

func (t *tx) Put(row ledger.Row) error {
	if err := t.mayWrite(row.Table); err != nil {
		return err
	}
	s := t.store
	tab := s.tables[row.Table]
	if tab == nil {
		tab = newTable()
		s.tables[row.Table] = tab
	}
	if row.ID != "" {
		if e := tab.byID[row.ID]; e != nil {
			s.undo = append(s.undo, change{kind: changed, table: tab, at: e, before: e.row})
			row.Seq = e.row.Seq
			tab.set(e, row)
			return nil
		}
	}
	tab.last++
	row.Seq = tab.last
	e := tab.slot(row)
	tab.insert(e)
	s.undo = append(s.undo, change{kind: inserted, table: tab, at: e})
	return nil
}

func (t *tx) Delete(name, id string) error {
	if err := t.mayWrite(name); err != nil {
		return err
	}
	if tab := t.store.tables[name]; tab != nil && id != "" {
		if e := tab.byID[id]; e != nil {
			tab.remove(e)
			t.store.undo = append(t.store.undo, change{kind: deleted, table: tab, at: e})
		}
	}
	return nil
}

func (t *tx) mayWrite(name string) error {
	switch {
	case t.ended:
		return errEnded
	case !t.writes:
		return fmt.Errorf("writing %s: this is a view", name)
	case name == "":
		return errors.New("writing a row: it names no table")
	}
	return nil
}

func (t *tx) Find(q ledger.Query) ([]ledger.Row, error) {
	if t.ended {
		return nil, errEnded
	}
	tab := t.store.tables[q.Table]
	if tab == nil {
		return nil, nil
	}
	return tab.find(q), nil
}

func (t *tx) Living(owner string) (living, known bool, err error) {
	if t.ended {
		return false, false, errEnded
	}
	if t.store.leases {
		return false, false, nil
	}
	return t.store.held[owner] > 0, true, nil
}
