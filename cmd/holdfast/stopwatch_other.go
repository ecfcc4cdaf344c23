//go:build !linux

package main

// threadClock is not there: only Linux tells a thread's processor time.
func threadClock() (stopwatch, bool) { return stopwatch{}, false }
