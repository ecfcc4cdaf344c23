package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/ledgertest"
	"github.com/holdfast-go/holdfast/ledger/memory"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
)

var (
	errRefused = errors.New("refused")
	errFaulty  = errors.New("cannot be encoded")
)

// Updates see the rows of those before them, whether these are in memory, being
// written, or written; and what one of them gets wrong is its own. With
// HOLDFAST_LONG=1 there are more of them, and more seeds.
func TestUpdate_those_at_once_are_as_if_one_ran_after_the_other(t *testing.T) {
	seeds, callers, each := 1, 24, 60
	if os.Getenv("HOLDFAST_LONG") == "1" {
		seeds, callers, each = 3, 48, 150
	}
	for i, c := range []struct {
		name   string
		beside []beside
	}{
		{"alone", []beside{views}},
		{"while others open, write and close", []beside{views, others}},
		{"while one writes that is no store", []beside{views, stranger}},
		{"while others and one that is none write", []beside{views, others, stranger}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := range seeds {
				s := open(t, filepath.Join(t.TempDir(), "l.db"), nil)
				s.ShortLog(200)
				m := &ledgertest.Storm{Seed: uint64(4*n + i), Callers: callers, Each: each, Model: memory.New(nil)}
				var side []func(<-chan struct{})
				for _, fn := range c.beside {
					side = append(side, func(stop <-chan struct{}) { fn(t, s, m, stop) })
				}
				m.Run(s, side...)
				m.WantTurns(t)
				m.WantRows(t, s)
				m.WantRows(t, open(t, s.Path(), nil))
			}
		})
	}
}

// beside is what goes on, until stop, on the file of the store. It sleeps for moments
// that are not always the same, so that it comes at every point of a batch.
type beside func(t *testing.T, s *sqlite.Store, m *ledgertest.Storm, stop <-chan struct{})

// others are of other processes.
func others(t *testing.T, s *sqlite.Store, m *ledgertest.Storm, stop <-chan struct{}) {
	m.Others(t, func() (ledger.Store, error) { return sqlite.Open(context.Background(), s.Path(), nil) })(stop)
}

func views(t *testing.T, s *sqlite.Store, m *ledgertest.Storm, stop <-chan struct{}) {
	m.Views(t, s)(stop)
}

// stranger writes the file, and does not say that it is here.
func stranger(t *testing.T, s *sqlite.Store, _ *ledgertest.Storm, stop <-chan struct{}) {
	db, err := sqlite3.Open("file:" + s.Path())
	if err != nil {
		t.Error(err)
		return
	}
	defer db.Close()
	_ = db.BusyTimeout(5 * time.Second)
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(n%5) * 3 * time.Millisecond):
		}
		if err := db.Exec("UPDATE late SET body = body"); err != nil {
			t.Logf("the stranger: %v", err) // it may wait too long, which is its own affair
		}
	}
}
