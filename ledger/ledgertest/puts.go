package ledgertest

import (
	"runtime"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/ledger"
)

// Puts is an update that puts rows.
func Puts(rows ...ledger.Row) func(ledger.Tx) error {
	return func(tx ledger.Tx) error {
		for _, row := range rows {
			if err := tx.Put(row); err != nil {
				return err
			}
		}
		return nil
	}
}

// WantGoroutines asserts that there are no more than before; those that have ended
// may not be gone yet.
func WantGoroutines(t *testing.T, before int) {
	t.Helper()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("there are %d goroutines, want the %d of before", runtime.NumGoroutine(), before)
}
