package postgres

import (
	"encoding"
	"fmt"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/internal/late"
	"github.com/holdfast-go/holdfast/ledger"
)

// bulk is writes of one kind that go to the database as one statement. No row
// is in it, or in another bulk, twice, so that their order does not matter.
type bulk struct {
	sql    string
	seqs   []int64
	ids    []*string // of inserts
	words  [7][]*string
	bodies []body
	named  []int // the words that the statement takes
	insert bool
}

// body is what a row's is encoded from when it is sent.
type body struct {
	text  []byte
	value encoding.BinaryAppender
}

func (b body) bytes() ([]byte, error) {
	text, err := ledger.Row{Body: b.text, Value: b.value}.Bytes()
	if err != nil {
		return nil, fmt.Errorf("making the body of a row: %w", err)
	}
	if text == nil {
		text = []byte{}
	}
	return text, nil
}

// bulks are the writes that wait to be sent.
type bulks struct {
	list []*bulk
	by   map[string]*bulk
	rows map[rowName]bool // that are in them
	size int              // how many
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
	one.bodies = append(one.bodies, body{row.Body, row.Value})
	if one.insert {
		one.ids = append(one.ids, textOf(row.ID))
	}
	for _, i := range one.named {
		one.words[i] = append(one.words[i], textOf(row.Words[i]))
	}
}

func (one *bulk) args() ([]any, error) {
	bodies := make([][]byte, len(one.bodies))
	for i, b := range one.bodies {
		text, err := b.bytes()
		if err != nil {
			return nil, err
		}
		bodies[i] = text
	}
	args := []any{one.seqs, bodies}
	if one.insert {
		args = append(args, one.ids)
	}
	for _, i := range one.named {
		args = append(args, one.words[i])
	}
	return args, nil
}

// insert adds a row that is new, or takes the place of the one with its id. Of a
// call it is believed, where beside says so, that it is new.
func (b *bulks) insert(row ledger.Row, beside bool) {
	b.of(insertSQL(row, beside && row.Table == lateTable), true, []int{0, 1, 2, 3, 4, 5, 6}).add(row)
	b.note(row)
}

func (b *bulks) note(row ledger.Row) {
	b.rows[nameOf(row)] = true
	b.size++
}

func insertSQL(row ledger.Row, isNew bool) string {
	isLate := row.Table == lateTable
	columns := "w0, w1, w2, w3, w4, w5, w6"
	if isLate {
		columns = "w0, w1, w2, l3, l4, l5, w6"
	}
	sql := "INSERT INTO " + row.Table + " (seq, body, id, " + columns + ") SELECT * FROM unnest($1::bigint[], $2::bytea[]," +
		" $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])"
	if row.ID == "" || isNew {
		return sql
	}
	sql += " ON CONFLICT (id) WHERE id IS NOT NULL DO UPDATE SET body = excluded.body, w0 = excluded.w0, w1 = excluded.w1, w2 = excluded.w2, w6 = excluded.w6, "
	if !isLate {
		return sql + "w3 = excluded.w3, w4 = excluded.w4, w5 = excluded.w5"
	}
	// The row that is there has another place than ours, by which it is not late.
	return "WITH put AS (" + sql + "i3 = excluded.l3, i4 = excluded.l4, i5 = excluded.l5, l3 = NULL, l4 = NULL, l5 = NULL RETURNING w2, seq)" +
		" INSERT INTO entry_tools SELECT DISTINCT w2, seq >> 8 FROM put WHERE w2 IS NOT NULL ON CONFLICT DO NOTHING"
}

// change writes a row that we know, and only the words that are not as they were.
func (b *bulks) change(old, row ledger.Row, has standing) {
	var named []int
	for i, w := range row.Words {
		mayBeLate := row.Table == lateTable && late.From <= i && i < late.To
		if mayBeLate && (has == isLate || has == isListed) || !mayBeLate && w != old.Words[i] {
			named = append(named, i)
		}
	}
	b.of(changeSQL(row.Table, named, has), false, named).add(row)
	b.note(row)
}

func changeSQL(table string, named []int, has standing) string {
	var set, arrays, names strings.Builder
	for n, i := range named {
		word := "w" + strconv.Itoa(i)
		if table != lateTable || i < late.From || late.To <= i {
			set.WriteString(", " + word + " = k." + word)
		}
		arrays.WriteString(", $" + strconv.Itoa(n+3) + "::text[]")
		names.WriteString(", " + word)
	}
	switch has {
	case isLate:
		set.WriteString(", i3 = NULL, i4 = NULL, i5 = NULL, l3 = k.w3, l4 = k.w4, l5 = k.w5")
	case isListed:
		set.WriteString(", i3 = k.w3, i4 = k.w4, i5 = k.w5, l3 = NULL, l4 = NULL, l5 = NULL")
	case leaves:
		set.WriteString(", i3 = NULL, i4 = NULL, i5 = NULL, l3 = NULL, l4 = NULL, l5 = NULL")
	case nowhere:
	}
	return "UPDATE " + table + " t SET body = k.body" + set.String() +
		" FROM unnest($1::bigint[], $2::bytea[]" + arrays.String() + ") AS k(seq, body" + names.String() + ") WHERE t.seq = k.seq"
}
