package ledger

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast"
)

// entryWords are what entries are found by.
type entryWords struct {
	run   string
	place string // run, turn and round
	tool  string
	state string // but ok: that is most of them, and found by looking at all
	same  string // of unresolved writes: tool, canonical arguments and principal
	other string // of unresolved writes: run and tool
	key   string // of the one entry that has its key
}

func (w entryWords) list() [7]string {
	return [7]string{w.run, w.place, w.tool, w.state, w.same, w.other, w.key}
}

func (e *storedEntry) words() [7]string {
	w := entryWords{run: e.Run, tool: e.Tool, state: e.State}
	if e.Pruned != "" {
		return entryWords{key: e.KeyDigest}.list()
	}
	w.place = e.placeWord()
	if e.State == string(StateOK) {
		w.state = ""
	}
	if e.unresolved() {
		w.same, w.other = e.sameWord(), e.otherWord()
	}
	if e.HasKey {
		w.key = e.keyWord()
	}
	return w.list()
}

// unresolved writes hold back others: they run, or nobody knows.
func (e *storedEntry) unresolved() bool {
	return e.Effect == string(holdfast.Write) && (e.State == string(StateStarted) || e.State == string(StateUncertain))
}

// makeWords makes them before the transaction that needs them.
func (e *storedEntry) makeWords() {
	e.placeWord()
	if e.Effect == string(holdfast.Write) {
		e.sameWord()
		e.otherWord()
	}
	if e.Key != "" {
		e.keyWord()
	}
}

func (e *storedEntry) placeWord() string {
	if e.made.place == "" && e.Run != "" && e.Round > 0 {
		e.made.place = place(e.Run, e.Turn, e.Round)
	}
	return e.made.place
}

func (e *storedEntry) sameWord() string {
	if e.made.same == "" {
		e.made.same = joined(e.Tenant, e.Principal, e.Tool, e.ArgumentsDigest)
	}
	return e.made.same
}

func (e *storedEntry) otherWord() string {
	if e.made.other == "" && e.Run != "" {
		e.made.other = joined(e.Tenant, e.Run, e.Tool)
	}
	return e.made.other
}

func (e *storedEntry) keyWord() string {
	if e.made.key == "" {
		e.made.key = keyWord(e.Tenant, e.Tool, e.Key)
	}
	return e.made.key
}

func place(run string, turn, round int) string {
	b := make([]byte, 0, 64)
	b = append(b, run...)
	b = append(b, 0)
	b = strconv.AppendInt(b, int64(turn), 10)
	b = append(b, 0)
	b = strconv.AppendInt(b, int64(round), 10)
	return string(b)
}

// joined makes one word of several, such that no two lists make the same.
func joined(parts ...string) string { return string(appendJoined(make([]byte, 0, 128), parts...)) }

func appendJoined(b []byte, parts ...string) []byte {
	for _, p := range parts {
		b = strconv.AppendInt(b, int64(len(p)), 10)
		b = append(b, ':')
		b = append(b, p...)
	}
	return b
}

// entryBody is the body of an entry's row, encoded once when a store asks.
type entryBody struct {
	storedEntry
	once sync.Once
	text []byte
	err  error
}

// AppendBinary makes the body of an entry's row.
func (b *entryBody) AppendBinary(to []byte) ([]byte, error) {
	text, err := b.bytes()
	if err != nil || len(to) == 0 {
		return text, err
	}
	return append(to, text...), nil
}

func (b *entryBody) bytes() ([]byte, error) {
	b.once.Do(func() {
		b.text, b.err = b.appendTo(make([]byte, 0, b.size()))
	})
	return b.text, b.err
}

// size is what the text of most entries has room in, and not much more.
func (e *storedEntry) size() int {
	n := 340 + len(e.ID) + len(e.Run) + len(e.CallID) + len(e.Tool) + len(e.ToolDigest) + len(e.Tenant) + len(e.Principal) +
		len(e.Arguments) + len(e.Text) + 2*len(e.Sealed) + len(e.ArgumentsDigest) + len(e.Key) + len(e.Owner) + len(e.Approval)
	if o := e.Outcome; o != nil {
		n += 80 + len(o.Message) + len(o.Next)
		if o.Result != nil {
			n += 24 + len(o.Result.JSON) + len(o.Result.Text)
		}
	}
	return n
}

// Prepare makes the body before it is asked for.
func (b *entryBody) Prepare() { _, _ = b.bytes() }

// putEntry writes an entry together with the event that says why.
func (t *txn) putEntry(e *storedEntry, what, who string, details any) error {
	return t.putBody(&entryBody{storedEntry: *e}, what, who, details)
}

// putBody is putEntry of one that nobody else has. b does not change any more.
func (t *txn) putBody(b *entryBody, what, who string, details any) error {
	number, err := t.nextNumber()
	if err != nil {
		return err
	}
	before := b.Event
	for _, w := range t.written {
		if w.ID == b.ID {
			before = w.Event
		}
	}
	b.Event = number
	t.written = append(t.written, b)
	if err := t.Put(Row{Table: entries, ID: b.ID, Words: b.words(), Value: b}); err != nil {
		return err
	}
	k := &link{event: storedEvent{Entry: b.ID, What: what, Who: who, Fence: b.Fence, Before: cmp.Or(before, -1)}, of: b}
	return t.chain(k, "", details)
}

// loadEntry is the entry of a row. What this ledger itself has started it need
// not read again.
func (t *txn) loadEntry(row Row) (*storedEntry, error) {
	if b, ok := row.Value.(*entryBody); ok {
		return &b.storedEntry, nil
	}
	if b := t.l.runs(row.ID); b != nil {
		if text, err := b.bytes(); err == nil && bytes.Equal(text, row.Body) {
			return &b.storedEntry, nil
		}
	}
	return load[storedEntry](row)
}

// runs is the body of an entry that was started here, or nil.
func (l *Ledger) runs(id string) *entryBody {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running[id]
}

// mustEntry is the entry of that id; ErrNotFound if there is none.
func (t *txn) mustEntry(id string) (*storedEntry, error) {
	row, err := t.Get(entries, id)
	if err != nil {
		return nil, err
	}
	return t.loadEntry(row)
}

// getEntry is the entry of that id, or nil.
func (t *txn) getEntry(id string) (*storedEntry, error) {
	e, err := t.mustEntry(id)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return e, err
}

// Entry is the call of that ledger id. Only here, and only while it is pending,
// Sealed is filled in.
func (l *Ledger) Entry(ctx context.Context, id string) (Entry, error) {
	var out Entry
	err := l.view(ctx, func(t *txn) error {
		e, err := t.mustEntry(id)
		if err != nil {
			return err
		}
		if e.Pruned != "" {
			return fmt.Errorf("entry %s was pruned on %s: %w", id, e.Pruned, ErrNotFound)
		}
		if e, err = t.lapse(e); err != nil {
			return err
		}
		out = e.entry()
		out.Sealed = e.Sealed
		return nil
	})
	return out, err
}

// Filter of Entries, Approvals and Runs; the zero Filter lists all, newest first.
type Filter struct {
	Run     string
	Parent  string // of Runs only: those within the agent call of this ledger id
	Turn    int
	Round   int
	Tool    string
	State   string
	Before  string // page: older than the entry, approval or run of this id (InOrder: newer)
	Limit   int    // 0: 100
	InOrder bool   // oldest first
	// Since and Until bound when a call was proposed: not before the one, before
	// the other; zero means no bound. Of Entries only.
	Since, Until time.Time
}

const defaultLimit = 100

func (f Filter) limit() int {
	if f.Limit <= 0 {
		return defaultLimit
	}
	return f.Limit
}

// page lists the rows that keep accepts, a batch at a time.
func (t *txn) page(q Query, f Filter, keep func(Row) (bool, error)) error {
	q.Newest = !f.InOrder
	if f.Before != "" {
		row, err := t.Get(q.Table, f.Before)
		if err != nil {
			return err
		}
		if q.Newest && (q.Before == 0 || row.Seq < q.Before) || !q.Newest && row.Seq > q.After {
			q.from(row.Seq)
		}
	}
	q.Limit = max(f.limit(), defaultLimit)
	for kept := 0; ; {
		rows, err := t.Find(q)
		if err != nil {
			return err
		}
		for _, row := range rows {
			ok, err := keep(row)
			if err != nil {
				return err
			}
			if ok {
				kept++
			}
			if kept == f.limit() {
				return nil
			}
		}
		if len(rows) < q.Limit {
			return nil
		}
		q.from(rows[len(rows)-1].Seq)
	}
}

func (q *Query) from(seq int64) {
	if q.Newest {
		q.Before = seq
	} else {
		q.After = seq
	}
}

// Entries lists calls.
func (l *Ledger) Entries(ctx context.Context, f Filter) ([]Entry, error) {
	words := entryWords{run: f.Run, tool: f.Tool}
	if f.Run != "" && f.Turn > 0 && f.Round > 0 {
		words.place = place(f.Run, f.Turn, f.Round)
	}
	states := []string{f.State}
	switch State(f.State) {
	case StateOK:
		states = []string{""} // most are, so it is no word
	case StateUncertain:
		states = append(states, string(StateStarted)) // whose owner is gone
	}
	var found []*listed
	err := l.view(ctx, func(t *txn) error {
		found = nil
		for _, state := range states {
			words.state = state
			if err := t.list(words, f, &found); err != nil {
				return err
			}
		}
		return nil
	})
	slices.SortStableFunc(found, func(a, b *listed) int {
		if f.InOrder {
			return cmp.Compare(a.seq, b.seq)
		}
		return cmp.Compare(b.seq, a.seq)
	})
	var list []Entry
	for _, e := range found[:min(len(found), f.limit())] {
		list = append(list, e.entry())
	}
	return list, err
}

// listed is an entry with its place in the list.
type listed struct {
	*storedEntry
	seq int64
}

func (t *txn) list(words entryWords, f Filter, found *[]*listed) error {
	q := Query{Table: entries, Words: words.list()}
	if err := t.between(&q, f); err != nil {
		return err
	}
	return t.page(q, f, func(row Row) (bool, error) {
		e, err := t.loadEntry(row)
		if err != nil {
			return false, err
		}
		if e, err = t.lapse(e); err != nil {
			return false, err
		}
		if e.Pruned != "" || f.State != "" && f.State != e.State || f.Turn > 0 && f.Turn != e.Turn || f.Round > 0 && f.Round != e.Round {
			return false, nil
		}
		*found = append(*found, &listed{e, row.Seq})
		return true, nil
	})
}

// between bounds q by the times of f. Entries stand in the order in which they
// were proposed, by one clock, so that a time is a place among them.
func (t *txn) between(q *Query, f Filter) error {
	if f.Since.IsZero() && f.Until.IsZero() {
		return nil
	}
	newest, err := t.Find(Query{Table: entries, Newest: true, Limit: 1})
	if err != nil || len(newest) == 0 {
		return err
	}
	end := newest[0].Seq + 1
	if !f.Since.IsZero() {
		first, err := t.firstSince(f.Since, end)
		if err != nil {
			return err
		}
		q.After = first - 1
	}
	if !f.Until.IsZero() {
		first, err := t.firstSince(f.Until, end)
		if err != nil {
			return err
		}
		q.Before = first
	}
	return nil
}

// firstSince is the Seq of the first entry that was not proposed before at, or
// end.
func (t *txn) firstSince(at time.Time, end int64) (int64, error) {
	low := int64(1)
	for high := end; low < high; {
		middle := low + (high-low)/2
		seq, proposed, err := t.proposedFrom(middle, high)
		switch {
		case err != nil:
			return 0, err
		case seq == high || !proposed.Before(at):
			high = middle
		default:
			low = seq + 1
		}
	}
	return low, nil
}

// proposedFrom is the first entry from seq on, below end, that still says when
// it was proposed: a pruned one does not. It is end where there is none.
func (t *txn) proposedFrom(seq, end int64) (int64, time.Time, error) {
	for {
		rows, err := t.Find(Query{Table: entries, After: seq - 1, Before: end, Limit: 1})
		if err != nil || len(rows) == 0 {
			return end, time.Time{}, err
		}
		e, err := t.loadEntry(rows[0])
		if err != nil {
			return 0, time.Time{}, err
		}
		if e.Pruned == "" {
			return rows[0].Seq, e.Proposed, nil
		}
		seq = rows[0].Seq + 1
	}
}

// Record writes an entry that is settled as it comes: a rejection, a replay, or
// a read with its outcome. It gets an id if it has none; the id of an entry that
// is still pending ends that one (denied, expired, cancelled). The ledger keeps
// the slices of e; nobody changes them afterwards.
func (l *Ledger) Record(ctx context.Context, e Entry) (Entry, error) {
	if err := e.recordable(); err != nil {
		return e, fmt.Errorf("recording entry of %s: %w", e.Tool, err)
	}
	fresh := e.ID == ""
	if fresh {
		e.ID = l.newID()
	}
	e.State, e.Sealed = State(e.Outcome.Status), nil
	stored := storeEntry(&e)
	settled := &stored
	stands := settled
	err := l.updateAhead(ctx, readsOf(e.ID), func(t *txn) error {
		stands = settled
		if !fresh {
			old, err := t.getEntry(settled.ID)
			if err != nil {
				return err
			}
			if old != nil {
				if stands, err = t.endOld(old, settled); err != nil || stands == old {
					return err
				}
			}
		}
		stands.Proposed, stands.End = firstTime(stands.Proposed, t.now), t.now
		return t.putEntry(stands, stands.State, l.owner, nil)
	})
	if stands != settled {
		return stands.entry(), err
	}
	e.Proposed, e.End = settled.Proposed, settled.End
	return e, err
}

// endOld is what the entry of settled's id becomes: a pending call that ends
// without running, or a read that was started and run again. It is old itself
// where that ended before, in the same way.
func (t *txn) endOld(old, settled *storedEntry) (*storedEntry, error) {
	outcome := settled.Outcome
	notRun := outcome.Status == string(holdfast.Rejected) || outcome.Replayed
	switch {
	case old.State == string(StatePending) && notRun:
		if err := t.withdraw(old.Approval); err != nil {
			return old, err
		}
	case old.State == string(StateStarted) && old.Effect == string(holdfast.Read):
	case old.State == settled.State && old.Outcome != nil && old.Outcome.Code == outcome.Code:
		return old, nil
	default:
		return old, fmt.Errorf("entry %s is %s: %w", old.ID, old.State, ErrLost)
	}
	ended := *old
	ended.Outcome, ended.State, ended.Stage, ended.Sealed = outcome, settled.State, settled.Stage, nil
	return &ended, nil
}

func (e *Entry) recordable() error {
	if e.Outcome == nil {
		return errors.New("it has no outcome")
	}
	switch o := e.Outcome; o.Status {
	case holdfast.Rejected:
	case holdfast.OK, holdfast.Failed, holdfast.Uncertain:
		if e.Effect == holdfast.Write && !o.Replayed {
			return fmt.Errorf("a write that is %s must have been started", o.Status)
		}
	default:
		return fmt.Errorf("%q is not settled", o.Status)
	}
	return nil
}
