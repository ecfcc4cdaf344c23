package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// The migrations are numbered from 1 and only appended: databases of every
// version are out there.
//
//go:embed migrations/*.sql
var migrations embed.FS

// migrate applies what the schema lacks, all or nothing. Processes take turns.
func (w *writing) migrate(ctx context.Context) error {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, w.store.timeout)
	defer cancel()
	return pgx.BeginTxFunc(ctx, w.pg, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(t pgx.Tx) error {
		if _, err := t.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", w.store.writeLock()); err != nil {
			return err
		}
		version, err := schemaVersion(ctx, t, w.store.schema)
		if err != nil {
			return err
		}
		if version > len(names) {
			return fmt.Errorf("the tables are of version %d; this program knows up to %d", version, len(names))
		}
		for i, name := range names[version:] {
			if err := apply(ctx, t, name, version+i+1); err != nil {
				return fmt.Errorf("migration %d: %w", version+i+1, err)
			}
		}
		if version < len(names) { // no session knows the tables any more
			_, err = t.Exec(ctx, "DELETE FROM writer")
		}
		return err
	})
}

func apply(ctx context.Context, t pgx.Tx, name string, version int) error {
	number, _, _ := strings.Cut(strings.TrimPrefix(name, "migrations/"), "_")
	if n, err := strconv.Atoi(number); err != nil || n != version {
		return fmt.Errorf("file %s is not number %d", name, version)
	}
	text, err := migrations.ReadFile(name)
	if err != nil {
		return err
	}
	if _, err := t.Exec(ctx, string(text)); err != nil {
		return err
	}
	_, err = t.Exec(ctx, "INSERT INTO migrations VALUES ($1)", version)
	return err
}

// schemaVersion is the newest migration in the schema; 0: it is new, and made. A
// schema with tables of something else is an error.
func schemaVersion(ctx context.Context, t pgx.Tx, schema string) (int, error) {
	var ours, any bool
	err := t.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL, EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = $2)`,
		schema+".migrations", schema).Scan(&ours, &any)
	switch {
	case err != nil:
		return 0, err
	case ours:
		var version int
		err := t.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM migrations").Scan(&version)
		return version, err
	case any:
		return 0, errors.New("the schema holds tables of another program")
	}
	for _, sql := range []string{
		"CREATE SCHEMA IF NOT EXISTS " + schema,
		"CREATE TABLE migrations (version integer PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now())",
	} {
		if _, err := t.Exec(ctx, sql); err != nil {
			return 0, err
		}
	}
	return 0, nil
}
