//go:build llamacpp

package main

import "github.com/holdfast-go/holdfast/model/llamacpp"

// openEngine runs a GGUF file within this process, until it ends.
func openEngine(file string) (namedModel, error) { return llamacpp.Open(file, nil) }
