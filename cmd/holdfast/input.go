package main

import (
	"fmt"
	"io"
	"os"
)

// maxInputBytes bounds what is read from one file.
const maxInputBytes = 256 << 20

// readFile reads a whole file; - is standard input.
func (a *app) readFile(name string) ([]byte, error) {
	in, err := a.open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, maxInputBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", shownName(name), err)
	}
	if len(b) > maxInputBytes {
		return nil, fmt.Errorf("reading %s: it is larger than %d bytes", shownName(name), maxInputBytes)
	}
	return b, nil
}

func (a *app) open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.stdin), nil
	}
	return os.Open(name)
}

func shownName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return fmt.Sprintf("%q", name)
}
