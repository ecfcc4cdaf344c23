package memory_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/ledgertest"
	"github.com/holdfast-go/holdfast/ledger/memory"
)

func TestStore(t *testing.T) {
	ledgertest.Store(t, func(*testing.T) ledger.Store { return memory.New(nil) })
}

func TestStore_leases(t *testing.T) {
	ledgertest.Store(t, func(*testing.T) ledger.Store { return memory.New(&memory.Options{Leases: true}) })
}

func TestLedger(t *testing.T) {
	ledgertest.Ledger(t, func(_ *testing.T, now func() time.Time) ledger.Store {
		return memory.New(&memory.Options{Now: now})
	})
}

func TestLedger_updates_that_run_again(t *testing.T) {
	ledgertest.Ledger(t, func(_ *testing.T, now func() time.Time) ledger.Store {
		return ledgertest.Twice(memory.New(&memory.Options{Now: now}))
	})
}

func TestLedger_leases(t *testing.T) {
	ledgertest.Ledger(t, func(_ *testing.T, now func() time.Time) ledger.Store {
		return memory.New(&memory.Options{Now: now, Leases: true})
	})
}

func TestLedger_a_lease_lasts_while_Run_renews_it(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(&memory.Options{Leases: true})
		owner, err := ledger.New(t.Context(), store, nil)
		if err != nil {
			t.Fatalf("New() = %v, want no error", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- owner.Run(ctx) }()
		c := ledger.Claim{Entry: ledger.Entry{Tool: "pay", Effect: holdfast.Write, Key: "k", ArgumentsDigest: "d"}}
		if _, s, err := owner.Start(t.Context(), c); err != nil || !s.Free() {
			t.Fatalf("Start() = %+v, %v, want it free", s, err)
		}
		other, err := ledger.New(t.Context(), store, nil)
		if err != nil {
			t.Fatalf("New() = %v, want no error", err)
		}
		wantCode := func(when string, want holdfast.Code) {
			t.Helper()
			if s, err := other.Look(t.Context(), c); err != nil || s.Code != want {
				t.Errorf("Look() %s = %q, %v, want %q", when, s.Code, err, want)
			}
		}
		time.Sleep(5 * time.Minute)
		wantCode("while it runs", holdfast.InProgress)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Run() = %v, want context.Canceled", err)
		}
		time.Sleep(19 * time.Second)
		wantCode("before the lease runs out", holdfast.InProgress)
		time.Sleep(12 * time.Second)
		wantCode("after it ran out", holdfast.UnresolvedWrite)
	})
}

func TestLedger_Run_settles_what_others_left(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(&memory.Options{Leases: true})
		lost, err := ledger.New(t.Context(), store, nil)
		if err != nil {
			t.Fatalf("New() = %v, want no error", err)
		}
		c := ledger.Claim{Entry: ledger.Entry{Tool: "pay", Effect: holdfast.Write, Key: "k", ArgumentsDigest: "d"}}
		e, _, err := lost.Start(t.Context(), c)
		if err != nil {
			t.Fatalf("Start() = %v, want no error", err)
		}
		l, err := ledger.New(t.Context(), store, nil)
		if err != nil {
			t.Fatalf("New() = %v, want no error", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := l.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Run() = %v, want the deadline", err)
		}
		events, err := l.Events(t.Context(), e.ID)
		if err != nil || len(events) != 2 || events[1].What != "uncertain" {
			t.Errorf("Events() = %+v, %v, want it settled as uncertain", events, err)
		}
	})
}

func TestModel(t *testing.T) {
	ledgertest.Model(t, 3_000, 100_000, func(_ *testing.T, now func() time.Time) ledger.Store {
		return memory.New(&memory.Options{Now: now})
	})
}
