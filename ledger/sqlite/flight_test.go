package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/internal/groupcommit"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/ledgertest"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
)

// writer is a writer's connection that has written a first batch, and one that it
// wants to write beside the next.
func writer(t *testing.T, first ...ledger.Row) sqlite.Writer {
	t.Helper()
	w, err := open(t, filepath.Join(t.TempDir(), "l.db"), nil).OpenWriter()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	rest(t, w, puts(first...))()
	return w
}

func puts(rows ...ledger.Row) func(ledger.Tx) error { return ledgertest.Puts(rows...) }

// rest runs a batch, and what it returns writes it and makes it durable.
func rest(t *testing.T, w sqlite.Writer, fn func(ledger.Tx) error) func() {
	t.Helper()
	r, err := w.Batch(fn)
	if err != nil {
		t.Fatalf("batch = %v, want no error", err)
	}
	return func() {
		t.Helper()
		if r.Write != nil {
			if err := r.Write(); err != nil {
				t.Errorf("Write() = %v, want no error", err)
			}
		}
		if err := r.Sync(); err != nil {
			t.Errorf("Sync() = %v, want no error", err)
		}
	}
}

func finds(t *testing.T, words [7]string, want ...string) func(ledger.Tx) error {
	return func(tx ledger.Tx) error {
		rows, err := tx.Find(ledger.Query{Table: "entries", Words: words})
		var got []string
		for _, row := range rows {
			got = append(got, row.ID)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("Find(%q) differs (-want +got):\n%s", words, diff)
		}
		return err
	}
}

func TestWriter_a_batch_sees_the_one_that_is_being_written(t *testing.T) {
	if withoutOwing(t) {
		return
	}
	for word := range 7 {
		var words [7]string
		words[word] = "nobody had this"
		w := writer(t, ledger.Row{Table: "entries", ID: "first", Words: [7]string{3: "another"}})
		flies := rest(t, w, puts(ledger.Row{Table: "entries", ID: "second", Words: words}))
		var wg sync.WaitGroup
		rest(t, w, func(tx ledger.Tx) error {
			wg.Go(flies)
			return finds(t, words, "second")(tx)
		})()
		wg.Wait()
	}
}

func TestWriter_a_key_that_is_put_while_the_keys_are_read_is_known(t *testing.T) {
	if withoutOwing(t) {
		return
	}
	w := writer(t, ledger.Row{Table: "entries", ID: "first", Words: [7]string{6: "the key of the first"}})
	second := [7]string{6: "and that of the second"}
	lookUpInVain(t, w)
	rest(t, w, func(tx ledger.Tx) error { // and now they are read
		err := tx.Put(ledger.Row{Table: "entries", ID: "second", Words: second})
		for err == nil && !w.KnowsKeys() {
			err = finds(t, [7]string{6: "which nobody has"})(tx)
		}
		return err
	})()
	rest(t, w, func(tx ledger.Tx) error {
		return errors.Join(finds(t, second, "second")(tx), finds(t, [7]string{6: "the key of the first"}, "first")(tx))
	})()
}

func TestWriter_what_was_built_upon_a_version_that_is_gone_is_run_again(t *testing.T) {
	if withoutOwing(t) {
		return
	}
	s := open(t, filepath.Join(t.TempDir(), "l.db"), nil)
	w, err := s.OpenWriter()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	row := ledger.Row{Table: "entries", ID: "first", Words: [7]string{3: "runs"}}
	rest(t, w, puts(row))()
	var rests []*groupcommit.Rest
	for _, id := range []string{"second", "third"} {
		r, err := w.Batch(puts(ledger.Row{Table: "owners", ID: id}))
		if err != nil {
			t.Fatal(err)
		}
		rests = append(rests, r)
	}
	sql(t, s.Path(), "UPDATE entries SET body = 'changed'") // by one that does not say that it is here
	for _, r := range rests {
		if err := r.Write(); !errors.Is(err, groupcommit.ErrAgain) {
			t.Errorf("Write() = %v, want ErrAgain", err)
		}
	}
	if has(t, s, "second") || has(t, s, "third") {
		t.Error("a row is there")
	}
}

func TestWriter_a_batch_that_only_reads_says_nothing_that_is_no_longer_so(t *testing.T) {
	w := writer(t, ledger.Row{Table: "entries", ID: "first", Words: [7]string{3: "runs"}})
	if err := w.Begin([]any{nil}); err != nil {
		t.Fatal(err)
	}
	sql(t, w.Path(), "UPDATE entries SET body = 'changed'") // by another, after the batch has begun
	tx := w.Lend(nil)
	_, read := tx.Get("entries", "first")
	_, ended := w.Return(tx)
	if read != nil || !errors.Is(ended, groupcommit.ErrAgain) {
		t.Errorf("Get() = %v, Return() = %v, want ErrAgain", read, ended)
	}
}

// A batch begins before anybody has looked at how the one before it ended.
func TestWriter_a_row_of_a_batch_that_could_not_be_written_never_was(t *testing.T) {
	if withoutOwing(t) {
		return
	}
	for _, others := range []int{0, 1} {
		t.Run(fmt.Sprint(others, " others"), func(t *testing.T) {
			s := open(t, filepath.Join(t.TempDir(), "l.db"), nil)
			w, err := s.OpenWriter()
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			rest(t, w, puts(ledger.Row{Table: "entries", ID: "first", Words: [7]string{3: "runs"}}))()
			r, err := w.Batch(puts(ledger.Row{Table: "owners", ID: "x", Body: []byte("x")}, ledger.Row{Table: "owners", ID: "y", Value: faulty{errRefused}}))
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Write(); !errors.Is(err, groupcommit.ErrAgain) {
				t.Fatalf("Write() = %v, want ErrAgain", err)
			}
			for range others { // before which the file must be let go
				_ = open(t, s.Path(), nil)
			}
			rest(t, w, func(tx ledger.Tx) error {
				if got, err := tx.Get("owners", "x"); !errors.Is(err, ledger.ErrNotFound) {
					t.Errorf("Get() = %+v, %v, want ErrNotFound", got, err)
				}
				return nil
			})()
		})
	}
}

// The substr of SQLite, by which keys are indexed, ends at a zero byte, and counts
// characters.
func TestWriter_a_key_of_any_bytes_is_known(t *testing.T) {
	if withoutOwing(t) {
		return
	}
	for _, key := range []string{"ab\x00cd", "äöüäöüäöüäöüäöü", "\xff\xfeabc", "short"} {
		w := writer(t, ledger.Row{Table: "entries", ID: "first", Words: [7]string{6: key}})
		has := finds(t, [7]string{6: key}, "first")
		rest(t, w, has)()
		lookUpInVain(t, w)
		rest(t, w, func(tx ledger.Tx) error {
			for !w.KnowsKeys() {
				if err := finds(t, [7]string{6: "which nobody has"})(tx); err != nil {
					return err
				}
			}
			return has(tx)
		})()
	}
}

// lookUpInVain looks up so many keys that nobody has that the next batch has the set
// of all made.
func lookUpInVain(t *testing.T, w sqlite.Writer) {
	t.Helper()
	rest(t, w, func(tx ledger.Tx) (err error) {
		for i := range 300 {
			err = errors.Join(err, finds(t, [7]string{6: fmt.Sprint("none", i)})(tx))
		}
		return err
	})()
}

// inOneBatch runs updates in one batch, in their order: the first has its turn until the
// others wait for theirs. It is called within a bubble of synctest.
func inOneBatch(s *sqlite.Store, updates ...func(ledger.Tx) error) []error {
	errs := make([]error, len(updates))
	release := make(chan struct{})
	var once sync.Once
	var wg sync.WaitGroup
	for i, fn := range updates {
		wg.Go(func() {
			errs[i] = s.Update(context.Background(), func(tx ledger.Tx) error {
				if i == 0 {
					once.Do(func() { <-release })
				}
				return fn(tx)
			})
		})
		synctest.Wait() // it is in the queue
	}
	close(release)
	wg.Wait()
	return errs
}

func nothing(ledger.Tx) error { return nil }

func TestUpdate_a_row_is_found_after_a_neighbour_was_refused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := knowing(t)
		errs := inOneBatch(s, nothing,
			puts(ledger.Row{Table: "entries", ID: "mine", Words: [7]string{3: "runs", 4: "holds others back"}}),
			func(tx ledger.Tx) error {
				return errors.Join(tx.Put(ledger.Row{Table: "entries", ID: "refused"}), errRefused)
			},
			nothing, nothing)
		for i, err := range errs {
			if want := i == 2; errors.Is(err, errRefused) != want || err != nil && !want {
				t.Errorf("Update %d = %v, is refused: %v", i, err, want)
			}
		}
		for _, list := range []func(context.Context, func(ledger.Tx) error) error{s.Update, s.View} {
			for _, words := range [][7]string{{3: "runs"}, {4: "holds others back"}} {
				if err := list(t.Context(), finds(t, words, "mine")); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// That a row cannot be encoded is found out where another update asks for it, whose
// fault it is not.
func TestUpdate_a_row_that_cannot_be_encoded_is_the_fault_of_who_put_it(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := knowing(t)
		mine := errors.New("mine")
		errs := inOneBatch(s, nothing,
			puts(ledger.Row{Table: "owners", ID: "faulty", Value: faulty{mine}}),
			row("good"),
			func(tx ledger.Tx) error { _, err := tx.Get("owners", "faulty"); return err })
		for i, want := range []error{nil, mine, nil, ledger.ErrNotFound} {
			if err := errs[i]; !errors.Is(err, want) || want == nil && err != nil {
				t.Errorf("Update %d = %v, want %v", i, err, want)
			}
		}
		if has(t, s, "faulty") || !has(t, s, "good") {
			t.Error("rows are not those that were acknowledged")
		}
	})
}
