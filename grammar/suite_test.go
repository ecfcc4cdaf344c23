package grammar

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/internal/shared"
	"github.com/holdfast-go/holdfast/schema"
)

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

// TestOfficialSuite compiles every group of the official suite of 2020-12. A group
// that compiles must have every test right; the others are refused with a reason.
func TestOfficialSuite(t *testing.T) {
	root := shared.Dir(t, "json-schema-test-suite")
	remotes := suiteRemotes(t, root)
	files, err := filepath.Glob(filepath.Join(root, "tests", "draft2020-12", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of the suite: %v", err)
	}
	groups, right := 0, 0
	refused := map[string]int{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list []struct {
			Description string
			Schema      json.RawMessage
			Tests       []struct {
				Description string
				Data        json.RawMessage
				Valid       bool
			}
		}
		if err := json.Unmarshal(raw, &list); err != nil {
			t.Fatal(err)
		}
		for _, g := range list {
			groups++
			name := strings.TrimSuffix(filepath.Base(file), ".json") + ": " + g.Description
			s, err := schema.Compile(g.Schema, &schema.Options{Mode: schema.ModeSpec, Draft: schema.Draft202012, Remotes: remotes})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			gr, err := Compile(s, nil)
			if re, ok := errors.AsType[*RefusedError](err); ok {
				refused[re.Keyword+": "+re.Message]++
				continue
			}
			ok := true
			for _, c := range g.Tests {
				v, err := schema.Read(c.Data, &schema.Limits{Bytes: 16 << 20, Depth: 512, String: 16 << 20})
				if err != nil {
					t.Fatal(name, err)
				}
				if gr.admits(respell(v)) != c.Valid {
					t.Errorf("%s: %s: in the grammar %v, valid %v", name, c.Description, !c.Valid, c.Valid)
					ok = false
				}
			}
			if ok {
				right++
			}
		}
	}
	t.Logf("%d of %d groups are held", right, groups)
	for reason, n := range refused {
		t.Logf("refused %d: %s", n, reason)
	}
	if right < 350 {
		t.Errorf("%d groups are held, want 350", right)
	}
}
