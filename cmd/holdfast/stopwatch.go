package main

import "time"

// stopwatch measures how long steps take, in one goroutine.
type stopwatch struct {
	now  func() time.Duration // since some moment; its differences count
	cost time.Duration        // of asking it, which is no part of a lap
}

// calibrated knows what the clock costs: the shortest of many laps with nothing in
// them.
func calibrated(now func() time.Duration) stopwatch {
	s := stopwatch{now: now}
	least := time.Hour
	for range 2000 {
		least = min(least, s.lap(func() {}))
	}
	s.cost = least
	return s
}

// wallClock is the time that passes.
func wallClock() stopwatch {
	start := time.Now()
	return calibrated(func() time.Duration { return time.Since(start) })
}

// lap gives how long work took.
func (s stopwatch) lap(work func()) time.Duration {
	before := s.now()
	work()
	return max(0, s.now()-before-s.cost)
}

// best gives the shortest of several batches, a time for each call.
func (s stopwatch) best(batches, calls int, work func()) time.Duration {
	least := time.Hour
	for range batches {
		took := s.lap(func() {
			for range calls {
				work()
			}
		})
		least = min(least, took/time.Duration(calls))
	}
	return least
}
