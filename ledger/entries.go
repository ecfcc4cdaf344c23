package ledger

import (
	"context"
	"errors"
	"fmt"
	"strconv"

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
}

func (w entryWords) list() [6]string {
	return [6]string{w.run, w.place, w.tool, w.state, w.same, w.other}
}

func (e *storedEntry) words() [6]string {
	w := entryWords{run: e.Run, tool: e.Tool, state: e.State}
	if e.Run != "" && e.Round > 0 {
		w.place = place(e.Run, e.Turn, e.Round)
	}
	if e.State == string(StateOK) {
		w.state = ""
	}
	if e.unresolved() {
		w.same, w.other = e.sameWord(), e.otherWord()
	}
	return w.list()
}

// unresolved writes hold back others: they run, or nobody knows.
func (e *storedEntry) unresolved() bool {
	return e.Effect == string(holdfast.Write) && (e.State == string(StateStarted) || e.State == string(StateUncertain))
}

func (e *storedEntry) sameWord() string {
	return joined(e.Tenant, e.Principal, e.Tool, e.ArgumentsDigest)
}

func (e *storedEntry) otherWord() string {
	if e.Run == "" {
		return ""
	}
	return joined(e.Tenant, e.Run, e.Tool)
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
func joined(parts ...string) string {
	b := make([]byte, 0, 128)
	for _, p := range parts {
		b = strconv.AppendInt(b, int64(len(p)), 10)
		b = append(b, ':')
		b = append(b, p...)
	}
	return string(b)
}

func (t *txn) putEntry(e *storedEntry) error {
	return t.Put(Row{Table: entries, ID: e.ID, Words: e.words(), Value: e})
}

// Entry is the call of that ledger id. Only here, and only while it is pending,
// Sealed is filled in.
func (l *Ledger) Entry(ctx context.Context, id string) (Entry, error) {
	var out Entry
	err := l.view(ctx, func(t *txn) error {
		e, err := must[storedEntry](t, entries, id)
		if err != nil {
			return err
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
	Turn    int
	Round   int
	Tool    string
	State   string
	Before  string // page: older than the entry, approval or run of this id (InOrder: newer)
	Limit   int    // 0: 100
	InOrder bool   // oldest first
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
		q.from(row.Seq)
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
	words := entryWords{run: f.Run, tool: f.Tool, state: f.State}
	if f.Run != "" && f.Turn > 0 && f.Round > 0 {
		words.place = place(f.Run, f.Turn, f.Round)
	}
	if f.State == string(StateOK) || f.State == string(StateUncertain) {
		words.state = "" // uncertain ones may still stand as started
	}
	var list []Entry
	err := l.view(ctx, func(t *txn) error {
		list = nil
		return t.page(Query{Table: entries, Words: words.list()}, f, func(row Row) (bool, error) {
			e, err := load[storedEntry](row)
			if err != nil {
				return false, err
			}
			if e, err = t.lapse(e); err != nil {
				return false, err
			}
			if f.State != "" && f.State != e.State || f.Turn > 0 && f.Turn != e.Turn || f.Round > 0 && f.Round != e.Round {
				return false, nil
			}
			list = append(list, e.entry())
			return true, nil
		})
	})
	return list, err
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
	err := l.update(ctx, func(t *txn) error {
		row := storeEntry(&e)
		if !fresh {
			done, err := t.endsOld(row)
			if done || err != nil {
				e = row.entry()
				return err
			}
		}
		if row.Proposed.IsZero() {
			row.Proposed = t.now
		}
		row.End = t.now
		if err := t.putEntry(row); err != nil {
			return err
		}
		e.Proposed, e.End, e.Started = row.Proposed, row.End, row.Started
		return t.log(row.State, l.owner, row, nil)
	})
	return e, err
}

// endsOld takes what the entry of row's id already is into row: a pending call
// that ends without running, or a read that was started and run again. done says
// that it ended before, in the same way.
func (t *txn) endsOld(row *storedEntry) (done bool, err error) {
	old, err := get[storedEntry](t, entries, row.ID)
	if err != nil || old == nil {
		return false, err
	}
	outcome, state, stage := row.Outcome, row.State, row.Stage
	*row = *old
	notRun := outcome.Status == string(holdfast.Rejected) || outcome.Replayed
	switch {
	case old.State == string(StatePending) && notRun:
		if err := t.withdraw(old.Approval); err != nil {
			return false, err
		}
	case old.State == string(StateStarted) && old.Effect == string(holdfast.Read):
	case old.State == state && old.Outcome != nil && old.Outcome.Code == outcome.Code:
		return true, nil
	default:
		return false, fmt.Errorf("entry %s is %s: %w", old.ID, old.State, ErrLost)
	}
	row.Outcome, row.State, row.Stage, row.Sealed = outcome, state, stage, nil
	return false, nil
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
