package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/holdfast-go/holdfast"

// pkg is one package of the module as its source files stand, tests left out.
type pkg struct {
	path    string // from the module's root; "." is the root package
	name    string
	fset    *token.FileSet
	files   []*ast.File
	imports map[string]string // import path to one file that has it
}

// packages parses every package of the main module.
func packages(t *testing.T) []pkg {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	var all []pkg
	err = filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if dir != root && (skipped(d.Name()) || exists(filepath.Join(dir, "go.mod"))) {
			return filepath.SkipDir
		}
		p := parse(t, root, dir)
		if len(p.files) > 0 {
			all = append(all, p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 3 {
		t.Fatalf("found %d packages from %s: this test looks in the wrong place", len(all), root)
	}
	return all
}

func skipped(name string) bool {
	return name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func parse(t *testing.T, root, dir string) pkg {
	t.Helper()
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		t.Fatal(err)
	}
	p := pkg{path: filepath.ToSlash(rel), fset: token.NewFileSet(), imports: map[string]string{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(p.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		p.name = f.Name.Name
		p.files = append(p.files, f)
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			p.imports[imported] = path.Join(p.path, filepath.Base(name))
		}
	}
	return p
}
