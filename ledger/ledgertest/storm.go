package ledgertest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/ledger"
)

// Storm is updates of a store, many at once and at random. They are to be as if one
// ran after the other, on a store in memory.
type Storm struct {
	Seed          uint64
	Callers, Each int
	Skips         bool         // the store may skip a Seq, so only the order of Seqs is compared
	Looks         bool         // each looks whether a row is there before it puts it
	Model         ledger.Store // the store in memory, which is empty

	last atomic.Int64

	mu   sync.Mutex
	list []turn
}

// turn is an update as it ran last.
type turn struct {
	seed   uint64
	number int64 // in the order in which they ran
	saw    []string
	err    error
}

var (
	errRefused = errors.New("refused")
	errFaulty  = errors.New("cannot be encoded")
)

// Run runs the updates on s, and meanwhile what is to go on beside them until stop.
func (m *Storm) Run(s ledger.Store, beside ...func(stop <-chan struct{})) {
	stop := make(chan struct{})
	var side, wg sync.WaitGroup
	for _, fn := range beside {
		side.Go(func() { fn(stop) })
	}
	for caller := range m.Callers {
		wg.Go(func() {
			for i := range m.Each {
				m.update(s, m.Seed<<48|2<<40|uint64(caller)<<16|uint64(i))
			}
		})
	}
	wg.Wait()
	close(stop)
	side.Wait()
}

// Others go on beside Run: stores that open, write, and close, as of other processes.
// They sleep for moments that are not always the same, so that they come at every
// point of a batch.
func (m *Storm) Others(t *testing.T, open func() (ledger.Store, error)) func(stop <-chan struct{}) {
	return func(stop <-chan struct{}) {
		for n := uint64(0); ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(n%7) * 5 * time.Millisecond):
			}
			other, err := open()
			if err != nil {
				t.Errorf("opening another = %v, want no error", err)
				continue
			}
			for i := range n % 4 {
				m.Update(other, n<<8|i)
			}
			if err := other.Close(); err != nil {
				t.Errorf("Close() = %v, want no error", err)
			}
		}
	}
}

// Views of s go on beside Run.
func (*Storm) Views(t *testing.T, s ledger.Store) func(stop <-chan struct{}) {
	return func(stop <-chan struct{}) {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			if err := s.View(context.Background(), func(tx ledger.Tx) error {
				_, err := tx.Find(ledger.Query{Table: "entries", Words: [7]string{2: "tool 0"}, Limit: 5})
				return err
			}); err != nil {
				t.Errorf("View() = %v, want no error", err)
			}
		}
	}
}

// Update runs one more, on s, which shares its rows with that of Run. n is another one
// each time, below 1<<40.
func (m *Storm) Update(s ledger.Store, n uint64) { m.update(s, m.Seed<<48|1<<40|n) }

// update runs the update of seed in a goroutine of its own, which it may end. Half of
// them say what they will read.
func (m *Storm) update(s ledger.Store, seed uint64) {
	did := turn{seed: seed, err: errRefused}
	var reads foreseeing
	if seed%2 == 0 {
		_, _, _ = m.do(&reads, seed)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		defer func() { _ = recover() }()
		did.err = updateAhead(context.Background(), s, reads.list, func(tx ledger.Tx) (err error) {
			did.number = m.last.Add(1)
			var end string
			did.saw, end, err = m.do(tx, seed)
			switch end {
			case panics:
				panic("on purpose")
			case exits:
				runtime.Goexit()
			case faults:
				return tx.Put(ledger.Row{Table: "owners", ID: "faulty", Value: faulty{}})
			}
			return err
		})
	})
	wg.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, did)
}

// faulty is a value that cannot be encoded.
type faulty struct{}

func (faulty) Prepare()                            {}
func (faulty) AppendBinary([]byte) ([]byte, error) { return nil, errFaulty }

// WantTurns asserts that each saw, and was told, what it would have on the model, one
// after the other.
func (m *Storm) WantTurns(t *testing.T) {
	t.Helper()
	slices.SortFunc(m.list, func(a, b turn) int { return cmp.Compare(a.number, b.number) })
	ends := map[string]int{}
	for _, did := range m.list {
		var want []string
		var end string
		err := m.Model.Update(t.Context(), func(tx ledger.Tx) (err error) {
			if want, end, err = m.do(tx, did.seed); end == faults {
				return errFaulty
			}
			return err
		})
		if err != nil {
			ends[cmp.Or(end, "is refused")]++
		}
		if !errors.Is(did.err, err) || err == nil && did.err != nil {
			t.Fatalf("update %d of seed %x = %v, want %v", did.number, did.seed, did.err, err)
		}
		if end == panics || end == exits {
			continue // it was not run again with the others, and was told nothing
		}
		if diff := gocmp.Diff(want, did.saw); diff != "" {
			t.Fatalf("what update %d of seed %x saw differs (-want +got):\n%s", did.number, did.seed, diff)
		}
	}
	t.Logf("%d updates in %d runs: %v", len(m.list), m.last.Load(), ends)
	if len(ends) < 4 {
		t.Errorf("updates end so: %v, want some of each kind", ends)
	}
}

// WantRows asserts that s is as the model is after WantTurns.
func (m *Storm) WantRows(t *testing.T, s ledger.Store) {
	t.Helper()
	rng := rand.New(rand.NewPCG(m.Seed, 5))
	for _, table := range append(slices.Clone(actTables), "events", "owners") {
		queries := []ledger.Query{{Table: table}}
		for range 40 {
			queries = append(queries, randomFind(rng, table, fmt.Sprint("id ", rng.IntN(80))))
		}
		for _, q := range queries {
			var want, got []string
			err := errors.Join(m.Model.View(t.Context(), m.tell(&want, q)), s.View(t.Context(), m.tell(&got, q)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("in the end it finds other rows of %+v (-want +got):\n%.2000s", q, diff)
			}
		}
	}
}

func (m *Storm) tell(into *[]string, q ledger.Query) func(ledger.Tx) error {
	return func(tx ledger.Tx) error {
		a := &act{tx: tx, storm: m}
		err := a.findWithin(q)
		*into = a.saw
		return err
	}
}

// do tells what an update saw, and how it is to end.
func (m *Storm) do(tx ledger.Tx, seed uint64) (saw []string, end string, err error) {
	a := &act{Rand: rand.New(rand.NewPCG(seed, 11)), tx: tx, seed: seed, storm: m}
	a.busy = a.IntN(40) == 0
	for range 1 + a.IntN(5) {
		if err := a.step(); err != nil {
			return nil, "", err
		}
	}
	switch a.IntN(120) {
	case 0:
		return a.saw, "", errRefused
	case 1:
		return a.saw, panics, errRefused
	case 2:
		return a.saw, exits, errRefused
	case 3:
		return a.saw, faults, nil
	}
	return a.saw, "", nil
}
