package postgres_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/postgres"
)

// running is an entry's row as it is while the call runs, or is uncertain.
func running(id, state string) ledger.Row {
	return ledger.Row{Table: "entries", ID: id, Words: [7]string{"run", "place", "tool", state, "same " + id, "other", "key " + id}, Body: []byte(state)}
}

func settled(id string) ledger.Row {
	return ledger.Row{Table: "entries", ID: id, Words: [7]string{0: "run", 1: "place", 2: "tool", 6: "key " + id}, Body: []byte("ok")}
}

func put(t *testing.T, s *postgres.Store, rows ...ledger.Row) {
	t.Helper()
	if err := s.Update(t.Context(), puts(rows...)); err != nil {
		t.Fatalf("Update() = %v, want no error", err)
	}
}

// found is what an update and a view of the stores find, each row as its id and body.
func found(t *testing.T, q ledger.Query, stores ...*postgres.Store) []string {
	t.Helper()
	var lists []string
	for _, s := range stores {
		var list string
		read := func(tx ledger.Tx) error {
			rows, err := tx.Find(q)
			list = ""
			for _, row := range rows {
				text, err := row.Bytes()
				if err != nil {
					return err
				}
				list += fmt.Sprintf("%s=%s ", row.ID, text)
			}
			return err
		}
		if err := s.UpdateAhead(t.Context(), []ledger.Query{q}, read); err != nil {
			t.Fatalf("UpdateAhead() = %v, want no error", err)
		}
		lists = append(lists, list)
		if err := s.View(t.Context(), read); err != nil {
			t.Fatalf("View() = %v, want no error", err)
		}
		lists = append(lists, list)
	}
	return lists
}

func wantFound(t *testing.T, q ledger.Query, want string, stores ...*postgres.Store) {
	t.Helper()
	for i, got := range found(t, q, stores...) {
		if got != want {
			t.Errorf("store %d finds %q by %+v, want %q (even: in an update)", i/2, got, q, want)
		}
	}
}

// What a session remembers of a row, the list of running calls, the newest event and
// the ends of tables is not what it was when another session has written.
func TestStore_what_another_process_has_written_is_seen(t *testing.T) {
	schema := newSchema()
	a, b := open(t, schema), open(t, schema)
	byState := ledger.Query{Table: "entries", Words: [7]string{3: "started"}}
	bySame := ledger.Query{Table: "entries", Words: [7]string{4: "same x"}, Newest: true}
	byID := ledger.Query{Table: "entries", ID: "x"}
	byTool := ledger.Query{Table: "entries", Words: [7]string{2: "tool"}}
	newest := ledger.Query{Table: "events", Newest: true, Limit: 1}
	event := func(n int) ledger.Row { return ledger.Row{Table: "events", Body: fmt.Append(nil, n)} }

	put(t, a, running("x", "started"), event(1))
	put(t, a, event(2))
	wantFound(t, byID, "x=started ", a, b)
	put(t, b, running("x", "uncertain"), running("y", "started"), event(3))
	wantFound(t, byID, "x=uncertain ", a, b)
	wantFound(t, byState, "y=started ", a, b)
	wantFound(t, newest, "=3 ", a, b)
	put(t, a, event(4), running("z", "started"))
	put(t, b, settled("x"), event(5))
	put(t, b, settled("y"), event(6))
	wantFound(t, bySame, "", a, b)
	wantFound(t, byState, "z=started ", a, b)
	wantFound(t, newest, "=6 ", a, b)
	put(t, a, event(7), settled("z"))
	wantFound(t, byState, "", a, b)
	wantFound(t, byTool, "x=ok y=ok z=ok ", a, b)
	wantFound(t, ledger.Query{Table: "events"}, "=1 =2 =3 =4 =5 =6 =7 ", a, b)
}

func TestStore_the_newest_row_may_be_one_with_an_id(t *testing.T) {
	s := open(t, newSchema())
	put(t, s, ledger.Row{Table: "events", Body: []byte("1")})
	put(t, s, ledger.Row{Table: "events", ID: "x", Body: []byte("2")})
	wantFound(t, ledger.Query{Table: "events", Newest: true, Limit: 1}, "x=2 ", s)
}

// A call that is put without looking, and is there already, is found out when its
// batch is committed; the others of the batch do not notice.
func TestUpdate_a_row_that_is_there_is_put_without_looking(t *testing.T) {
	schema := newSchema()
	s := open(t, schema)
	put(t, s, running("x", "started"), settled("y"))
	put(t, open(t, schema), running("other", "started")) // so that nothing is remembered of x
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			row := settled(fmt.Sprint("new ", i))
			switch i {
			case 7:
				row = settled("x")
			case 19:
				row = running("y", "started")
			}
			put(t, s, row)
		})
	}
	wg.Wait()
	wantFound(t, ledger.Query{Table: "entries", ID: "x"}, "x=ok ", s)
	wantFound(t, ledger.Query{Table: "entries", Words: [7]string{4: "same x"}}, "", s)
	wantFound(t, ledger.Query{Table: "entries", Words: [7]string{3: "started"}}, "y=started other=started ", s)
	var all []ledger.Row
	err := s.View(t.Context(), func(tx ledger.Tx) (err error) {
		all, err = tx.Find(ledger.Query{Table: "entries", Words: [7]string{2: "tool"}})
		return err
	})
	if err != nil || len(all) != 41 {
		t.Errorf("by their tool %d rows are found, %v, want each of the 41 once", len(all), err)
	}
}

// Rows whose call runs for long come into the indexes, and out of them when it ends.
func TestStore_more_calls_run_than_the_list_holds(t *testing.T) {
	schema := newSchema()
	a, b := open(t, schema), open(t, schema)
	const calls = 700
	for i := range calls {
		put(t, a, running(fmt.Sprint("r", i), "started"))
	}
	started := ledger.Query{Table: "entries", Words: [7]string{3: "started"}}
	count := func(want int) {
		t.Helper()
		for i, list := range found(t, started, a, b) {
			if got := strings.Count(list, "=started "); got != want {
				t.Errorf("store %d finds %d that run, want %d", i/2, got, want)
			}
		}
	}
	count(calls)
	for i := 0; i < calls; i += 2 {
		put(t, []*postgres.Store{a, b}[i/2%2], settled(fmt.Sprint("r", i)))
	}
	count(calls / 2)
	put(t, b, running("r1", "uncertain"), running("r699", "uncertain"))
	count(calls/2 - 2)
	wantFound(t, ledger.Query{Table: "entries", Words: [7]string{4: "same r1"}}, "r1=uncertain ", a, b)
	wantFound(t, ledger.Query{Table: "entries", Words: [7]string{0: "run", 3: "uncertain"}, Newest: true, Limit: 1}, "r699=uncertain ", a, b)
}

func TestStore_what_a_ledger_asks_for_stands_in_an_index(t *testing.T) {
	s := open(t, newSchema())
	for i := range 300 {
		put(t, s, running(fmt.Sprint("r", i), "started"), settled(fmt.Sprint("s", i)), ledger.Row{Table: "events", Words: [7]string{fmt.Sprint("r", i)}})
	}
	if err := s.Exec(t.Context(), "ANALYZE"); err != nil {
		t.Fatal(err)
	}
	for what, q := range map[string]ledger.Query{
		"an entry":              {Table: "entries", ID: "r7"},
		"a run":                 {Table: "entries", Words: [7]string{"run"}, Newest: true, Limit: 100},
		"a place":               {Table: "entries", Words: [7]string{"run", "place"}},
		"a tool":                {Table: "entries", Words: [7]string{2: "tool"}, Newest: true, Limit: 100},
		"a page of a tool":      {Table: "entries", Words: [7]string{2: "tool"}, After: 300, Limit: 100},
		"a state":               {Table: "entries", Words: [7]string{3: "started"}},
		"the same write":        {Table: "entries", Words: [7]string{4: "same r7"}, Newest: true},
		"other writes":          {Table: "entries", Words: [7]string{5: "other"}, Newest: true},
		"a key":                 {Table: "entries", Words: [7]string{6: "key r7"}, Newest: true, Limit: 1},
		"filed events":          {Table: "events", Words: [7]string{"r7"}},
		"the newest event":      {Table: "events", Newest: true, Limit: 1},
		"turns of a run":        {Table: "turns", Words: [7]string{"run"}},
		"a page of all entries": {Table: "entries", Before: 9, Newest: true, Limit: 100},
	} {
		plan, err := s.Plan(t.Context(), q)
		if err != nil || strings.Contains(plan, "Seq Scan") {
			t.Errorf("%s is found by %v\n%s\nwant a search of an index", what, err, plan)
		}
		t.Logf("%s:\n%s", what, plan)
	}
}

func TestStore_a_word_that_comes_to_a_row_in_the_indexes_is_found_until_it_leaves(t *testing.T) {
	schema := newSchema()
	s := open(t, schema)
	var many []ledger.Row
	for i := range 600 { // so many that the first are late no more
		many = append(many, ledger.Row{Table: "entries", ID: fmt.Sprint(i), Words: [7]string{3: "waits"}})
	}
	put(t, s, many...)
	byRun := ledger.Query{Table: "entries", Words: [7]string{5: "run"}}
	s = open(t, schema)
	put(t, s, ledger.Row{Table: "owners", ID: "x"}) // it is known now that none stands in that index
	wantFound(t, byRun, "", s)
	err := s.Update(t.Context(), func(tx ledger.Tx) error {
		_, err := tx.Get("entries", "7") // so that the row is known
		return errors.Join(err, tx.Put(ledger.Row{Table: "entries", ID: "7", Words: [7]string{3: "waits", 5: "run"}}))
	})
	if err != nil {
		t.Errorf("Update() = %v, want no error", err)
	}
	wantFound(t, byRun, "7= ", s)
	waits := ledger.Query{Table: "entries", ID: "7", Words: [7]string{3: "waits"}}
	wantFound(t, waits, "7= ", s)
	err = s.Update(t.Context(), func(tx ledger.Tx) error {
		_, err := tx.Get("entries", "7")
		return errors.Join(err, tx.Put(ledger.Row{Table: "entries", ID: "7"}))
	})
	if err != nil {
		t.Errorf("Update() = %v, want no error", err)
	}
	wantFound(t, byRun, "", s)
	wantFound(t, waits, "", s)
}

// A tool is noted once for each block of entries, by whichever store is the first there.
func TestStore_the_entries_of_a_tool_are_found_in_every_block(t *testing.T) {
	schema := newSchema()
	a, b := open(t, schema), open(t, schema)
	var want []string
	for i := range 90 {
		var rows []ledger.Row
		for k := range 9 {
			row := settled(fmt.Sprint(i, "/", k))
			row.Words[2] = fmt.Sprint("tool ", k%4/3) // the second has few
			rows = append(rows, row)
			if k == 3 || k == 7 {
				want = append(want, row.ID)
			}
		}
		put(t, []*postgres.Store{a, b}[i/7%2], rows...)
	}
	ids := func(tx ledger.Tx, q ledger.Query) (ids []string, seqs []int64) {
		rows, err := tx.Find(q)
		if err != nil {
			t.Fatalf("Find() = %v, want no error", err)
		}
		for _, row := range rows {
			ids, seqs = append(ids, row.ID), append(seqs, row.Seq)
		}
		return ids, seqs
	}
	q := ledger.Query{Table: "entries", Words: [7]string{2: "tool 1"}}
	err := a.View(t.Context(), func(tx ledger.Tx) error {
		all, seqs := ids(tx, q)
		if diff := cmp.Diff(want, all); diff != "" {
			t.Fatalf("Find(%+v) differs (-want +got):\n%s", q, diff)
		}
		for i := 0; i < len(seqs); i += 13 {
			for k := i; k < len(seqs); k += 17 {
				q.After, q.Before, q.Limit = seqs[i]-1, seqs[k]+1, 7*(k%2)
				part := all[i : k+1]
				if q.Limit > 0 {
					part = part[:min(len(part), q.Limit)]
				}
				got, _ := ids(tx, q)
				if diff := cmp.Diff(part, got); diff != "" {
					t.Errorf("Find(%+v) differs (-want +got):\n%s", q, diff)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("View() = %v, want no error", err)
	}
}

// A program of the version before goes on to append events, and does not say that it
// was the last to write. That is found out by their place.
func TestUpdate_an_event_that_an_old_program_appended_is_not_overlooked(t *testing.T) {
	s := open(t, newSchema())
	for _, sql := range []string{"", "INSERT INTO events (seq, body) VALUES (3, '3'), (4, '4')", ""} {
		if sql != "" {
			if err := s.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if err := s.Update(t.Context(), countEvents); err != nil {
				t.Fatalf("Update() = %v, want no error", err)
			}
		}
	}
	wantFound(t, ledger.Query{Table: "events"}, "=1 =2 =3 =4 =5 =6 =7 =8 ", s)
}

// Tables that were put back beneath a running process say that it was the last to
// write, as it was.
func TestUpdate_goes_by_tables_that_were_put_back_as_they_were(t *testing.T) {
	schema := newSchema()
	s := open(t, schema)
	count := func(n int) {
		t.Helper()
		for range n {
			if err := s.Update(t.Context(), countEvents); err != nil {
				t.Fatalf("Update() = %v, want no error", err)
			}
		}
	}
	count(2)
	old := dump(t, schema)
	count(2)
	put := func(sql, want string) {
		t.Helper()
		if err := s.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
		count(2)
		wantFound(t, ledger.Query{Table: "events"}, want, s)
	}
	put("DROP SCHEMA "+schema+" CASCADE; CREATE SCHEMA "+schema+"; "+string(old), "=1 =2 =3 =4 ")
	put("CREATE TABLE was AS TABLE writer", "=1 =2 =3 =4 =5 =6 ")
	put("TRUNCATE events, writer; INSERT INTO events (seq, body) VALUES (1, '1'); INSERT INTO writer SELECT * FROM was", "=1 =2 =3 ")
}

func TestUpdate_words_that_change_and_change_back_are_found(t *testing.T) {
	s := open(t, newSchema())
	put(t, s, settled("x"))
	other := settled("x")
	other.Words = [7]string{0: "another run", 2: "another tool", 6: "another key"}
	err := s.Update(t.Context(), func(tx ledger.Tx) error {
		_, err := tx.Get("entries", "x") // so that only what changes is written
		return errors.Join(err, tx.Put(other), tx.Put(settled("x")))
	})
	if err != nil {
		t.Fatalf("Update() = %v, want no error", err)
	}
	for word, text := range settled("x").Words {
		if text == "" {
			continue
		}
		q := ledger.Query{Table: "entries"}
		q.Words[word] = text
		wantFound(t, q, "x=ok ", s)
	}
}

// A late row that is put without looking stands in the indexes, and is in the list.
func TestUpdate_a_late_row_that_was_put_without_looking_changes_once_more(t *testing.T) {
	schema := newSchema()
	put(t, open(t, schema), running("x", "started"))
	s := open(t, schema)
	put(t, s, running("x", "paused"))
	err := s.Update(t.Context(), func(tx ledger.Tx) error {
		_, err := tx.Get("entries", "x")
		return errors.Join(err, tx.Put(running("x", "uncertain")))
	})
	if err != nil {
		t.Fatalf("Update() = %v, want no error", err)
	}
	for state, want := range map[string]string{"started": "", "paused": "", "uncertain": "x=uncertain "} {
		wantFound(t, ledger.Query{Table: "entries", Words: [7]string{3: state}}, want, s, open(t, schema))
	}
}

func TestStore_a_row_that_is_remembered_is_not_one_of_other_words(t *testing.T) {
	s := open(t, newSchema())
	put(t, s, running("x", "started"))
	put(t, s, ledger.Row{Table: "owners", ID: "y"})
	wantFound(t, ledger.Query{Table: "entries", ID: "x"}, "x=started ", s)
	wantFound(t, ledger.Query{Table: "entries", ID: "x", Words: [7]string{3: "uncertain"}}, "", s)
	wantFound(t, ledger.Query{Table: "entries", ID: "x", After: 1}, "", s)
}
