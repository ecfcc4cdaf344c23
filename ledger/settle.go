package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast"
)

// ErrLost says that an entry moved on without its caller.
var ErrLost = errors.New("entry is no longer this owner's")

// Settle commits the outcome of a started entry by compare-and-set on state and
// fence. A result that comes too late is kept as evidence, and the error is
// ErrLost with the entry as it stands. Committing the same outcome again changes
// nothing, so a commit whose fate is not known may be tried again. Until it
// succeeds the write is told as uncertain.
//
// The outcome is ok, failed or uncertain, or rejected where the owner never
// entered the handler. A pending one parks an agent call: nobody owns it then,
// and the next Start, by any owner, goes on with it.
func (l *Ledger) Settle(ctx context.Context, id string, fence int64, o holdfast.Outcome, stage, evidence string) (Entry, error) {
	switch {
	case o.Status == holdfast.OK, o.Status == holdfast.Failed, o.Status == holdfast.Uncertain, o.Status == holdfast.Rejected:
	case o.Status == holdfast.Pending && o.Parked:
	default:
		return Entry{}, fmt.Errorf("settling entry %s: %q is not an end", id, o.Status)
	}
	outcome := storeOutcome(&o)
	var (
		out  *storedEntry
		lost bool
	)
	err := l.updateAhead(ctx, readsOf(id), func(t *txn) error {
		lost = false
		e, err := t.mustEntry(id)
		if err != nil {
			return err
		}
		if e.Fence != fence || !e.open() || e.State == string(StateParked) && outcome.Parked {
			out = e
			if e.Fence == fence && sameOutcome(e.Outcome, outcome) {
				return nil
			}
			lost = true
			late := *e
			err := t.addEvidence(&late, storedEvidence{Fence: fence, Stage: stage, Evidence: evidence, Outcome: outcome})
			if err != nil {
				return err
			}
			return t.putEntry(&late, "evidence", l.owner, nil)
		}
		settled := &entryBody{storedEntry: *e}
		settled.State, settled.Stage, settled.Outcome, settled.End = outcome.Status, stage, outcome, t.now
		if outcome.Parked {
			settled.park(t.now)
		}
		out = &settled.storedEntry
		if err := t.addEvidence(out, storedEvidence{Evidence: evidence}); err != nil {
			return err
		}
		return t.putBody(settled, out.State, l.owner, nil)
	})
	switch {
	case err != nil:
		if !errors.Is(err, ErrNotFound) {
			l.setGivenUp(id, true)
		}
		return Entry{}, fmt.Errorf("settling entry %s: %w", id, err)
	case lost:
		l.setGivenUp(id, false)
		return out.entry(), fmt.Errorf("settling entry %s under fence %d: %w", id, fence, ErrLost)
	}
	l.setGivenUp(id, false)
	return out.entry(), nil
}

// open entries have begun, or may, and have no end yet.
func (e *storedEntry) open() bool {
	switch State(e.State) {
	case StateClaimed, StateStarted, StateParked:
		return true
	}
	return false
}

// park leaves an agent call to whoever resumes it; its clock stands still.
func (e *storedEntry) park(now time.Time) {
	e.State, e.End, e.Owner = string(StateParked), time.Time{}, ""
	e.Ran += now.Sub(e.Started)
}

func (l *Ledger) setGivenUp(id string, yes bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if yes {
		l.gaveUp[id] = true
		return
	}
	delete(l.gaveUp, id)
	delete(l.running, id)
}

// addEvidence keeps what was seen with the entry, where it can be erased, and
// says with which event it comes: the next.
func (t *txn) addEvidence(e *storedEntry, seen storedEvidence) error {
	if seen.Evidence == "" && seen.Outcome == nil {
		return nil
	}
	number, err := t.nextNumber()
	seen.Event, seen.Evidence = number, valid(seen.Evidence)
	if seen.Outcome != nil {
		seen.Outcome = new(seen.Outcome.readable())
	}
	e.Evidence = append(slices.Clone(e.Evidence), seen)
	return err
}

func sameOutcome(a, b *storedOutcome) bool {
	if a == nil || b == nil {
		return a == b
	}
	at, errA := json.Marshal(a)
	bt, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(at, bt)
}

// Resolve moves an uncertain entry to ok or failed: the confirm function's or a
// person's word (who), by compare-and-set on the fence, evidence required.
func (l *Ledger) Resolve(ctx context.Context, id string, fence int64, o holdfast.Outcome, who, evidence string) (Entry, error) {
	if o.Status != holdfast.OK && o.Status != holdfast.Failed {
		return Entry{}, fmt.Errorf("resolving entry %s: %q is neither ok nor failed", id, o.Status)
	}
	if strings.TrimSpace(evidence) == "" || who == "" {
		return Entry{}, fmt.Errorf("resolving entry %s: it takes evidence, and who says so", id)
	}
	var out *storedEntry
	err := l.update(ctx, func(t *txn) error {
		e, err := t.mustEntry(id)
		if err != nil {
			return err
		}
		if e, err = t.lapse(e); err != nil {
			return err
		}
		if e.State != string(StateUncertain) || e.Fence != fence {
			return fmt.Errorf("entry is %s under fence %d: %w", e.State, e.Fence, ErrLost)
		}
		resolved := *e
		resolved.State, resolved.Outcome, resolved.End = string(o.Status), storeOutcome(&o), t.now
		resolved.Fence++
		out = &resolved
		if err := t.addEvidence(out, storedEvidence{Evidence: evidence}); err != nil {
			return err
		}
		return t.putEntry(out, "resolved_"+out.State, who, nil)
	})
	if err != nil {
		return Entry{}, fmt.Errorf("resolving entry %s: %w", id, err)
	}
	l.setGivenUp(id, false)
	return out.entry(), nil
}
