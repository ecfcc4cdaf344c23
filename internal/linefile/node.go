package linefile

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// MaxDepth is how deep a file may nest: a catalog with schemas within it.
const MaxDepth = 64

// Kind of a node.
type Kind int

// The kinds.
const (
	Scalar Kind = iota // null, true, false or a number: Text is its JSON
	String
	List
	Mapping
)

// Node is one value of a file, with the place where it stands.
type Node struct {
	Kind    Kind
	Text    string
	Items   []*Node
	Members []Member
	Place
}

// Member of a mapping; At is where its name stands.
type Member struct {
	Name  string
	At    Place
	Value *Node
}

// Place in a file, from 1.
type Place struct{ Line, Column int }

// Get is the member of that name, or nil.
func (n *Node) Get(name string) *Node {
	if n == nil {
		return nil
	}
	for _, m := range n.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Content is a scalar's text, "" of nothing.
func (n *Node) Content() string {
	if n == nil {
		return ""
	}
	return n.Text
}

// At follows a JSON Pointer as far as there is something.
func (n *Node) At(pointer string) *Node {
	for _, step := range Steps(pointer) {
		next := n.Get(step)
		if i, err := strconv.Atoi(step); next == nil && err == nil && i >= 0 && i < len(n.Items) {
			next = n.Items[i]
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// Steps are a JSON Pointer's parts, unescaped.
func Steps(pointer string) []string {
	if pointer == "" {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, p := range parts {
		parts[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(p)
	}
	return parts
}

// JSON is the node as JSON text, with names in the file's order and numbers as
// they were written.
func (n *Node) JSON() json.RawMessage {
	var b bytes.Buffer
	n.write(&b)
	return b.Bytes()
}

func (n *Node) write(b *bytes.Buffer) {
	switch n.Kind {
	case Scalar:
		b.WriteString(n.Text)
	case String:
		writeString(b, n.Text)
	case List:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case Mapping:
		b.WriteByte('{')
		for i, m := range n.Members {
			if i > 0 {
				b.WriteByte(',')
			}
			writeString(b, m.Name)
			b.WriteByte(':')
			m.Value.write(b)
		}
		b.WriteByte('}')
	}
}

func writeString(b *bytes.Buffer, s string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("linefile: a string does not marshal: " + err.Error())
	}
	b.Truncate(b.Len() - 1) // the encoder's line end
}

// jsonNumber is the grammar of RFC 8259 section 6.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// Fault is what is wrong with a text, and where.
type Fault struct {
	Place
	Message string
}

// Read makes a node of a file's text: JSON by its name's ending or its first
// character, else YAML. It is nil where there are faults that leave nothing to go
// on with.
func Read(name string, src []byte) (*Node, []Fault) {
	var found []Fault
	r := &reader{fault: func(at Place, message string) { found = append(found, Fault{at, message}) }}
	isJSON := strings.EqualFold(filepath.Ext(name), ".json")
	var n *Node
	if isJSON || strings.HasPrefix(strings.TrimLeft(string(src), " \t\r\n"), "{") {
		n = r.readJSON(src)
	}
	if n == nil && !isJSON {
		found = nil
		n = r.readYAML(src)
	}
	return n, found
}

// reader makes nodes of a text and collects what is wrong with it.
type reader struct {
	fault func(at Place, message string)
}
