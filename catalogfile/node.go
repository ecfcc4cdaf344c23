package catalogfile

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// maxDepth is how deep a file may nest: a catalog with schemas within it.
const maxDepth = 64

// kind of a node.
type kind int

const (
	scalarNode kind = iota // null, true, false or a number: text is its JSON
	stringNode
	listNode
	mappingNode
)

// node is one value of a file, with the place where it stands.
type node struct {
	kind    kind
	text    string
	items   []*node
	members []member
	place
}

type member struct {
	name  string
	at    place
	value *node
}

type place struct{ line, column int }

// get is the member of that name, or nil.
func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// at follows a JSON Pointer as far as there is something.
func (n *node) at(pointer string) *node {
	for _, step := range steps(pointer) {
		next := n.get(step)
		if i, err := strconv.Atoi(step); next == nil && err == nil && i >= 0 && i < len(n.items) {
			next = n.items[i]
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// steps are a JSON Pointer's parts, unescaped.
func steps(pointer string) []string {
	if pointer == "" {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, p := range parts {
		parts[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(p)
	}
	return parts
}

// json is the node as JSON text, with names in the file's order and numbers as
// they were written.
func (n *node) json() json.RawMessage {
	var b bytes.Buffer
	n.write(&b)
	return b.Bytes()
}

func (n *node) write(b *bytes.Buffer) {
	switch n.kind {
	case scalarNode:
		b.WriteString(n.text)
	case stringNode:
		writeString(b, n.text)
	case listNode:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case mappingNode:
		b.WriteByte('{')
		for i, m := range n.members {
			if i > 0 {
				b.WriteByte(',')
			}
			writeString(b, m.name)
			b.WriteByte(':')
			m.value.write(b)
		}
		b.WriteByte('}')
	}
}

func writeString(b *bytes.Buffer, s string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("catalogfile: a string does not marshal: " + err.Error())
	}
	b.Truncate(b.Len() - 1) // the encoder's line end
}

// jsonNumber is the grammar of RFC 8259 section 6.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// reader makes nodes of a text and collects what is wrong with it.
type reader struct {
	fault func(at place, message string)
}
