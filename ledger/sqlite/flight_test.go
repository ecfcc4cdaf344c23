package sqlite_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/internal/groupcommit"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
)

// turn is an update as it ran last.
type turn struct {
	seed   uint64
	number int64 // in the order in which they ran
	saw    []string
	err    error
}

var errRefused = errors.New("refused")

// randomWords are of few for each place, but for keys, most of which nobody has.
func randomWords(rng *rand.Rand, odds int) (words [7]string) {
	for i := 3; i < 7; i++ {
		if rng.IntN(odds) == 0 {
			words[i] = fmt.Sprint(rng.IntN(30), " of the words")
		}
	}
	if words[6] != "" {
		words[6] = fmt.Sprint(rng.IntN(600), " of the keys")
	}
	return words
}

// act reads and writes at random, and tells what it saw.
func act(tx ledger.Tx, seed uint64) (saw []string, err error) {
	rng := rand.New(rand.NewPCG(seed, 7))
	see := func(rows ...ledger.Row) {
		for _, row := range rows {
			text, _ := row.Bytes()
			saw = append(saw, fmt.Sprintf("%d %s %q %s", row.Seq, row.ID, row.Words, text[:min(len(text), 20)]))
		}
	}
	busy := rng.IntN(600) == 0 // most ask for nothing that the store must look up
	for range 1 + rng.IntN(4) {
		id := fmt.Sprint("id ", rng.IntN(60))
		switch {
		case rng.IntN(5) == 0:
			q := ledger.Query{Table: "entries", Newest: rng.IntN(2) == 0, Limit: rng.IntN(4)}
			n := 3 + rng.IntN(4)
			if q.Words[n] = randomWords(rng, 1)[n]; rng.IntN(4) > 0 {
				q.Words[n] = "nobody's " + q.Words[n]
			}
			rows, err := tx.Find(q)
			if err != nil {
				return nil, err
			}
			see(rows...)
		case rng.IntN(3) == 0:
			row, err := tx.Get("entries", id)
			if err != nil && !errors.Is(err, ledger.ErrNotFound) {
				return nil, err
			}
			see(row)
		case rng.IntN(6) == 0:
			rows, err := tx.Find(ledger.Query{Table: "events", Newest: true, Limit: 1})
			if err = errors.Join(err, tx.Put(ledger.Row{Table: "events", Body: fmt.Append(nil, seed)})); err != nil {
				return nil, err
			}
			see(rows...)
		case busy && rng.IntN(6) == 0:
			// Not the newest, whose Seq SQLite would give away again.
			if err := errors.Join(tx.Put(ledger.Row{Table: "entries", ID: fmt.Sprint("newest ", seed)}), tx.Delete("entries", id)); err != nil {
				return nil, err
			}
		default:
			row := ledger.Row{Table: "entries", ID: id, Words: randomWords(rng, 20), Body: fmt.Append(nil, seed)}
			if busy {
				row.Body = append(row.Body, make([]byte, 70<<10)...) // too large to be remembered
			}
			if err := tx.Put(row); err != nil {
				return nil, err
			}
		}
	}
	if busy && rng.IntN(2) == 0 {
		return saw, errRefused
	}
	return saw, nil
}

// Updates see the rows of those before them, whether these are in memory, being
// written, or written; and what one of them gets wrong is its own.
func TestUpdate_those_at_once_are_as_if_one_ran_after_the_other(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.db")
	s := open(t, path, nil)
	var (
		mu    sync.Mutex
		turns []turn
		last  atomic.Int64
	)
	for round := range 3 {
		var wg sync.WaitGroup
		for caller := range 24 {
			wg.Go(func() {
				for i := range 200 {
					did := turn{seed: uint64(round)<<32 | uint64(caller)<<16 | uint64(i)}
					did.err = s.Update(context.Background(), func(tx ledger.Tx) (err error) {
						did.number = last.Add(1)
						did.saw, err = act(tx, did.seed)
						return err
					})
					mu.Lock()
					turns = append(turns, did)
					mu.Unlock()
				}
			})
		}
		if round == 1 { // now others write the file, too
			other := open(t, path, nil)
			for i := range 20 {
				seed := uint64(round)<<32 | uint64(99)<<16 | uint64(i)
				did := turn{seed: seed}
				did.err = other.Update(t.Context(), func(tx ledger.Tx) (err error) {
					did.number = last.Add(1)
					did.saw, err = act(tx, seed)
					return err
				})
				mu.Lock()
				turns = append(turns, did)
				mu.Unlock()
			}
			_ = other.Close()
		}
		wg.Wait()
	}
	slices.SortFunc(turns, func(a, b turn) int { return cmp.Compare(a.number, b.number) })
	model := memory.New(nil)
	refused := 0
	for _, did := range turns {
		var want []string
		err := model.Update(t.Context(), func(tx ledger.Tx) (err error) {
			want, err = act(tx, did.seed)
			return err
		})
		if !errors.Is(did.err, err) || err == nil && did.err != nil {
			t.Fatalf("update %d of seed %x = %v, want %v", did.number, did.seed, did.err, err)
		}
		if err != nil {
			refused++
		}
		if diff := gocmp.Diff(want, did.saw); diff != "" {
			t.Fatalf("what update %d of seed %x saw differs (-want +got):\n%s", did.number, did.seed, diff)
		}
	}
	if refused < 5 {
		t.Errorf("%d updates were refused, want some", refused)
	}
	var want, got []string
	everything := []ledger.Query{{Table: "entries"}, {Table: "events"}}
	if err := errors.Join(model.View(t.Context(), tell(&want, everything)), s.View(t.Context(), tell(&got, everything))); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("in the end the rows differ (-want +got):\n%s", diff)
	}
}

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

func puts(rows ...ledger.Row) func(ledger.Tx) error {
	return func(tx ledger.Tx) error {
		for _, row := range rows {
			if err := tx.Put(row); err != nil {
				return err
			}
		}
		return nil
	}
}

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
	rest(t, w, func(tx ledger.Tx) (err error) {
		for range 300 {
			err = errors.Join(err, finds(t, second)(tx))
		}
		return err
	})()
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
