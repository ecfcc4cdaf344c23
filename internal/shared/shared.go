// Package shared finds the folder of real data that may stand beside the
// checkout. It belongs to other projects, so tests read it and none of it is
// committed.
package shared

import (
	"os"
	"path/filepath"
	"testing"
)

// Dir is the folder sub of the shared data. Where the data is absent the test
// is skipped in one line, unless HOLDFAST_REQUIRE_SHARED=1 makes that a failure.
// HOLDFAST_SHARED names the folder when it stands elsewhere.
func Dir(t testing.TB, sub string) string {
	t.Helper()
	root := os.Getenv("HOLDFAST_SHARED")
	if root == "" {
		root = beside(t)
	}
	dir := filepath.Join(root, sub)
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if os.Getenv("HOLDFAST_REQUIRE_SHARED") == "1" {
		t.Fatalf("shared data %s is absent and HOLDFAST_REQUIRE_SHARED=1", sub)
	}
	t.Skipf("skipped: no shared data %s beside the checkout", sub)
	return ""
}

// beside is ../shared seen from the module's root, found from the test's folder.
func beside(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && isModuleRoot(dir) {
			return filepath.Join(filepath.Dir(dir), "shared")
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return filepath.Join(dir, "shared")
		}
		dir = parent
	}
}

// isModuleRoot tells the main module's root from a nested module's.
func isModuleRoot(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "schema", "doc.go"))
	return err == nil
}
