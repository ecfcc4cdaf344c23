package ledger

import (
	"context"
	"encoding"
	"errors"
	"time"
)

// Store keeps rows, transactionally. It knows nothing of what they mean. It is
// safe for concurrent use. An error of Update other than fn's own means that
// it is not known whether the changes are durable, unless it is ErrUnavailable:
// then they are not. A store may have UpdateAhead beside it, which is told what fn
// will read.
type Store interface {
	// Update runs fn in one serialisable transaction and returns when its
	// changes are durable, or with fn's error and no change. fn may be run
	// again from the start, so it must not touch anything but tx.
	Update(ctx context.Context, fn func(tx Tx) error) error
	// View runs fn over one consistent state; its Put fails.
	View(ctx context.Context, fn func(tx Tx) error) error
	// Hold marks owner as living for as long as this process lives or until
	// release is called, where the store can prove that by itself (an
	// operating-system or session lock); otherwise it does nothing.
	Hold(ctx context.Context, owner string) (release func(), err error)
	Close() error
}

// ahead is what a Store may also offer: UpdateAhead is Update that is told most of
// what fn is going to Get and to Find. A store at the other end of a network asks
// for all of it at once, and for what other updates read together with it. It is
// only an aid: fn reads what it would have read, also what it has written.
type ahead interface {
	UpdateAhead(ctx context.Context, reads []Query, fn func(tx Tx) error) error
}

// Tx is one transaction of a Store, used by one goroutine.
type Tx interface {
	// Now is the store's clock.
	Now() time.Time
	// Get is the row of that table and id, or ErrNotFound.
	Get(table, id string) (Row, error)
	// Put writes a row, new or in place of the one with its table and id. A new
	// row gets the next Seq of its table.
	Put(row Row) error
	// Delete removes a row, if it is there.
	Delete(table, id string) error
	// Find lists rows by Seq.
	Find(q Query) ([]Row, error)
	// Living reports whether owner is held, and known is false where the store
	// cannot prove it either way.
	Living(owner string) (living, known bool, err error)
}

// Row is what a store keeps: an id, up to seven indexed words, and a body. A
// store never looks into the body. The tables are runs, turns, rounds, entries,
// approvals, events, owners, labels, budgets
// and rules.
type Row struct {
	Table string
	ID    string    // unique in its table; "" for rows that only Find reaches
	Seq   int64     // by the store, ascending within the table
	Words [7]string // indexed each with Seq; "" is not indexed
	Body  []byte
	// Value, where it is set, is what Body encodes, and Body may be nil: a store
	// in memory may keep it and hand it back; any other keeps Bytes. It does not
	// change. Where it has a method Prepare, a store may call that before, from
	// another goroutine: it makes what it can of the bytes.
	Value encoding.BinaryAppender
}

// Bytes is the body, encoded from Value where there is no Body yet.
func (r Row) Bytes() ([]byte, error) {
	if r.Body != nil || r.Value == nil {
		return r.Body, nil
	}
	return r.Value.AppendBinary(nil)
}

// Query asks for rows of one table. Words that are not "" must be equal.
type Query struct {
	Table  string
	ID     string // of the one row that is asked for; "": any
	Words  [7]string
	Before int64 // Seq below it; 0: no bound
	After  int64 // Seq above it
	Limit  int   // 0: all
	Newest bool  // newest first
}

// Errors of stores and ledgers, for errors.Is.
var (
	ErrNotFound    = errors.New("not found")
	ErrUnavailable = errors.New("ledger unavailable")
)
