package schema

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/internal/shared"
)

type suiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// suiteRemotes are the documents that http://localhost:1234/ stands for.
func suiteRemotes(t testing.TB, root string) map[string][]byte {
	t.Helper()
	remotes := map[string][]byte{}
	err := filepath.WalkDir(filepath.Join(root, "remotes"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".json") {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(filepath.Join(root, "remotes"), path)
		remotes["http://localhost:1234/"+filepath.ToSlash(rel)] = b
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return remotes
}

func suiteFile(t testing.TB, path string) []suiteGroup {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var groups []suiteGroup
	if err := json.Unmarshal(b, &groups); err != nil {
		t.Fatal(err)
	}
	return groups
}

// runSuite runs the files and gives the names of the tests that failed.
func runSuite(t testing.TB, files []string, o *Options) (total int, failed []string) {
	t.Helper()
	for _, file := range files {
		for _, g := range suiteFile(t, file) {
			s, err := Compile(g.Schema, o)
			for _, c := range g.Tests {
				total++
				name := strings.TrimSuffix(filepath.Base(file), ".json") + ": " + g.Description + ": " + c.Description
				if err != nil {
					failed = append(failed, name+": "+err.Error())
					continue
				}
				v, rerr := Read(c.Data, schemaLimits)
				if rerr != nil {
					failed = append(failed, name+": "+rerr.Error())
					continue
				}
				if got := s.Validate(v); got.Valid() != c.Valid {
					failed = append(failed, name)
				}
			}
		}
	}
	slices.Sort(failed)
	return total, failed
}

func suiteFiles(t testing.TB, root, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "tests", pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	return files
}

func TestOfficialSuiteRequired(t *testing.T) {
	root := shared.Dir(t, "json-schema-test-suite")
	remotes := suiteRemotes(t, root)
	for _, c := range []struct {
		folder string
		draft  Draft
		tests  int
	}{
		{"draft2020-12", Draft202012, 1299},
		{"draft2019-09", Draft201909, 0},
		{"draft7", Draft7, 927},
		{"draft6", Draft6, 0},
		{"draft4", Draft4, 0},
	} {
		t.Run(c.folder, func(t *testing.T) {
			o := &Options{Draft: c.draft, Mode: ModeSpec, Remotes: remotes}
			total, failed := runSuite(t, suiteFiles(t, root, c.folder+"/*.json"), o)
			if c.tests != 0 && total != c.tests {
				t.Errorf("suite has %d tests, want %d", total, c.tests)
			}
			for _, name := range failed {
				t.Errorf("failed: %s", name)
			}
			t.Logf("%d of %d", total-len(failed), total)
		})
	}
}
