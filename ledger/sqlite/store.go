package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/holdfast-go/holdfast/internal/groupcommit"
	"github.com/holdfast-go/holdfast/ledger"
)

// Options of Open; nil means defaults.
type Options struct {
	// Now is the store's clock; nil: time.Now.
	Now func() time.Time
	// Busy is how long to wait for another process that writes; 0 means 10 s.
	Busy time.Duration
}

const (
	defaultBusy = 10 * time.Second
	maxReaders  = 4
)

// Store is a ledger.Store in one file. Safe for concurrent use.
type Store struct {
	path    string
	now     func() time.Time
	busy    time.Duration
	file    *os.File // for the locks of owners, and to know the file again
	stat    os.FileInfo
	locks   ownerLocks
	writer  *groupcommit.Writer[*tx]
	readers chan *conn             // free ones; nil stands for one not opened yet
	disk    string                 // the way to it, as SQLite knows it
	step    atomic.Pointer[func()] // called at each step of the writer; set by tests

	owed    owed
	log     checkpoints
	closing chan struct{}
	close   sync.Once
	closed  error
}

var _ ledger.Store = (*Store)(nil)

// Open opens the file at path, or makes it (mode 0600) and its folder (0700),
// and brings its tables up to date. A file of a newer version is an error.
func Open(ctx context.Context, path string, o *Options) (*Store, error) {
	return openWith(ctx, path, o, "")
}

func openWith(ctx context.Context, path string, o *Options, disk string) (*Store, error) {
	s := &Store{
		now: time.Now, busy: defaultBusy,
		readers: make(chan *conn, maxReaders), closing: make(chan struct{}),
		log: checkpoints{due: make(chan struct{}, 1)},
	}
	s.disk = registerLog(disk, &s.owed)
	s.log.pages.Store(logPages)
	if o != nil {
		if o.Now != nil {
			s.now = o.Now
		}
		if o.Busy > 0 {
			s.busy = o.Busy
		}
	}
	if err := s.open(ctx, path); err != nil {
		vfs.Unregister(s.disk)
		return nil, fmt.Errorf("opening ledger %q: %w", path, err)
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, path string) error {
	if path == "" {
		return errors.New("no path")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var err error
	if s.path, err = filepath.Abs(path); err != nil {
		return err
	}
	if err := s.openFile(); err != nil {
		return err
	}
	s.owed.file = s.file
	var c *conn
	if s.owed.can, err = enter(ctx, s.file, s.busy); err == nil {
		c, err = s.connectAs(asWriter)
	}
	if err == nil {
		if err = c.migrate(ctx); err != nil {
			c.close()
		}
	}
	if err != nil {
		return errors.Join(err, s.file.Close())
	}
	s.keepPrivate()
	for range maxReaders {
		s.readers <- nil
	}
	s.log.running.Go(s.bringIn)
	s.writer = groupcommit.New[*tx](s.newWriting(c), s.openWriter, refuse, s.reach)
	return nil
}

// refuse marks the error of an update that was not begun, or was taken back.
func refuse(err error) error { return unavailable("writing", err) }

// reach is where a process may die, in tests.
func (s *Store) reach() {
	if fn := s.step.Load(); fn != nil {
		(*fn)()
	}
}

// openFile opens or makes the database file, readable by its owner alone.
func (s *Store) openFile() error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrPermission) || isReadOnly(err) {
		f, err = os.Open(s.path) // to be read, at least
	}
	if err != nil {
		return err
	}
	stat, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if stat.IsDir() {
		return errors.Join(errors.New("it is a folder"), f.Close())
	}
	s.file, s.stat = f, stat
	s.locks = ownerLocks{file: f}
	syncFolder(filepath.Dir(s.path))
	return nil
}

// keepPrivate narrows the files that SQLite made beside the database.
func (s *Store) keepPrivate() {
	for _, end := range []string{"", "-wal", "-shm"} {
		if stat, err := os.Stat(s.path + end); err == nil && stat.Mode().Perm()&0o077 != 0 {
			_ = os.Chmod(s.path+end, 0o600) // not ours to change: then not ours to narrow
		}
	}
}

// present reports, as ErrUnavailable, that the file is no longer there or is
// another one: what we wrote would be read by nobody.
func (s *Store) present() error {
	stat, err := os.Stat(s.path)
	if err != nil {
		return fmt.Errorf("%w: the database file is gone: %w", ledger.ErrUnavailable, err)
	}
	if !os.SameFile(stat, s.stat) {
		return fmt.Errorf("%w: the database file was replaced by another", ledger.ErrUnavailable)
	}
	return nil
}

// Close ends the writer, closes every connection and lets go of the owners.
// Updates that still wait are refused.
func (s *Store) Close() error {
	s.close.Do(func() {
		close(s.closing)
		s.writer.Close()
		s.log.running.Wait()
		for range maxReaders {
			if c := <-s.readers; c != nil {
				s.closed = errors.Join(s.closed, c.close())
			}
		}
		s.closed = errors.Join(s.closed, s.payOwed())
		s.locks.releaseAll()
		s.closed = errors.Join(s.closed, s.file.Close())
		vfs.Unregister(s.disk)
	})
	return s.closed
}

// payOwed tries once more to make durable what is owed.
func (s *Store) payOwed() error {
	if s.owed.failed() == nil {
		return nil
	}
	c, err := s.connectAs(asWriter)
	if err != nil {
		return err
	}
	return c.close()
}

var errClosed = fmt.Errorf("%w: %w", ledger.ErrUnavailable, groupcommit.ErrClosed)

// View runs fn over one consistent state, on a connection of its own, and returns
// when that state is durable.
func (s *Store) View(ctx context.Context, fn func(ledger.Tx) error) (err error) {
	c, err := s.reader(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if c.broken {
			_ = c.close()
			c = nil
		}
		s.readers <- c
		if owed := s.owed.wait(ctx); owed != nil {
			err = owed
		}
	}()
	if err := c.run("BEGIN"); err != nil {
		return unavailable("beginning to read", err)
	}
	c.late.known = false
	t := &tx{store: s, conn: c}
	defer func() {
		t.ended = true
		if end := c.run("ROLLBACK"); end != nil {
			c.broken = true
		}
	}()
	return fn(t)
}

func (s *Store) reader(ctx context.Context) (*conn, error) {
	if s.writer.Closed() {
		return nil, errClosed
	}
	var c *conn
	select {
	case c = <-s.readers:
	case <-s.closing:
		return nil, errClosed
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", ledger.ErrUnavailable, context.Cause(ctx))
	}
	err := ctx.Err()
	if err == nil {
		err = s.present()
	}
	if err == nil && c == nil {
		c, err = s.connect()
	}
	if err != nil {
		s.readers <- c
		return nil, unavailable("opening a reader", err)
	}
	return c, nil
}

// Hold marks owner as living for as long as this process lives or until release.
func (s *Store) Hold(ctx context.Context, owner string) (func(), error) {
	if s.writer.Closed() {
		return nil, errClosed
	}
	return s.locks.hold(ctx, owner)
}
