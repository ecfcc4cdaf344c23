package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/ledgertest"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
)

func open(t testing.TB, path string, o *sqlite.Options) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, o)
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestStore(t *testing.T) {
	ledgertest.Store(t, func(t *testing.T) ledger.Store { return open(t, filepath.Join(t.TempDir(), "l.db"), nil) })
}

func TestLedger(t *testing.T) {
	ledgertest.Ledger(t, func(t *testing.T, now func() time.Time) ledger.Store {
		return open(t, filepath.Join(t.TempDir(), "l.db"), &sqlite.Options{Now: now})
	})
}

func TestModel(t *testing.T) {
	ledgertest.Model(t, 500, 5_000, func(t *testing.T, now func() time.Time) ledger.Store {
		return open(t, filepath.Join(t.TempDir(), "l.db"), &sqlite.Options{Now: now})
	})
}
