package google

import (
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/internal/rawjson"
)

// partial builds argument text from partialArgs: pieces of values, each with the
// path where it belongs. Strings grow piece by piece; numbers keep their digits.
type partial struct {
	root   node
	nodes  int
	broken bool
	open   string // path of a string that announced more
}

// node is one value while it grows. Names and elements keep the order in which
// they were first seen.
type node struct {
	kind     byte // '{' '[' '"' or 'v' for a literal; 0 while nothing is known
	text     []byte
	names    []string
	children []*node
}

const (
	maxPartialDepth = 256
	maxPartialNodes = 10_000
)

func (p *partial) add(raw []byte) {
	var path string
	var value []byte
	continues := false
	kind := byte(0)
	for name, v := range rawjson.Members(raw) {
		switch string(name) {
		case "jsonPath":
			path = rawjson.String(v)
		case "stringValue":
			kind, value = '"', v
		case "numberValue", "boolValue":
			kind, value = 'v', v
		case "nullValue":
			kind, value = 'v', []byte("null")
		case "willContinue":
			continues = rawjson.True(v)
		}
	}
	steps, ok := parsePath(path)
	if !ok {
		p.broken = true
		return
	}
	n := p.at(steps)
	if n == nil || n.kind != 0 && n.kind != kind && kind != 0 {
		p.broken = true
		return
	}
	p.open = ""
	if continues {
		p.open = path
	}
	switch kind {
	case '"':
		n.kind, n.text = '"', rawjson.AppendString(n.text, value)
	case 'v':
		n.kind, n.text = 'v', append(n.text[:0], literal(value)...)
	}
}

// literal is a number or a boolean as its text; some writers quote numbers.
func literal(raw []byte) []byte {
	if rawjson.Kind(raw) == '"' {
		if inner := []byte(rawjson.String(raw)); rawjson.Kind(inner) == '0' && rawjson.Valid(inner) {
			return inner
		}
	}
	return raw
}

// at finds or makes the node at the path. An element may only be the next one of
// its array, so an index costs nothing.
func (p *partial) at(steps []step) *node {
	n := &p.root
	for _, s := range steps {
		var kind byte = '{'
		if s.isIndex {
			kind = '['
		}
		if n.kind != 0 && n.kind != kind {
			return nil
		}
		n.kind = kind
		if n = p.child(n, s); n == nil {
			return nil
		}
	}
	return n
}

func (p *partial) child(n *node, s step) *node {
	if s.isIndex && s.index < len(n.children) {
		return n.children[s.index]
	}
	if !s.isIndex {
		for i := len(n.names) - 1; i >= 0; i-- {
			if n.names[i] == s.name {
				return n.children[i]
			}
		}
	}
	if p.nodes++; p.nodes > maxPartialNodes || s.isIndex && s.index > len(n.children) {
		return nil
	}
	if !s.isIndex {
		n.names = append(n.names, s.name)
	}
	n.children = append(n.children, &node{})
	return n.children[len(n.children)-1]
}

// text is the arguments as JSON, and whether every piece found its place.
func (p *partial) text() (string, bool) {
	if p.root.kind == 0 {
		return "", !p.broken
	}
	return string(p.root.append(nil)), !p.broken && p.root.kind == '{'
}

// closed reports that no string still waits for more.
func (p *partial) closed() bool { return p.open == "" }

func (n *node) append(out []byte) []byte {
	switch n.kind {
	case '{':
		out = append(out, '{')
		for i, c := range n.children {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(rawjson.AppendQuoted(out, []byte(n.names[i])), ':')
			out = c.append(out)
		}
		return append(out, '}')
	case '[':
		out = append(out, '[')
		for i, c := range n.children {
			if i > 0 {
				out = append(out, ',')
			}
			out = c.append(out)
		}
		return append(out, ']')
	case '"':
		return rawjson.AppendQuoted(out, n.text)
	case 'v':
		return append(out, n.text...)
	}
	return append(out, "null"...)
}

// step is one step of a path: a name or an index.
type step struct {
	name    string
	index   int
	isIndex bool
}

// parsePath reads $.name.name[0]['any name'] and nothing else of JSONPath.
func parsePath(path string) ([]step, bool) {
	rest, ok := strings.CutPrefix(path, "$")
	if !ok {
		return nil, false
	}
	var steps []step
	for rest != "" {
		var s step
		switch rest[0] {
		case '.':
			s, rest, ok = nameStep(rest[1:])
		case '[':
			s, rest, ok = bracketStep(rest[1:])
		default:
			return nil, false
		}
		if !ok || len(steps) == maxPartialDepth {
			return nil, false
		}
		steps = append(steps, s)
	}
	return steps, true
}

func nameStep(rest string) (step, string, bool) {
	end := strings.IndexAny(rest, ".[")
	if end < 0 {
		end = len(rest)
	}
	return step{name: rest[:end]}, rest[end:], end > 0
}

func bracketStep(rest string) (step, string, bool) {
	if rest != "" && (rest[0] == '\'' || rest[0] == '"') {
		return quotedStep(rest[1:], rest[0])
	}
	before, after, ok := strings.Cut(rest, "]")
	if !ok {
		return step{}, "", false
	}
	index, err := strconv.Atoi(before)
	return step{index: index, isIndex: true}, after, err == nil && index >= 0
}

// quotedStep reads a quoted name; a backslash takes the next byte as it is.
func quotedStep(rest string, quote byte) (step, string, bool) {
	var name []byte
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			if i++; i == len(rest) {
				return step{}, "", false
			}
			name = append(name, rest[i])
		case quote:
			after, ok := strings.CutPrefix(rest[i+1:], "]")
			return step{name: string(name)}, after, ok
		default:
			name = append(name, rest[i])
		}
	}
	return step{}, "", false
}
