package sqlite

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/holdfast-go/holdfast/ledger"
)

// Most entries get these words when they start, and lose them when they are
// settled. In an index each would be put in and taken out for nothing. So rows
// that are new are late: these words of theirs are in one list, which is written
// once a commit, and come into the indexes only if they stay for longer.
const (
	lateTable = "entries"
	lateFrom  = 3 // the first of the words
	lateTo    = 6
	maxLate   = 256
)

// late is that list, by seq. A row may be in it that was deleted.
type late struct {
	known   bool // the list is as this transaction has it
	changed bool // and not as the database has it
	list    []lateRow
	none    [lateTo]bool // no row stands in the index of that word
}

// lateRow holds a checksum of each word.
type lateRow struct {
	seq  int64
	sums [lateTo - lateFrom]uint32
}

const lateSize = 8 + 4*(lateTo-lateFrom)

func lateRowOf(seq int64, words [7]string) lateRow {
	r := lateRow{seq: seq}
	for i := range r.sums {
		r.sums[i] = sumOf(words[lateFrom+i])
	}
	return r
}

// sumOf is FNV-1a.
func sumOf(word string) uint32 {
	sum := uint32(2166136261)
	for i := range len(word) {
		sum = (sum ^ uint32(word[i])) * 16777619
	}
	return sum
}

// hasLate reports whether any of the words is one that may be late.
func hasLate(table string, words [7]string) bool {
	return table == lateTable && (words[3] != "" || words[4] != "" || words[5] != "")
}

func (l *late) at(seq int64) (int, bool) {
	return slices.BinarySearchFunc(l.list, seq, func(r lateRow, seq int64) int { return cmp.Compare(r.seq, seq) })
}

func (l *late) has(seq int64) bool {
	_, ok := l.at(seq)
	return ok
}

// set says of a row, as it is about to be, whether it is late.
func (l *late) set(row *ledger.Row, seq int64, is bool) {
	i, was := l.at(seq)
	switch {
	case is && was:
		l.list[i] = lateRowOf(seq, row.Words)
	case is:
		l.list = slices.Insert(l.list, i, lateRowOf(seq, row.Words))
	case was:
		l.list = slices.Delete(l.list, i, i+1)
	}
	if !is { // what it has of these words is in their indexes
		for i := lateFrom; i < lateTo; i++ {
			l.none[i] = l.none[i] && row.Words[i] == ""
		}
	}
	l.changed = l.changed || is || was
}

// clone is a list that does not change any more.
func (l *late) clone() late {
	return late{known: l.known, list: slices.Clone(l.list), none: l.none}
}

// noneHas reports whether no row in the indexes has all of these words.
func (l *late) noneHas(words [7]string) bool {
	for i := lateFrom; i < lateTo; i++ {
		if words[i] != "" && l.none[i] {
			return true
		}
	}
	return false
}

// lacks reports whether no row is one of q, which it can only tell where q has one
// of these words.
func (l *late) lacks(q ledger.Query) bool {
	if !l.known || !hasLate(q.Table, q.Words) || !l.noneHas(q.Words) {
		return false
	}
	sought := lateRowOf(0, q.Words)
	return !slices.ContainsFunc(l.list, func(r lateRow) bool { return r.mayBe(sought, q) })
}

// lateNow is the list as it is in this transaction.
func (c *conn) lateNow() (*late, error) {
	if c.late.known {
		return &c.late, nil
	}
	st, err := c.prepare("SELECT body FROM late")
	if err != nil {
		return nil, err
	}
	defer st.Reset()
	c.late = late{known: true, list: c.late.list[:0]}
	if st.Step() {
		for b := st.ColumnRawBlob(0); len(b) >= lateSize; b = b[lateSize:] {
			r := lateRow{seq: int64(binary.LittleEndian.Uint64(b))}
			for i := range r.sums {
				r.sums[i] = binary.LittleEndian.Uint32(b[8+4*i:])
			}
			c.late.list = append(c.late.list, r)
		}
	}
	if err := st.Err(); err != nil {
		c.late.known = false
		return nil, err
	}
	for i := lateFrom; i < lateTo; i++ {
		if c.late.none[i], err = c.noneIndexed(i); err != nil {
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
	if !l.known || !l.changed {
		return nil
	}
	if len(l.list) > maxLate {
		if err := c.letIn(l.list[:len(l.list)-maxLate/2]); err != nil {
			return err
		}
		l.list = slices.Delete(l.list, 0, len(l.list)-maxLate/2)
		l.none = [lateTo]bool{}
	}
	b := make([]byte, 0, lateSize*len(l.list))
	for _, r := range l.list {
		b = binary.LittleEndian.AppendUint64(b, uint64(r.seq))
		for _, sum := range r.sums {
			b = binary.LittleEndian.AppendUint32(b, sum)
		}
	}
	st, err := c.prepare("INSERT INTO late VALUES (1, ?) ON CONFLICT DO UPDATE SET body = excluded.body")
	if err == nil {
		err = st.BindBlob(1, b)
	}
	if err == nil {
		err = st.Exec()
	}
	l.changed = err != nil
	return err
}

func (c *conn) letIn(rows []lateRow) error {
	st, err := c.prepare("UPDATE " + lateTable + " SET late = NULL WHERE seq = ?")
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := errors.Join(st.BindInt64(1, r.seq), st.Exec()); err != nil {
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
	sought := lateRowOf(0, q.Words)
	var rows []ledger.Row
	for _, r := range l.list {
		if !r.mayBe(sought, q) {
			continue
		}
		err := st.BindInt64(1, r.seq)
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

// mayBe reports whether a row may be one of q, whose words have the checksums of
// sought.
func (r lateRow) mayBe(sought lateRow, q ledger.Query) bool {
	for i, sum := range r.sums {
		if q.Words[lateFrom+i] != "" && sum != sought.sums[i] {
			return false
		}
	}
	return (q.Before == 0 || r.seq < q.Before) && r.seq > q.After
}
