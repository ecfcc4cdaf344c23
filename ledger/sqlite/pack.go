package sqlite

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ncruces/go-sqlite3"

	"github.com/holdfast-go/holdfast/ledger"
)

// Rows without id and words are found by their place alone, and never change. So
// those of one commit stand together in one row of the database, where they are
// many: its seq is that of the last, packed says how many they are, and in its
// body each has its length before it.
const (
	packTable = "events"
	minPacked = 8 // fewer stand by themselves, and are easier to read
	maxPacked = maxHeld
)

func packable(row *ledger.Row) bool {
	return row.Table == packTable && row.ID == "" && row.Words == [7]string{}
}

// writeTogether writes rows that are new and follow each other.
func (c *conn) writeTogether(rows []*change) error {
	for _, ch := range rows {
		if err := ch.make(); err != nil {
			return err
		}
	}
	if len(rows) < minPacked {
		for _, ch := range rows {
			if err := c.write(ch); err != nil {
				return err
			}
		}
		return nil
	}
	pack := c.pack[:0]
	for _, ch := range rows {
		pack = append(binary.AppendUvarint(pack, uint64(len(ch.body))), ch.body...)
	}
	c.pack = pack
	st, err := c.prepare("INSERT INTO " + packTable + " (seq, packed, body) VALUES ((SELECT coalesce(max(seq), 0) FROM " + packTable + ") + ?1, ?1, ?2)")
	if err == nil {
		err = errors.Join(st.BindInt(1, len(rows)), st.BindBlob(2, pack))
	}
	if err == nil {
		err = st.Exec()
	}
	if err != nil {
		return unavailable("writing "+packTable, err)
	}
	for i, last := range rows {
		last.seq = c.db.LastInsertRowID() - int64(len(rows)-1-i)
	}
	return nil
}

// findPacked lists rows by their place.
func (c *conn) findPacked(q ledger.Query) ([]ledger.Row, error) {
	sql := "SELECT " + columns + ", packed FROM " + packTable + " WHERE seq > ? AND seq < ? ORDER BY seq"
	if q.Newest {
		sql += " DESC"
	}
	st, err := c.prepare(sql)
	if err != nil {
		return nil, err
	}
	defer st.Reset()
	before := cmp.Or(q.Before, math.MaxInt64)
	if err := errors.Join(st.BindInt64(1, q.After), st.BindInt64(2, max(before, before+maxPacked))); err != nil {
		return nil, err
	}
	var rows []ledger.Row
	for st.Step() {
		some, err := unpack(st)
		if err != nil {
			return nil, err
		}
		if q.Newest {
			slices.Reverse(some)
		}
		for _, row := range some {
			if row.Seq > q.After && row.Seq < before {
				rows = append(rows, row)
			}
			if len(rows) == q.Limit && q.Limit > 0 {
				return rows, nil
			}
		}
	}
	return rows, st.Err()
}

// unpack is the rows of one row of the database.
func unpack(st *sqlite3.Stmt) ([]ledger.Row, error) {
	whole := rowOf(packTable, st)
	n := st.ColumnInt64(10)
	if n == 0 {
		return []ledger.Row{whole}, nil
	}
	var rows []ledger.Row
	body := whole.Body
	for seq := whole.Seq - n + 1; seq <= whole.Seq; seq++ {
		size, from := binary.Uvarint(body)
		if from <= 0 || size > uint64(len(body)-from) {
			return nil, fmt.Errorf("the rows of %s up to %d are damaged", packTable, whole.Seq)
		}
		to := from + int(size)
		rows = append(rows, ledger.Row{Table: packTable, Seq: seq, Body: body[from:to:to]})
		body = body[to:]
	}
	return rows, nil
}
