package coach

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/ncruces/go-sqlite3/driver"

	"github.com/holdfast-go/holdfast"
)

//go:embed migrations/*.sql
var migrations embed.FS

// store is the SQLite file. It knows tables, not tools.
type store struct {
	db    *sql.DB
	fault func(Point) error
}

func openStore(ctx context.Context, path string, fault func(Point) error) (*store, error) {
	if path == "" {
		return nil, errors.New("no path given")
	}
	if err := private(path); err != nil {
		return nil, err
	}
	db, err := driver.Open(dsn(path))
	if err != nil {
		return nil, fmt.Errorf("opening: %w", err)
	}
	db.SetMaxOpenConns(4)
	st := &store{db: db, fault: fault}
	if st.fault == nil {
		st.fault = func(Point) error { return nil }
	}
	if err := errors.Join(st.prepare(ctx), narrow(path)); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return st, nil
}

// private makes the files readable by their owner alone: before SQLite sees
// them, and once more after, for what it makes by itself.
func private(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return narrow(path)
}

func narrow(path string) error {
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Chmod(path+end, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func dsn(path string) string {
	path = filepath.ToSlash(path)
	if filepath.IsAbs(path) && !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	u := url.URL{Scheme: "file", OmitHost: true, Path: path}
	if !strings.HasPrefix(path, "/") {
		u = url.URL{Scheme: "file", Opaque: url.PathEscape(path)}
	}
	u.RawQuery = "_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=foreign_keys(on)&_txlock=immediate"
	return u.String()
}

func (s *store) close() error { return s.db.Close() }

// prepare migrates and loads the tables that ship with the program.
func (s *store) prepare(ctx context.Context) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("opening: %w", err)
	}
	defer tx.Rollback()
	if err := migrate(ctx, tx); err != nil {
		return err
	}
	if err := loadTables(ctx, tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("bringing tables up to date: %w", err)
	}
	return nil
}

func migrate(ctx context.Context, tx *sql.Tx) error {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return fmt.Errorf("reading the version: %w", err)
	}
	if version > len(files) {
		return fmt.Errorf("version %d is newer than this program's %d", version, len(files))
	}
	for i, name := range files[version:] {
		script, err := migrations.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(script)); err != nil {
			return fmt.Errorf("migration %s: %w", filepath.Base(name), err)
		}
		// PRAGMA takes no parameters; the number is ours.
		if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version+i+1)); err != nil {
			return fmt.Errorf("migration %s: %w", filepath.Base(name), err)
		}
	}
	return nil
}

// read runs fn over one consistent state.
func (s *store) read(ctx context.Context, at Point, fn func(*sql.Tx) error) error {
	if err := s.fault(at); err != nil {
		return err
	}
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return fn(tx)
}

// write runs fn in one transaction. Its error is a [holdfast.NoEffectError]
// wherever it is certain that nothing was written. An error of the commit itself
// is not: it may have reached the disk.
func (s *store) write(ctx context.Context, fn func(*sql.Tx) error) error {
	if err := s.fault(Writing); err != nil {
		return holdfast.WithoutEffect(err)
	}
	// The transaction must not end by itself between our last look at ctx and
	// the commit: whether it committed would not be known.
	tx, err := s.db.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return holdfast.WithoutEffect(err)
	}
	err = fn(tx)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		tx.Rollback()
		return holdfast.WithoutEffect(err)
	}
	if err := s.fault(Committing); err != nil {
		tx.Rollback()
		return fmt.Errorf("committing: %w", err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("committing: %w", err)
	}
	return s.fault(AfterCommit)
}
