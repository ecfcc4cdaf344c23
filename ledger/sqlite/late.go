package sqlite

import (
	"errors"
	"fmt"
	"slices"

	"github.com/holdfast-go/holdfast/internal/late"
	"github.com/holdfast-go/holdfast/ledger"
)

// lateTable holds the rows whose words may be late.
const lateTable = "entries"

// lates is the list of those that are.
type lates struct {
	late.State
	known bool // it is as this transaction has it
}

// hasLate reports whether any of the words is one that may be late.
func hasLate(table string, words [7]string) bool { return table == lateTable && late.In(words) }

// clone is a list that does not change any more.
func (l *lates) clone() lates {
	return lates{late.State{List: slices.Clone(l.List), None: l.None}, l.known}
}

// lacks reports whether no row is one of q, which it can only tell where q has one
// of these words.
func (l *lates) lacks(q ledger.Query) bool {
	if !l.known || !hasLate(q.Table, q.Words) || !l.NoneHas(q.Words) {
		return false
	}
	sought := late.RowOf(0, q.Words)
	return !slices.ContainsFunc(l.List, func(r late.Row) bool { return mayBe(r, sought, q) })
}

// lateNow is the list as it is in this transaction.
func (c *conn) lateNow() (*lates, error) {
	if c.late.known {
		return &c.late, nil
	}
	st, err := c.prepare("SELECT body FROM late")
	if err != nil {
		return nil, err
	}
	defer st.Reset()
	c.late = lates{late.State{List: c.late.List[:0]}, true}
	if st.Step() {
		c.late.Read(st.ColumnRawBlob(0))
	}
	if err := st.Err(); err != nil {
		c.late.known = false
		return nil, err
	}
	for i := late.From; i < late.To; i++ {
		if c.late.None[i], err = c.noneIndexed(i); err != nil {
			c.late.known = false
			return nil, err
		}
	}
	return &c.late, nil
}

func (c *conn) noneIndexed(word int) (bool, error) {
	first, err := c.ask(fmt.Sprintf("SELECT 1 FROM %s WHERE w%d IS NOT NULL AND late IS NULL LIMIT 1", lateTable, word))
	return first == "", err
}

// keepLate writes the list, where it has changed, and lets the oldest rows into
// the indexes where it is full.
func (c *conn) keepLate() error {
	l := &c.late
	if !l.known || !l.Changed {
		return nil
	}
	if old := l.Trim(); len(old) > 0 {
		if err := c.letIn(old); err != nil {
			return err
		}
	}
	st, err := c.prepare("INSERT INTO late VALUES (1, ?) ON CONFLICT DO UPDATE SET body = excluded.body")
	if err == nil {
		err = st.BindBlob(1, l.Bytes())
	}
	if err == nil {
		err = st.Exec()
	}
	l.Changed = err != nil
	return err
}

func (c *conn) letIn(rows []late.Row) error {
	st, err := c.prepare("UPDATE " + lateTable + " SET late = NULL WHERE seq = ?")
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := errors.Join(st.BindInt64(1, r.Seq), st.Exec()); err != nil {
			return err
		}
	}
	return nil
}

// findLate lists the rows of q that are late, in any order.
func (c *conn) findLate(q ledger.Query) ([]ledger.Row, error) {
	l, err := c.lateNow()
	if err != nil {
		return nil, err
	}
	st, err := c.prepare("SELECT " + columns + " FROM " + lateTable + " WHERE seq = ? AND late IS NOT NULL")
	if err != nil {
		return nil, err
	}
	sought := late.RowOf(0, q.Words)
	var rows []ledger.Row
	for _, r := range l.List {
		if !mayBe(r, sought, q) {
			continue
		}
		err := st.BindInt64(1, r.Seq)
		if err == nil && st.Step() {
			if row := rowOf(lateTable, st); matches(&row, q) {
				rows = append(rows, row)
			}
		}
		if err := errors.Join(err, st.Err(), st.Reset()); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// mayBe reports whether a row may be one of q, whose words sought is of.
func mayBe(r, sought late.Row, q ledger.Query) bool {
	return r.May(sought, q.Words) && (q.Before == 0 || r.Seq < q.Before) && r.Seq > q.After
}
