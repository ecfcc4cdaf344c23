package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/ledgertest"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
)

func TestCrash(t *testing.T) {
	ledgertest.Crash(t,
		func(t *testing.T) string { return filepath.Join(t.TempDir(), "l.db") },
		func(ctx context.Context, place string) (ledger.Store, error) {
			s, err := sqlite.Open(ctx, place, nil)
			if err != nil {
				return nil, err
			}
			s.At(ledgertest.Point)
			return s, nil
		})
}
