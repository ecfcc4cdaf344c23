//go:build !race

package coach

const raceDetector = false
