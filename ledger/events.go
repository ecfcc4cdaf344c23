package ledger

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// storedEvent is one line of the chain of events. Its hash covers every field
// before it. Of an entry's row it holds a digest only, so that what the row says
// can be erased and the chain still holds.
type storedEvent struct {
	Number  int64           `json:"number"` // from 1, without a gap
	Entry   string          `json:"entry"`
	At      time.Time       `json:"at"`
	What    string          `json:"what"`
	Who     string          `json:"who,omitempty"`
	Fence   int64           `json:"fence,omitempty"`
	Details json.RawMessage `json:"details,omitempty"` // never arguments or results: it stays for good
	Content string          `json:"content,omitempty"` // digest of the entry's row, where that is new
	// Before is the number of the event that made the entry's row before this one
	// did; -1: there is none. It is 0 in events that made no row, and in old ones.
	Before int64  `json:"before,omitempty"`
	Prev   string `json:"prev"`
	Hash   string `json:"hash"`
}

// link is an event on its way into the chain. Hashing waits until a store asks
// for the bytes: in memory, where no record outlives the process, nobody does.
type link struct {
	event  storedEvent          // Prev and Hash once it is sealed
	of     *entryBody           // the entry's new row, whose digest it binds; nil: none
	prev   atomic.Pointer[link] // nil: the first, or it is not needed any more
	once   sync.Once            // seals it
	sealed atomic.Bool
	text   []byte
	err    error
}

// AppendBinary makes the body of an event's row.
func (k *link) AppendBinary(b []byte) ([]byte, error) {
	if _, err := k.seal(); err != nil || len(b) == 0 {
		return k.text, err
	}
	return append(b, k.text...), nil
}

// Prepare makes the body before it is asked for.
func (k *link) Prepare() { _, _ = k.seal() }

// seal hashes k, and whatever before it is not hashed yet.
func (k *link) seal() (*storedEvent, error) {
	waiting := make([]*link, 0, 8)
	for at := k; at != nil && !at.sealed.Load(); at = at.prev.Load() {
		waiting = append(waiting, at)
	}
	for _, at := range slices.Backward(waiting) {
		at.once.Do(func() { at.err = at.follow(at.prev.Load()) })
		if at.err != nil {
			return nil, at.err
		}
	}
	return &k.event, nil
}

// follow seals k behind prev, which is sealed, and lets go of what it has read: or
// the last one would keep the whole chain in memory.
func (k *link) follow(prev *link) error {
	e := &k.event
	if k.of != nil {
		text, err := k.of.bytes()
		if err != nil {
			return err
		}
		e.Content = digest(text)
	}
	if prev != nil {
		e.Prev = prev.event.Hash
	}
	text, err := e.appendTo(make([]byte, 0, 352+len(e.Entry)+len(e.What)+len(e.Who)+len(e.Details)))
	if err != nil {
		return err
	}
	e.Hash = e.hash()
	text = append(append(append(text, `"prev":"`...), e.Prev...), `","hash":"`...)
	k.text = append(append(text, e.Hash...), `"}`...)
	k.of = nil
	k.prev.Store(nil)
	k.sealed.Store(true)
	return nil
}

func (e *storedEvent) hash() string {
	b := make([]byte, 0, 512)
	for _, s := range []string{e.Prev, e.Entry, e.What, e.Who, string(e.Details), e.Content} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	b = binary.BigEndian.AppendUint64(b, uint64(e.Number))
	b = binary.BigEndian.AppendUint64(b, uint64(e.At.UnixNano()))
	b = binary.BigEndian.AppendUint64(b, uint64(e.Fence))
	if e.Before != 0 {
		b = binary.BigEndian.AppendUint64(b, uint64(e.Before))
	}
	return digest(b)
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	var text [2 * sha256.Size]byte
	hex.Encode(text[:], sum[:])
	return string(text[:])
}

// loadLink is the event of a row, hashed or still waiting for it.
func loadLink(row Row) (*link, error) {
	if k, ok := row.Value.(*link); ok {
		return k, nil
	}
	e, err := load[storedEvent](row)
	if err != nil {
		return nil, err
	}
	k := &link{event: *e}
	k.sealed.Store(true)
	return k, nil
}

// log puts an event at the end of the chain that made no new row of its entry. It
// is filed under the entry.
func (t *txn) log(what, who string, e *storedEntry, details any) error {
	return t.chain(&link{event: storedEvent{Entry: e.ID, What: what, Who: who, Fence: e.Fence}}, e.ID, details)
}

func (t *txn) chain(k *link, filed string, details any) error {
	if details != nil {
		text, err := appendJSON(nil, details)
		if err != nil {
			return err
		}
		k.event.Details = text
	}
	number, err := t.nextNumber()
	if err != nil {
		return err
	}
	k.event.Number, k.event.At = number, t.now
	k.prev.Store(t.head)
	t.head = k
	t.l.newest.Store(k)
	return t.Put(Row{Table: events, Words: [7]string{filed}, Value: k})
}

// nextNumber is that of the event which is written next.
func (t *txn) nextNumber() (int64, error) {
	if err := t.findHead(); err != nil {
		return 0, err
	}
	if t.head == nil {
		return 1, nil
	}
	return t.head.event.Number + 1, nil
}

func (t *txn) findHead() error {
	if t.head != nil {
		return nil
	}
	rows, err := t.Find(newestEvent())
	if err != nil || len(rows) == 0 {
		return err
	}
	// Mostly it is the one that was written here before it, and need not be read.
	if k := t.l.newest.Load(); k != nil && k.sealed.Load() && bytes.Equal(k.text, rows[0].Body) {
		t.head = k
		return nil
	}
	t.head, err = loadLink(rows[0])
	return err
}

// Events is an entry's whole story, in order. What was seen as evidence is in
// the Details, unless it was erased.
func (l *Ledger) Events(ctx context.Context, entry string) ([]Event, error) {
	var list []Event
	err := l.view(ctx, func(t *txn) error {
		list = nil
		if entry == "" {
			return nil
		}
		of, err := t.getEntry(entry)
		if err != nil {
			return err
		}
		story, err := t.story(entry, of)
		if err != nil {
			return err
		}
		for _, e := range story {
			told, err := e.event(of)
			if err != nil {
				return err
			}
			list = append(list, told)
		}
		return nil
	})
	return list, err
}

// story is the events of an entry: those that are filed under it, and those that
// made its row, each of which names the one before it. of may be nil.
func (t *txn) story(entry string, of *storedEntry) ([]*storedEvent, error) {
	rows, err := t.Find(Query{Table: events, Words: [7]string{entry}})
	if err != nil {
		return nil, err
	}
	var story []*storedEvent
	number := int64(0)
	if of != nil {
		number = of.Event
	}
	for _, row := range rows {
		e, err := loadEvent(row)
		if err != nil {
			return nil, err
		}
		story = append(story, e)
		if e.What == eventRemoved {
			number = e.Before
		}
	}
	for number > 0 {
		e, err := t.eventAt(number)
		if err != nil {
			return nil, err
		}
		story = append(story, e)
		if e.Before >= number {
			break // it was changed, as Verify says
		}
		number = e.Before
	}
	slices.SortFunc(story, func(a, b *storedEvent) int { return cmp.Compare(a.Number, b.Number) })
	return story, nil
}

// eventAt is the event of that number. Its Seq is that number too, but in a store
// that left some out.
func (t *txn) eventAt(number int64) (*storedEvent, error) {
	for after := number - 1; ; {
		rows, err := t.Find(Query{Table: events, After: after, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return nil, fmt.Errorf("event %d: %w", number, ErrNotFound)
		}
		e, err := loadEvent(rows[0])
		switch {
		case err != nil:
			return nil, err
		case e.Number == number:
			return e, nil
		case e.Number > number:
			return nil, fmt.Errorf("event %d: %w", number, ErrNotFound)
		}
		after = rows[0].Seq + number - e.Number - 1
	}
}

// Tail lists what was written to the chain behind a place, at most limit events
// in order, and the place behind the last of them. Behind a place below zero
// there is nothing, and next is where the chain ends now.
func (l *Ledger) Tail(ctx context.Context, after int64, limit int) (list []Event, next int64, err error) {
	err = l.view(ctx, func(t *txn) error {
		list, next = nil, after
		q := Query{Table: events, After: after, Limit: limit}
		if after < 0 {
			q, next = Query{Table: events, Newest: true, Limit: 1}, 0
		}
		rows, err := t.Find(q)
		if err != nil {
			return err
		}
		for _, row := range rows {
			next = row.Seq
			if after < 0 {
				return nil
			}
			e, err := loadEvent(row)
			if err != nil {
				return err
			}
			told, err := e.event(nil)
			if err != nil {
				return err
			}
			list = append(list, told)
		}
		return nil
	})
	return list, next, err
}

func loadEvent(row Row) (*storedEvent, error) {
	k, err := loadLink(row)
	if err != nil {
		return nil, err
	}
	return k.seal()
}

// event is e as its entry's row completes it; of may be nil.
func (e *storedEvent) event(of *storedEntry) (Event, error) {
	out := Event{Seq: e.Number, Entry: e.Entry, At: e.At, What: e.What, Who: e.Who, Fence: e.Fence, Details: e.Details, Hash: e.Hash}
	if of == nil {
		return out, nil
	}
	for i := range of.Evidence {
		if of.Evidence[i].Event == e.Number {
			seen := of.Evidence[i]
			seen.Event = 0
			text, err := appendJSON(nil, seen)
			out.Details = text
			return out, err
		}
	}
	return out, nil
}
