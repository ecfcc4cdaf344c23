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
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/ledgertest"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
)

// said is what somebody was told of a row, and when.
type said struct {
	id    string
	there bool
	after int // operations of the disk
	by    string
}

// storm is many callers on a disk that fails now and then, and is on tape.
type storm struct {
	s      *sqlite.Store
	tape   *tape
	faults atomic.Bool

	mu   sync.Mutex
	rng  *rand.Rand
	told []said
	ends map[string]int
}

// Whoever was told that a row is there, or not there, was told the truth, whatever
// fails, and whenever the power goes.
func TestStore_what_many_are_told_on_a_failing_disk_survives_a_loss_of_power(t *testing.T) {
	seeds := 1
	if os.Getenv("HOLDFAST_CRASH") == "full" {
		seeds = 20
	}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			m := newStorm(t, seed)
			begun := m.tape.length()
			m.faults.Store(true)
			var wg sync.WaitGroup
			for c := range 24 {
				wg.Go(func() { m.call(c) })
			}
			wg.Wait()
			m.faults.Store(false)
			last := puts(ledger.Row{Table: "entries", ID: "last"})
			if err := m.s.Update(t.Context(), last); err != nil { // this one may hear of what failed before
				err = m.s.Update(t.Context(), last)
				if err != nil {
					t.Errorf("Update() when the disk is well again = %v, want no error", err)
				}
			}
			m.say("last", true, "the last update")
			end := m.tape.length()
			wantSaid(t, m.s, end, m.told, "in the end")
			other, err := sqlite.Open(t.Context(), m.s.Path(), &sqlite.Options{Busy: time.Second})
			if err != nil {
				t.Errorf("Open() of another = %v, want no error, for nothing is owed", err)
			} else {
				_ = other.Close()
			}
			t.Logf("%d operations, updates end so: %v", end-begun, m.ends)
			if m.ends["ok"] < 400 || m.ends["unavailable"]+m.ends["unknown"] == 0 || m.ends["refused"] == 0 {
				t.Errorf("updates end so: %v, want most ok, some refused, and some that the disk failed", m.ends)
			}
			for range 25 {
				m.cutPower(t, begun, end)
			}
		})
	}
}

func newStorm(t *testing.T, seed uint64) *storm {
	t.Helper()
	m := &storm{tape: &tape{VFS: vfs.Find("")}, rng: rand.New(rand.NewPCG(seed, 1)), ends: map[string]int{}}
	s, d := openOver(t, m.tape)
	m.s = s
	s.ShortLog(60)
	if err := s.Update(t.Context(), puts(ledger.Row{Table: "entries", ID: "first"})); err != nil {
		t.Fatal(err)
	}
	d.ask(func(string) error {
		if m.faults.Load() && m.odds(60) {
			if m.odds(2) {
				return sqlite3.FULL
			}
			return sqlite3.IOERR_WRITE
		}
		return nil
	}, func(file string) error {
		time.Sleep(300 * time.Microsecond) // as a disk does, so that others run meanwhile
		if m.faults.Load() && strings.HasSuffix(file, "-wal") && m.odds(25) {
			m.tape.mu.Lock()
			m.tape.fail = 1
			m.tape.mu.Unlock()
		}
		return nil
	})
	return m
}

// odds is true once in n.
func (m *storm) odds(n int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rng.IntN(n) == 0
}

func (m *storm) say(id string, there bool, by string) {
	after := m.tape.length()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told = append(m.told, said{id, there, after, by})
}

func (m *storm) end(kind string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ends[kind]++
}

// spared reports whether the disk has failed nobody yet.
func (m *storm) spared() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ends["unavailable"]+m.ends["unknown"] == 0
}

// call makes the updates of one caller, some of which look which row was the last. It
// goes on until the disk has failed somebody.
func (m *storm) call(c int) {
	for i := 0; i < 40 || i < 1000 && m.spared(); i++ {
		id := fmt.Sprint("row ", c, " ", i)
		saw := ""
		err := m.s.Update(context.Background(), func(tx ledger.Tx) (err error) {
			if saw = ""; i%3 == 0 {
				if saw, err = lastOf(tx); err != nil {
					return err
				}
				if i%6 == 0 && saw != "" {
					return errRefused
				}
			}
			if c%8 == 0 && i%10 == 9 {
				time.Sleep(2 * time.Millisecond) // a function that takes long, while a batch is written
			}
			return puts(ledger.Row{Table: "entries", ID: id, Words: [7]string{3: "runs", 6: "key " + id}, Body: make([]byte, 100+i%40*200)},
				ledger.Row{Table: "events", Value: encoded{[]byte(id)}},
				ledger.Row{Table: "labels", ID: "last", Value: encoded{[]byte(id)}})(tx)
		})
		m.note(id, saw, err)
		if c%6 == 1 {
			err := m.s.View(context.Background(), func(tx ledger.Tx) (err error) { saw, err = lastOf(tx); return err })
			if err == nil && saw != "" {
				m.say(saw, true, "a view")
			}
		}
	}
}

func lastOf(tx ledger.Tx) (id string, err error) {
	row, err := tx.Get("labels", "last")
	if errors.Is(err, ledger.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	text, err := row.Bytes()
	return string(text), err
}

// note notes what the end of an update has told.
func (m *storm) note(id, saw string, err error) {
	switch {
	case err == nil:
		m.end("ok")
		m.say(id, true, "its update")
		if saw != "" {
			m.say(saw, true, "the update of "+id+", which read it")
		}
	case errors.Is(err, ledger.ErrUnavailable):
		m.end("unavailable")
		if !errors.Is(err, errRefused) {
			m.say(id, false, err.Error())
		}
	case errors.Is(err, errRefused):
		m.end("refused")
		m.say(saw, true, "the refusal of "+id)
	default:
		m.end("unknown")
	}
}

// cutPower opens what the files may be if the power went somewhere between.
func (m *storm) cutPower(t *testing.T, begun, end int) {
	t.Helper()
	n := begun + m.rng.IntN(end-begun+1)
	m.tape.mu.Lock()
	files := m.tape.image(n, m.rng)
	m.tape.mu.Unlock()
	dir := t.TempDir()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "l.db"), nil)
	if err != nil {
		t.Errorf("power lost after operation %d of %d: Open() = %v, want no error", n, end, err)
		return
	}
	defer s.Close()
	wantSaid(t, s, n, m.told, fmt.Sprintf("power lost after operation %d of %d", n, end))
}

// wantSaid asserts that what was told until the nth operation is so.
func wantSaid(t *testing.T, s ledger.Store, n int, told []said, when string) {
	t.Helper()
	there := wantWhole(t, s, when)
	wrong := 0
	for _, x := range told {
		if x.after <= n && there[x.id] != x.there {
			if wrong++; wrong < 4 {
				t.Errorf("%s: %s is there: %v, but after operation %d that was told otherwise by %.150s", when, x.id, there[x.id], x.after, x.by)
			}
		}
	}
}

// wantWhole asserts that updates of which each has put an entry and an event are
// there whole, or not at all, and in their order. It tells which entries are there.
func wantWhole(t *testing.T, s ledger.Store, when string) (there map[string]bool) {
	t.Helper()
	there = map[string]bool{}
	err := s.View(t.Context(), func(tx ledger.Tx) error {
		rows, err := tx.Find(ledger.Query{Table: "entries"})
		runs, err2 := tx.Find(ledger.Query{Table: "entries", Words: [7]string{3: "runs"}})
		events, err3 := tx.Find(ledger.Query{Table: "events"})
		if err := cmp.Or(err, err2, err3); err != nil {
			return err
		}
		for _, row := range rows {
			there[row.ID] = true
		}
		rows = slices.DeleteFunc(rows, func(row ledger.Row) bool { return row.Words[3] == "" }) // put alone
		if len(runs) != len(rows) || len(events) != len(rows) {
			t.Errorf("%s: %d rows, %d by their word, and %d events, want as many", when, len(rows), len(runs), len(events))
		}
		for i, e := range events[:min(len(events), len(rows))] {
			if e.Seq != int64(i+1) || string(e.Body) != rows[i].ID {
				t.Errorf("%s: event %d is number %d, of %s, want %s", when, i+1, e.Seq, e.Body, rows[i].ID)
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s: %v", when, err)
	}
	return there
}

// Callers that give up, panic, exit, are refused, or put what cannot be encoded, while
// another process writes, until the store is closed beneath them: each is told the
// truth, and no goroutine stays.
func TestClose_whatever_goes_on_each_is_told_what_became_of_its_update(t *testing.T) {
	rounds := 20
	if os.Getenv("HOLDFAST_LONG") == "1" {
		rounds = 60
	}
	path := filepath.Join(t.TempDir(), "l.db")
	_ = open(t, path, nil).Close()
	stranger, err := sqlite3.Open("file:" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	_ = stranger.BusyTimeout(5 * time.Second)
	before := runtime.NumGoroutine()
	var told sync.Map // an error, or nil, by id
	for round := range rounds {
		s, err := sqlite.Open(t.Context(), path, &sqlite.Options{Busy: 2 * time.Second})
		if err != nil {
			t.Fatalf("round %d: Open() = %v, want no error", round, err)
		}
		stop := make(chan struct{})
		var wg, callers sync.WaitGroup
		wg.Go(func() { writeAsStranger(t, stranger, stop) })
		for c := range 24 {
			callers.Go(func() { callUntilClosed(s, round, c, &told) })
		}
		time.Sleep(time.Duration(5+round%25) * time.Millisecond) // Close comes at any point
		if err := s.Close(); err != nil {
			t.Errorf("round %d: Close() = %v, want no error", round, err)
		}
		callers.Wait()
		close(stop)
		wg.Wait()
	}
	ledgertest.WantGoroutines(t, before)
	there := wantWhole(t, open(t, path, nil), "in the end")
	ends := map[bool]int{}
	told.Range(func(id, err any) bool {
		ends[err == nil]++
		if got, want := there[id.(string)], err == nil; got != want {
			t.Errorf("%s is there: %v, but was told %v", id, got, err)
		}
		return true
	})
	t.Logf("%d updates were told that they are done, and %d an error", ends[true], ends[false])
	if ends[true] < rounds || ends[false] < rounds {
		t.Errorf("%d updates were told that they are done, and %d an error, want many of both", ends[true], ends[false])
	}
}

func writeAsStranger(t *testing.T, db *sqlite3.Conn, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(4 * time.Millisecond): // or nobody else would come to write
			if err := db.Exec("UPDATE late SET body = body"); err != nil {
				t.Logf("the stranger: %v", err)
			}
		}
	}
}

// callUntilClosed makes the updates of one caller, and notes what each was told.
func callUntilClosed(s *sqlite.Store, round, c int, told *sync.Map) {
	rng := rand.New(rand.NewPCG(uint64(round), uint64(c)))
	for i := 0; ; i++ {
		id := fmt.Sprint(round, " ", c, " ", i)
		ctx, cancel := context.Background(), func() {}
		if rng.IntN(4) == 0 {
			ctx, cancel = context.WithTimeout(ctx, time.Duration(rng.IntN(3000))*time.Microsecond)
		}
		kind := rng.IntN(30)
		end := errRefused // unless Update returns
		var wg sync.WaitGroup
		wg.Go(func() {
			defer func() { _ = recover() }()
			end = s.Update(ctx, func(tx ledger.Tx) error {
				err := puts(ledger.Row{Table: "entries", ID: id, Words: [7]string{3: "runs", 6: "key " + id}, Value: encoded{[]byte(id)}},
					ledger.Row{Table: "events", Value: encoded{[]byte(id)}})(tx)
				return cmp.Or(err, endAs(tx, kind))
			})
		})
		wg.Wait()
		cancel()
		told.Store(id, end)
		if s.View(context.Background(), nothing) != nil {
			return // it is closed
		}
	}
}

func endAs(tx ledger.Tx, kind int) error {
	switch kind {
	case 0:
		panic("on purpose")
	case 1:
		runtime.Goexit()
	case 2:
		return errRefused
	case 3:
		_, err := tx.Find(ledger.Query{Table: "entries", Limit: 3})
		return err
	case 4:
		return tx.Put(ledger.Row{Table: "owners", ID: "faulty", Value: faulty{errFaulty}})
	}
	return nil
}
