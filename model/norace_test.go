//go:build !race

package model_test

const scale = 1
