//go:build !llamacpp

package main

import "errors"

// openEngine is not in this build: what llama.cpp needs must be installed where it
// is, or the whole command would not start.
func openEngine(string) (namedModel, error) {
	return nil, errors.New("this holdfast was built without llama.cpp; build it with: go build -tags llamacpp ./cmd/holdfast (docs/local-model.md)")
}
