package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// Two bytes of the database file, between what SQLite uses and what owners lock. Every
// store that has the file open shares hereByte. One that lets its own readers see
// what is not durable yet locks owedByte for so long, and does that only where it
// is alone. Each side takes its own byte before it looks at the other's, so one
// of two always sees the other.
const (
	hereByte int64 = 1 << 61
	owedByte       = hereByte + 1
)

// enter makes this store known, and waits until nothing is owed by another.
func enter(ctx context.Context, f *os.File, busy time.Duration) (canBeAlone bool, err error) {
	switch err := shareByte(f, hereByte); {
	case errors.Is(err, errNoLocks):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("making known that the file is in use: %w", err)
	}
	for until := time.Now().Add(busy); ; time.Sleep(time.Millisecond) {
		owed, err := byteLocked(f, owedByte)
		if err != nil || !owed {
			return true, err
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if time.Now().After(until) {
			return false, errors.New("another process cannot make durable what it wrote")
		}
	}
}

// aloneUntilFree takes owedByte, if nobody else has the file open.
func aloneUntilFree(f *os.File) bool {
	if ok, err := lockByte(f, owedByte); !ok || err != nil {
		return false
	}
	if others, err := byteLocked(f, hereByte); others || err != nil {
		freeByte(f, owedByte)
		return false
	}
	return true
}
