package gate

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast"
)

// Counter is an Admitter that counts: a circuit for each tool, and, where they
// are set, a rate for each tool and a budget for each run. It counts in this
// process and forgets with it; of runs it remembers those that were active last,
// at least 10,000, and a run that it forgot begins anew. Safe for concurrent use.
type Counter struct {
	limits CounterLimits

	mu     sync.Mutex
	tools  map[string]*counted
	runs   map[string]int // starts within a run
	before map[string]int // runs that were not active since runs was empty
}

// mostRuns is how many runs are remembered before the older ones go.
const mostRuns = 10_000

// CounterLimits of a Counter; nil means defaults, and so does each zero field.
type CounterLimits struct {
	Failures int           // in a row that open a tool's circuit; 3
	Open     time.Duration // how long it stays open; 60 s
	Rate     int           // starts of a tool within Per; none
	Per      time.Duration // 1 minute
	Budget   int           // starts within a run; none
}

// counted is what is known of one tool.
type counted struct {
	failures int
	until    time.Time // the circuit is open till then
	probe    *spot     // the call that finds out whether it may close
	starts   []time.Time
}

// spot is one call's place.
type spot struct {
	run                   string
	turn, round, position int
}

func spotOf(p Proposal) spot { return spot{p.Run, p.Turn, p.Round, p.Position} }

// NewCounter makes a Counter.
func NewCounter(l *CounterLimits) *Counter {
	k := &Counter{tools: make(map[string]*counted), runs: make(map[string]int)}
	if l != nil {
		k.limits = *l
	}
	if k.limits.Failures <= 0 {
		k.limits.Failures = 3
	}
	if k.limits.Open <= 0 {
		k.limits.Open = time.Minute
	}
	if k.limits.Per <= 0 {
		k.limits.Per = time.Minute
	}
	return k
}

// Admit counts a start, or says what stands against it.
func (k *Counter) Admit(_ context.Context, p Proposal) Admission {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.tools[p.Name]
	if t == nil {
		t = new(counted)
		k.tools[p.Name] = t
	}
	now := time.Now()
	if a := k.circuit(t, now); a.Code != "" {
		return a
	}
	if k.limits.Rate > 0 {
		t.starts = slices.DeleteFunc(t.starts, func(at time.Time) bool { return now.Sub(at) >= k.limits.Per })
		if len(t.starts) >= k.limits.Rate {
			return Admission{Code: holdfast.RateLimited, Wait: k.limits.Per - now.Sub(t.starts[0])}
		}
	}
	if k.limits.Budget > 0 && k.startsOf(p.Run) >= k.limits.Budget {
		return Admission{Code: holdfast.BudgetExceeded}
	}
	k.count(t, p, now)
	return Admission{}
}

// circuit says no while the tool's circuit is open. Once its time is over, one
// call is let through, and the others wait for what becomes of that.
func (k *Counter) circuit(t *counted, now time.Time) Admission {
	if t.failures < k.limits.Failures {
		return Admission{}
	}
	if wait := t.until.Sub(now); wait > 0 {
		return Admission{Code: holdfast.CircuitOpen, Wait: wait}
	}
	if t.probe != nil {
		return Admission{Code: holdfast.CircuitOpen}
	}
	return Admission{}
}

func (k *Counter) count(t *counted, p Proposal, now time.Time) {
	if t.failures >= k.limits.Failures {
		at := spotOf(p)
		t.probe = &at
	}
	if k.limits.Rate > 0 {
		t.starts = append(t.starts, now)
	}
	if k.limits.Budget > 0 {
		k.runs[p.Run] = k.startsOf(p.Run) + 1
		if len(k.runs) >= mostRuns {
			k.runs, k.before = make(map[string]int), k.runs
		}
	}
}

// startsOf counts the starts within a run.
func (k *Counter) startsOf(run string) int {
	if n, ok := k.runs[run]; ok {
		return n
	}
	return k.before[run]
}

// Ended counts failures in a row. What did not start is given back; a caller's
// cancellation says nothing about the tool.
func (k *Counter) Ended(p Proposal, o holdfast.Outcome) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.tools[p.Name]
	if t == nil {
		return
	}
	if t.probe != nil && *t.probe == spotOf(p) {
		t.probe = nil
	}
	switch {
	case o.Parked:
		// It did start, and ends another time.
	case o.Status == holdfast.Rejected || o.Status == holdfast.Pending || o.Replayed:
		k.giveBack(t, p.Run)
	case o.Status == holdfast.OK:
		t.failures = 0
	case o.Code == holdfast.Cancelled:
	default:
		t.failures++
		if t.failures >= k.limits.Failures {
			t.until = time.Now().Add(k.limits.Open)
		}
	}
}

func (k *Counter) giveBack(t *counted, run string) {
	if n := len(t.starts); n > 0 {
		t.starts = t.starts[:n-1]
	}
	if n := k.startsOf(run); n > 0 && k.limits.Budget > 0 {
		k.runs[run] = n - 1
	}
}
