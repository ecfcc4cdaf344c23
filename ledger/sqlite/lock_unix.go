//go:build linux || darwin

package sqlite

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// lockByte takes a lock that belongs to the open file, not to the process: it
// ends with the last of its descriptors, and no other open of the file in this
// process touches it. Reports false where another has it.
func lockByte(f *os.File, at int64) (bool, error) { return setLock(f, at, unix.F_WRLCK) }

// shareByte takes a lock that others may have too.
func shareByte(f *os.File, at int64) error {
	if ok, err := setLock(f, at, unix.F_RDLCK); err != nil || ok {
		return err
	}
	return unix.EAGAIN
}

func freeByte(f *os.File, at int64) { _, _ = setLock(f, at, unix.F_UNLCK) }

func setLock(f *os.File, at int64, kind int16) (bool, error) {
	lk := unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: at, Len: 1}
	for {
		err := unix.FcntlFlock(f.Fd(), ofdSetLock, &lk)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EACCES):
			return false, nil
		case errors.Is(err, unix.EINVAL):
			return false, errNoLocks
		case !errors.Is(err, unix.EINTR):
			return false, err
		}
	}
}

// byteLocked asks, and takes nothing.
func byteLocked(f *os.File, at int64) (bool, error) {
	lk := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: at, Len: 1}
	for {
		err := unix.FcntlFlock(f.Fd(), ofdGetLock, &lk)
		switch {
		case err == nil:
			return lk.Type != unix.F_UNLCK, nil
		case errors.Is(err, unix.EINVAL):
			return false, errNoLocks
		case !errors.Is(err, unix.EINTR):
			return false, err
		}
	}
}
