package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadClock is the processor time of this thread, which the caller has locked.
func threadClock() (stopwatch, bool) {
	now := func() time.Duration {
		var t unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
			return -1
		}
		return time.Duration(t.Nano())
	}
	return calibrated(now), now() >= 0
}
