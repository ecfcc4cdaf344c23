package house

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite what is kept true by these tests")

// snippet is a block of a page that shows a file of this module, or one function
// of it.
var snippet = regexp.MustCompile("(?s)(<!-- ([a-z_/]+\\.(?:go|yaml))(?: ([A-Za-z_]+))? -->\n```(?:go|yaml)\n)(.*?)(```\n)")

// elsewhere are pages whose snippets other tests keep true.
var elsewhere = map[string]bool{"gate-your-loop.md": true}

// TestPagesShowWhatIsCompiled keeps each snippet of the docs what is compiled
// or read, and run, elsewhere in the module.
func TestPagesShowWhatIsCompiled(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("found %d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		if elsewhere[filepath.Base(page)] {
			continue
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		want := snippet.ReplaceAllFunc(text, func(block []byte) []byte {
			m := snippet.FindSubmatch(block)
			return bytes.Join([][]byte{m[1], []byte(shown(t, string(m[2]), string(m[3]))), m[5]}, nil)
		})
		if n := bytes.Count(text, []byte("```go\n")) + bytes.Count(text, []byte("```yaml\n")) - len(snippet.FindAll(text, -1)); n > 0 {
			t.Errorf("%s has %d snippets of Go or YAML without a mark such as <!-- gate/example_test.go Example -->", page, n)
		}
		if bytes.Equal(text, want) {
			continue
		}
		if !*update {
			t.Errorf("%s is not what is compiled; run: make update", page)
			continue
		}
		if err := os.WriteFile(page, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// shown is a file, or a top-level function of it without its comment.
func shown(t *testing.T, file, name string) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	if name == "" {
		return string(source)
	}
	_, rest, found := strings.Cut(string(source), "\nfunc "+name+"(")
	body, _, ended := strings.Cut(rest, "\n}\n")
	if !found || !ended {
		t.Fatalf("%s has no function %s", file, name)
	}
	return "func " + name + "(" + body + "\n}\n"
}
