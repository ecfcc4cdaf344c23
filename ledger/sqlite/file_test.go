package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
)

func TestOpen_keeps_the_files_private(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("files are private by their folder's rights here")
		return
	}
	folder := filepath.Join(t.TempDir(), "new", "folder")
	path := filepath.Join(folder, "l.db")
	s := open(t, path, nil)
	if err := s.Update(t.Context(), row("k")); err != nil {
		t.Fatalf("Update() = %v, want no error", err)
	}
	want := map[string]os.FileMode{folder: 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600}
	check := func() {
		for name, mode := range want {
			stat, err := os.Stat(name)
			if err != nil || stat.Mode().Perm() != mode {
				t.Errorf("mode of %s = %v, %v, want %v", filepath.Base(name), stat.Mode().Perm(), err, mode)
			}
		}
	}
	check()
	if err := s.Close(); err != nil {
		t.Fatalf("Close() = %v, want no error", err)
	}
	s = open(t, path, nil)
	if !has(t, s, "k") {
		t.Error("an acknowledged row is gone after closing and opening")
	}
	check()
}

func TestOpen_refuses_what_is_not_its_own(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign.db")
	newer := filepath.Join(dir, "newer.db")
	damaged := filepath.Join(dir, "damaged.db")
	text := filepath.Join(dir, "notes.txt")
	sql(t, foreign, "CREATE TABLE notes (text)")
	_ = open(t, newer, nil).Close()
	sql(t, newer, "INSERT INTO migrations VALUES (99, 'later')")
	_ = open(t, damaged, nil).Close()
	scribble(t, damaged, 0, "not a database at all")
	if err := os.WriteFile(text, []byte(strings.Repeat("some text of mine\n", 400)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		foreign: "database of another program", newer: "version 99", damaged: "damaged", text: "not a ledger database",
		dir: "", "": "no path", filepath.Join(text, "below"): "",
	} {
		s, err := sqlite.Open(t.Context(), path, nil)
		if err == nil {
			_ = s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%s) = %v, want an error about %q", filepath.Base(path), err, want)
		}
	}
	if got, err := os.ReadFile(text); err != nil || !strings.HasPrefix(string(got), "some text of mine\n") {
		t.Errorf("the refused file holds %.20q, %v, want it untouched", got, err)
	}
}

func sql(t *testing.T, path, text string) {
	t.Helper()
	db, err := sqlite3.Open(path)
	if err == nil {
		err = errors.Join(db.Exec(text), db.Close())
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func scribble(t *testing.T, path string, at int64, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt([]byte(text), at)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpen_of_a_new_file_by_many_at_once(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), "l.db")
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				s, err := sqlite.Open(t.Context(), path, nil)
				if err != nil {
					t.Errorf("Open() = %v, want no error", err)
					return
				}
				_ = s.Close()
			})
		}
		wg.Wait()
	}
}

// A database of a new version is made by
//
//	go test ./ledger/sqlite -run survives_closing -version-file testdata/versionN.db
func TestOpen_reads_a_database_of_every_version(t *testing.T) {
	migrations, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(migrations) == 0 {
		t.Fatalf("migrations = %v, %v, want some", migrations, err)
	}
	for i := range migrations {
		t.Run(fmt.Sprint("version ", i+1), func(t *testing.T) {
			data, err := os.ReadFile(fmt.Sprintf("testdata/version%d.db", i+1))
			if err != nil {
				t.Fatalf("no database of this version: %v", err)
			}
			path := filepath.Join(t.TempDir(), "l.db")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			wantStory(t, open(t, path, nil), i+1)
		})
	}
}

func TestStore_notices_that_its_file_is_gone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("an open file cannot be removed here")
		return
	}
	path := filepath.Join(t.TempDir(), "l.db")
	s := open(t, path, nil)
	if err := s.Update(t.Context(), row("k")); err != nil {
		t.Fatalf("Update() = %v, want no error", err)
	}
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	nothing := func(ledger.Tx) error { t.Error("fn ran on a file that is gone"); return nil }
	if err := s.Update(t.Context(), nothing); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Update() = %v, want ErrUnavailable", err)
	}
	if err := s.View(t.Context(), nothing); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("View() = %v, want ErrUnavailable", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), nothing); !errors.Is(err, ledger.ErrUnavailable) || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("Update() on another file = %v, want ErrUnavailable that says so", err)
	}
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), row("after")); err != nil || !has(t, s, "k") || !has(t, s, "after") {
		t.Errorf("Update() when it is back = %v, want both rows there", err)
	}
}

func TestStore_two_on_one_file_see_each_other(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.db")
	one, two := open(t, path, nil), open(t, path, nil)
	release, err := one.Hold(t.Context(), "ana")
	if err != nil {
		t.Fatalf("Hold() = %v, want no error", err)
	}
	if _, err := two.Hold(t.Context(), "ana"); err == nil {
		t.Error("Hold of a held owner = no error, want one")
	}
	if err := one.Update(t.Context(), row("k")); err != nil || !has(t, two, "k") {
		t.Errorf("Update() = %v, want it seen by the other", err)
	}
	living := func() (living bool) {
		err := two.View(context.Background(), func(tx ledger.Tx) (err error) {
			var known bool
			if living, known, err = tx.Living("ana"); !known {
				t.Log("leases decide here")
			}
			return err
		})
		if err != nil {
			t.Fatalf("View() = %v, want no error", err)
		}
		return living
	}
	if !living() {
		t.Error("an owner that the other store holds does not live")
	}
	release()
	if living() {
		t.Error("an owner that was released lives")
	}
}

func TestLedger_an_event_that_was_changed_or_taken_out_is_found(t *testing.T) {
	for rule, c := range map[string]struct{ tamper, want string }{
		"changed":   {`UPDATE events SET body = replace(CAST(body AS TEXT), '"what":"ok"', '"what":"failed"') WHERE instr(body, '"what":"ok"')`, "was changed"},
		"taken out": {"DELETE FROM events WHERE seq = 3", "stands where 3 belongs"},
		"moved":     {"UPDATE events SET seq = 1000 WHERE seq = 2", "stands where 2 belongs"},
		"refiled":   {"UPDATE events SET w0 = 'another' WHERE seq = 2", "event 2 is filed under another"},
		"unread":    {"UPDATE events SET body = '{' WHERE seq = 2", "event 2 cannot be read"},
	} {
		t.Run(rule, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "l.db")
			s := open(t, path, nil)
			tellStory(t, s)
			l, err := ledger.New(t.Context(), s, nil)
			if err != nil {
				t.Fatalf("New() = %v, want no error", err)
			}
			if n, _, faults, err := l.Verify(t.Context()); err != nil || len(faults) != 0 || n < 5 {
				t.Fatalf("Verify() = %d events, faults %q, %v, want none", n, faults, err)
			}
			sql(t, path, c.tamper)
			if _, _, faults, err := l.Verify(t.Context()); err != nil || !strings.Contains(strings.Join(faults, "\n"), c.want) {
				t.Errorf("Verify() faults = %q, %v, want one that says %q", faults, err, c.want)
			}
		})
	}
}
