package schema

import (
	"encoding/json"
	"iter"
	"strconv"
	"strings"
)

// Kind of a Value.
type Kind int

// The kinds; the zero Value is Invalid.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// String is the JSON name of the kind.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "boolean"
	case Number:
		return "number"
	case String:
		return "string"
	case Array:
		return "array"
	case Object:
		return "object"
	}
	return "invalid"
}

// Value is one JSON value as it was read: names in order, numbers as their text.
// It is immutable and safe for concurrent use. The zero Value is Invalid.
type Value struct {
	d *document
	i uint32
}

func (v Value) node() *node {
	if v.d == nil {
		return &node{}
	}
	return &v.d.nodes[v.i]
}

// Kind of v.
func (v Value) Kind() Kind { return Kind(v.node().kind) }

// Raw is the JSON text of v, nil for the zero Value. It is the caller's own copy.
func (v Value) Raw() json.RawMessage {
	if v.d == nil {
		return nil
	}
	return json.RawMessage(v.d.raw(v.i))
}

// Text is a string's value, a number's literal, or "".
func (v Value) Text() string {
	switch v.Kind() {
	case String, Number:
		return v.d.text(v.i)
	}
	return ""
}

// Bool is a boolean's value.
func (v Value) Bool() bool {
	return v.Kind() == Bool && v.d.src[v.node().off] == 't'
}

// Len is the number of elements or members.
func (v Value) Len() int {
	n := v.node()
	if n.kind < uint8(Array) {
		return 0
	}
	return int(n.aux)
}

// Get is the member of that exact name.
func (v Value) Get(name string) (Value, bool) {
	if v.Kind() != Object {
		return Value{}, false
	}
	i, ok := v.d.member(v.i, name)
	if !ok {
		return Value{}, false
	}
	return Value{v.d, i}, true
}

// At follows a JSON Pointer.
func (v Value) At(pointer string) (Value, bool) {
	if pointer == "" {
		return v, v.d != nil
	}
	if pointer[0] != '/' {
		return Value{}, false
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		var ok bool
		if v, ok = v.child(unescapeToken(token)); !ok {
			return Value{}, false
		}
	}
	return v, true
}

// child is the member or the element that a pointer's token names.
func (v Value) child(token string) (Value, bool) {
	switch v.Kind() {
	case Object:
		return v.Get(token)
	case Array:
		if token == "" || len(token) > 9 || (token[0] == '0' && token != "0") {
			return Value{}, false
		}
		n, err := strconv.ParseUint(token, 10, 32)
		if err != nil || int(n) >= v.Len() {
			return Value{}, false
		}
		for i, e := range v.Elements() {
			if i == int(n) {
				return e, true
			}
		}
	}
	return Value{}, false
}

// Elements of an array, in order.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.Kind() != Array {
			return
		}
		k := v.i + 1
		for i := range v.Len() {
			if !yield(i, Value{v.d, k}) {
				return
			}
			k = v.d.after(k)
		}
	}
}

// Members of an object, in order.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != Object {
			return
		}
		k := v.i + 1
		for range v.Len() {
			if !yield(v.d.text(k), Value{v.d, k + 1}) {
				return
			}
			k = v.d.after(k + 1)
		}
	}
}

// pointerEscapes writes a name as a token of a JSON Pointer.
var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func escapeToken(name string) string {
	if strings.IndexByte(name, '~') < 0 && strings.IndexByte(name, '/') < 0 {
		return name
	}
	return pointerEscapes.Replace(name)
}

func unescapeToken(token string) string {
	if strings.IndexByte(token, '~') < 0 {
		return token
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
