package house

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	mostRootNames = 40
	mostNames     = 25
)

// TestExportedSurface holds every package's exported declarations against
// testdata/api, so that growing the surface is a visible line in review.
func TestExportedSurface(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range packages(t) {
		if p.name == "main" || strings.HasPrefix(p.path, "internal/") || strings.Contains(p.path, "/internal/") || strings.HasPrefix(p.path, "examples/") {
			continue
		}
		names, text := surface(p)
		limit := mostNames
		if p.path == "." {
			limit = mostRootNames
		}
		if len(names) > limit {
			t.Errorf("package %s exports %d names, want at most %d: %v", p.path, len(names), limit, names)
		}
		file := filepath.Join("testdata", "api", goldenName(p.path))
		seen[file] = true
		if *update {
			write(t, file, text)
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("package %s: %v (run go test ./internal/house -update and review the diff)", p.path, err)
			continue
		}
		if diff := cmp.Diff(string(want), text); diff != "" {
			t.Errorf("the surface of package %s changed (-want +got); if it is meant, run go test ./internal/house -update:\n%s", p.path, diff)
		}
	}
	removeStale(t, seen)
}

func goldenName(p string) string {
	if p == "." {
		return "holdfast.txt"
	}
	return strings.ReplaceAll(p, "/", "_") + ".txt"
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func removeStale(t *testing.T, seen map[string]bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "api", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		switch {
		case seen[file]:
		case *update:
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s describes no package", file)
		}
	}
}

// surface lists the exported package-level names, constants of one type counted
// once, and prints their declarations without bodies and comments.
func surface(p pkg) (names []string, text string) {
	var lines []string
	constTypes := map[string]bool{}
	for _, f := range p.files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name, line := function(p, d)
				if line == "" {
					continue
				}
				lines = append(lines, line)
				if name != "" {
					names = append(names, name)
				}
			case *ast.GenDecl:
				more, decls := general(p, d, constTypes)
				names, lines = append(names, more...), append(lines, decls...)
			}
		}
	}
	slices.Sort(names)
	slices.Sort(lines)
	return names, strings.Join(lines, "\n") + "\n"
}

func function(p pkg, d *ast.FuncDecl) (name, line string) {
	if !d.Name.IsExported() {
		return "", ""
	}
	if d.Recv != nil {
		if !ast.IsExported(receiver(d.Recv.List[0].Type)) {
			return "", ""
		}
	} else {
		name = d.Name.Name
	}
	bare := *d
	bare.Body, bare.Doc = nil, nil
	return name, show(p, &bare)
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func general(p pkg, d *ast.GenDecl, constTypes map[string]bool) (names, lines []string) {
	last := ""
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if !s.Name.IsExported() {
				continue
			}
			names = append(names, s.Name.Name)
			bare := *s
			bare.Doc, bare.Comment = nil, nil
			bare.Type = exportedOnly(s.Type)
			lines = append(lines, "type "+show(p, &bare))
		case *ast.ValueSpec:
			if s.Type != nil {
				last = show(p, s.Type)
			} else if len(s.Values) > 0 {
				last = ""
			}
			for _, n := range s.Names {
				if !n.IsExported() {
					continue
				}
				lines = append(lines, strings.TrimSpace(d.Tok.String()+" "+n.Name+" "+last))
				if d.Tok == token.CONST && last != "" {
					if constTypes[last] {
						continue
					}
					constTypes[last] = true
				}
				names = append(names, n.Name)
			}
		}
	}
	return names, lines
}

// exportedOnly is a struct type without its unexported fields and comments.
func exportedOnly(e ast.Expr) ast.Expr {
	switch t := e.(type) {
	case *ast.StructType:
		kept := &ast.FieldList{}
		for _, f := range t.Fields.List {
			bare := *f
			bare.Doc, bare.Comment = nil, nil
			bare.Names = slices.DeleteFunc(slices.Clone(f.Names), func(n *ast.Ident) bool { return !n.IsExported() })
			if len(f.Names) == 0 || len(bare.Names) > 0 {
				kept.List = append(kept.List, &bare)
			}
		}
		return &ast.StructType{Fields: kept}
	case *ast.InterfaceType:
		kept := &ast.FieldList{}
		for _, f := range t.Methods.List {
			bare := *f
			bare.Doc, bare.Comment = nil, nil
			kept.List = append(kept.List, &bare)
		}
		return &ast.InterfaceType{Methods: kept}
	}
	return e
}

func show(p pkg, node any) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
		return err.Error()
	}
	fields := strings.Split(b.String(), "\n")
	kept := fields[:0]
	for _, f := range fields {
		if strings.TrimSpace(f) != "" {
			kept = append(kept, f)
		}
	}
	return strings.Join(kept, "\n")
}
