package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/ncruces/go-sqlite3"

	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
)

// openWriterOn opens a writer on a disk that a test breaks. It has written a first
// batch, so that the next are written beside one another.
func openWriterOn(t *testing.T) (*sqlite.Store, *disk, sqlite.Writer) {
	t.Helper()
	s, d := openOn(t)
	w, err := s.OpenWriter()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	rest(t, w, puts(ledger.Row{Table: "entries", ID: "before", Words: [7]string{3: "runs"}}))()
	if has(t, s, "none") { // and now a reader is open
		t.Fatal("a row is there that nobody has put")
	}
	return s, d, w
}

// What is owed is written again after a failed sync. A commit that failed, and was
// told so, must not be among it.
func TestStore_a_commit_that_was_told_unavailable_is_not_made_up_for(t *testing.T) {
	if withoutOwing(t) {
		return
	}
	for name, c := range map[string]struct {
		fault error
		fn    func(ledger.Tx) error
	}{
		"full, in memory":           {sqlite3.FULL, row("second")},
		"full, asks the database":   {sqlite3.FULL, asksAndPuts("second")},
		"errors, in memory":         {sqlite3.IOERR_WRITE, row("second")},
		"errors, asks the database": {sqlite3.IOERR_WRITE, asksAndPuts("second")},
	} {
		t.Run(name, func(t *testing.T) {
			s, d, w := openWriterOn(t)
			first, err := w.Batch(row("first"))
			if err != nil {
				t.Fatal(err)
			}
			if err := first.Write(); err != nil { // its sync is still owed
				t.Fatal(err)
			}
			d.set(c.fault, nil)
			second, err := w.Batch(c.fn)
			if err == nil {
				err = second.Write()
			}
			if !errors.Is(err, ledger.ErrUnavailable) || !errors.Is(err, c.fault) {
				t.Fatalf("the second = %v, want it unavailable, for %v", err, c.fault)
			}
			d.set(nil, sqlite3.IOERR_FSYNC)
			if err := first.Sync(); err == nil || errors.Is(err, ledger.ErrUnavailable) {
				t.Errorf("Sync() = %v, want an error that does not promise anything", err)
			}
			d.set(nil, nil) // the disk is well again
			_ = w.Close()
			w, err = s.OpenWriter() // makes up for what is owed
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if after := open(t, copyOf(t, s), nil); !has(t, after, "first") || has(t, after, "second") {
				t.Error("if the process died now rows would not be those that were acknowledged")
			}
			rest(t, w, func(tx ledger.Tx) error {
				if _, err := tx.Get("owners", "second"); !errors.Is(err, ledger.ErrNotFound) {
					t.Errorf("Get() in an update = %v of a row that was told unavailable, want ErrNotFound", err)
				}
				return row("third")(tx)
			})()
			if has(t, s, "second") || !has(t, s, "third") {
				t.Error("rows are not those that were acknowledged")
			}
		})
	}
}

// copyOf copies the files of a store as they are, without what its process knows.
func copyOf(t *testing.T, s *sqlite.Store) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "l.db")
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(s.Path() + end)
		if err == nil {
			err = os.WriteFile(path+end, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// asksAndPuts puts a row after it has asked for what only the database knows.
func asksAndPuts(id string) func(ledger.Tx) error {
	return func(tx ledger.Tx) error {
		if _, err := tx.Get("owners", "nobody"); !errors.Is(err, ledger.ErrNotFound) {
			return err
		}
		return row(id)(tx)
	}
}

// A commit that fails is owed no more, and those before it still are.
func TestView_waits_also_for_what_is_owed_from_before_a_failed_commit(t *testing.T) {
	if withoutOwing(t) {
		return
	}
	for name, fault := range map[string]error{"the sync is made": nil, "the sync fails": sqlite3.IOERR_FSYNC} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, d, w := openWriterOn(t)
				first, err := w.Batch(row("first"))
				if err != nil {
					t.Fatal(err)
				}
				if err := first.Write(); err != nil { // its sync is still owed
					t.Fatal(err)
				}
				second, err := w.Batch(row("second"))
				if err != nil {
					t.Fatal(err)
				}
				full := make(chan struct{})
				d.ask(func(string) error { <-full; return sqlite3.FULL }, nil)
				written, viewed := make(chan error, 1), make(chan error, 1)
				go func() { written <- second.Write() }()
				synctest.Wait() // it is at its commit, which is owed
				saw := false
				go func() {
					viewed <- s.View(t.Context(), func(tx ledger.Tx) error {
						_, err := tx.Get("owners", "first")
						saw = err == nil
						return err
					})
				}()
				synctest.Wait() // it has seen the first, and waits
				close(full)
				if err := <-written; !errors.Is(err, ledger.ErrUnavailable) {
					t.Errorf("Write() = %v, want ErrUnavailable", err)
				}
				synctest.Wait()
				select {
				case err := <-viewed:
					t.Fatalf("View() = %v, and saw the first: %v, before that was durable", err, saw)
				default:
				}
				d.set(nil, fault)
				if err := first.Sync(); (err != nil) != (fault != nil) {
					t.Errorf("Sync() = %v, want an error: %v", err, fault != nil)
				}
				if err := <-viewed; !saw || errors.Is(err, ledger.ErrUnavailable) != (fault != nil) || err != nil && fault == nil {
					t.Errorf("View() = %v, and saw the first: %v, want it seen, and unavailable: %v", err, saw, fault != nil)
				}
				d.set(nil, nil)
			})
		})
	}
}
