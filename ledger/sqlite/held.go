package sqlite

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/holdfast-go/holdfast/ledger"
)

// held are the rows of a batch that wait to be written: until its commit, or
// until one of them is asked for. Meanwhile those who put them make their bodies,
// beside the updates that follow.
type held struct {
	rows   []*change
	words  wordSet
	failed error // some are written and some are not: the batch is lost
}

// change is a row and what it takes the place of; old is nil where it is new, as far
// as we know. The rest is of the goroutine that writes it.
type change struct {
	row, old *ledger.Row
	seq      int64  // of the row, once it is written
	body     []byte // once it is made
}

// preparer is a Value that can be encoded before it is asked for, by another
// goroutine.
type preparer interface{ Prepare() }

const maxHeld = 256

func (h *held) add(row, old *ledger.Row) {
	h.rows = append(h.rows, &change{row: row, old: old})
	h.words.add(row.ID)
	for _, w := range row.Words {
		h.words.add(w)
	}
}

func (h *held) forget() {
	clear(h.rows)
	h.rows, h.words, h.failed = h.rows[:0], wordSet{}, nil
}

// any reports whether a row that is held is one of q.
func (h *held) any(q ledger.Query) bool {
	for _, w := range q.Words {
		if !h.words.mayHave(w) {
			return false
		}
	}
	return slices.ContainsFunc(h.rows, func(ch *change) bool { return ch.row.Table == q.Table && matches(ch.row, q) })
}

// anyOf reports whether any of the rows, as they were found, is about to be another.
func (h *held) anyOf(rows []ledger.Row) bool {
	return slices.ContainsFunc(rows, func(row ledger.Row) bool { return h.has(row.Table, row.ID) })
}

func (h *held) has(table, id string) bool {
	return h.words.mayHave(id) && slices.ContainsFunc(h.rows, func(ch *change) bool { return ch.row.ID == id && ch.row.Table == table })
}

// wordSet tells of most words that they are not in it.
type wordSet [64]uint64

var wordSeed = maphash.MakeSeed()

func (s *wordSet) add(word string) {
	if word != "" {
		at, bit := place(word)
		s[at] |= bit
	}
}

// mayHave says yes to "", which is no word.
func (s *wordSet) mayHave(word string) bool {
	at, bit := place(word)
	return word == "" || s[at]&bit != 0
}

func place(word string) (at, bit uint64) {
	sum := maphash.String(wordSeed, word)
	return sum >> 6 & 63, 1 << (sum & 63)
}

// errBody says that it is the row's own fault that it cannot be written.
var errBody = errors.New("a row cannot be encoded")

// make makes the body, where nobody has made it yet.
func (ch *change) make() (err error) {
	if ch.body, err = ch.row.Bytes(); err != nil {
		return fmt.Errorf("%w: %w", errBody, err)
	}
	if ch.body == nil {
		ch.body = []byte{}
	}
	return nil
}

// writeRows writes them in their order within each table.
func (c *conn) writeRows(rows []*change) error {
	var together []*change
	for _, ch := range rows {
		if packable(ch.row) {
			together = append(together, ch)
			continue
		}
		if ch.row.Table == packTable {
			if err := c.writeTogether(together); err != nil {
				return err
			}
			together = nil
		}
		if err := ch.make(); err != nil {
			return err
		}
		if err := c.write(ch); err != nil {
			return err
		}
	}
	return c.writeTogether(together)
}
