package sqlite

import (
	"errors"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/holdfast-go/holdfast/ledger"
)

// tx is one transaction on one connection.
type tx struct {
	store  *Store
	conn   *conn
	writes bool
	wrote  bool
	ended  bool
}

var errEnded = errors.New("transaction has ended")

// tables are those of the migrations; a name that is not among them never
// becomes SQL.
var tables = map[string]bool{
	"runs": true, "turns": true, "rounds": true, "entries": true,
	"approvals": true, "events": true, "owners": true,
	"labels": true, "budgets": true, "rules": true,
}

const columns = "seq, id, w0, w1, w2, w3, w4, w5, w6, body"

// maxSeen bounds how many rows of one Find are remembered.
const maxSeen = 8

func (t *tx) Now() time.Time { return t.store.now().UTC().Round(0) }

func (t *tx) check(table string) error {
	if t.ended {
		return errEnded
	}
	if !tables[table] {
		return fmt.Errorf("there is no table %q", table)
	}
	return nil
}

func (t *tx) Get(table, id string) (ledger.Row, error) {
	if err := t.check(table); err != nil {
		return ledger.Row{}, err
	}
	if row, ok := t.recall(table, id); ok {
		return row, nil
	}
	st, err := t.conn.prepare("SELECT " + columns + " FROM " + table + " WHERE id = ?")
	if err != nil {
		return ledger.Row{}, t.failed("reading "+table, err)
	}
	defer st.Reset()
	if err := st.BindText(1, id); err != nil {
		return ledger.Row{}, t.failed("reading "+table, err)
	}
	if id != "" && st.Step() {
		row := rowOf(table, st)
		t.remember(row)
		return row, nil
	}
	if err := st.Err(); err != nil {
		return ledger.Row{}, t.failed("reading "+table, err)
	}
	return ledger.Row{}, fmt.Errorf("%s %q: %w", table, id, ledger.ErrNotFound)
}

func rowOf(table string, st *sqlite3.Stmt) ledger.Row {
	row := ledger.Row{Table: table, Seq: st.ColumnInt64(0), ID: st.ColumnText(1), Body: st.ColumnBlob(9, nil)}
	for i := range row.Words {
		row.Words[i] = st.ColumnText(2 + i)
	}
	return row
}

func (t *tx) Put(row ledger.Row) error {
	if err := t.check(row.Table); err != nil {
		return err
	}
	if !t.writes {
		return fmt.Errorf("writing %s: this is a view", row.Table)
	}
	var err error
	if row.Body, err = row.Bytes(); err != nil {
		return err
	}
	if row.Body == nil {
		row.Body = []byte{}
	}
	row.Value, t.wrote = nil, true
	if old, ok := t.recall(row.Table, row.ID); ok {
		row.Seq = old.Seq
		err = t.change(old, row)
	} else {
		row.Seq, err = t.insert(row)
	}
	if err != nil {
		return t.failed("writing "+row.Table, err)
	}
	if row.Seq != 0 {
		t.conn.recent.keep(row)
	}
	return nil
}

// insert writes a row that is new, as far as we know. It returns its Seq, or 0
// where it stood there already.
func (t *tx) insert(row ledger.Row) (int64, error) {
	st, err := t.conn.inserting(row)
	if err == nil {
		err = bindRow(st, row)
	}
	if err != nil {
		return 0, err
	}
	t.conn.db.SetLastInsertRowID(0)
	err = st.Exec()
	return t.conn.db.LastInsertRowID(), err
}

// change writes a row that we know.
func (t *tx) change(old, row ledger.Row) error {
	st, err := t.conn.changing(old, row)
	if err != nil {
		return err
	}
	var errs []error
	n := 0
	for i, w := range row.Words {
		if w != old.Words[i] {
			n++
			errs = append(errs, bindWord(st, n, w))
		}
	}
	errs = append(errs, st.BindBlob(n+1, row.Body), st.BindInt64(n+2, old.Seq))
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return st.Exec()
}

// remember keeps what need not be read again, and can be changed cheaply.
func (t *tx) remember(row ledger.Row) {
	if t.writes && row.ID != "" {
		t.conn.recent.keep(row)
	}
}

func (t *tx) recall(table, id string) (ledger.Row, bool) {
	if !t.writes || id == "" {
		return ledger.Row{}, false
	}
	return t.conn.recent.row(table, id)
}

// bindRow binds what is not empty, in the order of insertSQL.
func bindRow(st *sqlite3.Stmt, row ledger.Row) error {
	var errs []error
	n := 0
	for _, w := range append([]string{row.ID}, row.Words[:]...) {
		if w != "" {
			n++
			errs = append(errs, st.BindText(n, w))
		}
	}
	return errors.Join(append(errs, st.BindBlob(n+1, row.Body))...)
}

func bindWord(st *sqlite3.Stmt, i int, word string) error {
	if word == "" {
		return st.BindNull(i)
	}
	return st.BindText(i, word)
}

func (t *tx) Delete(table, id string) error {
	if err := t.check(table); err != nil {
		return err
	}
	if !t.writes {
		return fmt.Errorf("deleting from %s: this is a view", table)
	}
	t.wrote = true
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
	if row, ok := t.conn.recent.newest[q.Table]; ok && t.writes && q == (ledger.Query{Table: q.Table, Newest: true, Limit: 1}) {
		return []ledger.Row{row}, nil
	}
	st, err := t.conn.finding(q)
	if err == nil {
		err = bindQuery(st, q)
	}
	if err != nil {
		return nil, t.failed("reading "+q.Table, err)
	}
	defer st.Reset()
	var rows []ledger.Row
	for st.Step() {
		row := rowOf(q.Table, st)
		if len(rows) < maxSeen {
			t.remember(row)
		}
		rows = append(rows, row)
	}
	if err := st.Err(); err != nil {
		return nil, t.failed("reading "+q.Table, err)
	}
	return rows, nil
}

func bindQuery(st *sqlite3.Stmt, q ledger.Query) error {
	var errs []error
	n := 0
	next := func() int { n++; return n }
	for _, w := range append([]string{q.ID}, q.Words[:]...) {
		if w != "" {
			errs = append(errs, st.BindText(next(), w))
		}
	}
	for _, bound := range []int64{q.Before, q.After, int64(q.Limit)} {
		if bound > 0 {
			errs = append(errs, st.BindInt64(next(), bound))
		}
	}
	return errors.Join(errs...)
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
