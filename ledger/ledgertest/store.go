package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/ledger"
)

// Store runs every promise of ledger.Store on stores that open makes, a fresh
// one each time. The suite closes them.
func Store(t *testing.T, open func(t *testing.T) ledger.Store) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, s ledger.Store)
	}{
		{"a row reads back as it was written", rowReadsBack},
		{"a row with a value reads back as that value or its bytes", valueReadsBack},
		{"an absent row is ErrNotFound", absentRow},
		{"Seq ascends and stays with its row", seqAscends},
		{"rows without an id are all kept", rowsWithoutID},
		{"Find goes by words, bounds, order and limit", findRows},
		{"words that change are found anew", wordsChange},
		{"a deleted row is gone", deletedRow},
		{"an error of fn changes nothing and comes back", errorRollsBack},
		{"a panic of fn changes nothing and reaches the caller", panicRollsBack},
		{"an exit of fn changes nothing", exitRollsBack},
		{"a view cannot write", viewCannotWrite},
		{"a transaction ends with its fn", transactionEnds},
		{"a cancelled update is unavailable and changes nothing", cancelledUpdate},
		{"updates are serialisable", serialisable},
		{"what an update is told to read ahead it reads as it is", foresight},
		{"updates that read ahead are serialisable", foresightShared},
		{"an update sees its own writes and views see none until it ends", isolation},
		{"a failing update leaves its neighbours alone", neighbours},
		{"an owner lives until it is released", holdAndRelease},
		{"a closed store is unavailable", closedStore},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			t.Cleanup(func() { _ = s.Close() })
			c.test(t, s)
		})
	}
}

func update(t *testing.T, s ledger.Store, fn func(tx ledger.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), fn); err != nil {
		t.Fatalf("Update() = %v, want no error", err)
	}
}

func view(t *testing.T, s ledger.Store, fn func(tx ledger.Tx) error) {
	t.Helper()
	if err := s.View(t.Context(), fn); err != nil {
		t.Fatalf("View() = %v, want no error", err)
	}
}

func put(t *testing.T, s ledger.Store, rows ...ledger.Row) {
	t.Helper()
	update(t, s, func(tx ledger.Tx) error {
		for _, r := range rows {
			if err := tx.Put(r); err != nil {
				return err
			}
		}
		return nil
	})
}

func get(t *testing.T, s ledger.Store, table, id string) (row ledger.Row, found bool) {
	t.Helper()
	view(t, s, func(tx ledger.Tx) (err error) {
		row, err = tx.Get(table, id)
		if found = err == nil; errors.Is(err, ledger.ErrNotFound) {
			return nil
		}
		return err
	})
	return row, found
}

func find(t *testing.T, s ledger.Store, q ledger.Query) (ids []string) {
	t.Helper()
	view(t, s, func(tx ledger.Tx) error {
		rows, err := tx.Find(q)
		ids = nil
		for _, r := range rows {
			ids = append(ids, r.ID)
		}
		return err
	})
	return ids
}

func rowReadsBack(t *testing.T, s ledger.Store) {
	for name, body := range map[string][]byte{
		"json": []byte(`{"a":"<é>"}`), "binary": {0, 1, 0xff, 0, '\n'}, "empty": {}, "large": make([]byte, 1<<20),
	} {
		in := ledger.Row{Table: "entries", ID: name, Words: [7]string{"w", "", "with \x00 nul", "é", "", "z"}, Body: body}
		put(t, s, in)
		out, found := get(t, s, "entries", name)
		text, err := out.Bytes()
		if !found || err != nil || string(text) != string(body) {
			t.Errorf("body of %s = %d bytes, found %v, error %v, want the %d written", name, len(text), found, err, len(body))
		}
		if diff := cmp.Diff(in.Words, out.Words); diff != "" || out.ID != name || out.Table != "entries" {
			t.Errorf("row %s came back as %s of %s, words differ (-want +got):\n%s", name, out.ID, out.Table, diff)
		}
	}
}

type text string

func (v text) AppendBinary(b []byte) ([]byte, error) { return append(b, v...), nil }

func valueReadsBack(t *testing.T, s ledger.Store) {
	put(t, s, ledger.Row{Table: "owners", ID: "k", Value: text("body")})
	row, _ := get(t, s, "owners", "k")
	got, err := row.Bytes()
	if err != nil || string(got) != "body" {
		t.Errorf("Bytes() = %q, %v, want the encoded value", got, err)
	}
	if row.Value != nil && row.Value != text("body") {
		t.Errorf("Value = %v, want the one that was put", row.Value)
	}
}

func absentRow(t *testing.T, s ledger.Store) {
	put(t, s, ledger.Row{Table: "events", Body: []byte("no id")})
	view(t, s, func(tx ledger.Tx) error {
		for _, id := range []string{"", "x"} {
			for _, table := range []string{"events", "runs"} {
				if _, err := tx.Get(table, id); !errors.Is(err, ledger.ErrNotFound) {
					t.Errorf("Get(%q, %q) error = %v, want ErrNotFound", table, id, err)
				}
			}
		}
		return nil
	})
}

func seqAscends(t *testing.T, s ledger.Store) {
	var last int64
	for i := range 5 {
		id := fmt.Sprint("r", i)
		put(t, s, ledger.Row{Table: "runs", ID: id})
		row, _ := get(t, s, "runs", id)
		if row.Seq <= last {
			t.Errorf("Seq of row %d = %d, want more than %d", i, row.Seq, last)
		}
		last = row.Seq
	}
	before, _ := get(t, s, "runs", "r1")
	put(t, s, ledger.Row{Table: "runs", ID: "r1", Body: []byte("again"), Seq: 99})
	after, _ := get(t, s, "runs", "r1")
	if after.Seq != before.Seq || string(after.Body) != "again" {
		t.Errorf("row put again = Seq %d, body %q, want Seq %d and the new body", after.Seq, after.Body, before.Seq)
	}
}

func rowsWithoutID(t *testing.T, s ledger.Store) {
	for range 3 {
		put(t, s, ledger.Row{Table: "events", Words: [7]string{"e"}})
	}
	if got := find(t, s, ledger.Query{Table: "events", Words: [7]string{"e"}}); len(got) != 3 {
		t.Errorf("Find() = %d rows, want 3", len(got))
	}
}

func findRows(t *testing.T, s ledger.Store) {
	seq := map[string]int64{}
	for _, r := range []ledger.Row{
		{ID: "1", Words: [7]string{"a", "x"}},
		{ID: "2", Words: [7]string{"b", "x"}},
		{ID: "3", Words: [7]string{"a", "y", "", "", "", "last"}},
		{ID: "4", Words: [7]string{"a", "x"}},
		{ID: "5"},
	} {
		r.Table = "entries"
		put(t, s, r)
		row, _ := get(t, s, "entries", r.ID)
		seq[r.ID] = row.Seq
	}
	put(t, s, ledger.Row{Table: "turns", ID: "9", Words: [7]string{"a"}})
	for _, c := range []struct {
		rule string
		q    ledger.Query
		want []string
	}{
		{"all", ledger.Query{}, []string{"1", "2", "3", "4", "5"}},
		{"newest first", ledger.Query{Newest: true}, []string{"5", "4", "3", "2", "1"}},
		{"limit", ledger.Query{Limit: 2}, []string{"1", "2"}},
		{"newest and limit", ledger.Query{Newest: true, Limit: 2}, []string{"5", "4"}},
		{"a word", ledger.Query{Words: [7]string{"a"}}, []string{"1", "3", "4"}},
		{"another word", ledger.Query{Words: [7]string{"", "x"}}, []string{"1", "2", "4"}},
		{"the last word", ledger.Query{Words: [7]string{5: "last"}}, []string{"3"}},
		{"two words", ledger.Query{Words: [7]string{"a", "x"}}, []string{"1", "4"}},
		{"two words newest", ledger.Query{Words: [7]string{"a", "x"}, Newest: true}, []string{"4", "1"}},
		{"no such word", ledger.Query{Words: [7]string{"c"}}, nil},
		{"no such pair", ledger.Query{Words: [7]string{"b", "y"}}, nil},
		{"before", ledger.Query{Before: seq["3"]}, []string{"1", "2"}},
		{"after", ledger.Query{After: seq["3"]}, []string{"4", "5"}},
		{"between", ledger.Query{After: seq["1"], Before: seq["4"]}, []string{"2", "3"}},
		{"before newest limit", ledger.Query{Before: seq["4"], Newest: true, Limit: 2}, []string{"3", "2"}},
		{"an id", ledger.Query{ID: "3"}, []string{"3"}},
		{"no such id", ledger.Query{ID: "6"}, nil},
		{"an id and a word", ledger.Query{ID: "3", Words: [7]string{"a"}}, []string{"3"}},
		{"an id and another's word", ledger.Query{ID: "3", Words: [7]string{"b"}}, nil},
		{"an id before", ledger.Query{ID: "3", Before: seq["3"]}, nil},
		{"a word before", ledger.Query{Words: [7]string{"a"}, Before: seq["4"], Newest: true}, []string{"3", "1"}},
	} {
		c.q.Table = "entries"
		if diff := cmp.Diff(c.want, find(t, s, c.q)); diff != "" {
			t.Errorf("%s: Find differs (-want +got):\n%s", c.rule, diff)
		}
	}
	if got := find(t, s, ledger.Query{Table: "runs"}); got != nil {
		t.Errorf("Find in an empty table = %v, want none", got)
	}
}

func wordsChange(t *testing.T, s ledger.Store) {
	for _, id := range []string{"1", "2", "3"} {
		put(t, s, ledger.Row{Table: "entries", ID: id, Words: [7]string{"old"}})
	}
	put(t, s, ledger.Row{Table: "entries", ID: "2", Words: [7]string{"new"}})
	put(t, s, ledger.Row{Table: "entries", ID: "3"})
	for word, want := range map[string][]string{"old": {"1"}, "new": {"2"}} {
		if diff := cmp.Diff(want, find(t, s, ledger.Query{Table: "entries", Words: [7]string{word}})); diff != "" {
			t.Errorf("Find(%s) differs (-want +got):\n%s", word, diff)
		}
	}
	put(t, s, ledger.Row{Table: "entries", ID: "3", Words: [7]string{"old"}})
	put(t, s, ledger.Row{Table: "entries", ID: "2", Words: [7]string{"old"}})
	if diff := cmp.Diff([]string{"1", "2", "3"}, find(t, s, ledger.Query{Table: "entries", Words: [7]string{"old"}})); diff != "" {
		t.Errorf("Find(old) after words came back differs (-want +got):\n%s", diff)
	}
}

func deletedRow(t *testing.T, s ledger.Store) {
	put(t, s, ledger.Row{Table: "entries", ID: "1", Words: [7]string{"w"}}, ledger.Row{Table: "entries", ID: "2", Words: [7]string{"w"}})
	update(t, s, func(tx ledger.Tx) error {
		return errors.Join(tx.Delete("entries", "1"), tx.Delete("entries", "never was"))
	})
	if _, found := get(t, s, "entries", "1"); found {
		t.Error("a deleted row is still there")
	}
	if diff := cmp.Diff([]string{"2"}, find(t, s, ledger.Query{Table: "entries", Words: [7]string{"w"}})); diff != "" {
		t.Errorf("Find differs (-want +got):\n%s", diff)
	}
}

// spoil makes one change of each kind to what seed wrote.
func spoil(tx ledger.Tx) error {
	return errors.Join(
		tx.Put(ledger.Row{Table: "entries", ID: "1", Words: [7]string{"changed"}, Body: []byte("changed")}),
		tx.Delete("entries", "2"),
		tx.Put(ledger.Row{Table: "entries", ID: "3", Words: [7]string{"w"}}),
	)
}

func seed(t *testing.T, s ledger.Store) {
	t.Helper()
	put(t, s,
		ledger.Row{Table: "entries", ID: "1", Words: [7]string{"w"}, Body: []byte("one")},
		ledger.Row{Table: "entries", ID: "2", Words: [7]string{"w"}, Body: []byte("two")})
}

func wantSeed(t *testing.T, s ledger.Store) {
	t.Helper()
	if diff := cmp.Diff([]string{"1", "2"}, find(t, s, ledger.Query{Table: "entries", Words: [7]string{"w"}})); diff != "" {
		t.Errorf("rows after it differ (-want +got):\n%s", diff)
	}
	if row, _ := get(t, s, "entries", "1"); string(row.Body) != "one" {
		t.Errorf("body after it = %q, want %q", row.Body, "one")
	}
	put(t, s, ledger.Row{Table: "runs", ID: "still writes"})
}

func errorRollsBack(t *testing.T, s ledger.Store) {
	seed(t, s)
	mine := errors.New("mine")
	err := s.Update(t.Context(), func(tx ledger.Tx) error {
		if err := spoil(tx); err != nil {
			t.Errorf("writing = %v, want no error", err)
		}
		return mine
	})
	if !errors.Is(err, mine) {
		t.Errorf("Update() = %v, want fn's error", err)
	}
	wantSeed(t, s)
}

func panicRollsBack(t *testing.T, s ledger.Store) {
	seed(t, s)
	func() {
		defer func() {
			if got := recover(); got != "mine" {
				t.Errorf("recovered %v, want fn's panic", got)
			}
		}()
		_ = s.Update(t.Context(), func(tx ledger.Tx) error {
			_ = spoil(tx)
			panic("mine")
		})
	}()
	wantSeed(t, s)
}

func exitRollsBack(t *testing.T, s ledger.Store) {
	seed(t, s)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Update(context.Background(), func(tx ledger.Tx) error {
			_ = spoil(tx)
			runtime.Goexit()
			return nil
		})
	}()
	<-done
	wantSeed(t, s)
}

func viewCannotWrite(t *testing.T, s ledger.Store) {
	seed(t, s)
	view(t, s, func(tx ledger.Tx) error {
		if err := tx.Put(ledger.Row{Table: "entries", ID: "3", Words: [7]string{"w"}}); err == nil {
			t.Error("Put in a view = no error, want one")
		}
		if err := tx.Delete("entries", "1"); err == nil {
			t.Error("Delete in a view = no error, want one")
		}
		return nil
	})
	wantSeed(t, s)
}

func transactionEnds(t *testing.T, s ledger.Store) {
	seed(t, s)
	var kept []ledger.Tx
	keep := func(tx ledger.Tx) error { kept = append(kept, tx); return nil }
	update(t, s, keep)
	view(t, s, keep)
	for _, tx := range kept {
		_, getErr := tx.Get("entries", "1")
		_, findErr := tx.Find(ledger.Query{Table: "entries"})
		for _, err := range []error{getErr, findErr, tx.Delete("entries", "1"), tx.Put(ledger.Row{Table: "entries", ID: "9", Words: [7]string{"w"}})} {
			if err == nil {
				t.Error("using a transaction that has ended = no error, want one")
			}
		}
	}
	wantSeed(t, s)
}

func cancelledUpdate(t *testing.T, s ledger.Store) {
	seed(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.Update(ctx, func(tx ledger.Tx) error { return spoil(tx) })
	if !errors.Is(err, ledger.ErrUnavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("Update() = %v, want ErrUnavailable and context.Canceled", err)
	}
	if err := s.View(ctx, func(ledger.Tx) error { return nil }); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("View() = %v, want ErrUnavailable", err)
	}
	wantSeed(t, s)
}

func serialisable(t *testing.T, s ledger.Store) {
	const callers, rounds = 32, 8
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range rounds {
				err := s.Update(t.Context(), func(tx ledger.Tx) error {
					row, err := tx.Get("runs", "counter")
					if err != nil && !errors.Is(err, ledger.ErrNotFound) {
						return err
					}
					return tx.Put(ledger.Row{Table: "runs", ID: "counter", Body: append(row.Body[:len(row.Body):len(row.Body)], '.')})
				})
				if err != nil {
					t.Errorf("Update() = %v, want no error", err)
				}
			}
		})
	}
	wg.Wait()
	if row, _ := get(t, s, "runs", "counter"); len(row.Body) != callers*rounds {
		t.Errorf("%d increments counted %d", callers*rounds, len(row.Body))
	}
}

func isolation(t *testing.T, s ledger.Store) {
	seed(t, s)
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 50 {
			err := s.Update(t.Context(), func(tx ledger.Tx) error {
				row, err := tx.Get("runs", "left")
				if err != nil && !errors.Is(err, ledger.ErrNotFound) {
					return err
				}
				body := append(row.Body[:len(row.Body):len(row.Body)], '.')
				if err := tx.Put(ledger.Row{Table: "runs", ID: "left", Body: body}); err != nil {
					return err
				}
				if own, err := tx.Get("runs", "left"); err != nil || len(own.Body) != len(body) {
					t.Errorf("own write reads as %d bytes, %v, want %d", len(own.Body), err, len(body))
				}
				return tx.Put(ledger.Row{Table: "runs", ID: "right", Body: body})
			})
			if err != nil {
				t.Errorf("Update() = %v, want no error", err)
			}
		}
	})
	for range 4 {
		wg.Go(func() {
			for range 50 {
				err := s.View(t.Context(), func(tx ledger.Tx) error {
					left, _ := tx.Get("runs", "left")
					runtime.Gosched()
					right, _ := tx.Get("runs", "right")
					if len(left.Body) != len(right.Body) {
						t.Errorf("a view saw half an update: %d and %d", len(left.Body), len(right.Body))
					}
					return nil
				})
				if err != nil {
					t.Errorf("View() = %v, want no error", err)
				}
			}
		})
	}
	wg.Wait()
}

func neighbours(t *testing.T, s ledger.Store) {
	const callers = 48
	mine := errors.New("mine")
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			id := fmt.Sprintf("%02d", i)
			err := s.Update(t.Context(), func(tx ledger.Tx) error {
				if err := tx.Put(ledger.Row{Table: "owners", ID: id, Words: [7]string{"w"}}); err != nil {
					return err
				}
				if i%3 == 0 {
					return mine
				}
				return nil
			})
			if want := i%3 == 0; errors.Is(err, mine) != want || err != nil && !want {
				t.Errorf("Update of %d = %v, fails by itself: %v", i, err, want)
			}
		})
	}
	wg.Wait()
	for i := range callers {
		_, found := get(t, s, "owners", fmt.Sprintf("%02d", i))
		if want := i%3 != 0; found != want {
			t.Errorf("row %d is there: %v, want %v", i, found, want)
		}
	}
}

func holdAndRelease(t *testing.T, s ledger.Store) {
	living := func(owner string) (living, known bool) {
		view(t, s, func(tx ledger.Tx) (err error) {
			living, known, err = tx.Living(owner)
			return err
		})
		return living, known
	}
	release, err := s.Hold(t.Context(), "ana")
	if err != nil {
		t.Fatalf("Hold() = %v, want no error", err)
	}
	if is, known := living("ana"); known && !is {
		t.Error("a held owner is known to be gone")
	}
	if is, _ := living("nobody"); is {
		t.Error("an owner that was never held lives")
	}
	release()
	release()
	if is, _ := living("ana"); is {
		t.Error("a released owner lives")
	}
}

func closedStore(t *testing.T, s ledger.Store) {
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("Close() = %v, want no error", err)
		}
	}
	nothing := func(ledger.Tx) error { t.Error("fn ran on a closed store"); return nil }
	if err := s.Update(context.Background(), nothing); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Update() = %v, want ErrUnavailable", err)
	}
	if err := s.View(context.Background(), nothing); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("View() = %v, want ErrUnavailable", err)
	}
	if _, err := s.Hold(context.Background(), "ana"); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Hold() = %v, want ErrUnavailable", err)
	}
}
