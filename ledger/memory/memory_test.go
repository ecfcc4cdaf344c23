package memory_test

import (
	"testing"
	"time"

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

func TestLedger_leases(t *testing.T) {
	ledgertest.Ledger(t, func(_ *testing.T, now func() time.Time) ledger.Store {
		return memory.New(&memory.Options{Now: now, Leases: true})
	})
}
