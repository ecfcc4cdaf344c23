package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
)

// standing is what is so when somebody looks: it is asked for, not counted.
type standing struct {
	ledger *ledger.Ledger
	gate   *gate.Gate

	mu   sync.Mutex
	seen figures
	at   time.Time
}

// figures are those of the ledger.
type figures struct {
	waiting, uncertain int
	up                 bool
}

const (
	// mostCounted bounds what is listed to be counted.
	mostCounted = 1000
	// lookEvery bounds how often the ledger is asked, however often somebody looks.
	lookEvery = 5 * time.Second
	lookMost  = 5 * time.Second
)

var (
	waitingDesc   = prometheus.NewDesc("holdfast_approvals_waiting", "Approvals that wait for a person; 1000 stands for more too.", nil, nil)
	uncertainDesc = prometheus.NewDesc("holdfast_entries_uncertain", "Calls of which nobody knows whether they had an effect; 1000 stands for more too.", nil, nil)
	upDesc        = prometheus.NewDesc("holdfast_ledger_up", "1 while the ledger can be read.", nil, nil)
	runningDesc   = prometheus.NewDesc("holdfast_abandoned_running", "Abandoned handlers that still run.", nil, nil)
)

// Describe lists what Collect gives.
func (s *standing) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{waitingDesc, uncertainDesc, upDesc, runningDesc} {
		to <- d
	}
}

// Collect looks. What cannot be found out is left out: no figure is better than
// a false one.
func (s *standing) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v int) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v))
	}
	_, running := s.gate.Abandoned()
	gauge(runningDesc, running)
	f := s.look()
	if !f.up {
		gauge(upDesc, 0)
		return
	}
	gauge(upDesc, 1)
	gauge(waitingDesc, f.waiting)
	gauge(uncertainDesc, f.uncertain)
}

func (s *standing) look() figures {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.at.IsZero() && time.Since(s.at) < lookEvery {
		return s.seen
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookMost)
	defer cancel()
	approvals, err := s.ledger.Approvals(ctx, ledger.Filter{State: string(ledger.Waiting), Limit: mostCounted})
	if err != nil {
		s.seen, s.at = figures{}, time.Now()
		return s.seen
	}
	entries, err := s.ledger.Entries(ctx, ledger.Filter{State: string(ledger.StateUncertain), Limit: mostCounted})
	s.seen, s.at = figures{len(approvals), len(entries), err == nil}, time.Now()
	return s.seen
}

// words bounds how many different values a label takes that is not ours alone to
// choose.
type words struct {
	mu   sync.Mutex
	seen map[string]bool
}

const maxWords = 64

func (w *words) bounded(word string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	if !w.seen[word] {
		if len(w.seen) >= maxWords {
			return "other"
		}
		w.seen[word] = true
	}
	return word
}
