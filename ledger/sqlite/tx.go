package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
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
	seen   []ledger.Row // read or written here; without bodies
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
	body, err := row.Bytes()
	if err != nil {
		return err
	}
	t.wrote = true
	if old := t.recall(row); old != nil {
		err = t.change(old, row, body)
	} else {
		err = t.insert(row, body)
	}
	if err != nil {
		return t.failed("writing "+row.Table, err)
	}
	return nil
}

func (t *tx) insert(row ledger.Row, body []byte) error {
	sql := "INSERT INTO " + row.Table + " (id, w0, w1, w2, w3, w4, w5, w6, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
	if row.ID != "" {
		sql += " ON CONFLICT (id) WHERE id IS NOT NULL DO UPDATE SET w0 = excluded.w0, w1 = excluded.w1, w2 = excluded.w2," +
			" w3 = excluded.w3, w4 = excluded.w4, w5 = excluded.w5, w6 = excluded.w6, body = excluded.body"
	}
	st, err := t.conn.prepare(sql)
	if err == nil {
		err = bindRow(st, row, body)
	}
	if err == nil {
		err = st.Exec()
	}
	if err == nil && row.ID == "" {
		row.Seq, row.Body, row.Value = t.conn.db.LastInsertRowID(), body, nil
		t.conn.newest[row.Table] = row
	}
	return err
}

// change writes a row that this transaction has seen: SQLite would touch the
// index of every word that is named, changed or not.
func (t *tx) change(old *ledger.Row, row ledger.Row, body []byte) error {
	var sql strings.Builder
	sql.WriteString("UPDATE " + row.Table + " SET ")
	for i, w := range row.Words {
		if w != old.Words[i] {
			sql.WriteString("w" + strconv.Itoa(i) + " = ?, ")
		}
	}
	sql.WriteString("body = ? WHERE seq = ?")
	st, err := t.conn.prepare(sql.String())
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
	if body == nil {
		body = []byte{}
	}
	errs = append(errs, st.BindBlob(n+1, body), st.BindInt64(n+2, old.Seq))
	if err := errors.Join(errs...); err != nil {
		return err
	}
	old.Words = row.Words
	return st.Exec()
}

// remember keeps what is needed to change a row cheaply.
func (t *tx) remember(row ledger.Row) {
	if !t.writes || row.ID == "" {
		return
	}
	row.Body = nil
	if old := t.recall(row); old != nil {
		*old = row
		return
	}
	t.seen = append(t.seen, row)
}

func (t *tx) recall(row ledger.Row) *ledger.Row {
	if row.ID == "" {
		return nil
	}
	for i := range t.seen {
		if t.seen[i].ID == row.ID && t.seen[i].Table == row.Table {
			return &t.seen[i]
		}
	}
	return nil
}

func bindRow(st *sqlite3.Stmt, row ledger.Row, body []byte) error {
	errs := []error{bindWord(st, 1, row.ID)}
	for i, w := range row.Words {
		errs = append(errs, bindWord(st, 2+i, w))
	}
	if body == nil {
		body = []byte{}
	}
	return errors.Join(append(errs, st.BindBlob(9, body))...)
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
	t.seen = slices.DeleteFunc(t.seen, func(r ledger.Row) bool { return r.Table == table && r.ID == id })
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
	if row, ok := t.conn.newest[q.Table]; ok && t.writes && q == (ledger.Query{Table: q.Table, Newest: true, Limit: 1}) {
		return []ledger.Row{row}, nil
	}
	st, err := t.conn.prepare(findSQL(q))
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

// findSQL is one of few texts, so that the statements stay prepared.
func findSQL(q ledger.Query) string {
	var b strings.Builder
	b.WriteString("SELECT " + columns + " FROM " + q.Table)
	join := " WHERE "
	where := func(text string) {
		b.WriteString(join + text)
		join = " AND "
	}
	for i, w := range q.Words {
		if w != "" {
			where("w" + strconv.Itoa(i) + " = ?")
		}
	}
	if q.Before > 0 {
		where("seq < ?")
	}
	if q.After > 0 {
		where("seq > ?")
	}
	b.WriteString(" ORDER BY seq")
	if q.Newest {
		b.WriteString(" DESC")
	}
	if q.Limit > 0 {
		b.WriteString(" LIMIT ?")
	}
	return b.String()
}

func bindQuery(st *sqlite3.Stmt, q ledger.Query) error {
	var errs []error
	n := 0
	next := func() int { n++; return n }
	for _, w := range q.Words {
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
