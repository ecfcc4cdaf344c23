package linefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// readJSON makes a node of a JSON text, nil where it cannot.
func (r *reader) readJSON(src []byte) *Node {
	j := &jsonReader{reader: r, src: src, dec: jsontext.NewDecoder(bytes.NewReader(src), jsontext.AllowDuplicateNames(true))}
	for i, c := range src {
		if c == '\n' {
			j.lines = append(j.lines, i)
		}
	}
	n, err := j.value(0)
	if err == nil {
		if _, err = j.dec.ReadToken(); errors.Is(err, io.EOF) {
			return n
		}
		if err == nil {
			err = errors.New("something follows the end of the object")
		}
	}
	r.fault(j.place(int(j.dec.InputOffset())), "is not JSON: "+jsonMessage(err))
	return nil
}

// jsonMessage is an error without its package's name and place.
func jsonMessage(err error) string {
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &syntactic) && syntactic.Err != nil:
		err = syntactic.Err
	case errors.Is(err, io.EOF):
		return "the text ends too early"
	}
	return strings.TrimPrefix(err.Error(), "jsonText: ")
}

type jsonReader struct {
	*reader
	src   []byte
	lines []int // offsets of the line ends
	dec   *jsontext.Decoder
}

func (j *jsonReader) place(offset int) Place {
	line := sort.SearchInts(j.lines, offset)
	start := 0
	if line > 0 {
		start = j.lines[line-1] + 1
	}
	return Place{line + 1, offset - start + 1}
}

// next reads a token and says where it begins.
func (j *jsonReader) next() (jsontext.Token, Place, error) {
	offset := int(j.dec.InputOffset())
	for offset < len(j.src) && strings.IndexByte(" \t\r\n,:", j.src[offset]) >= 0 {
		offset++
	}
	t, err := j.dec.ReadToken()
	return t, j.place(offset), err
}

func (j *jsonReader) value(depth int) (*Node, error) {
	t, at, err := j.next()
	if err != nil {
		return nil, err
	}
	if depth > MaxDepth {
		return nil, fmt.Errorf("nests deeper than %d", MaxDepth)
	}
	n := &Node{Place: at}
	switch t.Kind() {
	case '[':
		n.Kind = List
		for j.dec.PeekKind() != ']' {
			item, err := j.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, item)
		}
		_, err = j.dec.ReadToken()
	case '{':
		n.Kind = Mapping
		if err = j.members(n, depth); err == nil {
			_, err = j.dec.ReadToken()
		}
	case '"':
		n.Kind, n.Text = String, t.String()
	default:
		n.Text = t.String()
	}
	return n, err
}

func (j *jsonReader) members(n *Node, depth int) error {
	seen := map[string]bool{}
	for j.dec.PeekKind() != '}' {
		t, at, err := j.next()
		if err != nil {
			return err
		}
		name := t.String()
		value, err := j.value(depth + 1)
		if err != nil {
			return err
		}
		if seen[name] {
			j.fault(at, fmt.Sprintf("%q is given twice", name))
			continue
		}
		seen[name] = true
		n.Members = append(n.Members, Member{name, at, value})
	}
	return nil
}
