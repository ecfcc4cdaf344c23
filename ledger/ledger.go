package ledger

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Options of New; nil means defaults.
type Options struct {
	NewID func() string // ids of entries and approvals; default random
	Owner string        // default random; two living ledgers never share one
	Lease time.Duration // default 30 s, renewed every third of it
	// Committed is told how long each write took until it was durable, or why it
	// is not; nil: nobody is. It does not block.
	Committed func(took time.Duration, err error)
}

const defaultLease = 30 * time.Second

// The tables.
const (
	runs      = "runs"
	turns     = "turns"
	rounds    = "rounds"
	entries   = "entries"
	approvals = "approvals"
	events    = "events"
	owners    = "owners"
	labels    = "labels"
	budgets   = "budgets"
	rules     = "rules"
)

// Ledger is the meaning of the record over a Store. Safe for concurrent use.
type Ledger struct {
	store   Store
	newID   func() string
	owner   string
	lease   time.Duration
	release func()

	committed func(time.Duration, error)

	mu      sync.Mutex
	running map[string]*entryBody // started here and not settled yet
	gaveUp  map[string]bool       // started entries whose outcome could not be written
	strays  map[string]int64      // written or not, we do not know, and nobody goes on with them: id and fence
	expires time.Time             // our lease in the store, once it is written
	renews  bool                  // Run runs
	began   bool                  // Start was called
	closed  bool

	newest atomic.Pointer[link] // the last event that was written here, committed or not
}

// New makes a ledger over store, holds its owner and settles what owners that
// are gone left behind. The caller closes the store after the ledger.
func New(ctx context.Context, store Store, o *Options) (*Ledger, error) {
	if store == nil {
		return nil, errors.New("making ledger: no store")
	}
	l := &Ledger{
		store: store, newID: newID, lease: defaultLease,
		running: map[string]*entryBody{}, gaveUp: map[string]bool{}, strays: map[string]int64{},
	}
	if o != nil {
		if o.NewID != nil {
			l.newID = o.NewID
		}
		if o.Lease > 0 {
			l.lease = o.Lease
		}
		l.owner, l.committed = o.Owner, o.Committed
	}
	if l.owner == "" {
		l.owner = rand.Text()
	}
	release, err := store.Hold(ctx, l.owner)
	if err != nil {
		return nil, fmt.Errorf("holding owner %s: %w", l.owner, err)
	}
	l.release = release
	if err := l.sweep(ctx); err != nil && !errors.Is(err, ErrUnavailable) {
		release()
		return nil, err
	}
	return l, nil
}

// newID is in the order of time, so that rows that are written together stand
// together, and cannot be guessed.
func newID() string {
	const digits = "0123456789abcdefghjkmnpqrstvwxyz"
	var b [9 + 16]byte
	ms := uint64(time.Now().UnixMilli())
	for i := 8; i >= 0; i-- {
		b[i] = digits[ms&31]
		ms >>= 5
	}
	_, _ = rand.Read(b[9:]) // never fails
	for i := 9; i < len(b); i++ {
		b[i] = digits[b[i]&31]
	}
	return string(b[:])
}

// Owner is the name under which this ledger claims.
func (l *Ledger) Owner() string { return l.owner }

// Close gives up the owner. Entries that it still runs become uncertain.
func (l *Ledger) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true // from here on no transaction starts an entry
	began := l.began
	l.mu.Unlock()
	defer l.release()
	if !began {
		return nil
	}
	return l.giveUpAll(context.Background())
}

// txn is one transaction with the ledger's words for it.
type txn struct {
	Tx
	l       *Ledger
	writes  bool
	now     time.Time
	head    *link        // the newest event, once it was asked for
	written []*entryBody // the entries, in order
	// renewed says that our lease was written.
	renewed bool
}

func (l *Ledger) update(ctx context.Context, fn func(t *txn) error) error {
	return l.updateAhead(ctx, nil, fn)
}

// updateAhead is update that tells a store which wants to know it what fn will
// read.
func (l *Ledger) updateAhead(ctx context.Context, reads func() []Query, fn func(t *txn) error) error {
	write := func(tx Tx) error {
		return fn(&txn{Tx: tx, l: l, writes: true, now: tx.Now()})
	}
	update := l.store.Update
	if s, ok := l.store.(ahead); ok && reads != nil {
		update = func(ctx context.Context, fn func(Tx) error) error { return s.UpdateAhead(ctx, reads(), fn) }
	}
	if l.committed == nil {
		return update(ctx, write)
	}
	began := time.Now()
	err := update(ctx, write)
	l.committed(time.Since(began), err)
	return err
}

func (l *Ledger) view(ctx context.Context, fn func(t *txn) error) error {
	return l.store.View(ctx, func(tx Tx) error {
		return fn(&txn{Tx: tx, l: l, now: tx.Now()})
	})
}

// put writes a small row, encoded at once.
func (t *txn) put(table, id string, words [7]string, body any) error {
	text, err := appendJSON(nil, body)
	if err != nil {
		return err
	}
	return t.Put(Row{Table: table, ID: id, Words: words, Body: text})
}

// get is the body of a row, or nil if it is not there.
func get[T any](t *txn, table, id string) (*T, error) {
	row, err := t.Get(table, id)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return load[T](row)
}

// must is get for a row that has to be there.
func must[T any](t *txn, table, id string) (*T, error) {
	row, err := t.Get(table, id)
	if err != nil {
		return nil, err
	}
	return load[T](row)
}
