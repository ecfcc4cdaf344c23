package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast"
)

// What the events of removed rows are called.
const (
	eventPruned  = "pruned"  // the row is a tombstone now
	eventRemoved = "removed" // it had no key, and is gone
	eventErased  = "erased"
)

// pruneBatch bounds how long others wait for one transaction of Prune or Erase.
const pruneBatch = 200

// Prune forgets calls that ended longer ago than keep, by the store's clock, and
// the replies of the rounds that they were in. A key leaves a tombstone for good:
// its digest and the day. What is not at its end stays: started and uncertain
// calls, and those that can still be approved. It returns how many calls were pruned.
func (l *Ledger) Prune(ctx context.Context, keep time.Duration) (int, error) {
	if keep < 0 {
		return 0, fmt.Errorf("pruning: %v is not an age", keep)
	}
	n := 0
	err := l.inBatches(ctx, entries, func(t *txn, row Row) (bool, error) {
		e, err := t.loadEntry(row)
		if err != nil || e.Pruned != "" {
			return false, err
		}
		end, err := t.endOf(e)
		if err != nil || end.IsZero() || t.now.Sub(end) <= keep {
			return false, err
		}
		return true, t.prune(e)
	}, &n)
	if err != nil {
		return n, fmt.Errorf("pruning: %w", err)
	}
	err = l.inBatches(ctx, rounds, func(t *txn, row Row) (bool, error) {
		r, err := load[storedRound](row)
		if err != nil {
			return false, err
		}
		ended, err := t.turnEnded(r.Run, r.Turn)
		if err != nil || ended.IsZero() || t.now.Sub(ended) <= keep {
			return false, err
		}
		return true, t.Delete(rounds, row.ID)
	}, new(int))
	if err == nil {
		err = l.pruneBudgets(ctx, keep)
	}
	if err != nil {
		return n, fmt.Errorf("pruning: %w", err)
	}
	return n, nil
}

// endOf is when a call was over; zero: it is not. One that waited for a person
// until that was too late is over, though nobody came back to it.
func (t *txn) endOf(e *storedEntry) (time.Time, error) {
	if e.settled() {
		return e.End, nil
	}
	if e.State != string(StatePending) {
		return time.Time{}, nil
	}
	a, err := get[storedApproval](t, approvals, e.Approval)
	switch {
	case err != nil:
		return time.Time{}, err
	case a == nil:
		return e.Proposed, nil
	case a.live() && t.now.Before(a.Expires):
		return time.Time{}, nil
	}
	return a.Expires, nil
}

// settled entries change no more by themselves.
func (e *storedEntry) settled() bool {
	switch State(e.State) {
	case StateOK, StateFailed, StateRejected:
		return true
	}
	return false
}

// prune leaves a tombstone of an entry that has a key, and nothing of others.
func (t *txn) prune(e *storedEntry) error {
	if e.Approval != "" {
		if err := t.forgetApproval(e, e.Approval); err != nil {
			return err
		}
	}
	if !e.HasKey {
		if err := t.Delete(entries, e.ID); err != nil {
			return err
		}
		gone := storedEvent{Entry: e.ID, What: eventRemoved, Who: t.l.owner, Fence: e.Fence, Before: e.Event}
		return t.chain(&link{event: gone}, e.ID, nil)
	}
	stone := &storedEntry{
		ID: e.ID, KeyDigest: keyWord(e.Tenant, e.Tool, e.Key), HasKey: true,
		State: e.State, Fence: e.Fence, Event: e.Event, Pruned: t.now.Format(time.DateOnly),
	}
	return t.putEntry(stone, eventPruned, t.l.owner, nil)
}

// forgetApproval deletes the approval and those that it replaced.
func (t *txn) forgetApproval(e *storedEntry, id string) error {
	for id != "" {
		a, err := get[storedApproval](t, approvals, id)
		if err != nil || a == nil {
			return err
		}
		if err := t.Delete(approvals, id); err != nil {
			return err
		}
		if err := t.log("approval_"+eventRemoved, t.l.owner, e, storedApprovalEvent{Approval: id}); err != nil {
			return err
		}
		id = a.Replaces
	}
	return nil
}

// turnEnded is when a turn ended; zero: it is open, or not known.
func (t *txn) turnEnded(run string, number int) (time.Time, error) {
	turn, err := get[storedTurn](t, turns, turnID(run, number))
	if err != nil || turn == nil {
		return time.Time{}, err
	}
	return turn.Ended, nil
}

// Erase forgets what a principal's calls said and returned, and keeps that they
// were made: arguments, texts, results and evidence of every call that is at its
// end, the replies and words of every turn that is. Keys keep their meaning; a
// replay has no result any more. It returns how many calls were erased.
func (l *Ledger) Erase(ctx context.Context, p holdfast.Principal) (int, error) {
	n := 0
	err := l.inBatches(ctx, entries, func(t *txn, row Row) (bool, error) {
		e, err := t.loadEntry(row)
		if err != nil || e.principal() != p || !e.settled() || e.Pruned != "" || e.Erased != "" {
			return false, err
		}
		return true, t.erase(e)
	}, &n)
	if err == nil {
		err = l.inBatches(ctx, runs, func(t *txn, row Row) (bool, error) {
			r, err := load[storedRun](row)
			if err != nil || r.run().Principal != p {
				return false, err
			}
			return true, t.eraseRun(r.ID)
		}, new(int))
	}
	if err == nil {
		err = l.eraseRules(ctx, p)
	}
	if err != nil {
		return n, fmt.Errorf("erasing what %q said: %w", p.ID, err)
	}
	return n, nil
}

func (t *txn) erase(e *storedEntry) error {
	for id := e.Approval; id != ""; {
		a, err := get[storedApproval](t, approvals, id)
		if err != nil {
			return err
		}
		if a == nil {
			break
		}
		bare := *a
		bare.Arguments, bare.Finding, bare.Why, bare.Changed = nil, nil, "", nil
		said, err := t.putApproval(&bare)
		if err != nil {
			return err
		}
		if err := t.log("approval_"+eventErased, t.l.owner, e, said); err != nil {
			return err
		}
		id = a.Replaces
	}
	bare := *e
	bare.Arguments, bare.Text, bare.Coerced, bare.Evidence = nil, "", nil, nil
	bare.Erased = t.now.Format(time.DateOnly)
	if o := e.Outcome; o != nil {
		bare.Outcome = &storedOutcome{Status: o.Status, Code: o.Code, Replayed: o.Replayed, Inner: o.Inner}
	}
	return t.putEntry(&bare, eventErased, t.l.owner, nil)
}

func (t *txn) eraseRun(run string) error {
	rows, err := t.Find(Query{Table: turns, Words: [7]string{run}})
	if err != nil {
		return err
	}
	for _, row := range rows {
		turn, err := load[storedTurn](row)
		if err != nil {
			return err
		}
		if turn.End == "" {
			continue
		}
		bare := *turn
		bare.Message, bare.Answer = "", ""
		if err := t.putTurn(bare); err != nil {
			return err
		}
		replies, err := t.Find(Query{Table: rounds, Words: [7]string{run, roundsWord(run, turn.Number)}})
		if err != nil {
			return err
		}
		for _, reply := range replies {
			if err := t.Delete(rounds, reply.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// inBatches shows change every row of a table, some in each transaction, and
// counts those it changed.
func (l *Ledger) inBatches(ctx context.Context, table string, change func(*txn, Row) (bool, error), n *int) error {
	after, more := int64(0), true
	for more {
		next, changed := after, 0
		err := l.update(ctx, func(t *txn) error {
			rows, err := t.Find(Query{Table: table, After: after, Limit: pruneBatch})
			if err != nil {
				return err
			}
			changed, more = 0, len(rows) == pruneBatch
			for _, row := range rows {
				did, err := change(t, row)
				if err != nil {
					return err
				}
				if did {
					changed++
				}
				next = row.Seq
			}
			return nil
		})
		if err != nil {
			return err
		}
		*n += changed
		after = next
	}
	return nil
}
