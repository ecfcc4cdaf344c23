package catalogfile

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast"
)

// maxFileBytes is the most that a catalog file, or a schema beside it, may hold.
const maxFileBytes = 1 << 20

//go:embed catalog.schema.json
var schemaText []byte

// Schema is the JSON Schema of a catalog file.
func Schema() json.RawMessage { return slices.Clone(schemaText) }

// Fault is one thing wrong with a catalog file.
type Fault struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1; 0 where it is not known
	Column  int    `json:"column"` // likewise
	Tool    string `json:"tool"`   // "" where it is the file's
	Path    string `json:"path"`   // JSON Pointer into the file
	Message string `json:"message"`
}

// String is the fault on one line, its place first.
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
	}
	b.WriteString(": ")
	if f.Tool != "" {
		fmt.Fprintf(&b, "tool %s: ", f.Tool)
	}
	b.WriteString(f.Message)
	return b.String()
}

// Error lists everything that is wrong with a catalog file, in its order.
type Error struct{ Faults []Fault }

func (e *Error) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// Load reads the catalog file at path. Schemas that it names as files stand
// beside or below it. What is wrong with the file is an [Error], and that it names
// a policy is one of these.
func Load(path string) (*holdfast.Catalog, error) {
	f, err := Open(path, nil)
	if err == nil {
		err = unguarded(f, path)
	}
	if err != nil {
		return nil, err
	}
	return f.Catalog, nil
}

// readIn reads a file and opens its folder, which the caller closes.
func readIn(path string) (dir *os.Root, base string, src []byte, err error) {
	if dir, err = os.OpenRoot(filepath.Dir(path)); err != nil {
		return nil, "", nil, fmt.Errorf("reading catalog file: %w", err)
	}
	base = filepath.Base(path)
	if src, err = readFile(dir.FS(), base); err == nil {
		return dir, base, src, nil
	}
	_ = dir.Close()
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		// The path as it was given: the root's own names it from there.
		return nil, "", nil, &fs.PathError{Op: "reading catalog file", Path: path, Err: at.Err}
	}
	return nil, "", nil, fmt.Errorf("reading catalog file: %w", err)
}

// Parse reads a catalog file's text. The name is for messages, and says by its
// ending that the text is JSON; files holds the schemas that it names as files,
// nil none. What is wrong with the text is an [Error].
func Parse(name string, src []byte, files fs.FS) (*holdfast.Catalog, error) {
	b := &builder{file: name, files: files, chain: []string{path.Base(filepath.ToSlash(name))}}
	f, err := b.whole(src)
	if err == nil {
		err = unguarded(f, name)
	}
	if err != nil {
		return nil, err
	}
	return f.Catalog, nil
}

// whole is the file of a text, or all that is wrong with it.
func (b *builder) whole(src []byte) (*File, error) {
	catalog := b.build(src)
	if len(b.faults) > 0 {
		slices.SortStableFunc(b.faults, func(x, y Fault) int { return byPlace(b.file, x, y) })
		return nil, &Error{Faults: b.faults}
	}
	return &File{Catalog: catalog, Policy: b.policy, Agents: b.known, HandsTo: b.handsTo}, nil
}

// byPlace orders the file's own faults by line, and those of other files last.
func byPlace(name string, x, y Fault) int {
	if (x.File == name) != (y.File == name) {
		if x.File == name {
			return -1
		}
		return 1
	}
	if x.Line != y.Line {
		return x.Line - y.Line
	}
	return x.Column - y.Column
}

// readFile reads a file of at most maxFileBytes.
func readFile(files fs.FS, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(src) > maxFileBytes {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, maxFileBytes)
	}
	return src, nil
}
