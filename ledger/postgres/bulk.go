package postgres

import (
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/ledger"
)

// bulk is writes of one kind that go to the database as one statement. No row
// is in it, or in another bulk, twice, so that their order does not matter.
type bulk struct {
	sql    string
	seqs   []int64
	ids    []*string // of inserts
	words  [7][]*string
	bodies [][]byte
	named  []int // the words that the statement takes
	insert bool
}

// bulks are the writes that wait to be sent.
type bulks struct {
	list []*bulk
	by   map[string]*bulk
	rows map[rowName]bool // that are in them
}

type rowName struct {
	table, id string
	seq       int64 // of rows without an id
}

func nameOf(row ledger.Row) rowName {
	if row.ID != "" {
		return rowName{table: row.Table, id: row.ID}
	}
	return rowName{table: row.Table, seq: row.Seq}
}

func (b *bulks) forget() { *b = bulks{by: map[string]*bulk{}, rows: map[rowName]bool{}} }

func (b *bulks) of(sql string, insert bool, named []int) *bulk {
	one := b.by[sql]
	if one == nil {
		one = &bulk{sql: sql, insert: insert, named: named}
		b.by[sql], b.list = one, append(b.list, one)
	}
	return one
}

func (one *bulk) add(row ledger.Row) {
	one.seqs = append(one.seqs, row.Seq)
	one.bodies = append(one.bodies, row.Body)
	if one.insert {
		one.ids = append(one.ids, textOf(row.ID))
	}
	for _, i := range one.named {
		one.words[i] = append(one.words[i], textOf(row.Words[i]))
	}
}

func (one *bulk) args() []any {
	args := []any{one.seqs, one.bodies}
	if one.insert {
		args = append(args, one.ids)
	}
	for _, i := range one.named {
		args = append(args, one.words[i])
	}
	return args
}

// insert adds a row that is new, or takes the place of the one with its id.
func (b *bulks) insert(row ledger.Row) {
	b.of(insertSQL(row), true, []int{0, 1, 2, 3, 4, 5, 6}).add(row)
	b.rows[nameOf(row)] = true
}

func insertSQL(row ledger.Row) string {
	sql := "INSERT INTO " + row.Table + " (seq, body, id, w0, w1, w2, w3, w4, w5, w6) SELECT * FROM unnest($1::bigint[], $2::bytea[]," +
		" $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])"
	if row.ID != "" {
		sql += " ON CONFLICT (id) WHERE id IS NOT NULL DO UPDATE SET w0 = excluded.w0, w1 = excluded.w1, w2 = excluded.w2," +
			" w3 = excluded.w3, w4 = excluded.w4, w5 = excluded.w5, w6 = excluded.w6, body = excluded.body"
	}
	return sql
}

// change writes a row that we know, and only the words that are not as they were.
func (b *bulks) change(old, row ledger.Row) {
	var named []int
	for i, w := range row.Words {
		if w != old.Words[i] {
			named = append(named, i)
		}
	}
	b.of(changeSQL(row.Table, named), false, named).add(row)
	b.rows[nameOf(row)] = true
}

func changeSQL(table string, named []int) string {
	var set, arrays, names strings.Builder
	for n, i := range named {
		word := "w" + strconv.Itoa(i)
		set.WriteString(", " + word + " = k." + word)
		arrays.WriteString(", $" + strconv.Itoa(n+3) + "::text[]")
		names.WriteString(", " + word)
	}
	return "UPDATE " + table + " t SET body = k.body" + set.String() +
		" FROM unnest($1::bigint[], $2::bytea[]" + arrays.String() + ") AS k(seq, body" + names.String() + ") WHERE t.seq = k.seq"
}
