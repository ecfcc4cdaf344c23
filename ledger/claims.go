package ledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/rule"
)

// Claim asks for a key.
type Claim struct {
	Entry      Entry  // its Key, Tool, Principal, ArgumentsDigest, Run say what is claimed
	ApprovalID string // consumed with the start
	Digest     string // that the approval must be bound to
	TellsApart bool   // lift the rule about other unresolved writes of the tool
	Rule       string // a saved rule that made a person unnecessary: it must still hold
	Budgets    []rule.Budget
	// KeepClaimed stops at claimed instead of started.
	KeepClaimed bool
}

// Standing is how a key stands for a claim.
type Standing struct {
	// Code is "" when the key is free or settled ok, else in_progress,
	// key_conflict, key_pruned, unresolved_write, approval_pending or
	// budget_exceeded; from Start
	// also why the approval could not be consumed: approval_denied,
	// approval_expired, approval_void (bound to another digest, replaced, or
	// withdrawn).
	Code holdfast.Code
	// Held is the entry that stands in the way: settled ok (Code ""), running,
	// uncertain or pending, under this key or, for in_progress and
	// unresolved_write, with the same arguments under another. It is nil for a
	// conflict: nothing of the first call is shown.
	Held *Entry
	// Unresolved is the newest other write of the tool in this run that is
	// started or uncertain with other arguments: a person must agree first, by
	// an approval that names it (Approval.Unresolved). Start does not start then.
	Unresolved *Entry
	// Budget is the name of the one that has no room.
	Budget string
}

// Free reports whether the write may start without asking anybody.
func (s Standing) Free() bool { return s.Code == "" && s.Held == nil && s.Unresolved == nil }

// Look tells how a key stands and claims nothing.
func (l *Ledger) Look(ctx context.Context, c Claim) (Standing, error) {
	if err := c.check(); err != nil {
		return Standing{}, fmt.Errorf("looking up key of %s: %w", c.Entry.Tool, err)
	}
	if err := l.endStrays(ctx); err != nil {
		return Standing{}, fmt.Errorf("looking up key of %s: %w", c.Entry.Tool, err)
	}
	asked := c.claim()
	var out Standing
	err := l.view(ctx, func(t *txn) error {
		st, err := t.stand(asked)
		out = st.Standing
		return err
	})
	return out, err
}

// Start claims the key and writes the entry as started, in one durable write;
// the approval, if any, is consumed in it. The entry is the caller's only if
// the standing is free. An Entry.ID in the claim names its pending (or claimed)
// entry; without one the entry is new.
//
// An error means that the handler must not be entered. Where the store could
// not say whether the write is durable, the entry is taken back before the next
// claim is looked at; if this process ends before, it becomes uncertain.
func (l *Ledger) Start(ctx context.Context, c Claim) (Entry, Standing, error) {
	if err := c.check(); err != nil {
		return Entry{}, Standing{}, fmt.Errorf("claiming key of %s: %w", c.Entry.Tool, err)
	}
	id := c.Entry.ID
	if id == "" {
		id = l.newID()
	}
	if err := l.begin(); err != nil {
		return Entry{}, Standing{}, err
	}
	asked := c.claim()
	var last struct { // what the last run of the transaction came to
		started *entryBody
		out     Standing
		taken   []string
		renewed bool
		now     time.Time
	}
	err := l.updateAhead(ctx, asked.reads, func(t *txn) error {
		last.started = nil
		err := l.begin()
		if err != nil {
			return err
		}
		if last.taken, err = t.takeBackStrays(); err != nil {
			return err
		}
		last.out, last.started, err = t.start(asked, id)
		last.renewed, last.now = t.renewed, t.now
		return err
	})
	started := last.started
	if err != nil {
		if started != nil && !errors.Is(err, ErrUnavailable) {
			l.stray(&started.storedEntry)
		}
		return Entry{}, Standing{}, fmt.Errorf("claiming key of %s: %w", c.Entry.Tool, err)
	}
	l.forgetStrays(last.taken)
	if started != nil {
		l.keepRunning(started)
	}
	if last.renewed {
		l.renewed(last.now)
	}
	if started == nil {
		return Entry{}, last.out, nil
	}
	return started.entry(), last.out, nil
}

// keepRunning remembers what was started, to settle it without reading it again.
func (l *Ledger) keepRunning(b *entryBody) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running[b.ID] = b
}

// begin refuses starts once the ledger is closed.
func (l *Ledger) begin() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return fmt.Errorf("%w: ledger is closed", ErrUnavailable)
	}
	l.began = true
	return nil
}

func (t *txn) start(c *claim, id string) (Standing, *entryBody, error) {
	c.begin()
	st, err := t.stand(c)
	if err != nil || st.Code != "" || st.Held != nil {
		return st.Standing, nil, err
	}
	a, code, err := t.consumable(c, st.own)
	if err != nil || code != "" {
		return Standing{Code: code}, nil, err
	}
	if c.rule != "" {
		if held, err := t.ruleHolds(c); err != nil || !held {
			return Standing{Code: holdfast.ApprovalVoid}, nil, err
		}
	}
	if st.Unresolved != nil {
		agreed, err := t.agreedTo(a, st.Unresolved.ID)
		if err != nil || !agreed {
			return st.Standing, nil, err
		}
	}
	if err := t.vouch(); err != nil {
		return Standing{}, nil, err
	}
	b, err := t.beginEntry(c, &st, id)
	if err != nil {
		return Standing{}, nil, err
	}
	if err := t.take(&st, &b.storedEntry); err != nil {
		return Standing{}, nil, err
	}
	if !c.keepClaimed {
		if err := t.spendFor(c, &st); err != nil {
			return Standing{}, nil, err
		}
	}
	var by any
	if a != nil && !c.keepClaimed {
		used, err := t.consume(a)
		if err != nil {
			return Standing{}, nil, err
		}
		by = used
	}
	return Standing{}, b, t.putBody(b, b.State, b.Owner, by)
}

// beginEntry is the claim's entry as its owner has it from now on.
func (t *txn) beginEntry(c *claim, st *standing, id string) (*entryBody, error) {
	b := c.body
	if own := st.own; own != nil {
		switch State(own.State) {
		case StatePending, StateParked, StateClaimed, StateStarted:
		default:
			return nil, fmt.Errorf("starting entry %s, which is %s: %w", id, own.State, ErrLost)
		}
		if own.ArgumentsDigest != b.ArgumentsDigest || own.Tool != b.Tool || own.Key != b.Key || own.principal() != b.principal() {
			return nil, fmt.Errorf("starting entry %s: the claim is of another call", id)
		}
		b, id = &entryBody{storedEntry: *own}, own.ID
		b.ToolDigest, b.Outcome = c.body.ToolDigest, nil
	}
	c.put = b == c.body
	b.ID, b.Sealed, b.Owner, b.Fence = id, nil, t.l.owner, st.fence+1
	b.Proposed = firstTime(b.Proposed, t.now)
	b.State = string(StateClaimed)
	if !c.keepClaimed {
		b.State, b.Started = string(StateStarted), t.now
	}
	return b, nil
}

// stray remembers an entry that may stand as started or pending though its caller
// was told that it does not.
func (l *Ledger) stray(e *storedEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.strays[e.ID] = e.Fence
}

func (l *Ledger) forgetStrays(ids []string) {
	if len(ids) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		delete(l.strays, id)
	}
}

// takeBackStrays rejects the entries that could not be told durable: we know that
// nothing happened.
func (t *txn) takeBackStrays() ([]string, error) {
	var taken []string
	for id, fence := range t.l.straysNow() {
		taken = append(taken, id)
		e, err := t.getEntry(id)
		if err != nil {
			return nil, err
		}
		if e == nil || e.Fence != fence || e.settled() || e.State == string(StateUncertain) {
			continue
		}
		if e.State == string(StatePending) {
			if err := t.withdraw(e.Approval); err != nil {
				return nil, err
			}
		}
		back := e.dropped(t.now, holdfast.LedgerUnavailable, "the ledger could not be written")
		if _, err := t.end(back); err != nil {
			return nil, err
		}
	}
	return taken, nil
}

// endStrays takes back what there is of them before somebody looks: they would
// stand in the way of the very call that could not be started.
func (l *Ledger) endStrays(ctx context.Context) error {
	if len(l.straysNow()) == 0 {
		return nil
	}
	var taken []string
	err := l.update(ctx, func(t *txn) (err error) {
		taken, err = t.takeBackStrays()
		return err
	})
	if err == nil {
		l.forgetStrays(taken)
	}
	return err
}

func (l *Ledger) straysNow() map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.strays) == 0 {
		return nil
	}
	return maps.Clone(l.strays)
}
