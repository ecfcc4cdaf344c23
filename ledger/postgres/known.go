package postgres

import (
	"crypto/rand"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-go/holdfast/internal/late"
	"github.com/holdfast-go/holdfast/ledger"
)

// known is what the session that writes remembers of the tables from one of its
// transactions to the next. All of it is as the transaction has it, and holds for
// the next one if that finds that no other session has written in between.
type known struct {
	me      string                // this session, as the table writer names it
	sure    bool                  // the rest is as it was when this session last wrote
	mine    bool                  // the table writer names it
	stamp   string                // of the row that names it; "": it was not yet seen
	ends    map[string]int64      // the newest Seq of each table
	newest  map[string]ledger.Row // of rows without an id, where they were written by this session
	late    lates
	running map[string]ledger.Row // entries of the list that were written by this session, by id
	tools   map[string]int64      // the block in which a tool was noted last
}

func newKnown() known { return known{me: rand.Text()} }

// forget is for when another has written, or what was written was taken back.
func (k *known) forget() {
	*k = known{
		me: k.me, ends: map[string]int64{}, newest: map[string]ledger.Row{},
		running: map[string]ledger.Row{}, tools: map[string]int64{},
	}
}

// put remembers a row as it is now.
func (k *known) put(row ledger.Row) {
	if row.ID == "" {
		k.newest[row.Table] = row
		return
	}
	delete(k.newest, row.Table) // it may be this one now
	switch {
	case hasLate(row.Table, row.Words):
		if len(k.running) >= 2*late.Max {
			clear(k.running)
		}
		k.running[row.ID] = row
	case row.Table == lateTable:
		delete(k.running, row.ID)
	}
}

// drop is for a row that is deleted.
func (k *known) drop(table, id string) {
	if table == lateTable {
		delete(k.running, id)
	}
}

// answer is the rows of q, or those that stand in the indexes, where they are known
// without asking.
func (k *known) answer(q ledger.Query) ([]ledger.Row, bool) {
	if row, ok := k.newest[q.Table]; ok && q == (ledger.Query{Table: q.Table, Newest: true, Limit: 1}) {
		return []ledger.Row{row}, true
	}
	if row, ok := k.running[q.ID]; ok && q == (ledger.Query{Table: lateTable, ID: q.ID}) {
		return []ledger.Row{row}, true
	}
	return nil, hasLate(q.Table, q.Words) && k.late.NoneHas(q.Words)
}

// whoWrote asks who has written last, and for the time. A row that was put back, as
// by a restored dump, names this session, too, and has another stamp.
func (k *known) whoWrote(now *time.Time) question {
	k.mine = false
	return question{whoSQL, nil, func(rows pgx.Rows) error {
		var session, stamp *string
		if !rows.Next() {
			return errNoAnswer(rows)
		}
		if err := rows.Scan(now, &session, &stamp); err != nil || session == nil || stamp == nil {
			return err
		}
		k.mine = *session == k.me && (k.stamp == "" || k.stamp == *stamp)
		k.stamp = *stamp
		return nil
	}}
}

const whoSQL = "SELECT clock_timestamp(), w.session, w.tableoid::text || ' ' || w.xmin::text" +
	" FROM (SELECT 1) AS one LEFT JOIN writer w ON w.number = 1"

// whereTablesEnd asks for the newest Seq of each table.
func (k *known) whereTablesEnd() question {
	ends := make([]int64, len(tableNames))
	into := make([]any, len(ends))
	for i := range ends {
		into[i] = &ends[i]
	}
	return question{endsSQL, nil, func(rows pgx.Rows) error {
		if !rows.Next() {
			return errNoAnswer(rows)
		}
		err := rows.Scan(into...)
		for i, table := range tableNames {
			k.ends[table] = ends[i]
		}
		return err
	}}
}

var endsSQL = func() string {
	sql, comma := "SELECT ", ""
	for _, table := range tableNames {
		sql, comma = sql+comma+"(SELECT coalesce(max(seq), 0) FROM "+table+")", ", "
	}
	return sql
}()

// say names this session as the one that has written last.
func (w *writing) say() {
	if w.dirty && !w.mine {
		w.mine, w.stamp = true, ""
		w.queue("INSERT INTO writer VALUES (1, $1) ON CONFLICT (number) DO UPDATE SET session = excluded.session", w.me)
	}
}
