package postgres

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-go/holdfast/internal/late"
	"github.com/holdfast-go/holdfast/ledger"
)

// tx is one transaction, or one update's part of it.
type tx struct {
	store   *Store
	session *session
	writes  *writing // nil: a view
	late    *lates   // of a view, once it was asked for
	wrote   bool
	ended   bool
	broken  error // the database has ended the transaction
	later   []preparer
	seen    []ledger.Row // read or written here; without bodies
}

var errEnded = errors.New("transaction has ended")

// tableNames are those of the migrations; a name that is not among them never
// becomes SQL.
var tableNames = []string{"runs", "turns", "rounds", "entries", "approvals", "events", "owners", "labels", "budgets", "rules"}

// columnsOf are those that scanRow reads.
func columnsOf(table string) string {
	if table == lateTable {
		return "seq, id, w0, w1, w2, coalesce(i3, l3) AS w3, coalesce(i4, l4) AS w4, coalesce(i5, l5) AS w5, w6, body"
	}
	return "seq, id, w0, w1, w2, w3, w4, w5, w6, body"
}

// indexed is the column in which an index finds a word.
func indexed(table string, word int) string {
	kind := "w"
	if table == lateTable && late.From <= word && word < late.To {
		kind = "i"
	}
	return kind + strconv.Itoa(word)
}

// maxSeen bounds how many rows of one Find are remembered.
const maxSeen = 256

func (t *tx) Now() time.Time {
	if now := t.store.now.Load(); now != nil {
		return (*now)().UTC().Round(0)
	}
	return t.session.now.UTC().Round(0)
}

func (t *tx) check(table string) error {
	if t.ended {
		return errEnded
	}
	if !slices.Contains(tableNames, table) {
		return fmt.Errorf("there is no table %q", table)
	}
	return nil
}

func (t *tx) mayWrite(table string) error {
	if err := t.check(table); err != nil {
		return err
	}
	if t.writes == nil {
		return fmt.Errorf("writing %s: this is a view", table)
	}
	return nil
}

func (t *tx) Get(table, id string) (ledger.Row, error) {
	if err := t.check(table); err != nil {
		return ledger.Row{}, err
	}
	if id != "" {
		rows, err := t.Find(ledger.Query{Table: table, ID: id})
		if err != nil {
			return ledger.Row{}, err
		}
		if len(rows) > 0 {
			return rows[0], nil
		}
	}
	return ledger.Row{}, fmt.Errorf("%s %q: %w", table, id, ledger.ErrNotFound)
}

func (t *tx) Find(q ledger.Query) ([]ledger.Row, error) {
	if err := t.check(q.Table); err != nil {
		return nil, err
	}
	list, err := t.rows(q)
	if err != nil {
		return nil, err
	}
	for _, row := range list[:min(len(list), maxSeen)] {
		t.remember(row)
	}
	return list, nil
}

// findSQL is one of few texts, so that the statements stay prepared.
func findSQL(q ledger.Query) (string, []any) {
	if ofTool(q) {
		return toolSQL(q)
	}
	var b strings.Builder
	var args []any
	b.WriteString("SELECT " + columnsOf(q.Table) + " FROM " + q.Table)
	join := " WHERE "
	where := func(text string, arg any) {
		args = append(args, arg)
		b.WriteString(join + text + " $" + strconv.Itoa(len(args)))
		join = " AND "
	}
	if q.ID != "" {
		where("id =", textOf(q.ID))
	}
	for i, w := range q.Words {
		if w != "" {
			where(indexed(q.Table, i)+" =", textOf(w))
		}
	}
	if q.Before > 0 {
		where("seq <", q.Before)
	}
	if q.After > 0 {
		where("seq >", q.After)
	}
	b.WriteString(" ORDER BY seq")
	if q.Newest {
		b.WriteString(" DESC")
	}
	if q.Limit > 0 {
		args = append(args, int64(q.Limit))
		b.WriteString(" LIMIT $" + strconv.Itoa(len(args)))
	}
	return b.String(), args
}

// rows are those of q, as they were foreseen or as they are now.
func (t *tx) rows(q ledger.Query) (list []ledger.Row, err error) {
	known := false
	if w := t.writes; w != nil {
		if w.beside {
			list, known = w.known.answer(q)
		}
		if !known {
			list, known, err = w.ahead.answer(q)
		}
	}
	if !known && err == nil {
		list, err = t.indexed(q)
	}
	if err == nil && hasLate(q.Table, q.Words) {
		list, err = t.withLate(q, list)
	}
	if err != nil {
		return nil, t.failed("reading "+q.Table, err)
	}
	return list, nil
}

// indexed are the rows of q that are found by an index.
func (t *tx) indexed(q ledger.Query) (list []ledger.Row, err error) {
	sql, args := findSQL(q)
	err = t.ask(question{sql, args, func(rows pgx.Rows) error {
		for rows.Next() {
			row, err := scanRow(q.Table, rows)
			if err != nil {
				return err
			}
			list = append(list, row)
		}
		return nil
	}})
	return list, err
}

func (t *tx) ask(q question) error {
	if t.writes != nil {
		return t.writes.ask(q)
	}
	return t.session.ask(q)
}

// scanRow reads a row, after what stands before it.
func scanRow(table string, rows pgx.Rows, before ...any) (ledger.Row, error) {
	row := ledger.Row{Table: table}
	var words [8]*string
	into := append(before, &row.Seq)
	for i := range words {
		into = append(into, &words[i])
	}
	if err := rows.Scan(append(into, &row.Body)...); err != nil {
		return row, err
	}
	row.ID = wordOf(words[0])
	for i := range row.Words {
		row.Words[i] = wordOf(words[i+1])
	}
	return row, nil
}

func (t *tx) Put(row ledger.Row) error {
	if err := t.mayWrite(row.Table); err != nil {
		return err
	}
	w, old := t.writes, t.recall(row)
	if err := fit(row, old); err != nil {
		return err
	}
	if p, ok := row.Value.(preparer); ok && w.beside {
		t.later = append(t.later, p)
	} else {
		var err error
		if row.Body, err = row.Bytes(); err != nil {
			return err
		}
		row.Value = nil
	}
	if err := w.before(row); err != nil {
		return t.failed("writing "+row.Table, err)
	}
	t.wrote, w.dirty = true, true
	if old != nil {
		row.Seq = old.Seq
		w.bulks.change(*old, row, w.late.change(*old, row))
		if old.Words[toolWord] != row.Words[toolWord] {
			w.putTool(row)
		}
		old.Words = row.Words
	} else {
		w.ends[row.Table]++
		row.Seq = w.ends[row.Table]
		w.late.insert(row)
		w.bulks.insert(row, w.beside)
		w.putTool(row)
	}
	w.known.put(row)
	return nil
}

// maxWord bounds a word, as it is kept: an index holds two of that length together.
const maxWord = 1300

// fit refuses a row with words that no index holds, which would fail all that are
// written together with it; of a word that is late, long after it was put. Those that
// the row had before have their place.
func fit(row ledger.Row, old *ledger.Row) error {
	if old == nil {
		if err := fits(row.Table, row.ID); err != nil {
			return err
		}
	}
	for i, word := range row.Words {
		if old != nil && old.Words[i] == word {
			continue
		}
		if err := fits(row.Table, word); err != nil {
			return err
		}
	}
	return nil
}

func fits(table, word string) error {
	if len(escaped)+2*len(word) <= maxWord {
		return nil
	}
	if text := textOf(word); text != nil && len(*text) > maxWord {
		return fmt.Errorf("writing %s: a word of %d bytes is longer than %d", table, len(*text), maxWord)
	}
	return nil
}

// preparer makes what it can of a body.
type preparer interface{ Prepare() }

// Later makes the bodies of what was put, while the writer goes on.
func (t *tx) Later() {
	for _, p := range t.later {
		p.Prepare()
	}
}

// before sends what waits if a row among it is written once more, and notes that
// it is.
func (w *writing) before(row ledger.Row) error {
	w.ahead.note(row)
	if w.bulks.rows[nameOf(row)] {
		return w.send()
	}
	return nil
}

func (t *tx) Delete(table, id string) error {
	if err := t.mayWrite(table); err != nil {
		return err
	}
	if id == "" {
		return nil
	}
	if err := t.writes.before(ledger.Row{Table: table, ID: id}); err != nil {
		return t.failed("deleting from "+table, err)
	}
	t.wrote, t.writes.dirty = true, true
	t.writes.drop(table, id)
	t.seen = slices.DeleteFunc(t.seen, func(r ledger.Row) bool { return r.Table == table && r.ID == id })
	t.writes.queue("DELETE FROM "+table+" WHERE id = $1", textOf(id))
	return nil
}

// remember keeps what is needed to change a row cheaply.
func (t *tx) remember(row ledger.Row) {
	if t.writes == nil || row.ID == "" {
		return
	}
	row.Body = nil
	if old := t.recall(row); old != nil {
		*old = row
		return
	}
	t.seen = append(t.seen, row)
}

func (t *tx) recall(row ledger.Row) *ledger.Row {
	if row.ID == "" {
		return nil
	}
	for i := range t.seen {
		if t.seen[i].ID == row.ID && t.seen[i].Table == row.Table {
			return &t.seen[i]
		}
	}
	if w := t.writes; w.beside && row.Table == lateTable {
		if old, ok := w.running[row.ID]; ok {
			return &old
		}
	}
	return nil
}

// Living asks whether any session of the database has the owner's lock.
func (t *tx) Living(owner string) (living, known bool, err error) {
	if t.ended {
		return false, false, errEnded
	}
	if w := t.writes; w != nil && w.locked[owner] {
		return true, true, nil // by this very session
	}
	number := uint64(t.store.ownerLock(owner))
	ask := one(`SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND classid = $1::bigint::oid AND objid = $2::bigint::oid)`,
		[]any{int64(number >> 32), int64(number & 0xffffffff)}, &living)
	err = t.ask(ask)
	if err != nil {
		return false, false, t.failed("asking whether an owner lives", err)
	}
	return living, true, nil
}

// failed is an error after which this transaction changes nothing.
func (t *tx) failed(doing string, err error) error {
	if t.broken == nil {
		t.broken = fmt.Errorf("%s: %w", doing, err)
	}
	return unavailable(doing, err)
}

// textOf is a word as PostgreSQL can hold it: it takes neither NUL nor what is
// not UTF-8. "" is NULL.
func textOf(word string) *string {
	if word == "" {
		return nil
	}
	if strings.Contains(word, "\x00") || !utf8.ValidString(word) || strings.HasPrefix(word, escaped) {
		word = escaped + hex.EncodeToString([]byte(word))
	}
	return &word
}

func wordOf(text *string) string {
	if text == nil {
		return ""
	}
	if rest, ok := strings.CutPrefix(*text, escaped); ok {
		if word, err := hex.DecodeString(rest); err == nil {
			return string(word)
		}
	}
	return *text
}

const escaped = `\hex:`
