package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
)

// ownerLocks proves who lives: an owner locks one byte of the database file,
// far beyond any that SQLite uses, and the operating system lets go of it when
// the process ends.
type ownerLocks struct {
	file *os.File

	mu   sync.Mutex
	held map[string]*os.File
}

// errNoLocks says that this system has no locks that belong to an open file.
var errNoLocks = errors.New("no such locks here")

// offset is the owner's byte: beyond 2^62, and another owner's with a chance
// that can be forgotten.
func offset(owner string) int64 {
	sum := sha256.Sum256([]byte(owner))
	return 1<<62 + int64(binary.BigEndian.Uint64(sum[:])>>3)
}

func (l *ownerLocks) hold(ctx context.Context, owner string) (func(), error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[owner] != nil {
		return nil, fmt.Errorf("owner %q is held already", owner)
	}
	f, err := os.OpenFile(l.file.Name(), os.O_RDWR, 0)
	if err != nil {
		return func() {}, nil // to be read only: this owner will start nothing
	}
	switch ok, err := lockByte(f, offset(owner)); {
	case errors.Is(err, errNoLocks):
		return func() {}, f.Close()
	case err != nil:
		return nil, errors.Join(err, f.Close())
	case !ok:
		return nil, errors.Join(fmt.Errorf("owner %q is held by another process", owner), f.Close())
	}
	if l.held == nil {
		l.held = map[string]*os.File{}
	}
	l.held[owner] = f
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.held[owner] == f {
			delete(l.held, owner)
			_ = f.Close() // which lets go of the lock
		}
	}, nil
}

// releaseAll lets go of every owner: what is not written by now never will be.
func (l *ownerLocks) releaseAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for owner, f := range l.held {
		delete(l.held, owner)
		_ = f.Close()
	}
}

func (l *ownerLocks) living(owner string) (living, known bool, err error) {
	l.mu.Lock()
	ours := l.held[owner] != nil
	l.mu.Unlock()
	if ours {
		return true, true, nil
	}
	living, err = byteLocked(l.file, offset(owner))
	if errors.Is(err, errNoLocks) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("asking whether owner %q lives: %w", owner, err)
	}
	return living, true, nil
}
