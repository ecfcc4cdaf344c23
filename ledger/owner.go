package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/holdfast-go/holdfast"
)

// storedOwner is an owner's lease: of one that renews it, or of any where the
// store cannot prove who lives.
type storedOwner struct {
	Expires time.Time `json:"expires"`
}

// living reports whether an owner may still be running what it started: unless
// the store proves that it is gone, or its lease has run out by the store's clock.
// One that holds its lock and never took a lease lives. We ourselves live.
func (t *txn) living(owner string) (bool, error) {
	if owner == t.l.owner {
		return true, nil
	}
	held, known, err := t.Living(owner)
	if err != nil || known && !held {
		return false, err
	}
	o, err := get[storedOwner](t, owners, owner)
	if err != nil || o == nil {
		return held, err
	}
	return t.now.Before(o.Expires), nil
}

// vouch makes sure that others see us living for what we are about to start.
func (t *txn) vouch() error {
	l := t.l
	l.mu.Lock()
	fresh, renews := l.expires.Sub(t.now) > l.lease/3, l.renews
	l.mu.Unlock()
	if fresh {
		return nil
	}
	if !renews {
		if _, known, err := t.Living(l.owner); err != nil || known {
			return err
		}
	}
	return t.renew()
}

func (t *txn) renew() error {
	t.renewed = true
	return t.put(owners, t.l.owner, [7]string{}, storedOwner{Expires: t.now.Add(t.l.lease)})
}

// renewed remembers a lease once it is durable.
func (l *Ledger) renewed(at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expires = at.Add(l.lease)
}

// Run renews the owner's lease, and settles what owners that are gone left
// behind, until ctx ends. A store that cannot be reached is asked again. An owner
// that has started something while it runs has a lease to lose: if its process is
// stopped for longer, others declare it gone, though it still holds its lock.
func (l *Ledger) Run(ctx context.Context) error {
	l.setRenews(true)
	defer l.giveUpLease()
	tick := time.NewTicker(max(l.lease/3, time.Millisecond))
	defer tick.Stop()
	for {
		if err := l.keepAlive(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, ErrUnavailable) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (l *Ledger) setRenews(yes bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renews = yes
}

func (l *Ledger) leased() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.expires.IsZero()
}

// giveUpLease takes the lease back where the lock goes on to prove that we live.
func (l *Ledger) giveUpLease() {
	l.setRenews(false)
	if !l.leased() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), l.lease/3)
	defer cancel()
	gone := false
	err := l.update(ctx, func(t *txn) error {
		_, known, err := t.Living(l.owner)
		if gone = known; err != nil || !known {
			return err
		}
		return t.Delete(owners, l.owner)
	})
	if err == nil && gone {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.expires = time.Time{}
	}
}

func (l *Ledger) keepAlive(ctx context.Context) error {
	needed := true
	err := l.view(ctx, func(t *txn) error {
		_, known, err := t.Living(l.owner)
		needed = !known || l.leased()
		return err
	})
	if err != nil {
		return err
	}
	if needed {
		var at time.Time
		err := l.update(ctx, func(t *txn) error {
			at = t.now
			return t.renew()
		})
		if err != nil {
			return err
		}
		l.renewed(at)
	}
	return l.sweep(ctx)
}

// lapse is e as it stands if its owner is gone: from then on a started write is
// uncertain, and a claimed one never ran. In a view nothing is written, and the
// answer is the same. A read and an agent call stay started: they are run again,
// and resumed.
func (t *txn) lapse(e *storedEntry) (*storedEntry, error) {
	claimed := e.State == string(StateClaimed)
	if !claimed && (e.State != string(StateStarted) || e.Effect != string(holdfast.Write)) {
		return e, nil
	}
	if e.Owner == t.l.owner {
		if claimed || !t.l.hasGivenUp(e.ID) {
			return e, nil
		}
		// Not written: we still try to commit the outcome, under this fence.
		return e.lost(t.now, "its outcome could not be recorded"), nil
	}
	living, err := t.living(e.Owner)
	if err != nil || living {
		return e, err
	}
	if claimed {
		return t.end(e.dropped(t.now, holdfast.Cancelled, "its process ended before it could"))
	}
	return t.end(e.lost(t.now, "its process ended while it ran"))
}

// end writes what an entry became without its owner. The fence goes up, so that
// a late commit of the owner is evidence and no more.
func (t *txn) end(e *storedEntry) (*storedEntry, error) {
	e.Fence++
	if !t.writes {
		return e, nil
	}
	return e, t.putEntry(e, e.State, t.l.owner, nil)
}

// dropped is e if it is known that it never ran.
func (e *storedEntry) dropped(now time.Time, code holdfast.Code, why string) *storedEntry {
	d := *e
	d.State, d.Stage, d.End, d.Sealed = string(StateRejected), "claim", now, nil
	d.Outcome = &storedOutcome{
		Status: string(holdfast.Rejected), Code: string(code),
		Message: e.Tool + " did not run: " + why + ".",
	}
	return &d
}

func (e *storedEntry) lost(now time.Time, why string) *storedEntry {
	lost := *e
	lost.State, lost.Stage, lost.End = string(StateUncertain), stageRecord, now
	lost.Sealed = nil
	lost.Outcome = &storedOutcome{
		Status: string(holdfast.Uncertain), Code: string(holdfast.Unrecorded),
		Message: "It is not known whether " + e.Tool + " took effect: " + why + ".",
	}
	return &lost
}

const stageRecord = "record"

func (l *Ledger) hasGivenUp(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gaveUp[id]
}

// sweep settles what owners that are gone have claimed or started.
func (l *Ledger) sweep(ctx context.Context) error {
	return l.visitRunning(ctx, func(t *txn, e *storedEntry) (*storedEntry, error) {
		if e.Owner == l.owner {
			return e, nil
		}
		return t.lapse(e)
	})
}

// giveUpAll makes uncertain what this owner still runs.
func (l *Ledger) giveUpAll(ctx context.Context) error {
	return l.visitRunning(ctx, func(t *txn, e *storedEntry) (*storedEntry, error) {
		switch {
		case e.Owner != l.owner:
			return e, nil
		case e.State == string(StateClaimed):
			return t.end(e.dropped(t.now, holdfast.Cancelled, "its process ended before it could"))
		case e.Effect != string(holdfast.Write):
			return e, nil
		}
		return t.end(e.lost(t.now, "its process ended while it ran"))
	})
}

// visitRunning shows visit every claimed and started entry, and writes only if
// any of them is to change.
func (l *Ledger) visitRunning(ctx context.Context, visit func(*txn, *storedEntry) (*storedEntry, error)) error {
	changed := false
	all := func(t *txn) error {
		changed = false
		for _, state := range []State{StateClaimed, StateStarted} {
			rows, err := t.Find(Query{Table: entries, Words: entryWords{state: string(state)}.list()})
			if err != nil {
				return err
			}
			for _, row := range rows {
				e, err := t.loadEntry(row)
				if err != nil {
					return err
				}
				now, err := visit(t, e)
				if err != nil {
					return err
				}
				changed = changed || now != e
			}
		}
		return nil
	}
	if err := l.view(ctx, all); err != nil || !changed {
		return err
	}
	return l.update(ctx, all)
}
