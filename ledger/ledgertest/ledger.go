package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

// Ledger runs what package ledger promises over stores that open makes, each a
// fresh one that goes by the given clock.
func Ledger(t *testing.T, open func(t *testing.T, now func() time.Time) ledger.Store) {
	for _, group := range []struct {
		name  string
		cases []ledgerCase
	}{
		{"keys", keyCases},
		{"crashes", crashCases},
		{"asking", askCases},
		{"approvals", approvalCases},
		{"runs", runCases},
		{"labels", labelCases},
		{"budgets", budgetCases},
		{"rules", ruleCases},
		{"records", recordCases},
		{"faults", faultCases},
		{"keeping", keepingCases},
		{"tail", tailCases},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.cases {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					k := &clock{now: time.Date(2024, 4, 11, 10, 0, 0, 0, time.UTC)}
					s := open(t, k.Now)
					t.Cleanup(func() { _ = s.Close() })
					b := &bench{T: t, clock: k, store: &mortal{Store: s}}
					b.Ledger = b.another()
					c.test(b)
					if _, _, faults, err := b.Verify(t.Context()); err == nil && len(faults) == 0 {
						wantStories(t, b.Ledger)
					}
				})
			}
		})
	}
}

// Twice is s where every update is taken back once and run again, as any store
// may do.
func Twice(s ledger.Store) ledger.Store { return twice{s} }

type twice struct{ ledger.Store }

var errTakenBack = errors.New("taken back")

func (s twice) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	err := s.Store.Update(ctx, func(tx ledger.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return errTakenBack
	})
	if !errors.Is(err, errTakenBack) {
		return err
	}
	return s.Store.Update(ctx, fn)
}

type ledgerCase struct {
	name string
	test func(b *bench)
}

// bench is a ledger under test, on a clock that the test moves.
type bench struct {
	*testing.T
	*ledger.Ledger
	clock *clock
	store *mortal
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// mortal is a store whose owners can be killed, and whose updates can be made
// to fail.
type mortal struct {
	ledger.Store

	mu       sync.Mutex
	releases map[string]func()
	before   error // instead of an update
	after    error // after one that was done: nobody knows
}

func (m *mortal) Hold(ctx context.Context, owner string) (func(), error) {
	release, err := m.Store.Hold(ctx, owner)
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.releases == nil {
			m.releases = map[string]func(){}
		}
		m.releases[owner] = release
	}
	return release, err
}

func (m *mortal) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	return m.UpdateAhead(ctx, nil, fn)
}

func (m *mortal) UpdateAhead(ctx context.Context, reads []ledger.Query, fn func(ledger.Tx) error) error {
	m.mu.Lock()
	before, after := m.before, m.after
	m.mu.Unlock()
	if before != nil {
		return before
	}
	if err := updateAhead(ctx, m.Store, reads, fn); err != nil {
		return err
	}
	return after
}

func (m *mortal) fail(before, after error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.before, m.after = before, after
}

// another is a ledger of another process on the same store.
func (b *bench) another() *ledger.Ledger {
	b.Helper()
	l, err := ledger.New(b.Context(), b.store, nil)
	if err != nil {
		b.Fatalf("New() = %v, want no error", err)
	}
	return l
}

// kill ends a ledger's process as SIGKILL would: without a word.
func (b *bench) kill(l *ledger.Ledger) {
	b.store.mu.Lock()
	release := b.store.releases[l.Owner()]
	b.store.mu.Unlock()
	release()
	b.clock.pass(31 * time.Second)
}

var ana = holdfast.Principal{Tenant: "acme", ID: "ana"}

// pay is a write of tool "bank.pay" in run r, as the gate proposes it.
func pay(key, arguments string) ledger.Claim {
	return ledger.Claim{Entry: ledger.Entry{
		Run: "r", Turn: 1, Round: 1, CallID: "call_1", Tool: "bank.pay", ToolDigest: "tool",
		Effect: holdfast.Write, Principal: ana, Key: key,
		Arguments: []byte(`{"to":"` + arguments + `"}`), ArgumentsDigest: "digest of " + arguments,
	}}
}

func (b *bench) start(l *ledger.Ledger, c ledger.Claim) ledger.Entry {
	b.Helper()
	e, standing, err := l.Start(b.Context(), c)
	if err != nil || !standing.Free() {
		b.Fatalf("Start(%s) = %+v, %v, want it free", c.Entry.Key, standing, err)
	}
	if want := ledger.StateStarted; e.State != want && !c.KeepClaimed {
		b.Fatalf("Start(%s).State = %s, want %s", c.Entry.Key, e.State, want)
	}
	return e
}

func (b *bench) settle(l *ledger.Ledger, e ledger.Entry, o holdfast.Outcome) ledger.Entry {
	b.Helper()
	got, err := l.Settle(b.Context(), e.ID, e.Fence, o, "execute", "")
	if err != nil || got.State != ledger.State(o.Status) {
		b.Fatalf("Settle(%s) = %s, %v, want it settled", o.Status, got.State, err)
	}
	return got
}

// wantStanding asserts how a key stands, by Look and by a Start that must not
// start.
func (b *bench) wantStanding(l *ledger.Ledger, c ledger.Claim, code holdfast.Code, held string) {
	b.Helper()
	for _, way := range []string{"Look", "Start"} {
		var (
			s   ledger.Standing
			err error
		)
		if way == "Look" {
			s, err = l.Look(b.Context(), c)
		} else {
			_, s, err = l.Start(b.Context(), c)
		}
		got := ""
		if s.Held != nil {
			got = s.Held.ID
		}
		if err != nil || s.Code != code || got != held {
			b.Errorf("%s(%s) = code %q, held %q, error %v, want code %q, held %q", way, c.Entry.Key, s.Code, got, err, code, held)
		}
	}
}

func (b *bench) wantFree(l *ledger.Ledger, c ledger.Claim) {
	b.Helper()
	s, err := l.Look(b.Context(), c)
	if err != nil || !s.Free() {
		b.Errorf("Look(%s) = %+v, %v, want it free", c.Entry.Key, s, err)
	}
}

func (b *bench) entry(id string) ledger.Entry {
	b.Helper()
	e, err := b.Entry(b.Context(), id)
	if err != nil {
		b.Fatalf("Entry(%s) = %v, want no error", id, err)
	}
	return e
}

func (b *bench) story(id string) []string {
	b.Helper()
	list, err := b.Events(b.Context(), id)
	if err != nil {
		b.Fatalf("Events(%s) = %v, want no error", id, err)
	}
	var what []string
	for _, e := range list {
		what = append(what, fmt.Sprintf("%s/%d", e.What, e.Fence))
	}
	return what
}

func ok(text string) holdfast.Outcome {
	return holdfast.Outcome{Status: holdfast.OK, Result: &holdfast.Result{Text: text}}
}

func failed() holdfast.Outcome {
	return holdfast.Outcome{Status: holdfast.Failed, Code: holdfast.NoEffect, Message: "nothing happened"}
}

func uncertain() holdfast.Outcome {
	return holdfast.Outcome{Status: holdfast.Uncertain, Code: holdfast.Timeout, Message: "no answer in time"}
}

func wantErr(b *bench, what string, err, want error) {
	b.Helper()
	if !errors.Is(err, want) {
		b.Errorf("%s error = %v, want %v", what, err, want)
	}
}
