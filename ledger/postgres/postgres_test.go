package postgres_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/ledgertest"
	"github.com/holdfast-go/holdfast/ledger/postgres"
)

// address of a database to test with; scripts/with-postgres gives one.
func address(t testing.TB) string {
	t.Helper()
	if a := os.Getenv("HOLDFAST_POSTGRES"); a != "" {
		return a
	}
	if os.Getenv("HOLDFAST_REQUIRE_POSTGRES") == "1" {
		t.Fatal("HOLDFAST_POSTGRES names no database and HOLDFAST_REQUIRE_POSTGRES=1")
	}
	t.Skip("skipped: HOLDFAST_POSTGRES names no database")
	return ""
}

func newSchema() string { return "t_" + strings.ToLower(rand.Text()) }

func open(t testing.TB, schema string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), address(t), &postgres.Options{Schema: schema})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestStore(t *testing.T) {
	address(t)
	ledgertest.Store(t, func(t *testing.T) ledger.Store { return open(t, newSchema()) })
}

func TestLedger(t *testing.T) {
	address(t)
	ledgertest.Ledger(t, func(t *testing.T, now func() time.Time) ledger.Store {
		s := open(t, newSchema())
		s.Clock(now)
		return s
	})
}

func TestModel(t *testing.T) {
	address(t)
	ledgertest.Model(t, 300, 5_000, func(t *testing.T, now func() time.Time) ledger.Store {
		s := open(t, newSchema())
		s.Clock(now)
		return s
	})
}

func TestCrash(t *testing.T) {
	a := address(t)
	ledgertest.Crash(t,
		func(*testing.T) string { return newSchema() },
		func(ctx context.Context, place string) (ledger.Store, error) {
			s, err := postgres.Open(ctx, a, &postgres.Options{Schema: place})
			if err != nil {
				return nil, err
			}
			s.At(ledgertest.Point)
			return s, nil
		})
}

func row(id string) func(ledger.Tx) error {
	return func(tx ledger.Tx) error { return tx.Put(ledger.Row{Table: "owners", ID: id}) }
}

func TestOpen_refuses_what_is_not_its_own(t *testing.T) {
	newer, foreign := newSchema(), newSchema()
	s := open(t, newer)
	for _, sql := range []string{
		"INSERT INTO migrations VALUES (99)",
		fmt.Sprintf("CREATE SCHEMA %s", foreign), fmt.Sprintf("CREATE TABLE %s.notes (text text)", foreign),
	} {
		if err := s.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	for schema, want := range map[string]string{newer: "version 99", foreign: "another program", "Bad;Name": "a schema is named by", strings.Repeat("a", 64): "a schema is named by"} {
		s, err := postgres.Open(t.Context(), address(t), &postgres.Options{Schema: schema})
		if err == nil {
			_ = s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%s) = %v, want an error about %q", schema, err, want)
		}
	}
	if s, err := postgres.Open(t.Context(), "postgres:///x?host=/nowhere", nil); err == nil {
		_ = s.Close()
		t.Error("Open of a database that is not there = no error, want one")
	}
}

func TestStore_a_session_that_the_database_ends_is_opened_anew_with_its_locks(t *testing.T) {
	schema := newSchema()
	s, other := open(t, schema), open(t, schema)
	if _, err := s.Hold(t.Context(), "ana"); err != nil {
		t.Fatalf("Hold() = %v, want no error", err)
	}
	if _, err := other.Hold(t.Context(), "ana"); err == nil {
		t.Error("Hold of an owner that another process holds = no error, want one")
	}
	living := func() (living bool) {
		err := other.View(t.Context(), func(tx ledger.Tx) (err error) {
			living, _, err = tx.Living("ana")
			return err
		})
		if err != nil {
			t.Fatalf("View() = %v, want no error", err)
		}
		return living
	}
	if !living() {
		t.Error("a held owner does not live")
	}
	var inside error
	err := s.Update(t.Context(), func(tx ledger.Tx) error {
		// Only the one that writes here, others share the database; and until it has
		// let go of its locks.
		kill := fmt.Sprintf("SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND "+
			"classid = %d AND objid = %d", uint64(s.WriteLock())>>32, uint64(s.WriteLock())&0xffffffff)
		if err := other.Exec(t.Context(), kill); err != nil {
			t.Errorf("ending the session: %v", err)
		}
		_, inside = tx.Get("owners", "x")
		return inside
	})
	if !errors.Is(inside, ledger.ErrUnavailable) || !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Update over a session that was ended = %v, inside %v, want ErrUnavailable", err, inside)
	}
	if living() {
		t.Error("an owner whose session was ended lives")
	}
	if err := s.Update(t.Context(), row("after")); err != nil {
		t.Errorf("Update() after that = %v, want no error", err)
	}
	if !living() {
		t.Error("an owner does not live again after its session was opened anew")
	}
}

func TestStore_goes_by_the_databases_clock(t *testing.T) {
	s := open(t, newSchema())
	var first, second time.Time
	for _, now := range []*time.Time{&first, &second} {
		if err := s.Update(t.Context(), func(tx ledger.Tx) error { *now = tx.Now(); return nil }); err != nil {
			t.Fatalf("Update() = %v, want no error", err)
		}
	}
	if first.IsZero() || !second.After(first) {
		t.Errorf("Now() = %v, then %v, want it to go on", first, second)
	}
}
