package sqlite

import (
	"errors"
	"strconv"

	"github.com/holdfast-go/holdfast/ledger"
)

// Nearly every write is of few tools, and few ask for the entries of one. So the
// word of the tool has no index: a table tells in which blocks of entries, by their
// seq, a tool stands.
const (
	toolWord  = 2
	blockBits = 8
	maxTools  = 4096
)

// putTool notes where the tool of an entry stands, unless that was noted last.
func (c *conn) putTool(row *ledger.Row, seq int64) error {
	tool, block := row.Words[toolWord], seq>>blockBits
	if row.Table != lateTable || tool == "" {
		return nil
	}
	if last, known := c.tools[tool]; known && last == block {
		return nil
	}
	st, err := c.prepare("INSERT OR IGNORE INTO entry_tools VALUES (?, ?)")
	if err == nil {
		err = errors.Join(st.BindText(1, tool), st.BindInt64(2, block))
	}
	if err == nil {
		err = st.Exec()
	}
	if err != nil {
		return err
	}
	if len(c.tools) >= maxTools {
		clear(c.tools)
	}
	c.tools[tool] = block
	return nil
}

// ofTool reports whether rows are found by their tool alone.
func (s shape) ofTool() bool { return s.table == lateTable && s.words == 1<<toolWord && !s.id }

// toolSQL binds as findSQL does.
func toolSQL(s shape) string {
	sql := "SELECT " + columns + " FROM entry_tools CROSS JOIN entries WHERE tool = ?1 AND seq >= block << 8 AND seq < (block + 1) << 8 AND w2 = ?1"
	n := 1
	if s.before {
		n++
		at := "?" + strconv.Itoa(n)
		sql += " AND block <= " + at + " >> 8 AND seq < " + at
	}
	if s.after {
		n++
		at := "?" + strconv.Itoa(n)
		sql += " AND block >= " + at + " >> 8 AND seq > " + at
	}
	order := " ORDER BY block, seq"
	if s.newest {
		order = " ORDER BY block DESC, seq DESC"
	}
	sql += order
	if s.limit {
		sql += " LIMIT ?"
	}
	return sql
}
