package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/internal/groupcommit"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/ledgertest"
	"github.com/holdfast-go/holdfast/ledger/postgres"
)

// telling is what callers were told of the rows that they put.
type telling struct {
	mu   sync.Mutex
	told map[string]error
	ends map[string]int
}

func (m *telling) say(id string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told[id] = err
	switch {
	case err == nil:
		m.ends["done"]++
	case errors.Is(err, ledger.ErrUnavailable):
		m.ends["unavailable"]++
	case errors.Is(err, errRefused):
		m.ends["refused"]++
	case errors.Is(err, errFaulty):
		m.ends["faulty"]++
	default:
		m.ends["unknown"]++
	}
}

var newestEvent = ledger.Query{Table: "events", Newest: true, Limit: 1}

// countEvents puts an event behind the newest, which counts them.
func countEvents(tx ledger.Tx) error {
	rows, err := tx.Find(newestEvent)
	if err != nil {
		return err
	}
	n := 0
	if len(rows) > 0 {
		text, err := rows[0].Bytes()
		if err != nil {
			return err
		}
		if n, err = strconv.Atoi(string(text)); err != nil {
			return err
		}
	}
	return tx.Put(ledger.Row{Table: "events", Value: encoded{strconv.AppendInt(nil, int64(n)+1, 10)}})
}

// encoded is a value whose text is made beside the writer.
type encoded struct{ text []byte }

func (encoded) Prepare()                                {}
func (e encoded) AppendBinary(b []byte) ([]byte, error) { return append(b, e.text...), nil }

// caller makes updates until it was told of so many, or the store is closed.
func (m *telling) caller(s *postgres.Store, name string, updates int) {
	rng := rand.New(rand.NewPCG(sum(name), 7))
	for i := range updates {
		ctx, cancel := context.Background(), func() {}
		if rng.IntN(6) == 0 {
			ctx, cancel = context.WithTimeout(ctx, time.Duration(rng.IntN(5000))*time.Microsecond)
		}
		id, kind := fmt.Sprint(name, " ", i), rng.IntN(50)
		var reads []ledger.Query
		if rng.IntN(2) == 0 {
			reads = []ledger.Query{{Table: "entries", ID: id}, newestEvent, {Table: "labels", ID: "last"}}
		}
		end := errRefused // unless Update returns
		var wg sync.WaitGroup
		wg.Go(func() {
			defer func() { _ = recover() }()
			end = s.UpdateAhead(ctx, reads, func(tx ledger.Tx) error { return putAndEnd(tx, id, kind) })
		})
		wg.Wait()
		cancel()
		m.say(id, end)
		if errors.Is(end, groupcommit.ErrClosed) {
			return
		}
	}
}

func sum(text string) uint64 {
	h := fnv.New64()
	_, _ = io.WriteString(h, text)
	return h.Sum64()
}

// putAndEnd puts a row and an event, and then ends in one of many ways.
func putAndEnd(tx ledger.Tx, id string, kind int) error {
	row := running(id, "started")
	row.Body, row.Value = nil, encoded{[]byte(id)}
	if err := errors.Join(tx.Put(row), countEvents(tx)); err != nil {
		return err
	}
	switch {
	case kind == 0:
		return errRefused
	case kind == 1:
		return tx.Put(ledger.Row{Table: "owners", ID: "faulty", Value: faulty{}})
	case kind == 2:
		panic("on purpose")
	case kind == 3:
		runtime.Goexit()
	case kind == 4: // without looking
		return tx.Put(ledger.Row{Table: "labels", ID: "blind", Body: []byte(id)})
	case kind < 25: // it is settled at once
		return tx.Put(settled(id))
	case kind < 30:
		_, err := tx.Get("labels", "last")
		if errors.Is(err, ledger.ErrNotFound) {
			err = nil
		}
		return errors.Join(err, tx.Put(ledger.Row{Table: "labels", ID: "last", Body: []byte(id)}))
	}
	return nil
}

// wantTold asserts that s has the rows of which somebody was told so, and none of which
// somebody was told that it has not, and that events were counted one after the other.
func (m *telling) wantTold(t *testing.T, s *postgres.Store) {
	t.Helper()
	err := s.Update(t.Context(), func(tx ledger.Tx) error {
		rows, err := tx.Find(ledger.Query{Table: "entries"})
		if err != nil {
			return err
		}
		there := map[string]bool{}
		for _, row := range rows {
			there[row.ID] = true
		}
		for id, err := range m.told {
			unknown := err != nil && !errors.Is(err, ledger.ErrUnavailable) && !errors.Is(err, errRefused) && !errors.Is(err, errFaulty)
			if want := err == nil; !unknown && there[id] != want {
				t.Errorf("row %s is there: %v, but was told %v", id, there[id], err)
			}
		}
		if rows, err = tx.Find(ledger.Query{Table: "events"}); err != nil {
			return err
		}
		for i, row := range rows {
			if string(row.Body) != strconv.Itoa(i+1) {
				t.Fatalf("event %d counts %s", i+1, row.Body)
			}
		}
		if len(rows) != len(there) {
			t.Errorf("there are %d events of %d rows, want one of each", len(rows), len(there))
		}
		return nil
	})
	if err != nil {
		t.Errorf("Update() in the end = %v, want no error", err)
	}
}

// Whoever was told that a row is there, or not there, was told the truth, wherever the
// wire is cut or what is sent is lost. With HOLDFAST_LONG=1 there is more of that.
func TestStore_what_many_are_told_over_a_bad_wire_is_true(t *testing.T) {
	w, a := newWire(t)
	const timeout = 300 * time.Millisecond
	updates, rounds := 40, 1
	if os.Getenv("HOLDFAST_LONG") == "1" {
		updates, rounds = 100, 12
	}
	for round := range uint64(rounds) {
		schema := newSchema()
		s := impatient(t, a, schema, timeout)
		rng, commits := rand.New(rand.NewPCG(round, 3)), 0
		w.fail(timeout+timeout/4, func(sent []byte) fault {
			if bytes.Contains(sent, []byte("COMMIT")) { // that it is done
				if commits++; commits%7 == 0 {
					return isCut
				}
			}
			switch n := rng.IntN(600); {
			case n == 0:
				return isLost
			case n < 7:
				return isCut
			}
			return arrives
		})
		m := &telling{told: map[string]error{}, ends: map[string]int{}}
		var wg sync.WaitGroup
		for c := range 24 {
			wg.Go(func() { m.caller(s, fmt.Sprint(c), updates) })
		}
		wg.Wait()
		w.fail(0, nil)
		if err := s.Close(); err != nil {
			t.Errorf("Close() = %v, want no error", err)
		}
		m.wantTold(t, open(t, schema))
		t.Logf("updates end so: %v", m.ends)
		if m.ends["done"] < 30 || m.ends["unavailable"] == 0 || m.ends["unknown"] == 0 {
			t.Errorf("updates end so: %v, want many done, and some of the others", m.ends)
		}
	}
}

// Callers that give up, panic, exit, are refused, or put what cannot be encoded, while
// another store writes, until theirs is closed beneath them: each is told the truth,
// and no goroutine stays.
func TestClose_whatever_goes_on_each_is_told_what_became_of_its_update(t *testing.T) {
	address(t)
	rounds := 15
	if os.Getenv("HOLDFAST_LONG") == "1" {
		rounds = 100
	}
	schema := newSchema()
	other := open(t, schema)
	put(t, other) // so that all that it starts has begun
	m := &telling{told: map[string]error{}, ends: map[string]int{}}
	before := runtime.NumGoroutine()
	for round := range rounds {
		s, err := postgres.Open(t.Context(), address(t), &postgres.Options{Schema: schema})
		if err != nil {
			t.Fatalf("round %d: Open() = %v, want no error", round, err)
		}
		var callers sync.WaitGroup
		for c := range 24 {
			callers.Go(func() { m.caller(s, fmt.Sprint(round, " ", c), 1000) })
		}
		callers.Go(func() { m.caller(other, fmt.Sprint(round, " other"), 4) })
		time.Sleep(time.Duration(10+round%30) * time.Millisecond) // Close comes at any point
		if err := s.Close(); err != nil {
			t.Errorf("round %d: Close() = %v, want no error", round, err)
		}
		callers.Wait()
	}
	ledgertest.WantGoroutines(t, before)
	m.wantTold(t, other)
	t.Logf("updates end so: %v", m.ends)
	if m.ends["done"] < rounds || m.ends["unavailable"] < rounds {
		t.Errorf("updates end so: %v, want many done and many unavailable", m.ends)
	}
}

func TestUpdate_what_the_database_refuses_in_another_language_is_unavailable(t *testing.T) {
	w, a := newWire(t)
	s, err := postgres.Open(t.Context(), a, &postgres.Options{Schema: newSchema()})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Exec(t.Context(), "ALTER TABLE labels ADD CHECK (id <> 'bad')"); err != nil {
		t.Fatal(err)
	}
	translated := 0
	w.fail(0, func(sent []byte) fault {
		translated += bytes.Count(sent, []byte("SERROR\x00"))
		copy(sent, bytes.ReplaceAll(sent, []byte("SERROR\x00"), []byte("SFELER\x00")))
		return arrives
	})
	if err := s.Update(t.Context(), puts(ledger.Row{Table: "labels", ID: "bad"})); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Update() = %v, want ErrUnavailable, for the database has said that it did nothing", err)
	}
	if translated == 0 {
		t.Error("the database has refused nothing")
	}
}

// impatient opens a store that waits for no answer for long. Its tables are there
// already, for to make them may take longer.
func impatient(t *testing.T, address, schema string, timeout time.Duration) *postgres.Store {
	t.Helper()
	_ = open(t, schema).Close()
	s, err := postgres.Open(t.Context(), address, &postgres.Options{Schema: schema, Timeout: timeout})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	return s
}

// What a view has read is told though the database does not hear that it has ended.
func TestView_ends_though_the_wire_goes_silent(t *testing.T) {
	w, a := newWire(t)
	s := impatient(t, a, newSchema(), 400*time.Millisecond)
	t.Cleanup(func() { _ = s.Close() })
	const long = 4 * time.Second
	w.fail(long, func(sent []byte) fault {
		if bytes.Contains(sent, []byte("ROLLBACK")) {
			return isLost
		}
		return arrives
	})
	began := time.Now()
	if err := s.View(t.Context(), nothing); err != nil {
		t.Errorf("View() = %v, want no error", err)
	}
	if took := time.Since(began); took > long*2/3 {
		t.Errorf("View() took %v, want little more than its timeout", took)
	}
	w.fail(0, nil)
}

// A process that is stopped while it writes, here within an update, is waited for no
// longer than it could go on.
func TestUpdate_a_process_that_stops_in_its_midst_does_not_stop_the_others(t *testing.T) {
	schema := newSchema()
	other := open(t, schema)
	s := impatient(t, address(t), schema, time.Second)
	t.Cleanup(func() { _ = s.Close() })
	err := s.Update(t.Context(), func(tx ledger.Tx) error {
		put(t, other, settled("other")) // which waits for us
		return tx.Put(settled("mine"))
	})
	if !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Update() of the one that stopped = %v, want ErrUnavailable", err)
	}
	put(t, s, settled("after"))
	wantFound(t, ledger.Query{Table: "entries"}, "other=ok after=ok ", s, other)
}
