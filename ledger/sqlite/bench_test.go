package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/holdfast-go/holdfast/internal/groupcommit"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/ledgertest"
)

// BenchmarkWrite compares a write's claim, start and commit with the least that
// could be as durable: two transactions of one small row, with the same group
// commit.
func BenchmarkWrite(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			l, err := ledger.New(b.Context(), open(b, filepath.Join(b.TempDir(), "l.db"), nil), nil)
			if err != nil {
				b.Fatal(err)
			}
			ledgertest.Price(b, callers, l, bare(b, filepath.Join(b.TempDir(), "bare.db")))
		})
	}
}

// bare is those two transactions over a table made for them.
func bare(b *testing.B, path string) func(ctx context.Context, key string) error {
	c, err := newBare(path)
	if err != nil {
		b.Fatal(err)
	}
	w := groupcommit.New[*bareConn](c, nil, func(err error) error { return err }, nil)
	b.Cleanup(w.Close)
	return func(ctx context.Context, key string) error {
		if err := w.Update(ctx, func(c *bareConn) error { return c.exec(c.insert, key) }); err != nil {
			return err
		}
		return w.Update(ctx, func(c *bareConn) error { return c.exec(c.update, key) })
	}
}

type bareConn struct {
	db                            *sqlite3.Conn
	begin, insert, update, commit *sqlite3.Stmt
}

func newBare(path string) (*bareConn, error) {
	db, err := sqlite3.Open(path)
	if err != nil {
		return nil, err
	}
	if err := db.Exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=4000; CREATE TABLE bare (key TEXT PRIMARY KEY, state TEXT)"); err != nil {
		return nil, err
	}
	c := &bareConn{db: db}
	for sql, st := range map[string]**sqlite3.Stmt{
		"BEGIN IMMEDIATE": &c.begin, "COMMIT": &c.commit,
		"INSERT INTO bare VALUES (?, 'started') ON CONFLICT DO NOTHING":    &c.insert,
		"UPDATE bare SET state = 'ok' WHERE key = ? AND state = 'started'": &c.update,
	} {
		if *st, _, err = db.Prepare(sql); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *bareConn) exec(st *sqlite3.Stmt, key string) error {
	if err := st.BindText(1, key); err != nil {
		return err
	}
	return st.Exec()
}

func (c *bareConn) Check() error                       { return nil }
func (c *bareConn) Ahead([]any) error                  { return nil }
func (c *bareConn) Begin([]any) error                  { return c.begin.Exec() }
func (c *bareConn) Lend(any) *bareConn                 { return c }
func (c *bareConn) Return(*bareConn) (bool, error)     { return true, nil }
func (c *bareConn) Settle() (bool, error)              { return false, nil }
func (c *bareConn) Save() error                        { return nil }
func (c *bareConn) Undo() error                        { return nil }
func (c *bareConn) Keep() error                        { return nil }
func (c *bareConn) Rollback() error                    { return c.db.Exec("ROLLBACK") }
func (c *bareConn) Commit() (*groupcommit.Rest, error) { return nil, c.commit.Exec() }
func (c *bareConn) Close() error                       { return c.db.Close() }
