package sdk

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

const page = "../../docs/gate-your-loop.md"

var update = flag.Bool("update", false, "rewrite the page's snippets from the examples")

// snippet is a block of the page that stands for a function of a file here.
var snippet = regexp.MustCompile("(?s)(<!-- ([a-z_]+\\.go) ([A-Za-z]+)(?:: (\\d+) lines)? -->\n```go\n)(.*?)(```\n)")

// TestPageShowsTheExamples keeps the page's snippets what is compiled and run
// here, and its numbers of added lines what they are: under 20 each.
func TestPageShowsTheExamples(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	loops := 0
	want := snippet.ReplaceAllFunc(text, func(block []byte) []byte {
		m := snippet.FindSubmatch(block)
		file, name := string(m[2]), string(m[3])
		code := function(t, file, name)
		mark := fmt.Sprintf("<!-- %s %s -->\n```go\n", file, name)
		if added := addedLines(t, code); added > 0 {
			loops++
			if added >= 20 {
				t.Errorf("%s adds %d lines, want under 20", name, added)
			}
			mark = fmt.Sprintf("<!-- %s %s: %d lines -->\n```go\n", file, name, added)
		}
		return []byte(mark + code + "```\n")
	})
	if loops != 5 {
		t.Errorf("%s shows %d loops, want 5", page, loops)
	}
	if bytes.Equal(text, want) {
		return
	}
	if !*update {
		t.Errorf("%s is not what the examples are; run: go test -run TestPage -update", page)
		return
	}
	if err := os.WriteFile(page, want, 0o644); err != nil {
		t.Fatal(err)
	}
}

// function is the source of a top-level function, without its comment.
func function(t *testing.T, file, name string) string {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(source), "\nfunc "+name+"(")
	body, _, ended := strings.Cut(rest, "\n}\n")
	if !found || !ended {
		t.Fatalf("%s has no function %s", file, name)
	}
	return "func " + name + "(" + body + "\n}\n"
}

// addedLines counts the lines between the marks.
func addedLines(t *testing.T, code string) int {
	t.Helper()
	added, within := 0, false
	for line := range strings.Lines(code) {
		switch mark := strings.TrimSpace(line); {
		case mark == "// holdfast {" && !within, mark == "// }" && within:
			within = !within
		case strings.HasPrefix(mark, "// holdfast"), mark == "// }":
			t.Fatalf("a mark stands in the wrong place: %q", line)
		case within && mark != "":
			added++
		}
	}
	if within {
		t.Fatal("a mark is not closed")
	}
	return added
}
