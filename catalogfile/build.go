package catalogfile

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast"
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
	root    *node
	faults  []Fault
	// unsound are the paths that the file's schema refuses.
	unsound []string
}

// add records a fault of the file itself.
func (b *builder) add(at place, tool, path, message string) {
	b.faults = append(b.faults, Fault{File: b.file, Line: at.line, Column: at.column, Tool: tool, Path: path, Message: message})
}

// build is the catalog, or nil where there are faults. The form is checked as a
// whole first; what is right in form is then looked at, field by field, so that
// each fault of each tool is found.
func (b *builder) build(src []byte) *holdfast.Catalog {
	if len(src) > maxFileBytes {
		b.add(place{}, "", "", fmt.Sprintf("is larger than %d bytes", maxFileBytes))
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
	list := b.root.get("tools")
	if list == nil || list.kind != listNode {
		return nil
	}
	var tools []*holdfast.Tool
	first := map[string]place{}
	for i, n := range list.items {
		t := &toolBuilder{builder: b, n: n, name: b.nameOf(i), path: fmt.Sprintf("/tools/%d", i)}
		if name := t.field("name"); name != nil {
			if at, twice := first[name.text]; twice {
				t.fault("/name", fmt.Sprintf("this name is taken by the tool in line %d", at.line))
			} else {
				first[name.text] = name.place
			}
		}
		if n.kind == mappingNode {
			tools = append(tools, t.build())
		}
	}
	return tools
}

func (b *builder) catalog(tools []*holdfast.Tool) *holdfast.Catalog {
	namespace := ""
	if n := b.root.get("catalog"); n != nil {
		namespace = n.text
	}
	c, err := holdfast.NewCatalog(namespace, tools...)
	if err != nil {
		b.add(b.root.place, "", "", err.Error())
	}
	return c
}

// read makes a node of a file's text: JSON by its ending or its first
// character, else YAML.
func (b *builder) read(file string, src []byte) *node {
	var found []Fault
	r := &reader{fault: func(at place, message string) {
		found = append(found, Fault{File: file, Line: at.line, Column: at.column, Message: message})
	}}
	isJSON := strings.EqualFold(filepath.Ext(file), ".json")
	var n *node
	if isJSON || strings.HasPrefix(strings.TrimLeft(string(src), " \t\r\n"), "{") {
		n = r.readJSON(src)
	}
	if n == nil && !isJSON {
		found = nil
		n = r.readYAML(src)
	}
	b.faults = append(b.faults, found...)
	return n
}

// checkForm checks the file against its schema and notes which paths are not as
// they should be. It reports false where the file could not be checked.
func (b *builder) checkForm() bool {
	form, err := schema.Compile(schemaText, nil)
	if err != nil {
		panic("catalogfile: the schema of catalog files does not compile: " + err.Error())
	}
	v, err := schema.Read(b.root.json(), &schema.Limits{Bytes: 8 * maxFileBytes, Depth: maxDepth + 2, String: maxFileBytes})
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
	at, path := b.root.place, ""
	var bad *schema.ReadError
	if errors.As(err, &bad) {
		at, path = b.root.at(bad.Path).place, bad.Path
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
	tools := b.root.get("tools")
	if i < 0 || tools == nil || i >= len(tools.items) {
		return ""
	}
	if name := tools.items[i].get("name"); name != nil && name.kind == stringNode && name.text != "" {
		return name.text
	}
	return fmt.Sprintf("number %d", i+1)
}

// placeOf is where a problem stands. An unknown name is reported at its object:
// the name itself is the better place.
func (b *builder) placeOf(p schema.Problem) place {
	n := b.root.at(p.Path)
	if p.Keyword == "additionalProperties" {
		for _, m := range n.members {
			if m.name == p.Got {
				return m.at
			}
		}
	}
	return n.place
}
