package linefile

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
func (r *reader) readYAML(src []byte) *Node {
	dec := yaml.NewDecoder(bytes.NewReader(src))
	var doc yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		r.fault(Place{1, 1}, "the file is empty")
		return nil
	}
	if err != nil {
		at, message := yamlError(err)
		r.fault(at, message)
		return nil
	}
	var more yaml.Node
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		r.fault(Place{max(more.Line, 1), max(more.Column, 1)}, "the file holds more than one YAML document")
	}
	if len(doc.Content) != 1 {
		r.fault(Place{1, 1}, "the file is empty")
		return nil
	}
	return r.fromYAML(doc.Content[0], 0)
}

func yamlError(err error) (Place, string) {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	var at Place
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		at.Line, _ = strconv.Atoi(m[1])
		at.Column = 1
		message = message[len(m[0]):]
	}
	return at, "is not YAML: " + message
}

// null stands for what could not be read, so that the rest is still checked.
func null(at Place) *Node { return &Node{Kind: Scalar, Text: "null", Place: at} }

func (r *reader) fromYAML(y *yaml.Node, depth int) *Node {
	at := Place{y.Line, y.Column}
	if depth > MaxDepth {
		r.fault(at, fmt.Sprintf("nests deeper than %d", MaxDepth))
		return null(at)
	}
	if y.Anchor != "" {
		r.fault(at, fmt.Sprintf("anchor &%s: anchors and aliases are not read; write the value out", y.Anchor))
	}
	if y.Style&yaml.TaggedStyle != 0 && y.Tag != "!!str" {
		r.fault(at, fmt.Sprintf("tag %s is not read", y.Tag))
	}
	n := &Node{Place: at}
	switch y.Kind {
	case yaml.ScalarNode:
		return r.scalar(y, at)
	case yaml.SequenceNode:
		n.Kind = List
		for _, c := range y.Content {
			n.Items = append(n.Items, r.fromYAML(c, depth+1))
		}
	case yaml.MappingNode:
		n.Kind = Mapping
		r.mapping(n, y, depth)
	default:
		r.fault(at, fmt.Sprintf("alias *%s: anchors and aliases are not read; write the value out", y.Value))
		return null(at)
	}
	return n
}

func (r *reader) mapping(n *Node, y *yaml.Node, depth int) {
	seen := make(map[string]bool, len(y.Content)/2)
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := y.Content[i]
		at := Place{key.Line, key.Column}
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
		n.Members = append(n.Members, Member{key.Value, at, r.fromYAML(y.Content[i+1], depth+1)})
	}
}

// scalar reads a scalar as JSON has it: only what is written as JSON would write
// it is a number or a boolean, and what YAML reads as one in another writing is
// refused rather than guessed at.
func (r *reader) scalar(y *yaml.Node, at Place) *Node {
	text := &Node{Kind: String, Text: y.Value, Place: at}
	plain := y.Style == 0
	switch {
	case !plain:
		return text
	case jsonNumber.MatchString(y.Value): // also one too large for YAML's own numbers
		return &Node{Kind: Scalar, Text: y.Value, Place: at}
	case y.Tag == "!!null":
		return null(at)
	case y.Tag == "!!bool" && (y.Value == "true" || y.Value == "false"):
		return &Node{Kind: Scalar, Text: y.Value, Place: at}
	case y.Tag == "!!bool", y.Tag == "!!int", y.Tag == "!!float":
		r.fault(at, fmt.Sprintf("%s can be read in more than one way: write it as JSON would, or in quotes", y.Value))
	}
	return text // a date is a text too
}
