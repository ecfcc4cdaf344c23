//go:build race

package coach

// raceDetector is on: SQLite runs many times slower, so conversations are held
// with one provider of each vendor.
const raceDetector = true
