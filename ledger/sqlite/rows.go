package sqlite

import (
	"cmp"
	"errors"
	"slices"

	"github.com/ncruces/go-sqlite3"

	"github.com/holdfast-go/holdfast/ledger"
)

const columns = "seq, id, w0, w1, w2, w3, w4, w5, w6, body"

func rowOf(table string, st *sqlite3.Stmt) ledger.Row {
	row := ledger.Row{Table: table, Seq: st.ColumnInt64(0), ID: st.ColumnText(1), Body: st.ColumnBlob(9, nil)}
	for i := range row.Words {
		row.Words[i] = st.ColumnText(2 + i)
	}
	return row
}

// write writes one row, which has its Seq then.
func (c *conn) write(ch change) (err error) {
	row := ch.row
	if ch.old != nil {
		err = c.change(ch.old, row)
	} else {
		err = c.insert(row)
	}
	if err != nil {
		return unavailable("writing "+row.Table, err)
	}
	c.recent.keep(row)
	return nil
}

// insert writes a row that is new, as far as we know.
func (c *conn) insert(row *ledger.Row) error {
	l, err := c.lateNow()
	if err != nil {
		return err
	}
	st, err := c.inserting(row)
	if err == nil {
		err = bindRow(st, row)
	}
	if err != nil {
		return err
	}
	c.db.SetLastInsertRowID(0)
	if err := st.Exec(); err != nil {
		return err
	}
	if row.Seq = c.db.LastInsertRowID(); row.Seq == 0 { // it stood there already
		known, err := c.findIndexed(ledger.Query{Table: row.Table, ID: row.ID})
		if err != nil {
			return err
		}
		row.Seq = known[0].Seq
	}
	if row.Table == lateTable {
		l.set(row, hasLate(row.Table, row.Words))
	}
	return nil
}

// change writes a row that we know.
func (c *conn) change(old, row *ledger.Row) error {
	l, err := c.lateNow()
	if err != nil {
		return err
	}
	was, is := false, false
	if row.Table == lateTable {
		was = l.has(row.Seq)
		is = hasLate(row.Table, row.Words) && (was || !hasLate(old.Table, old.Words))
		l.set(row, is)
	}
	st, err := c.changing(old, row, was, is)
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
	errs = append(errs, st.BindBlob(n+1, row.Body), st.BindInt64(n+2, row.Seq))
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return st.Exec()
}

// bindRow binds what is not empty, in the order of insertSQL.
func bindRow(st *sqlite3.Stmt, row *ledger.Row) error {
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

// find lists the rows of q as the tables have them.
func (c *conn) find(q ledger.Query) ([]ledger.Row, error) {
	if !hasLate(q.Table, q.Words) {
		return c.findIndexed(q)
	}
	rows, err := c.findLate(q)
	if err != nil || c.late.noneHas(q.Words) {
		return inOrder(rows, q), err
	}
	more, err := c.findIndexed(q)
	if err != nil || len(rows) == 0 {
		return more, err
	}
	return inOrder(append(rows, more...), q), nil
}

func inOrder(rows []ledger.Row, q ledger.Query) []ledger.Row {
	slices.SortFunc(rows, func(a, b ledger.Row) int {
		if q.Newest {
			a, b = b, a
		}
		return cmp.Compare(a.Seq, b.Seq)
	})
	if q.Limit > 0 {
		rows = rows[:min(len(rows), q.Limit)]
	}
	return rows
}

func (c *conn) findIndexed(q ledger.Query) ([]ledger.Row, error) {
	if q.Table == packTable && q.ID == "" && q.Words == [7]string{} {
		return c.findPacked(q)
	}
	st, err := c.finding(q)
	if err == nil {
		err = bindQuery(st, q)
	}
	if err != nil {
		return nil, err
	}
	defer st.Reset()
	var rows []ledger.Row
	for st.Step() {
		rows = append(rows, rowOf(q.Table, st))
	}
	return rows, st.Err()
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

func matches(row *ledger.Row, q ledger.Query) bool {
	for i, w := range q.Words {
		if w != "" && w != row.Words[i] {
			return false
		}
	}
	return q.ID == "" || q.ID == row.ID
}
