package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
)

// knowing is a store whose updates know the file, and run in memory.
func knowing(t *testing.T) *sqlite.Store {
	t.Helper()
	s := open(t, filepath.Join(t.TempDir(), "l.db"), nil)
	for i := range 2 {
		if err := s.Update(t.Context(), puts(ledger.Row{Table: "entries", ID: fmt.Sprint(i), Words: [7]string{3: fmt.Sprint("w", i)}})); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// elsewhere has another store write, and end, so that ours is alone again.
func elsewhere(t *testing.T, s *sqlite.Store, fn func(ledger.Tx) error) {
	t.Helper()
	other := open(t, s.Path(), nil)
	if err := errors.Join(other.Update(t.Context(), fn), other.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestUpdate_sees_what_another_store_wrote_before_it_ended(t *testing.T) {
	s := knowing(t)
	if err := s.Update(t.Context(), puts(ledger.Row{Table: "entries", ID: "x", Body: []byte("old")})); err != nil {
		t.Fatal(err)
	}
	elsewhere(t, s, puts(ledger.Row{Table: "entries", ID: "x", Body: []byte("new"), Words: [7]string{4: "fresh"}}))
	for i := range 3 {
		err := s.Update(t.Context(), func(tx ledger.Tx) error { // which asks for no words
			if row, err := tx.Get("entries", "x"); err == nil && string(row.Body) == "old" {
				return errRefused
			}
			return nil
		})
		if err != nil {
			t.Errorf("Update() = %v in round %d, for what is long gone", err, i)
		}
		got := ""
		err = s.Update(t.Context(), func(tx ledger.Tx) error {
			row, err := tx.Get("entries", "x")
			got = string(row.Body)
			return errors.Join(err, finds(t, [7]string{4: "fresh"}, "x")(tx))
		})
		if err != nil || got != "new" {
			t.Errorf("Get() in round %d = %q, %v, want new", i, got, err)
		}
	}
}

func TestLedger_a_run_that_another_process_pruned_is_created_again(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "l.db"), nil)
	l, err := ledger.New(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := l.Start(t.Context(), storyClaim("one"))
	if err == nil {
		_, err = l.Settle(t.Context(), e.ID, e.Fence, holdfast.Outcome{Status: holdfast.OK}, "record", "")
	}
	run := ledger.Run{ID: "run", Catalog: "bank", Principal: storyTell}
	if err == nil {
		_, err = l.CreateRun(t.Context(), run)
	}
	if err != nil {
		t.Fatal(err)
	}
	elsewhere(t, s, func(tx ledger.Tx) error { return tx.Delete("runs", "run") })
	if _, err := l.CreateRun(t.Context(), run); err != nil {
		t.Fatalf("CreateRun() = %v, want no error", err)
	}
	if err := s.View(t.Context(), func(tx ledger.Tx) error { _, err := tx.Get("runs", "run"); return err }); err != nil {
		t.Errorf("CreateRun() said that it is there, and a view says %v", err)
	}
}

func TestUpdate_the_newest_of_rows_with_and_without_an_id(t *testing.T) {
	s := knowing(t)
	if err := s.Update(t.Context(), puts(ledger.Row{Table: "rules", Body: []byte("a")}, ledger.Row{Table: "rules", ID: "b", Body: []byte("b")})); err != nil {
		t.Fatal(err)
	}
	err := s.Update(t.Context(), func(tx ledger.Tx) error {
		rows, err := tx.Find(ledger.Query{Table: "rules", Newest: true, Limit: 1})
		if err == nil && (len(rows) != 1 || rows[0].ID != "b") {
			t.Errorf("Find(newest) = %+v, want b", rows)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// encoded is a value whose text is made beside the writer.
type encoded struct{ text []byte }

func (encoded) Prepare()                                {}
func (e encoded) AppendBinary(b []byte) ([]byte, error) { return append(b, e.text...), nil }

func TestUpdate_a_value_without_text_is_written(t *testing.T) {
	s := knowing(t)
	if err := s.Update(t.Context(), puts(ledger.Row{Table: "owners", ID: "e", Value: encoded{}})); err != nil || !has(t, s, "e") {
		t.Errorf("Update() = %v, want no error and the row there", err)
	}
}

// The file is held while a batch is written, and not while functions of others run.
func TestOpen_does_not_wait_for_a_function_that_takes_long(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := knowing(t)
		release, updated := make(chan struct{}), make(chan error, 1)
		go func() {
			updated <- s.Update(context.Background(), func(ledger.Tx) error { <-release; return nil })
		}()
		synctest.Wait() // it has its turn
		other, err := sqlite.Open(t.Context(), s.Path(), &sqlite.Options{Busy: 300 * time.Millisecond})
		if err != nil {
			t.Errorf("Open() = %v, want no error", err)
		} else {
			_ = other.Close()
		}
		close(release)
		if err := <-updated; err != nil {
			t.Errorf("Update() = %v, want no error", err)
		}
	})
}

// A row costs memory also where it has no body.
func TestStore_what_it_remembers_is_bounded(t *testing.T) {
	s := knowing(t)
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // the first leaves what pools hold
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	for i := range 30 {
		err := s.Update(t.Context(), func(tx ledger.Tx) (err error) {
			for k := range 1000 {
				err = errors.Join(err, tx.Put(ledger.Row{Table: "labels", ID: fmt.Sprint("label ", i, " ", k), Words: [7]string{fmt.Sprint("a word that is long ", i, " ", k)}}))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	const most = 6
	got := heap() - before
	t.Logf("the heap has grown by %.1f MB", float64(got)/(1<<20))
	if got > most<<20 {
		t.Errorf("the heap has grown by %d MB, want at most %d", got>>20, most)
	}
	runtime.KeepAlive(s)
}
