package sqlite

import (
	"strconv"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"github.com/holdfast-go/holdfast/ledger"
)

// shape is all that the text of a statement depends on. There are few, so that
// they stay prepared.
type shape struct {
	verb                         string
	table                        string
	id                           bool
	words                        uint8 // a bit for each word that it names
	late, indexed                bool  // of rows of lateTable
	replace                      bool  // the row of that id, where it is there
	before, after, limit, newest bool
}

func (c *conn) shape(s shape, sql func(shape) string) (*sqlite3.Stmt, error) {
	if st := c.shaped[s]; st != nil {
		return st, nil
	}
	st, err := c.prepare(sql(s))
	if err == nil {
		c.shaped[s] = st
	}
	return st, err
}

func named(words [7]string) (set uint8) {
	for i, w := range words {
		if w != "" {
			set |= 1 << i
		}
	}
	return set
}

// names are those of the words in set.
func (s shape) names() []string {
	var list []string
	for i := range 7 {
		if s.words&(1<<i) != 0 {
			list = append(list, "w"+strconv.Itoa(i))
		}
	}
	return list
}

// finding binds the id and each word that are not empty, then the bounds and the limit.
func (c *conn) finding(q ledger.Query) (*sqlite3.Stmt, error) {
	return c.shape(shapeOf(q), findSQL)
}

func shapeOf(q ledger.Query) shape {
	return shape{
		verb: "SELECT", table: q.Table, id: q.ID != "", words: named(q.Words),
		before: q.Before > 0, after: q.After > 0, limit: q.Limit > 0, newest: q.Newest, indexed: hasLate(q.Table, q.Words),
	}
}

func findSQL(s shape) string {
	if s.ofTool() {
		return toolSQL(s)
	}
	var where []string
	if s.id {
		where = append(where, "id = ?")
	}
	for _, name := range s.names() {
		if s.table == "entries" && name == "w6" { // its index holds a part; + keeps SQLite from putting the word in its place
			at := "?" + strconv.Itoa(len(where)+1)
			where = append(where, "w6 IS NOT NULL AND substr(w6, 1, 12) = substr("+at+", 1, 12) AND +w6 = "+at)
			continue
		}
		where = append(where, name+" = ?")
	}
	if s.indexed {
		where = append(where, "late IS NULL")
	}
	if s.before {
		where = append(where, "seq < ?")
	}
	if s.after {
		where = append(where, "seq > ?")
	}
	sql := "SELECT " + columns + " FROM " + s.table
	if len(where) > 0 {
		sql += " WHERE " + strings.Join(where, " AND ")
	}
	sql += " ORDER BY seq"
	if s.newest {
		sql += " DESC"
	}
	if s.limit {
		sql += " LIMIT ?"
	}
	return sql
}

// inserting binds id and words that are not empty, then the body.
func (c *conn) inserting(row *ledger.Row, replace bool) (*sqlite3.Stmt, error) {
	return c.shape(shape{verb: "INSERT", table: row.Table, id: row.ID != "", words: named(row.Words), late: hasLate(row.Table, row.Words), replace: replace}, insertSQL)
}

func insertSQL(s shape) string {
	names := append(s.names(), "body")
	if s.id {
		names = append([]string{"id"}, names...)
	}
	values := strings.Repeat(", ?", len(names))[2:]
	if s.late {
		names, values = append(names, "late"), values+", 1"
	}
	sql := "INSERT INTO " + s.table + " (" + strings.Join(names, ", ") + ") VALUES (" + values + ")"
	if !s.replace {
		return sql
	}
	sql += " ON CONFLICT (id) WHERE id IS NOT NULL DO UPDATE SET w0 = excluded.w0, w1 = excluded.w1, w2 = excluded.w2," +
		" w3 = excluded.w3, w4 = excluded.w4, w5 = excluded.w5, w6 = excluded.w6, body = excluded.body"
	if s.table == lateTable {
		sql += ", late = excluded.late"
	}
	return sql
}

// changing binds the words that are not as they were, then body and seq. SQLite
// would touch the index of every word that is named, changed or not.
func (c *conn) changing(old, row *ledger.Row, was, is bool) (*sqlite3.Stmt, error) {
	s := shape{verb: "UPDATE", table: row.Table, late: is && !was, indexed: was && !is}
	for i, w := range row.Words {
		if w != old.Words[i] {
			s.words |= 1 << i
		}
	}
	return c.shape(s, changeSQL)
}

func changeSQL(s shape) string {
	var sql strings.Builder
	sql.WriteString("UPDATE " + s.table + " SET ")
	for _, name := range s.names() {
		sql.WriteString(name + " = ?, ")
	}
	if s.late {
		sql.WriteString("late = 1, ")
	}
	if s.indexed {
		sql.WriteString("late = NULL, ")
	}
	sql.WriteString("body = ? WHERE seq = ?")
	return sql.String()
}
