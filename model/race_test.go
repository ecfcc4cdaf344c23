//go:build race

package model_test

// scale is how many times less is sent under the race detector, which is slow.
const scale = 32
