package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/holdfast-go/holdfast/internal/groupcommit"
	"github.com/holdfast-go/holdfast/ledger"
)

// Options of Open; nil means defaults.
type Options struct {
	// Schema that holds the tables, made if it is not there; "" means holdfast.
	Schema string
	// Timeout of one exchange with the database, and of waiting for another
	// process that writes; 0 means 30 s.
	Timeout time.Duration
}

const (
	defaultSchema  = "holdfast"
	defaultTimeout = 30 * time.Second
	maxReaders     = 4
	idleTimeout    = "idle_in_transaction_session_timeout"
)

// Store is a ledger.Store in one schema of a database. Safe for concurrent use.
type Store struct {
	config  *pgx.ConnConfig
	schema  string
	timeout time.Duration
	readers *pgxpool.Pool
	writer  *groupcommit.Writer[*tx]

	now  atomic.Pointer[func() time.Time] // instead of the database's clock; set by tests
	step atomic.Pointer[func()]           // called at each step of the writer; set by tests

	mu   sync.Mutex
	held map[string]bool // owners that the writing session is to lock
}

var _ ledger.Store = (*Store)(nil)

// schemaName is what a schema may be called, up to maxSchemaName long.
var schemaName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

const maxSchemaName = 63

// Open connects to the database at address, a postgres:// URL or keywords, and
// brings the tables up to date. Tables of a newer version are an error.
func Open(ctx context.Context, address string, o *Options) (*Store, error) {
	s := &Store{schema: defaultSchema, timeout: defaultTimeout, held: map[string]bool{}}
	if o != nil {
		if o.Schema != "" {
			s.schema = o.Schema
		}
		if o.Timeout > 0 {
			s.timeout = o.Timeout
		}
	}
	if err := s.open(ctx, address); err != nil {
		return nil, fmt.Errorf("opening ledger in schema %q: %w", s.schema, err)
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, address string) error {
	if len(s.schema) > maxSchemaName || !schemaName.MatchString(s.schema) {
		return errors.New("a schema is named by lower-case letters, digits and _")
	}
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return err
	}
	config.MaxConns = maxReaders
	config.MinConns, config.MinIdleConns = 0, 0
	maps.Copy(config.ConnConfig.RuntimeParams, map[string]string{
		"search_path": s.schema, "synchronous_commit": "on", "application_name": "holdfast",
		// Every question goes by an index. A plan that was made while a table was
		// small must not read all of it later.
		"enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off", "jit": "off",
	})
	// A process that is stopped, or cut off, in the midst of a transaction must not keep
	// the others from writing for ever. After this time it could not end it anyway.
	if params := config.ConnConfig.RuntimeParams; params[idleTimeout] == "" {
		params[idleTimeout] = strconv.FormatInt(max(s.timeout.Milliseconds(), 1), 10)
	}
	s.config = config.ConnConfig.Copy()
	first, err := s.connect(ctx)
	if err != nil {
		return err
	}
	if err := first.migrate(ctx); err != nil {
		return errors.Join(err, first.Close())
	}
	if s.readers, err = pgxpool.NewWithConfig(context.WithoutCancel(ctx), config); err != nil {
		return errors.Join(err, first.Close())
	}
	s.writer = groupcommit.New[*tx](first, s.openWriter, refuse, s.reach)
	return nil
}

// refuse marks the error of an update that was not begun, or was taken back.
func refuse(err error) error { return unavailable("writing", err) }

func unavailable(doing string, err error) error {
	if errors.Is(err, ledger.ErrUnavailable) {
		return err
	}
	return fmt.Errorf("%w: %s: %w", ledger.ErrUnavailable, doing, err)
}

// reach is where a process may die, in tests.
func (s *Store) reach() {
	if fn := s.step.Load(); fn != nil {
		(*fn)()
	}
}

// Update runs fn in one transaction, together with what other goroutines ask
// for at the same time.
func (s *Store) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	return s.writer.Update(ctx, func(t *tx) error { return fn(t) })
}

// UpdateAhead is Update that is told what fn will read: what is read by updates
// that share a transaction is asked in one exchange.
func (s *Store) UpdateAhead(ctx context.Context, reads []ledger.Query, fn func(ledger.Tx) error) error {
	return s.writer.UpdateAhead(ctx, reads, func(t *tx) error { return fn(t) })
}

// View runs fn over one consistent state, on a session of its own.
func (s *Store) View(ctx context.Context, fn func(ledger.Tx) error) error {
	if s.writer.Closed() {
		return errClosed
	}
	c, err := s.readers.Acquire(ctx)
	if err != nil {
		return unavailable("opening a reader", err)
	}
	defer c.Release() // which closes a session that is not well any more
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	t := &tx{store: s, session: &session{pg: c.Conn(), ctx: func() (context.Context, context.CancelFunc) { return ctx, func() {} }}}
	t.session.queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	if err := t.session.ask(one("SELECT clock_timestamp()", nil, &t.session.now)); err != nil {
		return unavailable("beginning to read", err)
	}
	defer func() {
		t.ended = true
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.timeout)
		defer cancel()
		_, _ = c.Exec(ctx, "ROLLBACK")
	}()
	return fn(t)
}

var errClosed = fmt.Errorf("%w: %w", ledger.ErrUnavailable, groupcommit.ErrClosed)

// Hold marks owner as living for as long as our writing session lives, or until
// release. A session that was lost is opened again, with its locks, by the next
// Update.
func (s *Store) Hold(ctx context.Context, owner string) (func(), error) {
	s.mu.Lock()
	taken := s.held[owner]
	s.held[owner] = true
	s.mu.Unlock()
	if taken {
		return nil, fmt.Errorf("owner %q is held already", owner)
	}
	got := false
	err := s.writer.Update(ctx, func(t *tx) (err error) {
		if got, err = t.writes.lock(owner); err != nil {
			return t.failed("taking a lock", err)
		}
		return nil
	})
	if err == nil && !got {
		err = fmt.Errorf("owner %q is held by another process", owner)
	}
	if err != nil {
		s.mu.Lock()
		delete(s.held, owner)
		s.mu.Unlock()
		return nil, err
	}
	return sync.OnceFunc(func() { s.letGo(owner) }), nil
}

func (s *Store) letGo(owner string) {
	s.mu.Lock()
	delete(s.held, owner)
	s.mu.Unlock()
	// If that fails the session has ended, and the lock with it.
	_ = s.writer.Update(context.Background(), func(t *tx) error {
		if err := t.writes.unlock(owner); err != nil {
			return t.failed("letting a lock go", err)
		}
		return nil
	})
}

// ownerLock is the number of an owner's advisory lock, and writeLock that of
// the schema's writers.
func (s *Store) ownerLock(owner string) int64 { return lockNumber("owner", s.schema, owner) }

func (s *Store) writeLock() int64 { return lockNumber("write", s.schema) }

func lockNumber(parts ...string) int64 {
	h := sha256.New()
	for _, p := range parts {
		_, _ = fmt.Fprintf(h, "%d:%s", len(p), p) // never fails
	}
	return int64(binary.BigEndian.Uint64(h.Sum(nil)))
}

// Close ends the writer and every session, and so lets go of the owners.
func (s *Store) Close() error {
	s.writer.Close()
	s.readers.Close()
	return nil
}
