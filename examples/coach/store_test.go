package coach

import (
	"database/sql"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestOpen_makes_a_private_file_and_folder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "a # file?.db")
	c, err := Open(t.Context(), path, nil)
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	defer c.Close()
	if _, err := c.store.foods(t.Context()); err != nil {
		t.Fatalf("foods = %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != 0o600 {
			t.Errorf("mode of %s = %v, want 0600", filepath.Base(name), got)
		}
	}
}

func TestOpen_relative_path(t *testing.T) {
	t.Chdir(t.TempDir())
	c, err := Open(t.Context(), filepath.Join("a b", "coach.db"), nil)
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	if _, err := os.Stat(filepath.Join("a b", "coach.db")); err != nil {
		t.Error(err)
	}
}

func TestOpen_refuses_what_it_cannot_use(t *testing.T) {
	dir := t.TempDir()
	junk := filepath.Join(dir, "junk.db")
	if err := os.WriteFile(junk, []byte(strings.Repeat("not a database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	newer := filepath.Join(dir, "newer.db")
	db, err := sql.Open("sqlite3", dsn(newer))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, path, want string }{
		{"no path", "", "no path given"},
		{"a file of another kind", junk, "not a database"},
		{"a folder", dir, dir},
		{"a newer version", newer, "version 99 is newer"},
	} {
		if _, err := Open(t.Context(), c.path, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Open = %v, want %q", c.name, err, c.want)
		}
	}
}

func TestOpen_loads_a_new_edition_of_the_tables_over_the_old(t *testing.T) {
	g := newGym(t)
	out := result[added](t, g.call("add_meal_food", lunch))
	g.stored(func(*sql.Tx) error { return nil })
	for _, change := range []string{
		"UPDATE foods SET carbohydrate_g = '99', name = 'Old' WHERE id = 1", "UPDATE editions SET digest = 'old'",
	} {
		if _, err := g.coach.store.db.ExecContext(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	if got := g.meal(ana, "2024-04-11", "Comida"); len(got) != 1 || got[0] != out.Added.Name+" 200" {
		t.Errorf("stored meal after a new edition = %q, want the food's name back and the row kept", got)
	}
}

func TestSystem_tells_the_day_of_the_persons_zone(t *testing.T) {
	zone := time.FixedZone("UTC+9", 9*60*60)
	c, err := Open(t.Context(), filepath.Join(t.TempDir(), "coach.db"), &Options{Location: zone})
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	defer c.Close()
	got := c.System(time.Date(2024, 2, 29, 20, 0, 0, 0, time.UTC))
	for _, want := range []string{"viernes, 2024-03-01", "today is Friday", "UTC+9", "75.5"} {
		if !strings.Contains(got, want) {
			t.Errorf("System = %q, want %q in it", got, want)
		}
	}
}

func TestClosed_store_fails_reads_and_writes_without_effect(t *testing.T) {
	g := newGym(t)
	if err := g.coach.Close(); err != nil {
		t.Fatalf("Close = %v", err)
	}
	for name, arguments := range map[string]string{"search_foods": `{"query":"arroz"}`, "add_meal_food": lunch} {
		if v := g.call(name, arguments); v.Outcome.Status != "failed" {
			t.Errorf("%s after Close = %s", name, v.Observation.Content())
		}
	}
}
