package sqlite

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/holdfast-go/holdfast/ledger"
)

// conn is one connection with its prepared statements; used by one goroutine at
// a time.
type conn struct {
	db         *sqlite3.Conn
	statements map[string]*sqlite3.Stmt
	shaped     map[shape]*sqlite3.Stmt // the same, by what they are for
	late       lates
	tools      map[string]int64 // where each was noted last
	pack       []byte           // to be used again
	logged     int              // pages of the log, of the writer
	broken     bool             // to be closed, not used again
}

// connect opens a connection as every one of ours is: durable and strict.
func (s *Store) connect() (*conn, error) { return s.connectAs("") }

func (s *Store) connectAs(mark string) (*conn, error) {
	s.prepareFiles()
	db, err := sqlite3.OpenFlags("file:"+url.PathEscape(s.path)+"?vfs="+s.disk+mark, sqlite3.OPEN_READWRITE|sqlite3.OPEN_URI)
	if err != nil {
		return nil, explain(err)
	}
	c := &conn{db: db, statements: map[string]*sqlite3.Stmt{}, shaped: map[shape]*sqlite3.Stmt{}, tools: map[string]int64{}}
	if err := c.configure(s); err != nil {
		return nil, errors.Join(explain(err), c.close())
	}
	return c, nil
}

func (c *conn) configure(s *Store) error {
	if err := c.db.BusyTimeout(s.busy); err != nil {
		return err
	}
	mode, err := c.ask("PRAGMA journal_mode=WAL")
	// SQLite does not wait here, where two would wait for each other.
	for until := time.Now().Add(s.busy); errors.Is(err, sqlite3.BUSY) && time.Now().Before(until); {
		time.Sleep(time.Millisecond)
		mode, err = c.ask("PRAGMA journal_mode=WAL")
	}
	if err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("the file cannot be kept in WAL mode, only in %q", mode)
	}
	if err := c.db.Exec("PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY; PRAGMA wal_autocheckpoint=4000; PRAGMA secure_delete=ON; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON"); err != nil {
		return err
	}
	full, err := c.ask("PRAGMA synchronous")
	if err != nil {
		return err
	}
	if full != "2" {
		return errors.New("it does not sync its writes")
	}
	return nil
}

// ask is the first column of the first row.
func (c *conn) ask(sql string) (string, error) {
	st, err := c.prepare(sql)
	if err != nil {
		return "", err
	}
	answer := ""
	if st.Step() {
		answer = st.ColumnText(0)
	}
	err = st.Err()
	return answer, errors.Join(err, st.Reset())
}

func (c *conn) prepare(sql string) (*sqlite3.Stmt, error) {
	if st := c.statements[sql]; st != nil {
		return st, nil
	}
	st, _, err := c.db.PrepareFlags(sql, sqlite3.PREPARE_PERSISTENT)
	if err != nil {
		return nil, err
	}
	c.statements[sql] = st
	return st, nil
}

// run executes a statement without rows.
func (c *conn) run(sql string) error {
	st, err := c.prepare(sql)
	if err != nil {
		return err
	}
	return st.Exec()
}

func (c *conn) close() error {
	for _, st := range c.statements {
		_ = st.Close()
	}
	return c.db.Close()
}

// unsure forgets what it knows of tables that may be no longer as it left them.
func (c *conn) unsure() {
	c.late.known = false
	clear(c.tools)
}

// inTransaction reports whether one is open: SQLite ends it by itself on a full
// disk and the like.
func (c *conn) inTransaction() bool { return !c.db.GetAutocommit() }

// unavailable marks err as one after which nothing is changed.
func unavailable(doing string, err error) error {
	if errors.Is(err, ledger.ErrUnavailable) {
		return err
	}
	return fmt.Errorf("%w: %s: %w", ledger.ErrUnavailable, doing, explain(err))
}

// explain puts what a person can do about it before SQLite's own words.
func explain(err error) error {
	for _, known := range []struct {
		code sqlite3.ErrorCode
		say  string
	}{
		{sqlite3.FULL, "the disk is full"},
		{sqlite3.READONLY, "the file cannot be written"},
		{sqlite3.CORRUPT, "the file is damaged"},
		{sqlite3.NOTADB, "the file is not a ledger database, or is damaged"},
		{sqlite3.CANTOPEN, "the file cannot be opened"},
		{sqlite3.BUSY, "another process keeps it locked"},
		{sqlite3.IOERR, "the disk gives errors"},
	} {
		if errors.Is(err, known.code) {
			return fmt.Errorf("%s: %w", known.say, err)
		}
	}
	return err
}

// unchanged reports whether a commit that ended with err certainly changed
// nothing: it did not come as far as the sync of the last page. After any other
// error, a failed sync above all, what the disk holds is not known.
func unchanged(err error) bool {
	return errors.Is(err, sqlite3.FULL) || errors.Is(err, sqlite3.BUSY) || errors.Is(err, sqlite3.READONLY) ||
		errors.Is(err, sqlite3.IOERR_WRITE)
}
