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
	writer *writing // nil: this is a view
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
	if t.writer != nil {
		known, err := t.writer.recall(table, id)
		if err != nil {
			return ledger.Row{}, t.failed("reading "+table, err)
		}
		if known != nil {
			return *known, nil
		}
	}
	if id != "" {
		rows, err := t.find(ledger.Query{Table: table, ID: id})
		if err != nil {
			return ledger.Row{}, t.failed("reading "+table, err)
		}
		if len(rows) > 0 {
			return rows[0], nil
		}
	}
	return ledger.Row{}, fmt.Errorf("%s %q: %w", table, id, ledger.ErrNotFound)
}

func (t *tx) find(q ledger.Query) ([]ledger.Row, error) {
	if t.writer != nil {
		return t.writer.find(q)
	}
	return t.conn.find(q)
}

func (t *tx) Put(row ledger.Row) error {
	if err := t.check(row.Table); err != nil {
		return err
	}
	if t.writer == nil {
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
	old, err := t.writer.recall(row.Table, row.ID)
	if err != nil {
		return err
	}
	t.wrote = true
	return t.writer.put(&row, old)
}

func (t *tx) Delete(table, id string) error {
	if err := t.check(table); err != nil {
		return err
	}
	if t.writer == nil {
		return fmt.Errorf("deleting from %s: this is a view", table)
	}
	t.wrote = true
	if err := t.writer.writeHeld(); err != nil {
		return err
	}
	t.writer.recent.drop(table, id)
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
	rows, err := t.find(q)
	if err != nil {
		return nil, t.failed("reading "+q.Table, err)
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
	if t.writer == nil {
		t.conn.broken = true
	}
	return unavailable(doing, err)
}
