//go:build race

package coach

// raceDetector is on: SQLite runs many times slower.
const raceDetector = true
