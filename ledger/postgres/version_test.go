package postgres_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-go/holdfast/ledger/postgres"
)

// With a new migration, add to tellStory what came with it and to wantStory, from
// that version on, what it must mean. Then write the database of the new version:
//
//	scripts/with-postgres go test ./ledger/postgres -run survives_closing -version-file testdata/versionN.sql
//
// The older ones stay as the programs of their time wrote them.
var newVersion = flag.String("version-file", "", "write a database of the present version, with the story in it, to this file")

func TestStore_a_story_survives_closing(t *testing.T) {
	schema := newSchema()
	s := open(t, schema)
	tellStory(t, s, func(now time.Time) { s.Clock(func() time.Time { return now }) })
	if err := s.Close(); err != nil {
		t.Fatalf("Close() = %v, want no error", err)
	}
	if *newVersion != "" {
		if err := os.WriteFile(*newVersion, dump(t, schema), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wantStory(t, openOn(t, schema), newest(t))
}

// openOn opens a store that goes by the story's day.
func openOn(t *testing.T, schema string) *postgres.Store {
	s := open(t, schema)
	s.Clock(func() time.Time { return storyDay.Add(time.Hour) })
	return s
}

func newest(t *testing.T) int {
	t.Helper()
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("migrations = %v, %v, want some", files, err)
	}
	return len(files)
}

// aside are the lines of a dump that make no table, index or row.
var aside = regexp.MustCompile(`^(\n|--|\\|SET |SELECT |CREATE SCHEMA )`)

// dump is a schema as SQL that makes it in whatever schema is searched first.
func dump(t *testing.T, schema string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "pg_dump", "--inserts", "--no-owner", "--no-privileges", "--schema="+schema, "--dbname="+address(t))
	cmd.Env = append(os.Environ(), "PGOPTIONS=-c bytea_output=escape", "PGTZ=UTC") // JSON stays readable
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("pg_dump: %v", err)
	}
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		if !aside.MatchString(line) {
			out.WriteString(strings.ReplaceAll(line, schema+".", ""))
		}
	}
	return []byte(out.String())
}

func TestOpen_reads_a_database_of_every_version(t *testing.T) {
	address(t)
	for version := 1; version <= newest(t); version++ {
		t.Run(fmt.Sprint("version ", version), func(t *testing.T) {
			text, err := os.ReadFile(fmt.Sprintf("testdata/version%d.sql", version))
			if err != nil {
				t.Fatalf("no database of this version, see newVersion for how to make one: %v", err)
			}
			schema := newSchema()
			c, err := pgx.Connect(t.Context(), address(t))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close(t.Context())
			versionIs := func(want int) {
				t.Helper()
				var got int
				if err := c.QueryRow(t.Context(), "SELECT max(version) FROM migrations").Scan(&got); err != nil || got != want {
					t.Fatalf("version of the tables = %d, %v, want %d", got, err, want)
				}
			}
			for _, sql := range []string{"CREATE SCHEMA " + schema, "SET search_path TO " + schema, string(text)} {
				if _, err := c.Exec(t.Context(), sql); err != nil {
					t.Fatalf("%.40q: %v", sql, err)
				}
			}
			versionIs(version)
			s := openOn(t, schema)
			versionIs(newest(t))
			wantStory(t, s, version)
		})
	}
}
