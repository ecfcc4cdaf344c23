package ledger

import (
	"context"
	"fmt"
	"time"
)

// Ask takes the turn to ask a confirm function about an uncertain write, and
// reports whether it is the caller's: of several processes one asks at a time,
// and nobody again until pause is over, by the store's clock, unless early takes
// the turn before its time. A write whose owner
// lives is its owner's to ask about, who alone knows whether its handler still
// runs. What was asked is durable: Asked counts it, AskAfter is when the next turn
// may be taken.
//
// A write that is not uncertain under that fence is ErrLost, with the entry as it
// stands.
func (l *Ledger) Ask(ctx context.Context, id string, fence int64, pause time.Duration, early bool) (Entry, bool, error) {
	var (
		out  *storedEntry
		mine bool
	)
	look := func(t *txn) error {
		e, err := t.mustEntry(id)
		if err != nil {
			return err
		}
		out, mine, err = t.turnToAsk(e, fence)
		mine = mine && (early || !t.now.Before(out.AskAfter))
		return err
	}
	if err := l.view(ctx, look); err != nil || !mine {
		return asked(id, out, false, err)
	}
	err := l.update(ctx, func(t *txn) error {
		if err := look(t); err != nil || !mine {
			return err
		}
		e := *out
		e.Asked, e.AskAfter = e.Asked+1, t.now.Add(pause)
		out = &e
		return t.putEntry(out, "asked", l.owner, nil)
	})
	return asked(id, out, mine, err)
}

func asked(id string, e *storedEntry, mine bool, err error) (Entry, bool, error) {
	var out Entry
	if e != nil {
		out = e.entry()
	}
	if err != nil {
		return out, false, fmt.Errorf("asking about entry %s: %w", id, err)
	}
	return out, mine, nil
}

// turnToAsk is the entry as it stands, and whether it may be asked about from here.
func (t *txn) turnToAsk(e *storedEntry, fence int64) (*storedEntry, bool, error) {
	if e.State == string(StateStarted) && e.Owner == t.l.owner {
		return e, false, nil // its outcome is known here, and still to be written
	}
	e, err := t.lapse(e)
	if err != nil {
		return e, false, err
	}
	if e.State != string(StateUncertain) || e.Fence != fence {
		return e, false, fmt.Errorf("entry is %s under fence %d: %w", e.State, e.Fence, ErrLost)
	}
	if e.Owner != t.l.owner {
		living, err := t.living(e.Owner)
		if err != nil || living {
			return e, false, err
		}
	}
	return e, true, nil
}
