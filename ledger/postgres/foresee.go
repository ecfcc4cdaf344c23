package postgres

import (
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-go/holdfast/ledger"
)

// foreseen are the answers to what updates said that they would read, asked in
// one exchange for all of them. An answer holds until a row is written that is
// in it, or would be.
type foreseen struct {
	answers map[ledger.Query][]ledger.Row
	written []ledger.Row // since; without bodies
}

// answer is the rows of q, if they are known.
func (f *foreseen) answer(q ledger.Query) ([]ledger.Row, bool) {
	rows, ok := f.answers[q]
	if !ok {
		return nil, false
	}
	for _, w := range f.written {
		if w.Table != q.Table {
			continue
		}
		in := func(r ledger.Row) bool { return r.Seq == w.Seq || w.ID != "" && r.ID == w.ID }
		if matches(w, q) || slices.ContainsFunc(rows, in) {
			return nil, false
		}
	}
	return rows, true
}

// matches asks whether a row may be among those of q.
func matches(row ledger.Row, q ledger.Query) bool {
	if q.ID != "" && q.ID != row.ID {
		return false
	}
	for i, w := range q.Words {
		if w != "" && w != row.Words[i] {
			return false
		}
	}
	return true
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
	if q.Before != 0 || q.After != 0 || q.Limit > 1 {
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
		add("w"+strconv.Itoa(i), w)
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
		" CROSS JOIN LATERAL (SELECT " + columns + " FROM " + s.table + " WHERE " + strings.Join(where, " AND ") + " ORDER BY seq"
	if s.newest {
		sql += " DESC"
	}
	if s.one {
		sql += " LIMIT 1"
	}
	return sql + ") r"
}

// foresee begins anew, and returns the questions to ask. The answers come with
// theirs.
func (f *foreseen) foresee(reads []any) []question {
	f.answers, f.written = map[ledger.Query][]ledger.Row{}, nil
	var (
		questions []question
		shapes    []shape
		asked     = map[shape][]ledger.Query{}
	)
	for _, r := range reads {
		queries, _ := r.([]ledger.Query)
		for _, q := range queries {
			if _, known := f.answers[q]; known || !slices.Contains(tableNames, q.Table) {
				continue
			}
			f.answers[q] = nil
			s, _, several := shapeOf(q)
			if !several {
				questions = append(questions, f.alone(q))
				continue
			}
			if asked[s] == nil {
				shapes = append(shapes, s)
			}
			asked[s] = append(asked[s], q)
		}
	}
	for _, s := range shapes {
		questions = append(questions, f.together(s, asked[s]))
	}
	return questions
}

func (f *foreseen) alone(q ledger.Query) question {
	sql, args := findSQL(q)
	return question{sql, args, func(rows pgx.Rows) error {
		for rows.Next() {
			row, err := scanRow(q.Table, rows)
			if err != nil {
				return err
			}
			f.answers[q] = append(f.answers[q], row)
		}
		return nil
	}}
}

func (f *foreseen) together(s shape, queries []ledger.Query) question {
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
			f.answers[q] = append(f.answers[q], row)
		}
		return nil
	}}
}
