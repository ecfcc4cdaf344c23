package ledgertest

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

// write is a write's claim, start and commit under a key that is new each time.
func write(ctx context.Context, l *ledger.Ledger, run, key string) error {
	e, standing, err := l.Start(ctx, ledger.Claim{Entry: ledger.Entry{
		Run: run, Turn: 1, Round: 1, CallID: "call_1", Tool: "bank.pay", ToolDigest: "tool", Effect: holdfast.Write,
		Principal: ana, Key: key, Arguments: []byte(`{"to":"bob","cents":1250}`), ArgumentsDigest: key,
	}})
	if err != nil || !standing.Free() {
		return fmt.Errorf("start: %+v, %w", standing, err)
	}
	_, err = l.Settle(ctx, e.ID, e.Fence, holdfast.Outcome{Status: holdfast.OK}, "record", "")
	return err
}

// Price sets the writes of l, each claimed, started and committed, against bare,
// which does the least that could be as durable under a key. Blocks of both come
// by turns, so that a noisy machine is noisy for both; in a block each of so many
// callers makes some writes of a run of its own. What l reaches of the speed of
// bare is reported in percent.
func Price(b *testing.B, callers int, l *ledger.Ledger, bare func(ctx context.Context, key string) error) {
	b.Helper()
	const each = 8
	blocks := 0
	block := func(do func(ctx context.Context, run, key string) error) time.Duration {
		start := time.Now()
		var wg sync.WaitGroup
		blocks++
		for i := range callers {
			run := fmt.Sprintf("run-%08d-%03d", blocks, i)
			wg.Go(func() {
				for range each {
					if err := do(b.Context(), run, rand.Text()); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		return time.Since(start)
	}
	var bares, wholes []time.Duration
	var shares []float64
	for b.Loop() {
		one := block(func(ctx context.Context, _, key string) error { return bare(ctx, key) })
		two := block(func(ctx context.Context, run, key string) error { return write(ctx, l, run, key) })
		bares, wholes = append(bares, one), append(wholes, two)
		shares = append(shares, 100*float64(one)/float64(two))
	}
	perSecond := func(times []time.Duration) float64 {
		slices.Sort(times)
		return float64(callers*each) / times[len(times)/2].Seconds()
	}
	slices.Sort(shares)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(perSecond(bares), "bare-writes/s")
	b.ReportMetric(perSecond(wholes), "writes/s")
	b.ReportMetric(shares[len(shares)/2], "%-of-bare")
}
