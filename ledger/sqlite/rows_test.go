package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/ledgertest"
	"github.com/holdfast-go/holdfast/ledger/memory"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
)

// Rows are held back, packed, and late in their indexes; none of that is to be seen.
func TestStore_finds_what_a_store_in_memory_finds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.db")
	ledgertest.Finds(t, memory.New(nil), false, func() ledger.Store { return open(t, path, nil) })
}

func TestStore_a_word_that_comes_to_a_row_in_the_indexes_is_found(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.db")
	s := open(t, path, nil)
	err := s.Update(t.Context(), func(tx ledger.Tx) (err error) {
		for i := range 600 { // so many that the first are late no more
			err = errors.Join(err, tx.Put(ledger.Row{Table: "entries", ID: fmt.Sprint(i), Words: [7]string{3: "waits"}}))
		}
		return err
	})
	_ = s.Close()
	s = open(t, path, nil)
	want := ledger.Row{Table: "entries", ID: "7", Words: [7]string{3: "waits", 5: "run"}}
	if err == nil {
		err = s.Update(t.Context(), func(tx ledger.Tx) error {
			_, err := tx.Get("entries", "7") // so that the row is known
			return errors.Join(err, tx.Put(want))
		})
	}
	for _, list := range []func(context.Context, func(ledger.Tx) error) error{s.Update, s.View} {
		var got []ledger.Row
		if err == nil {
			err = list(t.Context(), func(tx ledger.Tx) (err error) {
				got, err = tx.Find(ledger.Query{Table: "entries", Words: [7]string{5: "run"}})
				return err
			})
		}
		if err != nil || len(got) != 1 || got[0].ID != "7" {
			t.Errorf("Find(run) = %+v, %v, want the row that got the word", got, err)
		}
	}
}

// faulty is a value that cannot be encoded.
type faulty struct{ err error }

func (faulty) Prepare()                              {}
func (f faulty) AppendBinary([]byte) ([]byte, error) { return nil, f.err }

func TestStore_a_row_that_cannot_be_encoded_leaves_its_neighbours_alone(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "l.db"), nil)
	mine := errors.New("mine")
	var wg sync.WaitGroup
	for i := range 48 {
		wg.Go(func() {
			id := fmt.Sprint("row ", i)
			err := s.Update(context.Background(), func(tx ledger.Tx) error {
				if i%16 == 3 {
					return tx.Put(ledger.Row{Table: "owners", ID: id, Value: faulty{mine}})
				}
				return tx.Put(ledger.Row{Table: "owners", ID: id})
			})
			if want := i%16 == 3; errors.Is(err, mine) != want || err != nil && !want {
				t.Errorf("Update of row %d = %v, fails by itself: %v", i, err, want)
			}
		})
	}
	wg.Wait()
	for i := range 48 {
		if got, want := has(t, s, fmt.Sprint("row ", i)), i%16 != 3; got != want {
			t.Errorf("row %d is there: %v, want %v", i, got, want)
		}
	}
}

func TestStore_a_row_that_is_large_is_read_in_the_update_that_put_it(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "l.db"), nil)
	err := s.Update(t.Context(), func(tx ledger.Tx) error {
		for _, size := range []int{1 << 20, 2 << 20} {
			if err := tx.Put(ledger.Row{Table: "runs", ID: "large", Body: make([]byte, size)}); err != nil {
				return err
			}
			if row, err := tx.Get("runs", "large"); err != nil || len(row.Body) != size {
				t.Errorf("Get() = %d bytes, %v, want the %d that were put", len(row.Body), err, size)
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("Update() = %v, want no error", err)
	}
}

func TestStore_what_a_ledger_asks_for_stands_in_an_index(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.db")
	_ = open(t, path, nil).Close()
	db, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for what, q := range map[string]ledger.Query{
		"an entry":              {Table: "entries", ID: "x"},
		"a run":                 {Table: "entries", Words: [7]string{"x"}, Limit: 100},
		"a place":               {Table: "entries", Words: [7]string{"x", "x"}},
		"a tool":                {Table: "entries", Words: [7]string{2: "x"}, Newest: true, Limit: 100},
		"a state":               {Table: "entries", Words: [7]string{3: "x"}},
		"the same write":        {Table: "entries", Words: [7]string{4: "x"}, Newest: true},
		"other writes":          {Table: "entries", Words: [7]string{5: "x"}, Newest: true},
		"a key":                 {Table: "entries", Words: [7]string{6: "x"}, Newest: true, Limit: 1},
		"filed events":          {Table: "events", Words: [7]string{"x"}},
		"approvals of a run":    {Table: "approvals", Words: [7]string{"x"}, Newest: true, Limit: 100},
		"turns of a run":        {Table: "turns", Words: [7]string{"x"}},
		"rounds of a turn":      {Table: "rounds", Words: [7]string{"x", "x"}},
		"runs within a call":    {Table: "runs", Words: [7]string{"x"}},
		"a page of all entries": {Table: "entries", Before: 9, Newest: true, Limit: 100},
	} {
		if plan := planOf(t, db, sqlite.FindSQL(q)); strings.HasPrefix(plan, "SCAN") || strings.Contains(plan, "TEMP") {
			t.Errorf("%s is found by %q, want a search of an index in its order", what, plan)
		}
	}
}

func planOf(t *testing.T, db *sqlite3.Conn, sql string) (plan string) {
	t.Helper()
	st, _, err := db.Prepare("EXPLAIN QUERY PLAN " + sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer st.Close()
	for st.Step() {
		plan += st.ColumnText(3) + "\n"
	}
	return plan
}

func TestStore_its_log_does_not_grow_without_end(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.db")
	s := open(t, path, nil)
	s.ShortLog(50)
	for i := range 600 {
		if err := s.Update(t.Context(), row(fmt.Sprint(i))); err != nil {
			t.Fatalf("Update() = %v, want no error", err)
		}
	}
	stat, err := os.Stat(path + "-wal")
	if most := int64(4*50+50) * 4200; err != nil || stat.Size() > most {
		t.Errorf("the log is of %d bytes, %v, want at most %d", stat.Size(), err, most)
	}
	if !has(t, s, "0") || !has(t, s, "599") {
		t.Error("acknowledged rows are gone")
	}
}
