package catalogfile

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/linefile"
	"github.com/holdfast-go/holdfast/policy"
	"github.com/holdfast-go/holdfast/schema"
)

// builder makes a catalog of one file and collects what is wrong with it.
type builder struct {
	file    string
	files   fs.FS    // the folder of the outermost file
	schemas fs.FS    // that of this one, nil: the same
	agents  Agents   // nil: none can be run
	chain   []string // the files that this one stands within, itself the last, by their paths in files
	known   []*Agent
	policy  *policy.Policy
	handsTo []string
	root    *linefile.Node
	faults  []Fault
	// unsound are the paths that the file's schema refuses.
	unsound []string
}

// add records a fault of the file itself.
func (b *builder) add(at linefile.Place, tool, path, message string) {
	b.faults = append(b.faults, Fault{File: b.file, Line: at.Line, Column: at.Column, Tool: tool, Path: path, Message: message})
}

// build is the catalog, or nil where there are faults. The form is checked as a
// whole first; what is right in form is then looked at, field by field, so that
// each fault of each tool is found.
func (b *builder) build(src []byte) *holdfast.Catalog {
	if len(src) > maxFileBytes {
		b.add(linefile.Place{}, "", "", fmt.Sprintf("is larger than %d bytes", maxFileBytes))
		return nil
	}
	b.root = b.read(b.file, src)
	if b.root == nil || !b.checkForm() {
		return nil
	}
	b.readPolicy()
	b.readAgents()
	tools := b.tools()
	if len(b.faults) > 0 {
		return nil
	}
	return b.catalog(tools)
}

// tools makes every tool that can be made.
func (b *builder) tools() []*holdfast.Tool {
	list := b.root.Get("tools")
	if list == nil || list.Kind != linefile.List {
		return nil
	}
	var tools []*holdfast.Tool
	first := map[string]linefile.Place{}
	for i, n := range list.Items {
		t := &toolBuilder{builder: b, n: n, name: b.nameOf(i), path: fmt.Sprintf("/tools/%d", i)}
		if name := t.field("name"); name != nil {
			if at, twice := first[name.Text]; twice {
				t.fault("/name", fmt.Sprintf("this name is taken by the tool in line %d", at.Line))
			} else {
				first[name.Text] = name.Place
			}
		}
		if n.Kind == linefile.Mapping {
			tools = append(tools, t.build())
		}
	}
	return tools
}

func (b *builder) catalog(tools []*holdfast.Tool) *holdfast.Catalog {
	namespace := ""
	if n := b.root.Get("catalog"); n != nil {
		namespace = n.Text
	}
	c, err := holdfast.NewCatalog(namespace, tools...)
	if err != nil {
		b.add(b.root.Place, "", "", err.Error())
	}
	return c
}

// read makes a node of a file's text, and records what is wrong with it.
func (b *builder) read(file string, src []byte) *linefile.Node {
	n, found := linefile.Read(file, src)
	for _, f := range found {
		b.faults = append(b.faults, Fault{File: file, Line: f.Line, Column: f.Column, Message: f.Message})
	}
	return n
}

// checkForm checks the file against its schema and notes which paths are not as
// they should be. It reports false where the file could not be checked.
func (b *builder) checkForm() bool {
	form, err := schema.Compile(schemaText, nil)
	if err != nil {
		panic("catalogfile: the schema of catalog files does not compile: " + err.Error())
	}
	v, err := schema.Read(b.root.JSON(), &schema.Limits{Bytes: 8 * maxFileBytes, Depth: linefile.MaxDepth + 2, String: maxFileBytes})
	if err != nil {
		b.readFault(err)
		return false
	}
	for _, p := range form.Validate(v).Problems {
		b.unsound = append(b.unsound, p.Path)
		b.add(b.placeOf(p), b.nameOf(toolOf(p.Path)), p.Path, p.Message)
	}
	return true
}

// sound reports whether the form of what stands at path is right.
func (b *builder) sound(path string) bool {
	return !slices.ContainsFunc(b.unsound, func(p string) bool { return p == path || strings.HasPrefix(p, path+"/") })
}

func (b *builder) readFault(err error) {
	at, path := b.root.Place, ""
	var bad *schema.ReadError
	if errors.As(err, &bad) {
		at, path = b.root.At(bad.Path).Place, bad.Path
	}
	b.add(at, b.nameOf(toolOf(path)), path, err.Error())
}

// toolOf is the index of the tool that a path lies in, -1 outside of the tools.
func toolOf(path string) int {
	rest, ok := strings.CutPrefix(path, "/tools/")
	if !ok {
		return -1
	}
	index, _, _ := strings.Cut(rest, "/")
	i, err := strconv.Atoi(index)
	if err != nil {
		return -1
	}
	return i
}

// nameOf is what to call tool i in a message.
func (b *builder) nameOf(i int) string {
	tools := b.root.Get("tools")
	if i < 0 || tools == nil || i >= len(tools.Items) {
		return ""
	}
	if name := tools.Items[i].Get("name"); name != nil && name.Kind == linefile.String && name.Text != "" {
		return name.Text
	}
	return fmt.Sprintf("number %d", i+1)
}

// placeOf is where a problem stands. An unknown name is reported at its object:
// the name itself is the better place.
func (b *builder) placeOf(p schema.Problem) linefile.Place {
	n := b.root.At(p.Path)
	if p.Keyword == "additionalProperties" {
		for _, m := range n.Members {
			if m.Name == p.Got {
				return m.At
			}
		}
	}
	return n.Place
}
