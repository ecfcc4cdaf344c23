package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// dataFile is the path of one of our files in the user's data folder, which is
// made if need be, for the user alone.
func (a *app) dataFile(name string) (string, error) {
	dir, err := a.dataDir(runtime.GOOS)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making the data folder: %w", err)
	}
	return filepath.Join(dir, name), nil
}

// dataDir is where each system wants a program's data.
func (a *app) dataDir(goos string) (string, error) {
	first := func(names ...string) string {
		for _, name := range names {
			if v, ok := a.env(name); ok && filepath.IsAbs(v) {
				return v
			}
		}
		return ""
	}
	home := first("HOME", "USERPROFILE")
	switch {
	case first("XDG_DATA_HOME") != "":
		return filepath.Join(first("XDG_DATA_HOME"), "holdfast"), nil
	case goos == "windows" && first("LOCALAPPDATA") != "":
		return filepath.Join(first("LOCALAPPDATA"), "holdfast"), nil
	case home == "":
		return "", errors.New("no data folder: neither HOME nor XDG_DATA_HOME is set; name the ledger with --ledger")
	case goos == "windows":
		return filepath.Join(home, "AppData", "Local", "holdfast"), nil
	case goos == "darwin":
		return filepath.Join(home, "Library", "Application Support", "holdfast"), nil
	}
	return filepath.Join(home, ".local", "share", "holdfast"), nil
}
