package sqlite_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/ncruces/go-sqlite3"

	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
)

var errRefused = errors.New("refused")

// act is what one update does at random: a seed does the same on every store that
// is in the same state.
type act struct {
	*rand.Rand
	tx   ledger.Tx
	seed uint64
	busy bool     // few: they ask for what the store must look up
	saw  []string // what it read
}

// How an act ends, where not by returning nil or errRefused.
const (
	panics = "panics"
	exits  = "exits"
	faults = "puts what cannot be encoded"
)

// do tells what it saw, and how it is to end.
func do(tx ledger.Tx, seed uint64) (saw []string, end string, err error) {
	a := &act{Rand: rand.New(rand.NewPCG(seed, 11)), tx: tx, seed: seed}
	a.busy = a.IntN(40) == 0
	for range 1 + a.IntN(5) {
		if err := a.step(); err != nil {
			return nil, "", err
		}
	}
	switch a.IntN(200) {
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

var actTables = []string{"entries", "labels", "approvals"}

func (a *act) step() error {
	table, id := actTables[min(2, a.IntN(5)*a.IntN(2))], fmt.Sprint("id ", a.IntN(80))
	switch k := a.IntN(20); {
	case k < 4:
		return a.look()
	case k < 6 && a.busy:
		return a.find(randomFind(a.Rand, table, id))
	case k < 9:
		row, err := a.tx.Get(table, id)
		if err != nil && !errors.Is(err, ledger.ErrNotFound) {
			return err
		}
		a.see(row)
		return nil
	case k < 12:
		return a.event(id)
	case k == 12 && a.busy:
		// Not the newest, whose Seq SQLite would give away again.
		return errors.Join(a.tx.Put(ledger.Row{Table: table, ID: fmt.Sprint("newest ", a.seed)}), a.tx.Delete(table, id))
	case k == 13 && a.busy && a.IntN(6) == 0:
		return a.putMany(table)
	}
	return a.put(table, id)
}

func (a *act) see(rows ...ledger.Row) {
	a.saw = append(a.saw, fmt.Sprint("-- ", len(rows)))
	for _, row := range rows {
		text, err := row.Bytes()
		if err != nil {
			text = []byte("cannot be encoded")
		}
		a.saw = append(a.saw, fmt.Sprintf("%d %s %q %d %s", row.Seq, row.ID, row.Words, len(text), text[:min(len(text), 20)]))
	}
}

func (a *act) find(q ledger.Query) error {
	rows, err := a.tx.Find(q)
	if err == nil {
		a.see(rows...)
	}
	return err
}

// look looks for a word as a ledger does, which mostly nobody has.
func (a *act) look() error {
	q := ledger.Query{Table: "entries", Newest: a.IntN(2) == 0, Limit: a.IntN(4)}
	n := 3 + a.IntN(4)
	if q.Words[n] = randomWords(a.Rand, 1)[n]; a.IntN(3) > 0 {
		q.Words[n] += " nobody's"
	}
	return a.find(q)
}

// event puts one behind the last, as a ledger does.
func (a *act) event(id string) error {
	if err := a.find(ledger.Query{Table: "events", Newest: true, Limit: 1}); err != nil {
		return err
	}
	row := ledger.Row{Table: "events", Body: fmt.Append(nil, a.seed)}
	if a.IntN(2) == 0 {
		row.Body, row.Value = nil, encoded{fmt.Append(nil, a.seed, " value")}
	}
	if a.IntN(8) == 0 {
		row.Words[0] = id
	}
	return a.tx.Put(row)
}

// putMany puts more than a batch holds.
func (a *act) putMany(table string) error {
	for i := range 300 {
		if err := a.tx.Put(ledger.Row{Table: table, ID: fmt.Sprint("many ", i), Words: randomWords(a.Rand, 9), Body: fmt.Append(nil, a.seed)}); err != nil {
			return err
		}
	}
	return nil
}

func (a *act) put(table, id string) error {
	row := ledger.Row{Table: table, ID: id, Words: randomWords(a.Rand, 8), Body: fmt.Append(nil, a.seed)}
	if a.busy && a.IntN(3) == 0 {
		row.Body = append(row.Body, make([]byte, 70<<10)...) // too large to be remembered
	}
	if a.IntN(40) == 0 {
		row.Body = []byte{}
	}
	if a.IntN(2) == 0 {
		row.Value, row.Body = encoded{row.Body}, nil
	}
	return a.tx.Put(row)
}

// randomWords are of few for each place, but for keys, most of which nobody has.
func randomWords(rng *rand.Rand, odds int) (words [7]string) {
	for i := range words {
		if rng.IntN(odds) == 0 {
			words[i] = fmt.Sprint("w", i, " ", rng.IntN(6))
		}
	}
	if words[6] != "" {
		words[6] = fmt.Sprint("key ", rng.IntN(400), " of the keys")
	}
	if words[2] != "" {
		words[2] = fmt.Sprint("tool ", rng.IntN(5)*rng.IntN(5))
	}
	return words
}

func randomFind(rng *rand.Rand, table, id string) ledger.Query {
	q := ledger.Query{Table: table, Newest: rng.IntN(2) == 0, Limit: rng.IntN(2) * rng.IntN(9)}
	if rng.IntN(2) == 0 {
		q.Words = randomWords(rng, 4)
	} else {
		q.Words[2] = randomWords(rng, 1)[2]
	}
	q.Before, q.After = rng.Int64N(2)*rng.Int64N(3000), rng.Int64N(2)*rng.Int64N(1500)
	if rng.IntN(8) == 0 {
		q.ID = id
	}
	return q
}

// turn is an update as it ran last.
type turn struct {
	seed   uint64
	number int64 // in the order in which they ran
	saw    []string
	err    error
}

// turns are those that ran, on any store of the file.
type turns struct {
	last atomic.Int64

	mu   sync.Mutex
	list []turn
}

// run runs the update of seed in a goroutine of its own, which it may end.
func (all *turns) run(s ledger.Store, seed uint64) {
	did := turn{seed: seed, err: errRefused}
	var wg sync.WaitGroup
	wg.Go(func() {
		defer func() { _ = recover() }()
		did.err = s.Update(context.Background(), func(tx ledger.Tx) (err error) {
			did.number = all.last.Add(1)
			var end string
			did.saw, end, err = do(tx, seed)
			switch end {
			case panics:
				panic("on purpose")
			case exits:
				runtime.Goexit()
			case faults:
				return tx.Put(ledger.Row{Table: "owners", ID: "faulty", Value: faulty{errFaulty}})
			}
			return err
		})
	})
	wg.Wait()
	all.mu.Lock()
	defer all.mu.Unlock()
	all.list = append(all.list, did)
}

var errFaulty = errors.New("cannot be encoded")

// Updates see the rows of those before them, whether these are in memory, being
// written, or written; and what one of them gets wrong is its own. With
// HOLDFAST_LONG=1 there are more of them, and more seeds.
func TestUpdate_those_at_once_are_as_if_one_ran_after_the_other(t *testing.T) {
	seeds, callers, each := 1, 24, 60
	if os.Getenv("HOLDFAST_LONG") == "1" {
		seeds, callers, each = 3, 48, 150
	}
	for i, c := range []struct {
		name   string
		beside []beside
	}{
		{"alone", []beside{views}},
		{"while others open, write and close", []beside{views, others}},
		{"while one writes that is no store", []beside{views, stranger}},
		{"while others and one that is none write", []beside{views, others, stranger}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := range seeds {
				seed := uint64(4*n + i)
				s := open(t, filepath.Join(t.TempDir(), "l.db"), nil)
				s.ShortLog(200)
				all := &turns{}
				stop := make(chan struct{})
				var side, wg sync.WaitGroup
				for _, fn := range c.beside {
					side.Go(func() { fn(t, s, all, seed, stop) })
				}
				for caller := range callers {
					wg.Go(func() {
						for i := range each {
							all.run(s, seed<<48|2<<40|uint64(caller)<<16|uint64(i))
						}
					})
				}
				wg.Wait()
				close(stop)
				side.Wait()
				wantTurns(t, s, all, seed)
			}
		})
	}
}

// beside is what goes on, until stop, on the file of the store. It sleeps for moments
// that are not always the same, so that it comes at every point of a batch.
type beside func(t *testing.T, s *sqlite.Store, all *turns, seed uint64, stop <-chan struct{})

// others are stores that open, write, and close, as of other processes.
func others(t *testing.T, s *sqlite.Store, all *turns, seed uint64, stop <-chan struct{}) {
	for n := uint64(0); ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(n%7) * 5 * time.Millisecond):
		}
		other, err := sqlite.Open(context.Background(), s.Path(), nil)
		if err != nil {
			t.Errorf("Open() = %v, want no error", err)
			continue
		}
		for i := range n % 4 {
			all.run(other, seed<<48|1<<40|n<<8|i)
		}
		if err := other.Close(); err != nil {
			t.Errorf("Close() = %v, want no error", err)
		}
	}
}

// stranger writes the file, and does not say that it is here.
func stranger(t *testing.T, s *sqlite.Store, _ *turns, _ uint64, stop <-chan struct{}) {
	db, err := sqlite3.Open("file:" + s.Path())
	if err != nil {
		t.Error(err)
		return
	}
	defer db.Close()
	_ = db.BusyTimeout(5 * time.Second)
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(n%5) * 3 * time.Millisecond):
		}
		if err := db.Exec("UPDATE late SET body = body"); err != nil {
			t.Logf("the stranger: %v", err) // it may wait too long, which is its own affair
		}
	}
}

func views(t *testing.T, s *sqlite.Store, _ *turns, _ uint64, stop <-chan struct{}) {
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

// wantTurns asserts that each saw, and was told, what it would have on a store in
// memory, one after the other, and that the file is as that store is then.
func wantTurns(t *testing.T, s *sqlite.Store, all *turns, seed uint64) {
	t.Helper()
	slices.SortFunc(all.list, func(a, b turn) int { return cmp.Compare(a.number, b.number) })
	model := memory.New(nil)
	ends := map[string]int{}
	for _, did := range all.list {
		var want []string
		var end string
		err := model.Update(t.Context(), func(tx ledger.Tx) (err error) {
			if want, end, err = do(tx, did.seed); end == faults {
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
	t.Logf("%d updates in %d runs: %v", len(all.list), all.last.Load(), ends)
	if len(ends) < 4 {
		t.Errorf("updates end so: %v, want some of each kind", ends)
	}
	queries := randomFinds(seed)
	for name, at := range map[string]ledger.Store{"the store": s, "another": open(t, s.Path(), nil)} {
		for _, q := range queries {
			var want, got []string
			if err := errors.Join(model.View(t.Context(), tell(&want, []ledger.Query{q})), at.View(t.Context(), tell(&got, []ledger.Query{q}))); err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("in the end %s finds other rows of %+v (-want +got):\n%.2000s", name, q, diff)
			}
		}
	}
}

func randomFinds(seed uint64) (queries []ledger.Query) {
	rng := rand.New(rand.NewPCG(seed, 5))
	for _, table := range append(slices.Clone(actTables), "events", "owners") {
		queries = append(queries, ledger.Query{Table: table})
		for range 40 {
			queries = append(queries, randomFind(rng, table, fmt.Sprint("id ", rng.IntN(80))))
		}
	}
	return queries
}
