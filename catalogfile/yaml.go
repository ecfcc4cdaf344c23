package catalogfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlLine finds the line in a YAML parser's error.
var yamlLine = regexp.MustCompile(`^line (\d+): `)

// readYAML makes a node of a YAML document, nil where it cannot.
func (r *reader) readYAML(src []byte) *node {
	dec := yaml.NewDecoder(bytes.NewReader(src))
	var doc yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		r.fault(place{1, 1}, "the file is empty")
		return nil
	}
	if err != nil {
		at, message := yamlError(err)
		r.fault(at, message)
		return nil
	}
	var more yaml.Node
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		r.fault(place{max(more.Line, 1), max(more.Column, 1)}, "the file holds more than one YAML document")
	}
	if len(doc.Content) != 1 {
		r.fault(place{1, 1}, "the file is empty")
		return nil
	}
	return r.fromYAML(doc.Content[0], 0)
}

func yamlError(err error) (place, string) {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	var at place
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		at.line, _ = strconv.Atoi(m[1])
		at.column = 1
		message = message[len(m[0]):]
	}
	return at, "is not YAML: " + message
}

// null stands for what could not be read, so that the rest is still checked.
func null(at place) *node { return &node{kind: scalarNode, text: "null", place: at} }

func (r *reader) fromYAML(y *yaml.Node, depth int) *node {
	at := place{y.Line, y.Column}
	if depth > maxDepth {
		r.fault(at, fmt.Sprintf("nests deeper than %d", maxDepth))
		return null(at)
	}
	if y.Anchor != "" {
		r.fault(at, fmt.Sprintf("anchor &%s: anchors and aliases are not read; write the value out", y.Anchor))
	}
	if y.Style&yaml.TaggedStyle != 0 && y.Tag != "!!str" {
		r.fault(at, fmt.Sprintf("tag %s is not read", y.Tag))
	}
	n := &node{place: at}
	switch y.Kind {
	case yaml.ScalarNode:
		return r.scalar(y, at)
	case yaml.SequenceNode:
		n.kind = listNode
		for _, c := range y.Content {
			n.items = append(n.items, r.fromYAML(c, depth+1))
		}
	case yaml.MappingNode:
		n.kind = mappingNode
		r.mapping(n, y, depth)
	default:
		r.fault(at, fmt.Sprintf("alias *%s: anchors and aliases are not read; write the value out", y.Value))
		return null(at)
	}
	return n
}

func (r *reader) mapping(n *node, y *yaml.Node, depth int) {
	seen := make(map[string]bool, len(y.Content)/2)
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := y.Content[i]
		at := place{key.Line, key.Column}
		switch {
		case key.Kind != yaml.ScalarNode:
			r.fault(at, "a name must be a plain text")
			continue
		case key.Tag == "!!merge":
			r.fault(at, "merge key <<: it is not read; write the fields out")
			continue
		case seen[key.Value]:
			r.fault(at, fmt.Sprintf("%q is given twice", key.Value))
			continue
		}
		seen[key.Value] = true
		n.members = append(n.members, member{key.Value, at, r.fromYAML(y.Content[i+1], depth+1)})
	}
}

// scalar reads a scalar as JSON has it: only what is written as JSON would write
// it is a number or a boolean, and what YAML reads as one in another writing is
// refused rather than guessed at.
func (r *reader) scalar(y *yaml.Node, at place) *node {
	text := &node{kind: stringNode, text: y.Value, place: at}
	plain := y.Style == 0
	switch {
	case !plain:
		return text
	case jsonNumber.MatchString(y.Value): // also one too large for YAML's own numbers
		return &node{kind: scalarNode, text: y.Value, place: at}
	case y.Tag == "!!null":
		return null(at)
	case y.Tag == "!!bool" && (y.Value == "true" || y.Value == "false"):
		return &node{kind: scalarNode, text: y.Value, place: at}
	case y.Tag == "!!bool", y.Tag == "!!int", y.Tag == "!!float":
		r.fault(at, fmt.Sprintf("%s can be read in more than one way: write it as JSON would, or in quotes", y.Value))
	}
	return text // a date is a text too
}
