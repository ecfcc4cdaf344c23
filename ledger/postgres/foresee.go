package postgres

import (
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-go/holdfast/ledger"
)

// foreseen are the answers to what the updates of a transaction said that they
// would read, asked together. An answer holds until a row is written that is in it,
// or might be.
type foreseen struct {
	answers map[ledger.Query]*answers
	written map[trait]struct{} // of the rows written by this transaction
}

// answers are those of one exchange, by then.
type answers struct {
	rows map[ledger.Query][]ledger.Row
	in   *exchange // nil: it is done
}

// trait is something that a query asks for and a row has: a word, an id, or the
// table alone.
type trait struct {
	table string
	kind  int
	text  string
}

const (
	isOfTable = -1
	hasID     = -2
)

func (f *foreseen) forget() {
	*f = foreseen{answers: map[ledger.Query]*answers{}, written: map[trait]struct{}{}}
}

// note takes down a row that is written.
func (f *foreseen) note(row ledger.Row) {
	f.written[trait{row.Table, isOfTable, ""}] = struct{}{}
	if row.ID != "" {
		f.written[trait{row.Table, hasID, row.ID}] = struct{}{}
	}
	for i, w := range row.Words {
		if w != "" {
			f.written[trait{row.Table, i, w}] = struct{}{}
		}
	}
}

// answer is the rows of q, if they are known.
func (f *foreseen) answer(q ledger.Query) (rows []ledger.Row, ok bool, err error) {
	a := f.answers[q]
	if a == nil || f.touches(q) {
		return nil, false, nil
	}
	if a.in != nil {
		if err := a.in.wait(); err != nil {
			return nil, false, err
		}
	}
	for _, r := range a.rows[q] {
		if f.has(r.Table, hasID, r.ID) {
			return nil, false, nil
		}
	}
	return a.rows[q], true, nil
}

// touches reports whether a row was written that may be one of q.
func (f *foreseen) touches(q ledger.Query) bool {
	if q.ID != "" {
		return f.has(q.Table, hasID, q.ID)
	}
	for i, w := range q.Words {
		if w != "" && !f.has(q.Table, i, w) {
			return false
		}
	}
	return f.has(q.Table, isOfTable, "")
}

func (f *foreseen) has(table string, kind int, text string) bool {
	_, ok := f.written[trait{table, kind, text}]
	return ok
}

// shape is what queries have in common that are asked by one statement.
type shape struct {
	table  string
	names  string // of the columns that must be equal, in order
	newest bool
	one    bool
}

// shapeOf is the shape of a query and the words that it looks for; ok is false
// for one that is asked alone.
func shapeOf(q ledger.Query) (s shape, words []*string, ok bool) {
	if q.Before != 0 || q.After != 0 || q.Limit > 1 || ofTool(q) {
		return s, nil, false
	}
	var names []string
	add := func(name, word string) {
		if word != "" {
			names, words = append(names, name), append(words, textOf(word))
		}
	}
	add("id", q.ID)
	for i, w := range q.Words {
		add(indexed(q.Table, i), w)
	}
	return shape{q.Table, strings.Join(names, " "), q.Newest, q.Limit == 1}, words, len(names) > 0
}

// sql asks for the rows of several queries of that shape, each with the number of
// its query.
func (s shape) sql() string {
	var arrays, names, where []string
	for i, name := range strings.Fields(s.names) {
		n := strconv.Itoa(i + 1)
		arrays, names = append(arrays, "$"+n+"::text[]"), append(names, "k"+n)
		where = append(where, name+` = k.k`+n+` COLLATE "C"`)
	}
	sql := "SELECT k.n, r.* FROM unnest(" + strings.Join(arrays, ", ") + ") WITH ORDINALITY AS k(" + strings.Join(names, ", ") + ", n)" +
		" CROSS JOIN LATERAL (SELECT " + columnsOf(s.table) + " FROM " + s.table + " WHERE " + strings.Join(where, " AND ") + " ORDER BY seq"
	if s.newest {
		sql += " DESC"
	}
	if s.one {
		sql += " LIMIT 1"
	}
	return sql + ") r"
}

// foresee returns the questions to ask about what is not known, and where their
// answers will be.
func (f *foreseen) foresee(reads []any, known *known) ([]question, *answers) {
	var (
		questions []question
		shapes    []shape
		a         = &answers{rows: map[ledger.Query][]ledger.Row{}}
		asked     = map[shape][]ledger.Query{}
	)
	for _, r := range reads {
		queries, _ := r.([]ledger.Query)
		for _, q := range queries {
			if f.answers[q] != nil || !slices.Contains(tableNames, q.Table) {
				continue
			}
			if _, ok := known.answer(q); ok {
				continue
			}
			f.answers[q] = a
			s, _, several := shapeOf(q)
			if !several {
				questions = append(questions, a.alone(q))
				continue
			}
			if asked[s] == nil {
				shapes = append(shapes, s)
			}
			asked[s] = append(asked[s], q)
		}
	}
	for _, s := range shapes {
		questions = append(questions, a.together(s, asked[s]))
	}
	return questions, a
}

func (a *answers) alone(q ledger.Query) question {
	sql, args := findSQL(q)
	return question{sql, args, func(rows pgx.Rows) error {
		for rows.Next() {
			row, err := scanRow(q.Table, rows)
			if err != nil {
				return err
			}
			a.rows[q] = append(a.rows[q], row)
		}
		return nil
	}}
}

func (a *answers) together(s shape, queries []ledger.Query) question {
	arrays := make([][]*string, len(strings.Fields(s.names)))
	for _, q := range queries {
		_, words, _ := shapeOf(q)
		for i, w := range words {
			arrays[i] = append(arrays[i], w)
		}
	}
	args := make([]any, len(arrays))
	for i := range arrays {
		args[i] = arrays[i]
	}
	return question{s.sql(), args, func(rows pgx.Rows) error {
		for rows.Next() {
			var n int64
			row, err := scanRow(s.table, rows, &n)
			if err != nil {
				return err
			}
			q := queries[n-1]
			a.rows[q] = append(a.rows[q], row)
		}
		return nil
	}}
}
