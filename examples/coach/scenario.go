package coach

import (
	_ "embed"
	"slices"
)

//go:embed scenario.yaml
var scenario []byte

// Scenario is what the coach's built-in scripted model plays: a scenario file of
// package model/scripted. It says that it is scripted.
func Scenario() []byte { return slices.Clone(scenario) }
