package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// For is the schema of a Go type, by reflection and the tags of the package
// comment. A tag that is misspelt, malformed or out of place is an error.
func For[T any](o *Options) (*Schema, error) {
	b := typeBuilder{
		names: map[reflect.Type]string{}, taken: map[string]bool{}, building: map[reflect.Type]bool{}, uses: map[reflect.Type]int{},
		fields: map[reflect.Type][]field{},
	}
	src, err := b.document(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	s, err := Compile(src, o)
	if err != nil {
		return nil, err
	}
	s.fields = b.fields
	return s, s.checkExamples()
}

// checkExamples holds the examples in tags to their own schema.
func (s *Schema) checkExamples() error {
	for _, r := range s.rules {
		list, ok := r.src.Get("examples")
		if !ok {
			continue
		}
		for _, e := range list.Elements() {
			m := machine{d: e.d, s: s}
			if !m.valid(r, e.i) {
				return fmt.Errorf("schema of Go type: the example %s at %q does not satisfy its own field", shown(e), r.ptr)
			}
		}
	}
	return nil
}

// field is one JSON member of a struct.
type field struct {
	name     string
	index    []int
	optional bool
	quoted   bool
	tag      reflect.StructTag
	typ      reflect.Type
	goName   string
}

// fieldsOf lists the members of a struct, embedded ones included, by the rules
// of encoding/json: the shallowest field of a name wins.
func fieldsOf(t reflect.Type) ([]field, error) {
	var out []field
	at := map[string]int{}
	var visit func(t reflect.Type, index []int) error
	visit = func(t reflect.Type, index []int) error {
		for n := range t.NumField() {
			f := t.Field(n)
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" && options == "" {
				continue
			}
			path := append(slices.Clone(index), n)
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if f.Anonymous && name == "" && inner.Kind() == reflect.Struct && inner != typeTime {
				if f.Type.Kind() == reflect.Pointer && !f.IsExported() {
					return fmt.Errorf("schema of Go type: %s.%s is embedded by an unexported pointer", t, f.Name)
				}
				if err := visit(inner, path); err != nil {
					return err
				}
				continue
			}
			if !f.IsExported() {
				continue
			}
			if name == "" {
				name = f.Name
			}
			x := field{name: name, index: path, tag: f.Tag, typ: f.Type, goName: t.String() + "." + f.Name}
			for option := range strings.SplitSeq(options, ",") {
				switch option {
				case "omitempty", "omitzero":
					x.optional = true
				case "string":
					x.quoted = true
				}
			}
			if old, twice := at[name]; twice {
				if len(out[old].index) <= len(path) {
					continue
				}
				out[old] = x
				continue
			}
			at[name] = len(out)
			out = append(out, x)
		}
		return nil
	}
	return out, visit(t, nil)
}

// typeBuilder writes the schema of Go types. Structs that refer to themselves go
// to $defs; all others are written where they stand.
type typeBuilder struct {
	names    map[reflect.Type]string
	taken    map[string]bool
	defs     []member
	building map[reflect.Type]bool
	uses     map[reflect.Type]int
	fields   map[reflect.Type][]field // for Decode
}

// member is a name and the JSON text of its value.
type member struct {
	name string
	text string
}

func object(members []member) string {
	b := []byte{'{'}
	for n, m := range members {
		if n > 0 {
			b = append(b, ',')
		}
		b = appendString(b, m.name)
		b = append(b, ':')
		b = append(b, m.text...)
	}
	return string(append(b, '}'))
}

func quoted(s string) string { return string(appendString(nil, s)) }

func (b *typeBuilder) document(t reflect.Type) ([]byte, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	root, err := b.schema(t, true)
	if err != nil {
		return nil, err
	}
	if len(b.defs) > 0 {
		root = append(root, member{"$defs", object(b.defs)})
	}
	return []byte(object(root)), nil
}

// interfaceSchema is for types that state their own schema.
type interfaceSchema interface{ JSONSchema() []byte }

// schema is the members of the schema of t.
func (b *typeBuilder) schema(t reflect.Type, root bool) ([]member, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if own, ok := reflect.New(t).Interface().(interfaceSchema); ok {
		v, err := Read(own.JSONSchema(), schemaLimits)
		if err != nil || v.Kind() != Object {
			return nil, fmt.Errorf("schema of Go type: JSONSchema of %s does not give an object", t)
		}
		var out []member
		for name, e := range v.Members() {
			out = append(out, member{name, string(e.Raw())})
		}
		return out, nil
	}
	switch t {
	case typeTime:
		return []member{{"type", `"string"`}, {"format", `"date-time"`}}, nil
	case typeRaw, typeValue:
		return nil, nil
	case typeJSONNumber:
		return []member{{"type", `"number"`}}, nil
	case reflect.TypeFor[time.Duration]():
		return nil, fmt.Errorf("schema of Go type: time.Duration would be a number of nanoseconds; use a string or an integer that names its unit")
	}
	if m, ok := scalarSchema(t); ok {
		return m, nil
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil, fmt.Errorf("schema of Go type: %s reads JSON itself; give it a method JSONSchema() []byte", t)
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return []member{{"type", `"string"`}}, nil
	}
	switch t.Kind() {
	case reflect.Struct:
		return b.structSchema(t, root)
	case reflect.Map:
		return b.mapSchema(t)
	case reflect.Slice, reflect.Array:
		return b.listSchema(t)
	case reflect.Interface:
		return nil, nil
	}
	return nil, fmt.Errorf("schema of Go type: %s has no JSON form", t)
}

// scalarSchema covers booleans, strings and numbers; a sized integer has its range.
func scalarSchema(t reflect.Type) ([]member, bool) {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return nil, false
	}
	switch t.Kind() {
	case reflect.Bool:
		return []member{{"type", `"boolean"`}}, true
	case reflect.String:
		return []member{{"type", `"string"`}}, true
	case reflect.Float32, reflect.Float64:
		return []member{{"type", `"number"`}}, true
	case reflect.Int, reflect.Int64:
		return []member{{"type", `"integer"`}}, true
	case reflect.Int8, reflect.Int16, reflect.Int32:
		top := int64(1) << (t.Bits() - 1)
		return []member{{"type", `"integer"`}, {"minimum", strconv.FormatInt(-top, 10)}, {"maximum", strconv.FormatInt(top-1, 10)}}, true
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return []member{{"type", `"integer"`}, {"minimum", "0"}}, true
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return []member{{"type", `"integer"`}, {"minimum", "0"}, {"maximum", strconv.FormatUint(1<<t.Bits()-1, 10)}}, true
	}
	return nil, false
}

func (b *typeBuilder) mapSchema(t reflect.Type) ([]member, error) {
	if t.Key().Kind() != reflect.String {
		return nil, fmt.Errorf("schema of Go type: %s has names that are not strings", t)
	}
	inner, err := b.schema(t.Elem(), false)
	if err != nil {
		return nil, err
	}
	return []member{{"type", `"object"`}, {"additionalProperties", object(inner)}}, nil
}

func (b *typeBuilder) listSchema(t reflect.Type) ([]member, error) {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
		return []member{{"type", `"string"`}, {"contentEncoding", `"base64"`}}, nil
	}
	inner, err := b.schema(t.Elem(), false)
	if err != nil {
		return nil, err
	}
	out := []member{{"type", `"array"`}, {"items", object(inner)}}
	if t.Kind() == reflect.Array {
		n := strconv.Itoa(t.Len())
		out = append(out, member{"minItems", n}, member{"maxItems", n})
	}
	return out, nil
}

// structSchema writes a struct, or a reference to it where it is being written.
func (b *typeBuilder) structSchema(t reflect.Type, root bool) ([]member, error) {
	if b.building[t] || b.names[t] != "" {
		if b.names[t] == "" {
			b.names[t] = b.nameFor(t)
		}
		return []member{{"$ref", quoted("#/$defs/" + b.names[t])}}, nil
	}
	b.building[t] = true
	body, err := b.structBody(t)
	delete(b.building, t)
	if err != nil {
		return nil, err
	}
	if name := b.names[t]; name != "" { // it refers to itself
		b.defs = append(b.defs, member{name, object(body)})
		if !root {
			return []member{{"$ref", quoted("#/$defs/" + name)}}, nil
		}
	}
	return body, nil
}

func (b *typeBuilder) nameFor(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	if name == "" {
		name = "Type"
	}
	unique := name
	for n := 2; b.taken[unique]; n++ {
		unique = name + strconv.Itoa(n)
	}
	b.taken[unique] = true
	return unique
}

func (b *typeBuilder) structBody(t reflect.Type) ([]member, error) {
	fields, err := fieldsOf(t)
	if err != nil {
		return nil, err
	}
	b.fields[t] = fields
	var props []member
	var required []string
	for _, f := range fields {
		if f.quoted {
			return nil, fmt.Errorf("schema of Go type: %s: the json option \"string\" is not supported", f.goName)
		}
		inner, err := b.schema(f.typ, false)
		if err != nil {
			return nil, fmt.Errorf("%w (field %s)", err, f.goName)
		}
		inner, err = applyTags(f, inner)
		if err != nil {
			return nil, fmt.Errorf("schema of Go type: %s: %w", f.goName, err)
		}
		props = append(props, member{f.name, object(inner)})
		if !f.optional {
			required = append(required, quoted(f.name))
		}
	}
	out := []member{{"type", `"object"`}, {"properties", object(props)}}
	if len(required) > 0 {
		out = append(out, member{"required", "[" + strings.Join(required, ",") + "]"})
	}
	return append(out, member{"additionalProperties", "false"}), nil
}
