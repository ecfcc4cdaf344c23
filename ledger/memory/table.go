package memory

import (
	"slices"

	"github.com/holdfast-go/holdfast/ledger"
)

// slot is the place of one row; indexes point at it.
type slot struct{ row ledger.Row }

// table is rows by id, in order, and by each of their words.
type table struct {
	byID  map[string]*slot
	order []*slot
	words [7]map[string]*postings
	last  int64
	spare []slot // made at once, used one by one
}

// postings are the slots that have a word, by Seq. Most words of a table are
// rare, so the first slot needs no list of its own.
type postings struct {
	list []*slot
	room [1]*slot
}

func newTable() *table { return &table{byID: map[string]*slot{}} }

// slot is a new place for row.
func (t *table) slot(row ledger.Row) *slot {
	if len(t.spare) == 0 {
		t.spare = make([]slot, min(max(4, len(t.order)), 64))
	}
	e := &t.spare[0]
	t.spare = t.spare[1:]
	e.row = row
	return e
}

func (t *table) insert(e *slot) {
	if e.row.ID != "" {
		t.byID[e.row.ID] = e
	}
	t.order = place(t.order, e)
	for i, w := range e.row.Words {
		t.addWord(i, w, e)
	}
}

func (t *table) remove(e *slot) {
	if e.row.ID != "" {
		delete(t.byID, e.row.ID)
	}
	t.order = take(t.order, e)
	for i, w := range e.row.Words {
		t.dropWord(i, w, e)
	}
}

// set changes the row of a slot, never its id or Seq.
func (t *table) set(e *slot, row ledger.Row) {
	old := e.row
	e.row = row
	for i, w := range row.Words {
		if w != old.Words[i] {
			t.dropWord(i, old.Words[i], e)
			t.addWord(i, w, e)
		}
	}
}

func (t *table) addWord(i int, word string, e *slot) {
	if word == "" {
		return
	}
	index := t.words[i]
	if index == nil {
		index = map[string]*postings{}
		t.words[i] = index
	}
	p := index[word]
	if p == nil {
		p = &postings{}
		p.list = p.room[:0]
		index[word] = p
	}
	p.list = place(p.list, e)
}

func (t *table) dropWord(i int, word string, e *slot) {
	if word == "" {
		return
	}
	p := t.words[i][word]
	p.list = take(p.list, e)
	if len(p.list) == 0 {
		delete(t.words[i], word)
	}
}

// place keeps list in the order of Seq; a new row is its last.
func place(list []*slot, e *slot) []*slot {
	if n := len(list); n == 0 || list[n-1].row.Seq < e.row.Seq {
		return append(list, e)
	}
	return slices.Insert(list, from(list, e.row.Seq), e)
}

func take(list []*slot, e *slot) []*slot {
	i := from(list, e.row.Seq)
	return slices.Delete(list, i, i+1)
}

// from is the index of the first slot at or after seq.
func from(list []*slot, seq int64) int {
	i, _ := slices.BinarySearchFunc(list, seq, func(e *slot, seq int64) int {
		return int(min(1, max(-1, e.row.Seq-seq)))
	})
	return i
}

func (t *table) find(q ledger.Query) []ledger.Row {
	list := t.candidates(q)
	if q.After > 0 {
		list = list[from(list, q.After+1):]
	}
	if q.Before > 0 {
		list = list[:from(list, q.Before)]
	}
	var rows []ledger.Row
	for i := range list {
		e := list[i]
		if q.Newest {
			e = list[len(list)-1-i]
		}
		if !matches(e.row.Words, q.Words) {
			continue
		}
		rows = append(rows, e.row)
		if len(rows) == q.Limit {
			break
		}
	}
	return rows
}

// candidates is the shortest list that holds every row with this id and these
// words.
func (t *table) candidates(q ledger.Query) []*slot {
	if q.ID != "" {
		if e := t.byID[q.ID]; e != nil {
			return []*slot{e}
		}
		return nil
	}
	list := t.order
	for i, w := range q.Words {
		if w == "" {
			continue
		}
		p := t.words[i][w]
		if p == nil {
			return nil
		}
		if len(p.list) < len(list) {
			list = p.list
		}
	}
	return list
}

func matches(have, want [7]string) bool {
	for i, w := range want {
		if w != "" && have[i] != w {
			return false
		}
	}
	return true
}

// change is one write of the Update that runs.
type change struct {
	kind   changeKind
	table  *table
	at     *slot
	before ledger.Row // of changed
}

type changeKind int

const (
	inserted changeKind = iota
	changed
	deleted
)

func (s *Store) rollBack() {
	for _, c := range slices.Backward(s.undo) {
		switch c.kind {
		case inserted:
			c.table.remove(c.at)
			c.table.last--
		case changed:
			c.table.set(c.at, c.before)
		case deleted:
			c.table.insert(c.at)
		}
	}
}
