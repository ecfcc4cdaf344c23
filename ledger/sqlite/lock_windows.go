package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

func lockByte(f *os.File, at int64) (bool, error) {
	return tryLock(f, at, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
}

// byteLocked takes the byte together with whoever else asks, for a moment.
func byteLocked(f *os.File, at int64) (bool, error) {
	free, err := tryLock(f, at, windows.LOCKFILE_FAIL_IMMEDIATELY)
	if err != nil || !free {
		return !free, err
	}
	return false, windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, region(at))
}

func tryLock(f *os.File, at int64, flags uint32) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, region(at))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func region(at int64) *windows.Overlapped {
	return &windows.Overlapped{Offset: uint32(at), OffsetHigh: uint32(at >> 32)}
}

// A lock here keeps others from reading what it covers, and is not known to be as
// exact; a store is never alone.
func shareByte(*os.File, int64) error { return errNoLocks }

func freeByte(*os.File, int64) {}
