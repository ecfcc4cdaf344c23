package gate

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

// keeper holds what the ledger did not take and tries again, in order, while
// the gate lives. Every try is a compare-and-set, so one too many does no harm.
type keeper struct {
	gate *Gate

	mu     sync.Mutex
	jobs   []*job
	cancel context.CancelFunc // of the running loop
	done   chan struct{}      // closed when the running loop has ended; nil while none runs
	closed bool
}

// job is one write to the ledger that is still owed. do returns nil once it
// stands, or can never stand.
type job struct {
	entry string
	do    func(ctx context.Context) error
}

const (
	firstPause = 50 * time.Millisecond
	lastPause  = 10 * time.Second
)

func (k *keeper) init(g *Gate) { k.gate = g }

// keep commits the outcome of a started entry.
func (k *keeper) keep(id string, fence int64, o holdfast.Outcome, evidence string) {
	k.add(&job{entry: id, do: func(ctx context.Context) error {
		_, err := k.gate.ledger.Settle(ctx, id, fence, o, string(Record), evidence)
		return err
	}})
}

// end records an entry that ended before it started.
func (k *keeper) end(e ledger.Entry) {
	k.add(&job{entry: e.ID, do: func(ctx context.Context) error {
		_, err := k.gate.ledger.Record(ctx, e)
		return err
	}})
}

func (k *keeper) add(j *job) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		k.gate.options.Log.Error("outcome dropped: the gate is closed", "entry", j.entry)
		return
	}
	k.jobs = append(k.jobs, j)
	if k.done == nil {
		ctx, cancel := context.WithCancel(context.Background())
		k.cancel, k.done = cancel, make(chan struct{})
		go k.run(ctx, k.done)
	}
}

// run tries every job in turn until none is left.
func (k *keeper) run(ctx context.Context, done chan struct{}) {
	defer close(done)
	pause := firstPause
	for {
		before, left := k.round(ctx)
		if left == 0 {
			return
		}
		if left < before {
			pause = firstPause
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		pause = min(2*pause, lastPause)
	}
}

// round tries each job once, those of one entry in order. With none left, the
// loop counts as ended before another job can come.
func (k *keeper) round(ctx context.Context) (before, left int) {
	k.mu.Lock()
	jobs := slices.Clone(k.jobs)
	k.mu.Unlock()
	stuck := make(map[string]bool)
	finished := make(map[*job]bool)
	for _, j := range jobs {
		if stuck[j.entry] {
			continue
		}
		tryCtx, cancel := context.WithTimeout(ctx, k.gate.options.RecordTimeout)
		err := j.do(tryCtx)
		cancel()
		if err == nil || errors.Is(err, ledger.ErrLost) || errors.Is(err, ledger.ErrNotFound) {
			finished[j] = true
		} else {
			stuck[j.entry] = true
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.jobs = slices.DeleteFunc(k.jobs, func(j *job) bool { return finished[j] })
	if len(k.jobs) == 0 {
		k.cancel()
		k.done = nil
	}
	return len(jobs), len(k.jobs)
}

// close waits for the jobs, or ends them with ctx.
func (k *keeper) close(ctx context.Context) error {
	k.mu.Lock()
	k.closed = true
	done, cancel := k.done, k.cancel
	k.mu.Unlock()
	if done == nil {
		return nil
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		cancel()
		<-done
		return ctx.Err()
	}
}
