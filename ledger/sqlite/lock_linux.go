package sqlite

import "golang.org/x/sys/unix"

const (
	ofdSetLock = unix.F_OFD_SETLK
	ofdGetLock = unix.F_OFD_GETLK
)
