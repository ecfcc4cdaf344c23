package sqlite

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

// The migrations are numbered from 1 and only appended: databases of every
// version are out there.
//
//go:embed migrations/*.sql
var migrations embed.FS

// applicationID marks the file as ours ("HldF").
const applicationID = 0x486c6446

type migration struct {
	version int
	sql     string
}

func listMigrations() ([]migration, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var list []migration
	for i, name := range names { // sorted
		number, _, _ := strings.Cut(strings.TrimPrefix(name, "migrations/"), "_")
		version, err := strconv.Atoi(number)
		if err != nil || version != i+1 {
			return nil, fmt.Errorf("migration %s is not number %d", name, i+1)
		}
		text, err := migrations.ReadFile(name)
		if err != nil {
			return nil, err
		}
		list = append(list, migration{version, string(text)})
	}
	return list, nil
}

// migrate applies what the file lacks, all or nothing. Two processes may try at
// once: the second finds it done.
func (c *conn) migrate(ctx context.Context) error {
	list, err := listMigrations()
	if err != nil {
		return err
	}
	version, err := c.version()
	if err != nil || version == len(list) {
		return err
	}
	if version > len(list) {
		return fmt.Errorf("the file is of version %d; this program knows up to %d", version, len(list))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.db.Exec("BEGIN IMMEDIATE"); err != nil {
		return explain(err)
	}
	if err := c.migrateFrom(list); err != nil {
		return errors.Join(explain(err), c.db.Exec("ROLLBACK"))
	}
	return explain(c.db.Exec("COMMIT"))
}

func (c *conn) migrateFrom(list []migration) error {
	version, err := c.version()
	if err != nil {
		return err
	}
	if version == 0 {
		create := fmt.Sprintf("PRAGMA application_id=%d; CREATE TABLE migrations (version INTEGER PRIMARY KEY, applied TEXT NOT NULL)", applicationID)
		if err := c.db.Exec(create); err != nil {
			return err
		}
	}
	for _, m := range list[min(version, len(list)):] {
		if err := c.db.Exec(m.sql); err != nil {
			return fmt.Errorf("migration %d: %w", m.version, err)
		}
		done := fmt.Sprintf("INSERT INTO migrations VALUES (%d, '%s')", m.version, time.Now().UTC().Format(time.RFC3339))
		if err := c.db.Exec(done); err != nil {
			return err
		}
	}
	return nil
}

// version is the newest migration in the file; 0: it is empty. A database of
// something else is an error.
func (c *conn) version() (int, error) {
	tables, err := c.askNow("SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return 0, explain(err)
	}
	mark, err := c.askNow("PRAGMA application_id") // after the tables, which another process may be making
	if err != nil {
		return 0, explain(err)
	}
	if mark == "0" && tables == "0" {
		return 0, nil
	}
	if mark != strconv.Itoa(applicationID) {
		return 0, errors.New("the file is a database of another program")
	}
	text, err := c.askNow("SELECT coalesce(max(version), 0) FROM migrations")
	if err != nil {
		return 0, explain(err)
	}
	return strconv.Atoi(text)
}

// askNow is ask without keeping the statement.
func (c *conn) askNow(sql string) (string, error) {
	answer, err := c.ask(sql)
	if st := c.statements[sql]; st != nil {
		delete(c.statements, sql)
		err = errors.Join(err, st.Close())
	}
	return answer, err
}
