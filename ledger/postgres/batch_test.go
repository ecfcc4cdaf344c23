package postgres_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/ledgertest"
	"github.com/holdfast-go/holdfast/ledger/postgres"
)

var (
	errRefused = errors.New("refused")
	errFaulty  = errors.New("cannot be encoded")
)

// update is one of a batch, and what it says it will read.
type update struct {
	reads []ledger.Query
	fn    func(ledger.Tx) error
}

// oneByOne runs updates in one batch, each of which ends its first run when the next
// waits for its turn. It is called within a bubble of synctest.
func oneByOne(s *postgres.Store, updates ...update) []error {
	errs := make([]error, len(updates))
	next := make([]chan struct{}, len(updates)+1)
	for i := range next {
		next[i] = make(chan struct{})
	}
	var wg sync.WaitGroup
	for i, u := range updates {
		wg.Go(func() {
			var once sync.Once
			errs[i] = s.UpdateAhead(context.Background(), u.reads, func(tx ledger.Tx) error {
				err := u.fn(tx)
				once.Do(func() { <-next[i+1] })
				return err
			})
		})
		synctest.Wait() // it is in the queue
		close(next[i])
		synctest.Wait() // it has run, and so is not next to the one after it
	}
	close(next[len(updates)])
	wg.Wait()
	return errs
}

func puts(rows ...ledger.Row) func(ledger.Tx) error { return ledgertest.Puts(rows...) }

func nothing(ledger.Tx) error { return nil }

// faulty is a value that cannot be encoded.
type faulty struct{}

func (faulty) Prepare()                            {}
func (faulty) AppendBinary([]byte) ([]byte, error) { return nil, errFaulty }

// bubble runs a test in a bubble, with a store that was opened in it.
func bubble(t *testing.T, test func(t *testing.T, s *postgres.Store)) {
	address(t)
	synctest.Test(t, func(t *testing.T) { test(t, open(t, newSchema())) })
}

func TestUpdate_what_is_not_asked_for_a_neighbours_fault_is_not_believed_to_be_gone(t *testing.T) {
	bubble(t, func(t *testing.T, s *postgres.Store) {
		put(t, s, ledger.Row{Table: "owners", ID: "there"})
		runs, absent := 0, 0
		errs := oneByOne(s, update{nil, nothing},
			update{nil, puts(ledger.Row{Table: "owners", ID: "faulty", Value: faulty{}})},
			update{[]ledger.Query{{Table: "owners", ID: "there"}}, func(tx ledger.Tx) error {
				runs++
				_, err := tx.Get("owners", "there")
				if errors.Is(err, ledger.ErrNotFound) {
					absent++
				}
				return err
			}})
		if fmt.Sprint(errs) != fmt.Sprint([]error{nil, errFaulty, nil}) || absent > 0 {
			t.Errorf("updates end so: %v, and the row was not there in %d of %d runs, want none", errs, absent, runs)
		}
	})
}

// Taking a lock sends what waits, too.
func TestHold_does_not_fail_for_what_a_neighbour_put(t *testing.T) {
	bubble(t, func(t *testing.T, s *postgres.Store) {
		put(t, s, settled("there"))
		var wg sync.WaitGroup
		release := make(chan struct{})
		var putting, holding error
		wg.Go(func() {
			putting = s.Update(context.Background(), func(tx ledger.Tx) error {
				err := tx.Put(running("there", "started")) // without looking
				<-release
				return err
			})
		})
		synctest.Wait()
		wg.Go(func() { _, holding = s.Hold(context.Background(), "ana") })
		synctest.Wait()
		close(release)
		wg.Wait()
		if putting != nil || holding != nil {
			t.Errorf("Update() = %v, Hold() = %v, want no errors", putting, holding)
		}
		wantFound(t, ledger.Query{Table: "entries", ID: "there"}, "there=started ", s)
	})
}

// So many rows are sent while others run, and it is heard only later that one of them
// was there.
func TestUpdate_a_row_that_is_there_is_put_without_looking_beside_others_that_read(t *testing.T) {
	bubble(t, func(t *testing.T, s *postgres.Store) {
		put(t, s, settled("there"), ledger.Row{Table: "owners", ID: "x"})
		many := []ledger.Row{running("there", "started")}
		for i := range 40 {
			many = append(many, settled(fmt.Sprint("new ", i)))
		}
		byID := ledger.Query{Table: "owners", ID: "x"}
		reads := func(tx ledger.Tx) error {
			_, err := tx.Get("owners", "x")
			return err
		}
		for i, err := range oneByOne(s, update{nil, nothing}, update{nil, puts(many...)}, update{[]ledger.Query{byID}, reads}, update{nil, nothing}) {
			if err != nil {
				t.Errorf("update %d = %v, want no error", i, err)
			}
		}
		wantFound(t, ledger.Query{Table: "entries", ID: "there"}, "there=started ", s)
	})
}

func TestUpdate_an_entry_is_found_by_its_tool_after_a_neighbour_of_that_tool_was_refused(t *testing.T) {
	bubble(t, func(t *testing.T, s *postgres.Store) {
		put(t, s, settled("a"), settled("b"))
		other := func(id string) func(tx ledger.Tx) error {
			return func(tx ledger.Tx) error {
				row, err := tx.Get("entries", id)
				row.Words[2] = "another tool"
				return errors.Join(err, tx.Put(row))
			}
		}
		errs := oneByOne(s, update{nil, nothing}, update{nil, func(tx ledger.Tx) error { return errors.Join(other("a")(tx), errRefused) }}, update{nil, other("b")})
		if !errors.Is(errs[1], errRefused) || errs[2] != nil {
			t.Errorf("updates end so: %v, want the second refused", errs)
		}
		wantFound(t, ledger.Query{Table: "entries", Words: [7]string{2: "another tool"}}, "b=ok ", s)
	})
}

// noise is a text that does not become smaller.
func noise(n int) (text string) {
	for len(text) < n {
		text += rand.Text()
	}
	return text[:n]
}

func TestUpdate_a_word_that_no_index_holds_is_refused_alone(t *testing.T) {
	s := open(t, newSchema())
	for place := range 8 {
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				row := running(fmt.Sprint(place, " ", i), "started")
				bad := i == 3
				switch {
				case bad && place == 7:
					row.ID = noise(3000)
				case bad:
					row.Words[place] = noise(3000)
				}
				err := s.Update(t.Context(), puts(row))
				if (err != nil) != bad || errors.Is(err, ledger.ErrUnavailable) {
					t.Errorf("Update of row %s = %v, want an error of its own: %v", row.ID, err, bad)
				}
			})
		}
		wg.Wait()
	}
}

// Words that are late come into their indexes, whatever their length.
func TestStore_words_of_the_greatest_length_are_found(t *testing.T) {
	schema := newSchema()
	s := open(t, schema)
	long := ledger.Row{Table: "entries", ID: noise(1300)}
	for i := range long.Words {
		long.Words[i] = noise(1300)
	}
	put(t, s, long)
	for i := range 300 {
		put(t, s, running(fmt.Sprint(i), "started"))
	}
	s = open(t, schema)
	for i, w := range long.Words {
		q := ledger.Query{Table: "entries"}
		q.Words[i] = w
		wantFound(t, q, long.ID+"= ", s)
	}
}
