package sqlite

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/holdfast-go/holdfast/ledger"
)

// tx is one transaction on one connection.
type tx struct {
	store  *Store
	conn   *conn
	writes bool
	wrote  bool
	ended  bool
	later  []preparer
}

// Later makes the bodies of what was put, while the writer goes on.
func (t *tx) Later() {
	if len(t.later) > 0 {
		runtime.Gosched() // the writer first
	}
	for _, p := range t.later {
		p.Prepare()
	}
}

var errEnded = errors.New("transaction has ended")

// isTable knows those of the migrations; a name that is not among them never
// becomes SQL.
func isTable(name string) bool {
	switch name {
	case "runs", "turns", "rounds", "entries", "approvals", "events", "owners", "labels", "budgets", "rules":
		return true
	}
	return false
}

// maxSeen bounds how many rows of one Find are remembered.
const maxSeen = 8

func (t *tx) Now() time.Time { return t.store.now().UTC().Round(0) }

func (t *tx) check(table string) error {
	if t.ended {
		return errEnded
	}
	if !isTable(table) {
		return fmt.Errorf("there is no table %q", table)
	}
	return nil
}

func (t *tx) Get(table, id string) (ledger.Row, error) {
	if err := t.check(table); err != nil {
		return ledger.Row{}, err
	}
	known, err := t.recall(table, id)
	if err != nil {
		return ledger.Row{}, err
	}
	if known != nil {
		return *known, nil
	}
	if id != "" {
		rows, err := t.conn.findIndexed(ledger.Query{Table: table, ID: id})
		if err != nil {
			return ledger.Row{}, t.failed("reading "+table, err)
		}
		if len(rows) > 0 {
			t.remember(&rows[0])
			return rows[0], nil
		}
	}
	return ledger.Row{}, fmt.Errorf("%s %q: %w", table, id, ledger.ErrNotFound)
}

func (t *tx) Put(row ledger.Row) error {
	if err := t.check(row.Table); err != nil {
		return err
	}
	if !t.writes {
		return fmt.Errorf("writing %s: this is a view", row.Table)
	}
	if p, ok := row.Value.(preparer); ok {
		t.later = append(t.later, p)
	} else {
		var err error
		if row.Body, err = row.Bytes(); err != nil {
			return err
		}
		row.Value = nil
		if row.Body == nil {
			row.Body = []byte{}
		}
	}
	old, err := t.recall(row.Table, row.ID)
	if err != nil {
		return err
	}
	t.wrote = true
	if row.Seq = 0; old != nil {
		row.Seq = old.Seq
	} else if last := t.conn.recent.newest[row.Table]; last != nil && last.Seq != 0 && row.ID == "" {
		row.Seq = last.Seq + 1
	}
	t.conn.held.add(&row, old)
	t.conn.recent.keep(&row)
	if len(t.conn.held.rows) >= maxHeld {
		return t.conn.writeHeld()
	}
	return nil
}

// remember keeps what need not be read again, and can be changed cheaply.
func (t *tx) remember(row *ledger.Row) {
	if t.writes && row.ID != "" {
		t.conn.recent.keep(row)
	}
}

// recall is a row that need not be read, or nil. It has its Seq.
func (t *tx) recall(table, id string) (*ledger.Row, error) {
	if !t.writes || id == "" {
		return nil, nil
	}
	row := t.conn.recent.row(table, id)
	if row != nil && row.Seq != 0 || row == nil && !t.conn.held.has(table, id) {
		return row, nil
	}
	err := t.conn.writeHeld()
	return t.conn.recent.row(table, id), err
}

func (t *tx) Delete(table, id string) error {
	if err := t.check(table); err != nil {
		return err
	}
	if !t.writes {
		return fmt.Errorf("deleting from %s: this is a view", table)
	}
	t.wrote = true
	if err := t.conn.writeHeld(); err != nil {
		return err
	}
	t.conn.recent.drop(table, id)
	st, err := t.conn.prepare("DELETE FROM " + table + " WHERE id = ?")
	if err == nil {
		err = st.BindText(1, id)
	}
	if err == nil {
		err = st.Exec()
	}
	if err != nil {
		return t.failed("deleting from "+table, err)
	}
	return nil
}

func (t *tx) Find(q ledger.Query) ([]ledger.Row, error) {
	if err := t.check(q.Table); err != nil {
		return nil, err
	}
	if row := t.conn.recent.newest[q.Table]; row != nil && row.Seq != 0 && t.writes && q == (ledger.Query{Table: q.Table, Newest: true, Limit: 1}) {
		return []ledger.Row{*row}, nil
	}
	if t.conn.held.any(q) {
		if err := t.conn.writeHeld(); err != nil {
			return nil, err
		}
	}
	rows, err := t.conn.find(q)
	if err == nil && t.conn.held.anyOf(rows) {
		if err := t.conn.writeHeld(); err != nil {
			return nil, err
		}
		rows, err = t.conn.find(q)
	}
	if err != nil {
		return nil, t.failed("reading "+q.Table, err)
	}
	for i := range rows[:min(len(rows), maxSeen)] {
		t.remember(&rows[i])
	}
	return rows, nil
}

func (t *tx) Living(owner string) (living, known bool, err error) {
	if t.ended {
		return false, false, errEnded
	}
	return t.store.locks.living(owner)
}

// failed is an error after which this transaction changes nothing.
func (t *tx) failed(doing string, err error) error {
	if !t.writes {
		t.conn.broken = true
	}
	return unavailable(doing, err)
}
