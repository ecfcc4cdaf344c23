package postgres

import (
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
func (w *writing) putTool(row ledger.Row) {
	tool, block := row.Words[toolWord], row.Seq>>blockBits
	if row.Table != lateTable || tool == "" {
		return
	}
	if last, known := w.tools[tool]; known && last == block {
		return
	}
	w.queue("INSERT INTO entry_tools VALUES ($1, $2) ON CONFLICT DO NOTHING", textOf(tool), block)
	if len(w.tools) >= maxTools {
		clear(w.tools)
	}
	w.tools[tool] = block
}

// ofTool reports whether the rows of q are found by their tool alone.
func ofTool(q ledger.Query) bool {
	return q.Table == lateTable && q.ID == "" && q.Words == [7]string{toolWord: q.Words[toolWord]} && q.Words[toolWord] != ""
}

// toolSQL asks for the rows of a query that is ofTool.
func toolSQL(q ledger.Query) (string, []any) {
	args := []any{textOf(q.Words[toolWord])}
	blocks, rows := "k.tool = $1", "seq >= k.block << 8 AND seq < (k.block + 1) << 8 AND w2 = $1"
	bound := func(sign string, seq int64) {
		args = append(args, seq)
		at := "$" + strconv.Itoa(len(args)) + "::bigint"
		blocks += " AND k.block " + sign + "= " + at + " >> 8"
		rows += " AND seq " + sign + " " + at
	}
	if q.Before > 0 {
		bound("<", q.Before)
	}
	if q.After > 0 {
		bound(">", q.After)
	}
	order := ""
	if q.Newest {
		order = " DESC"
	}
	sql := "SELECT r.* FROM entry_tools k CROSS JOIN LATERAL (SELECT " + columnsOf(lateTable) + " FROM entries WHERE " + rows +
		" ORDER BY seq" + order + ") r WHERE " + blocks + " ORDER BY k.block" + order + ", r.seq" + order
	if q.Limit > 0 {
		args = append(args, int64(q.Limit))
		sql += " LIMIT $" + strconv.Itoa(len(args))
	}
	return sql, args
}
