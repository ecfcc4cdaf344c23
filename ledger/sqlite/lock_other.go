//go:build !linux && !darwin && !windows

package sqlite

import "os"

// Here leases decide who lives.
func lockByte(*os.File, int64) (bool, error) { return false, errNoLocks }

func byteLocked(*os.File, int64) (bool, error) { return false, errNoLocks }

func shareByte(*os.File, int64) error { return errNoLocks }

func freeByte(*os.File, int64) {}
