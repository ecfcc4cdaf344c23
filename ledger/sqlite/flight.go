package sqlite

import (
	"errors"
	"slices"

	"github.com/holdfast-go/holdfast/internal/groupcommit"
	"github.com/holdfast-go/holdfast/ledger"
)

// flight is a batch that is being written beside the updates of the next ones. Until
// it is done these see its rows in memory, and it alone uses the connection.
type flight struct {
	held
	holds   bool   // it holds the file, unless it has no rows
	version string // of the file that its updates have seen
	seen    lates  // the list as it has left it
	owes    *owedCommit
	err     error
	done    chan struct{}
}

// takeOff makes a flight of the batch.
func (w *writing) takeOff() *flight {
	f := &flight{held: w.held, version: w.recent.version, done: make(chan struct{})}
	w.held = held{rows: make([]*change, 0, cap(f.rows))}
	f.holds, w.holds = w.holds, false
	w.flying = append(w.flying, f)
	return f
}

func (f *flight) ended() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// landed takes over what flights have done.
func (w *writing) landed() {
	for len(w.flying) > 0 && w.flying[0].ended() {
		f := w.flying[0]
		w.flying = w.flying[1:]
		if f.err == nil && len(f.rows) > 0 {
			w.recent.written(f.rows)
			w.seen = f.seen
		}
	}
}

// write writes a flight. After an error none behind it is written.
func (w *writing) write(f *flight) error {
	if w.spoiled == nil && len(f.rows) > 0 {
		w.spoiled = w.writeAll(f)
		f.err = w.spoiled
		if errors.Is(w.spoiled, errBody) || errors.Is(w.spoiled, groupcommit.ErrAgain) {
			w.spoiled = groupcommit.ErrAgain
			w.unsure()
			f.err = errors.Join(w.rollback(), w.spoiled)
		} else if w.spoiled != nil {
			w.spoiled = unavailable("building upon what is lost", w.spoiled)
		}
	} else {
		f.err = w.spoiled
	}
	if f.holds {
		w.store.owed.letGo()
	}
	close(f.done)
	return f.err
}

func (w *writing) writeAll(f *flight) error {
	w.store.log.afterCommit(w.conn)
	version, err := w.begin()
	if err != nil {
		return unavailable("beginning to write", err)
	}
	if version != f.version {
		return groupcommit.ErrAgain
	}
	if err := w.writeRows(f.rows); err != nil {
		return err
	}
	for _, ch := range f.rows {
		if ch.row.Seq != 0 && ch.row.Seq != ch.seq {
			return groupcommit.ErrAgain
		}
	}
	if err := w.keepLate(); err != nil {
		return unavailable("writing", err)
	}
	f.owes, err = w.commit(true)
	f.seen = w.late.clone()
	return err
}

// written takes over the places and the bodies of rows, but of those that were
// changed again.
func (r *recent) written(rows []*change) {
	for _, ch := range rows {
		row := ch.row
		newest := row.ID != "" && r.row(row.Table, row.ID) == row
		if newest {
			r.drop(row.Table, row.ID)
		}
		row.Seq, row.Body, row.Value = ch.seq, ch.body, nil
		if newest {
			r.keep(row)
		}
	}
}

// The rest is what an update sees of the database.

// none reports whether no row is one of q, as far as that can be told from memory.
func (w *writing) none(q ledger.Query) bool {
	return (w.keys.lacks(q) || !w.own && w.seen.lacks(q)) && !w.held.any(q) &&
		!slices.ContainsFunc(w.flying, func(f *flight) bool { return f.any(q) })
}

// recall is a row that need not be read, or nil.
func (w *writing) recall(table, id string) (*ledger.Row, error) {
	if id == "" {
		return nil, nil
	}
	row := w.recent.row(table, id)
	if row != nil && row.Seq != 0 || row == nil && !w.held.has(table, id) {
		return row, nil
	}
	err := w.writeHeld()
	return w.recent.row(table, id), err
}

// put holds a row that takes the place of old.
func (w *writing) put(row, old *ledger.Row) error {
	if row.Seq = 0; old != nil {
		row.Seq = old.Seq
	} else if last := w.recent.newest[row.Table]; last != nil && last.Seq != 0 && row.ID == "" {
		row.Seq = last.Seq + 1
	}
	w.held.add(row, old)
	w.recent.keep(row)
	w.keys.add(row)
	if len(w.held.rows) >= maxHeld {
		return w.writeHeld()
	}
	return nil
}

// writeHeld writes what this batch holds.
func (w *writing) writeHeld() error {
	h := &w.held
	if h.failed == nil {
		h.failed = w.take()
	}
	if h.failed == nil {
		h.failed = w.writeRows(h.rows)
	}
	if h.failed == nil {
		w.recent.written(h.rows)
		h.forget()
	}
	return h.failed
}

// find lists the rows of q.
func (w *writing) find(q ledger.Query) ([]ledger.Row, error) {
	if row := w.recent.newest[q.Table]; q.Table == packTable && row != nil && row.Seq != 0 && q == (ledger.Query{Table: q.Table, Newest: true, Limit: 1}) {
		return []ledger.Row{*row}, nil
	}
	if w.none(q) {
		return nil, nil
	}
	if err := w.takeFor(q); err != nil {
		return nil, err
	}
	rows, err := w.conn.find(q)
	if err == nil && w.held.anyOf(rows) {
		if err := w.writeHeld(); err != nil {
			return nil, err
		}
		rows, err = w.conn.find(q)
	}
	w.keys.asked(q, len(rows))
	for i := range rows[:min(len(rows), maxSeen)] {
		if rows[i].ID != "" {
			w.recent.keep(&rows[i])
		}
	}
	return rows, err
}

// takeFor takes the connection, and writes what is held if that is asked for.
func (w *writing) takeFor(q ledger.Query) error {
	if w.held.failed == nil {
		w.held.failed = w.take()
	}
	if w.held.failed == nil && w.held.any(q) {
		return w.writeHeld()
	}
	return w.held.failed
}
