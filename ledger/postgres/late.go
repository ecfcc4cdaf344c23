package postgres

import (
	"cmp"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-go/holdfast/internal/late"
	"github.com/holdfast-go/holdfast/ledger"
)

// lateTable holds the rows whose words may be late: they stand in columns l3 to l5
// then, and later in i3 to i5, which are indexed.
const lateTable = "entries"

// lates is the list of those that are.
type lates struct {
	late.State
	saved late.List
}

// hasLate reports whether any of the words is one that may be late.
func hasLate(table string, words [7]string) bool { return table == lateTable && late.In(words) }

// standing is where a row has the words that may be late.
type standing int

const (
	nowhere  standing = iota // it has none, and had none
	leaves                   // it had some
	isLate                   // in the list
	isListed                 // in the indexes
)

// insert says where a row that is new has its words.
func (l *lates) insert(row ledger.Row) {
	if row.Table == lateTable {
		l.Set(row.Seq, row.Words, late.In(row.Words))
	}
}

// change says where a row is to have its words.
func (l *lates) change(old, row ledger.Row) standing {
	if row.Table != lateTable {
		return nowhere
	}
	was, had, has := l.Has(row.Seq), late.In(old.Words), late.In(row.Words)
	is := has && (was || !had)
	l.Set(row.Seq, row.Words, is)
	switch {
	case is:
		return isLate
	case has:
		return isListed
	case was || had:
		return leaves
	}
	return nowhere
}

// save and undo are of a savepoint.
func (l *lates) save() { l.saved = slices.Clone(l.List) }
func (l *lates) undo() { l.List = l.saved }

// question asks for the list.
func (l *lates) question() question {
	return question{listSQL, nil, func(rows pgx.Rows) error {
		*l = lates{}
		if !rows.Next() {
			return errNoAnswer(rows)
		}
		var body []byte
		var some [late.To]bool
		if err := rows.Scan(&body, &some[3], &some[4], &some[5]); err != nil {
			return err
		}
		l.Read(body)
		for i := late.From; i < late.To; i++ {
			l.None[i] = !some[i]
		}
		return nil
	}}
}

const listSQL = "SELECT (SELECT body FROM late WHERE number = 1), EXISTS (SELECT 1 FROM entries WHERE i3 IS NOT NULL)," +
	" EXISTS (SELECT 1 FROM entries WHERE i4 IS NOT NULL), EXISTS (SELECT 1 FROM entries WHERE i5 IS NOT NULL)"

// keepLate writes the list, where it has changed, and puts the oldest rows into the
// indexes where it is full.
func (w *writing) keepLate() {
	if !w.late.Changed {
		return
	}
	w.late.Changed = false
	if old := w.late.Trim(); len(old) > 0 {
		seqs := make([]int64, len(old))
		for i, r := range old {
			seqs[i] = r.Seq
		}
		w.queue("UPDATE entries SET i3 = l3, i4 = l4, i5 = l5, l3 = NULL, l4 = NULL, l5 = NULL WHERE seq = ANY ($1) AND "+whereLate, seqs)
	}
	w.queue("INSERT INTO late VALUES (1, $1) ON CONFLICT (number) DO UPDATE SET body = excluded.body", w.late.Bytes())
}

const whereLate = "(l3 IS NOT NULL OR l4 IS NOT NULL OR l5 IS NOT NULL)"

// withLate is rows, which are those of q in the indexes, with the others.
func (t *tx) withLate(q ledger.Query, rows []ledger.Row) ([]ledger.Row, error) {
	list, err := t.lateList()
	if err != nil {
		return nil, err
	}
	var seqs []int64
	sought := late.RowOf(0, q.Words)
	for _, r := range list {
		if r.May(sought, q.Words) {
			seqs = append(seqs, r.Seq)
		}
	}
	if len(seqs) == 0 {
		return rows, nil
	}
	all := slices.Clone(rows)
	err = t.ask(question{"SELECT " + columnsOf(lateTable) + " FROM entries WHERE seq = ANY ($1) AND " + whereLate, []any{seqs}, func(found pgx.Rows) error {
		for found.Next() {
			row, err := scanRow(lateTable, found)
			if err != nil {
				return err
			}
			if matches(row, q) {
				all = append(all, row)
			}
		}
		return nil
	}})
	return inOrder(all, q), err
}

// lateList is the list as it is in this transaction.
func (t *tx) lateList() (late.List, error) {
	if t.writes != nil {
		return t.writes.late.List, nil
	}
	if t.late == nil {
		l := &lates{}
		if err := t.ask(l.question()); err != nil {
			return nil, err
		}
		t.late = l
	}
	return t.late.List, nil
}

// matches asks whether a row is one of q.
func matches(row ledger.Row, q ledger.Query) bool {
	for i, w := range q.Words {
		if w != "" && w != row.Words[i] {
			return false
		}
	}
	return (q.ID == "" || q.ID == row.ID) && (q.Before <= 0 || row.Seq < q.Before) && row.Seq > q.After
}

func inOrder(rows []ledger.Row, q ledger.Query) []ledger.Row {
	slices.SortFunc(rows, func(a, b ledger.Row) int {
		if q.Newest {
			a, b = b, a
		}
		return cmp.Compare(a.Seq, b.Seq)
	})
	if q.Limit > 0 {
		rows = rows[:min(len(rows), q.Limit)]
	}
	return rows
}
