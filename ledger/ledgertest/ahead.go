package ledgertest

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/ledger"
)

// updateAhead tells a store what fn will read, if it wants to know.
func updateAhead(ctx context.Context, s ledger.Store, reads []ledger.Query, fn func(ledger.Tx) error) error {
	told, ok := s.(interface {
		UpdateAhead(ctx context.Context, reads []ledger.Query, fn func(ledger.Tx) error) error
	})
	if !ok {
		return s.Update(ctx, fn)
	}
	return told.UpdateAhead(ctx, reads, fn)
}

// foresight tells an update what it will read, and then changes that.
func foresight(t *testing.T, s ledger.Store) {
	for _, id := range []string{"1", "2", "3"} {
		put(t, s, ledger.Row{Table: "entries", ID: id, Words: [7]string{"a", 6: "key " + id}, Body: []byte(id)})
	}
	var (
		byID   = ledger.Query{Table: "entries", ID: "2"}
		absent = ledger.Query{Table: "entries", ID: "4"}
		byKey  = ledger.Query{Table: "entries", Words: [7]string{6: "key 3"}, Newest: true, Limit: 1}
		byTwo  = ledger.Query{Table: "entries", Words: [7]string{"a", 6: "key 1"}}
		all    = ledger.Query{Table: "entries", Words: [7]string{"a"}, Newest: true}
		page   = ledger.Query{Table: "entries", Limit: 2}
		none   = ledger.Query{Table: "events", Newest: true, Limit: 1}
		reads  = []ledger.Query{byID, absent, byKey, byTwo, all, page, none, byID, {Table: "entries"}, {Table: "no such table"}}
	)
	err := updateAhead(t.Context(), s, reads, func(tx ledger.Tx) error {
		want := func(when string, q ledger.Query, bodies ...string) {
			t.Helper()
			rows, err := tx.Find(q)
			var got []string
			for _, row := range rows {
				got = append(got, string(row.Body))
			}
			if diff := cmp.Diff(bodies, got); err != nil || diff != "" {
				t.Errorf("%s: Find(%+v) error %v, differs (-want +got):\n%s", when, q, err, diff)
			}
		}
		want("at first", byID, "2")
		want("at first", absent)
		want("at first", byKey, "3")
		want("at first", byTwo, "1")
		want("at first", all, "3", "2", "1")
		want("at first", page, "1", "2")
		want("at first", none)
		for _, row := range []ledger.Row{
			{Table: "entries", ID: "2", Words: [7]string{"b"}, Body: []byte("2b")},
			{Table: "entries", ID: "4", Words: [7]string{"a", 6: "key 3"}, Body: []byte("4")},
		} {
			if err := tx.Put(row); err != nil {
				return err
			}
		}
		want("after writing", byID, "2b")
		want("after writing", absent, "4")
		want("after writing", byKey, "4")
		want("after writing", byTwo, "1")
		want("after writing", all, "4", "3", "1")
		want("after writing", page, "1", "2b")
		if err := tx.Delete("entries", "1"); err != nil {
			return err
		}
		want("after deleting", byTwo)
		want("after deleting", all, "4", "3")
		return nil
	})
	if err != nil {
		t.Fatalf("UpdateAhead() = %v, want no error", err)
	}
}

// foresightShared lets updates that said what they read share transactions: each
// reads what the one before it wrote.
func foresightShared(t *testing.T, s ledger.Store) {
	const callers, each = 16, 5
	ids := []string{"all"}
	for i := range callers {
		ids = append(ids, fmt.Sprint("of ", i))
	}
	for _, id := range ids {
		put(t, s, ledger.Row{Table: "owners", ID: id, Body: []byte("0")})
	}
	var wg sync.WaitGroup
	for i := range callers {
		mine := []string{"all", ids[i+1]}
		reads := []ledger.Query{{Table: "owners", ID: mine[0]}, {Table: "owners", ID: mine[1]}}
		wg.Go(func() {
			for range each {
				if err := updateAhead(t.Context(), s, reads, func(tx ledger.Tx) error { return countUp(tx, mine) }); err != nil {
					t.Errorf("UpdateAhead() = %v, want no error", err)
				}
			}
		})
	}
	wg.Wait()
	for id, want := range map[string]int{"all": callers * each, "of 3": each} {
		if row, _ := get(t, s, "owners", id); string(row.Body) != strconv.Itoa(want) {
			t.Errorf("row %q counts %s, want %d: an update read what was no longer so", id, row.Body, want)
		}
	}
}

func countUp(tx ledger.Tx, ids []string) error {
	for _, id := range ids {
		row, err := tx.Get("owners", id)
		if err != nil {
			return err
		}
		before, err := strconv.Atoi(string(row.Body))
		if err != nil {
			return err
		}
		if err := tx.Put(ledger.Row{Table: "owners", ID: id, Body: strconv.AppendInt(nil, int64(before)+1, 10)}); err != nil {
			return err
		}
	}
	return nil
}
