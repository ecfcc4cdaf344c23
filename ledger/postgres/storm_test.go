package postgres_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/ledgertest"
	"github.com/holdfast-go/holdfast/ledger/memory"
	"github.com/holdfast-go/holdfast/ledger/postgres"
)

// Updates see the rows of those before them, whether these wait, are being sent, or
// are written; and what one of them gets wrong is its own. With HOLDFAST_LONG=1 there
// are more of them, and more seeds.
func TestUpdate_those_at_once_are_as_if_one_ran_after_the_other(t *testing.T) {
	address(t)
	seeds, callers, each := 1, 24, 24
	if os.Getenv("HOLDFAST_LONG") == "1" {
		seeds, callers, each = 5, 48, 150
	}
	for i, c := range []struct {
		name   string
		looks  bool
		beside []beside
	}{
		{"alone", true, []beside{views}},
		{"alone, with rows put blindly", false, []beside{views}},
		{"while others open, write and close", true, []beside{views, others}},
		{"while others stay and write", true, []beside{stays(1), stays(2)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for n := range seeds {
				schema := newSchema()
				s := open(t, schema)
				m := &ledgertest.Storm{Seed: uint64(4*n + i), Callers: callers, Each: each, Skips: true, Looks: c.looks, Model: memory.New(nil)}
				var side []func(<-chan struct{})
				for _, fn := range c.beside {
					side = append(side, func(stop <-chan struct{}) { fn(t, schema, m, stop) })
				}
				m.Run(s, side...)
				m.WantTurns(t)
				m.WantRows(t, s)
				m.WantRows(t, open(t, schema))
			}
		})
	}
}

// Rows wait, and are late in their indexes; none of that is to be seen.
func TestStore_finds_what_a_store_in_memory_finds(t *testing.T) {
	t.Parallel()
	address(t)
	schema := newSchema()
	ledgertest.Finds(t, memory.New(nil), true, func() ledger.Store { return open(t, schema) })
}

// beside is what goes on, until stop, in the schema of the store.
type beside func(t *testing.T, schema string, m *ledgertest.Storm, stop <-chan struct{})

// others are of other processes.
func others(t *testing.T, schema string, m *ledgertest.Storm, stop <-chan struct{}) {
	m.Others(t, func() (ledger.Store, error) {
		return postgres.Open(context.Background(), address(t), &postgres.Options{Schema: schema})
	})(stop)
}

func views(t *testing.T, schema string, m *ledgertest.Storm, stop <-chan struct{}) {
	m.Views(t, open(t, schema))(stop)
}

// stays is another store that writes now and then, and believes meanwhile that it
// knows the tables. It sleeps for moments that are not always the same.
func stays(number uint64) beside {
	return func(t *testing.T, schema string, m *ledgertest.Storm, stop <-chan struct{}) {
		other := open(t, schema)
		for n := uint64(0); ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(n%5*number) * 3 * time.Millisecond):
			}
			m.Update(other, number<<32|n)
		}
	}
}
