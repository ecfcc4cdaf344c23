package postgres_test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/postgres"
)

// Where the database's default is to read from before the wait for the lock, both
// racers would find the key free.
func TestStore_another_level_of_isolation_is_the_database_s_default(t *testing.T) {
	for _, level := range []string{"repeatable read", "serializable"} {
		t.Run(level, func(t *testing.T) {
			schema := newSchema()
			u, err := url.Parse(address(t))
			if err != nil {
				t.Fatal(err)
			}
			q := u.Query()
			q.Set("default_transaction_isolation", level)
			u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20") // a space is no + there
			var ledgers []*ledger.Ledger
			for range 3 {
				s, err := postgres.Open(t.Context(), u.String(), &postgres.Options{Schema: schema})
				if err != nil {
					t.Fatalf("Open() = %v, want no error", err)
				}
				t.Cleanup(func() { _ = s.Close() })
				l, err := ledger.New(t.Context(), s, nil)
				if err != nil {
					t.Fatalf("New() = %v, want no error", err)
				}
				ledgers = append(ledgers, l)
			}
			for k := range 30 {
				winners := make([]bool, 9)
				var wg sync.WaitGroup
				for i := range winners {
					wg.Go(func() {
						key := fmt.Sprint("key ", k)
						_, standing, err := ledgers[i%3].Start(t.Context(), ledger.Claim{TellsApart: true, Entry: ledger.Entry{
							Tool: "pay", Effect: holdfast.Write, Key: key, ArgumentsDigest: key,
						}})
						if err != nil {
							t.Errorf("Start() = %v, want no error", err)
						}
						winners[i] = err == nil && standing.Free()
					})
				}
				wg.Wait()
				won := 0
				for _, yes := range winners {
					if yes {
						won++
					}
				}
				if won != 1 {
					t.Fatalf("%d racers start key %d, want one", won, k)
				}
			}
		})
	}
}

func TestUpdate_a_row_that_cannot_be_made_is_its_own_fault(t *testing.T) {
	s := open(t, newSchema())
	var wg sync.WaitGroup
	for i := range 48 {
		wg.Go(func() {
			bad := i%16 == 3
			r := settled(fmt.Sprintf("r%02d", i))
			if bad {
				r.Body, r.Value = nil, faulty{}
			}
			err := s.Update(t.Context(), func(tx ledger.Tx) error { return tx.Put(r) })
			if errors.Is(err, errFaulty) != bad || err != nil && !bad {
				t.Errorf("Update of row %d = %v, fails: %v", i, err, bad)
			}
		})
	}
	wg.Wait()
	for _, list := range found(t, ledger.Query{Table: "entries"}, s) {
		if got := strings.Count(list, "=ok "); got != 45 {
			t.Errorf("%d rows are there, want the 45 others", got)
		}
	}
}

// A process of the version before knows nothing of rows that are late. It must not
// overlook them.
func TestOpen_a_program_of_the_version_before_is_refused(t *testing.T) {
	schema := newSchema()
	s := open(t, schema)
	put(t, s, running("x", "started"))
	for _, sql := range []string{
		"SELECT seq, id, w0, w1, w2, w3, w4, w5, w6, body FROM entries WHERE id = 'x'",
		"INSERT INTO entries (seq, body, id, w0, w1, w2, w3, w4, w5, w6) VALUES (9, '', 'y', '', '', '', '', '', '', '')",
		"UPDATE entries SET body = '', w3 = NULL, w4 = NULL, w5 = NULL WHERE seq = 1",
	} {
		if err := s.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "w3") {
			t.Errorf("%s = %v, want it refused for want of w3", sql, err)
		}
	}
	if diff := cmp.Diff([]string{"x=started ", "x=started "}, found(t, ledger.Query{Table: "entries"}, s)); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
}
