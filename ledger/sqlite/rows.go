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

// write writes one row.
func (c *conn) write(ch *change) (err error) {
	if ch.old != nil {
		err = c.change(ch)
	} else {
		err = c.insert(ch)
	}
	if err != nil {
		return unavailable("writing "+ch.row.Table, err)
	}
	return nil
}

// insert writes a row that is new, as far as we know.
func (c *conn) insert(ch *change) error {
	l, err := c.lateNow()
	if err != nil {
		return err
	}
	err = c.exec(ch, false)
	if errors.Is(err, sqlite3.CONSTRAINT_UNIQUE) { // it stands there already
		err = c.exec(ch, true)
	}
	if err != nil {
		return err
	}
	if row := ch.row; row.Table == lateTable {
		l.Set(ch.seq, row.Words, hasLate(row.Table, row.Words))
	}
	return c.putTool(ch.row, ch.seq)
}

// exec inserts a row, or puts it in the place of the one with its id.
func (c *conn) exec(ch *change, replace bool) error {
	row := ch.row
	st, err := c.inserting(row, replace)
	if err != nil {
		return err
	}
	b := binder{st: st}
	b.words(row.ID)
	b.words(row.Words[:]...)
	b.blob(ch.body)
	if err := b.exec(); err != nil {
		return err
	}
	ch.seq = c.db.LastInsertRowID()
	if replace {
		known, err := c.findIndexed(ledger.Query{Table: row.Table, ID: row.ID})
		if err != nil {
			return err
		}
		ch.seq = known[0].Seq
	}
	return nil
}

// change writes a row that we know.
func (c *conn) change(ch *change) error {
	old, row := ch.old, ch.row
	ch.seq = row.Seq
	l, err := c.lateNow()
	if err != nil {
		return err
	}
	was, is := false, false
	if row.Table == lateTable {
		was = l.Has(row.Seq)
		is = hasLate(row.Table, row.Words) && (was || !hasLate(old.Table, old.Words))
		l.Set(row.Seq, row.Words, is)
	}
	st, err := c.changing(old, row, was, is)
	if err != nil {
		return err
	}
	b := binder{st: st}
	for i, w := range row.Words {
		switch {
		case w == old.Words[i]:
		case w == "":
			b.null()
		default:
			b.words(w)
		}
	}
	b.blob(ch.body)
	b.number(row.Seq)
	if err := b.exec(); err != nil || row.Words[toolWord] == old.Words[toolWord] {
		return err
	}
	return c.putTool(row, row.Seq)
}

// binder binds one value after the other.
type binder struct {
	st  *sqlite3.Stmt
	n   int
	err error
}

func (b *binder) bound(err error) {
	if b.err == nil {
		b.err = err
	}
}

func (b *binder) next() int { b.n++; return b.n }

// words binds those that are not empty.
func (b *binder) words(list ...string) {
	for _, w := range list {
		if w != "" {
			b.bound(b.st.BindText(b.next(), w))
		}
	}
}

func (b *binder) null()          { b.bound(b.st.BindNull(b.next())) }
func (b *binder) number(n int64) { b.bound(b.st.BindInt64(b.next(), n)) }
func (b *binder) blob(v []byte)  { b.bound(b.st.BindBlob(b.next(), v)) }

// exec runs a statement without rows.
func (b *binder) exec() error {
	if b.err != nil {
		return b.err
	}
	return b.st.Exec()
}

// find lists the rows of q as the tables have them.
func (c *conn) find(q ledger.Query) ([]ledger.Row, error) {
	if !hasLate(q.Table, q.Words) {
		return c.findIndexed(q)
	}
	rows, err := c.findLate(q)
	if err != nil || c.late.NoneHas(q.Words) {
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
	if err != nil {
		return nil, err
	}
	b := binder{st: st}
	b.words(q.ID)
	b.words(q.Words[:]...)
	for _, bound := range []int64{q.Before, q.After, int64(q.Limit)} {
		if bound > 0 {
			b.number(bound)
		}
	}
	if b.err != nil {
		return nil, b.err
	}
	defer st.Reset()
	var rows []ledger.Row
	for st.Step() {
		rows = append(rows, rowOf(q.Table, st))
	}
	return rows, st.Err()
}

func matches(row *ledger.Row, q ledger.Query) bool {
	for i, w := range q.Words {
		if w != "" && w != row.Words[i] {
			return false
		}
	}
	return q.ID == "" || q.ID == row.ID
}
