package memory_test

import (
	"testing"

	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/ledgertest"
	"github.com/holdfast-go/holdfast/ledger/memory"
)

func TestStore(t *testing.T) {
	ledgertest.Store(t, func(*testing.T) ledger.Store { return memory.New(nil) })
}

func TestStore_Leases(t *testing.T) {
	ledgertest.Store(t, func(*testing.T) ledger.Store { return memory.New(&memory.Options{Leases: true}) })
}
