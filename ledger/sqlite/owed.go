package sqlite

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/holdfast-go/holdfast/ledger"
)

// owed is what this store has committed, so that its own connections read it, and
// not yet made durable. Until it is, nobody is told anything that was read there, and
// no other store reads the file.
//
// After a failed sync the system may take what is lost for written, and the next
// sync may succeed. So all that is owed is written again, and synced, before anything
// else is.
type owed struct {
	file *os.File // whose locks say who reads
	can  bool     // there are such locks

	log *logFile // of the writer, and its own

	last atomic.Pointer[owedCommit] // nil: nothing is owed

	syncing sync.Mutex // taken before mu

	mu      sync.Mutex
	holds   int      // by batches that are being written
	commits int      // that are owed
	err     error    // of a sync that they needed
	kept    []piece  // of the log, as it was written since its last sync
	size    int      // of these
	number  uint64   // of the last piece
	spare   [][]byte // to be used again
}

// owedCommit is done when it is durable, or when that has failed.
type owedCommit struct {
	done   chan struct{}
	err    error
	before *owedCommit // until it is durable itself
	flags  vfs.SyncFlag
}

// piece is some of what a transaction wrote.
type piece struct {
	tx   uint64
	n    uint64 // from 1
	at   int64
	data []byte
}

const (
	maxKept  = 16 << 20 // more is synced at once
	maxSpare = 4
)

// hold keeps other stores from the file, where this one is alone, until letGo.
func (o *owed) hold() (held bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil || !o.can || !o.alone() {
		return false, o.err
	}
	o.holds++
	return true, nil
}

func (o *owed) alone() bool {
	if o.holds+o.commits == 0 {
		return aloneUntilFree(o.file)
	}
	others, err := byteLocked(o.file, hereByte)
	return !others && err == nil
}

func (o *owed) letGo() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.holds--
	o.free()
}

// free lets others in where nothing is held and nothing owed.
func (o *owed) free() {
	if o.commits == 0 {
		o.last.Store(nil)
		if o.holds == 0 {
			freeByte(o.file, owedByte)
		}
	}
}

// owe owes the commit that follows. The file is held.
func (o *owed) owe() *owedCommit {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := &owedCommit{done: make(chan struct{}), before: o.last.Load()}
	o.commits++
	o.last.Store(c)
	return c
}

// end says what has become of a commit. After an error it stays owed, until repair.
func (o *owed) end(c *owedCommit, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c.err, c.before = err, nil
	close(c.done)
	if err != nil {
		o.err = err
		return
	}
	o.commits--
	o.free()
}

// cancel says that nothing was committed, or is durable already.
func (o *owed) cancel(c *owedCommit) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last.Store(c.before)
	close(c.done)
	o.commits--
	o.free()
}

// failed is why something that is owed is not durable, and not about to be.
func (o *owed) failed() error {
	if o.last.Load() == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// wait returns when all that was committed before is durable.
func (o *owed) wait(ctx context.Context) error {
	for c := o.last.Load(); c != nil; c = c.before {
		select {
		case <-c.done:
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ledger.ErrUnavailable, context.Cause(ctx))
		}
		if c.err != nil {
			return unavailable("waiting until what was read is durable", c.err)
		}
	}
	return nil
}

// keep takes what was written to the log, and gives another buffer for it.
func (o *owed) keep(p piece) (buffer []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.number++
	p.n = o.number
	o.kept = append(o.kept, p)
	o.size += len(p.data)
	if n := len(o.spare); n > 0 {
		buffer, o.spare = o.spare[n-1], o.spare[:n-1]
	}
	return buffer
}

// full reports whether so much is kept that it is to be synced.
func (o *owed) full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size > maxKept
}

// drop forgets what a transaction wrote that was taken back.
func (o *owed) drop(tx uint64) { o.forget(func(p piece) bool { return p.tx == tx }) }

func (o *owed) forget(of func(piece) bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept = slices.DeleteFunc(o.kept, func(p piece) bool {
		if !of(p) {
			return false
		}
		o.size -= len(p.data)
		if len(o.spare) < maxSpare {
			o.spare = append(o.spare, p.data[:0])
		}
		return true
	})
}

// sync syncs the log, which one does at a time: of two, one would not hear of an
// error.
func (o *owed) sync(f vfs.File, flags vfs.SyncFlag) error {
	o.syncing.Lock()
	defer o.syncing.Unlock()
	o.mu.Lock()
	err, n := o.err, o.number
	o.mu.Unlock()
	if err == nil {
		err = f.Sync(flags)
	}
	if err == nil {
		o.forget(func(p piece) bool { return p.n <= n })
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.commits > 0 && o.err == nil {
		o.err = err
	}
	return err
}

// repair writes again what is owed, and makes that durable, or whatever a store that
// was killed has left.
func (o *owed) repair(f vfs.File) error {
	o.syncing.Lock()
	defer o.syncing.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		for _, p := range o.kept {
			if _, err := f.WriteAt(p.data, p.at); err != nil {
				return err
			}
		}
	}
	if err := f.Sync(vfs.SYNC_NORMAL); err != nil {
		return err
	}
	o.kept, o.size = nil, 0
	if o.err != nil {
		o.err, o.commits = nil, 0
		o.free()
	}
	return nil
}
