package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

// BenchmarkWrite compares a write's claim, start and commit with the least that
// could be as durable: two transactions of one row each, by the same writer.
// writes/s of the two stand beside each other; their ratio is the ledger's price.
func BenchmarkWrite(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("bare/callers=%d", callers), func(b *testing.B) {
			s := open(b, filepath.Join(b.TempDir(), "l.db"), nil)
			var n atomic.Int64
			inParallel(b, callers, func(ctx context.Context) error {
				id := fmt.Sprint("key ", n.Add(1))
				for _, state := range []string{"started", "ok"} {
					err := s.Update(ctx, func(tx ledger.Tx) error {
						return tx.Put(ledger.Row{Table: "owners", ID: id, Body: []byte(state)})
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
		})
		b.Run(fmt.Sprintf("ledger/callers=%d", callers), func(b *testing.B) {
			l, err := ledger.New(b.Context(), open(b, filepath.Join(b.TempDir(), "l.db"), nil), nil)
			if err != nil {
				b.Fatal(err)
			}
			var n atomic.Int64
			inParallel(b, callers, func(ctx context.Context) error {
				c := storyClaim(fmt.Sprint("key ", n.Add(1)))
				c.Entry.ID = ""
				e, standing, err := l.Start(ctx, c)
				if err != nil || !standing.Free() {
					return fmt.Errorf("start: %+v, %w", standing, err)
				}
				_, err = l.Settle(ctx, e.ID, e.Fence, holdfast.Outcome{Status: holdfast.OK}, "record", "")
				return err
			})
		})
	}
}

func inParallel(b *testing.B, callers int, do func(ctx context.Context) error) {
	b.SetParallelism(max(1, callers/2)) // of two processors
	if callers == 1 {
		for b.Loop() {
			if err := do(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	} else {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := do(b.Context()); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
}
