package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/holdfast-go/holdfast/schema"
)

// Input is what a template may count on of a tool's arguments. It answers in
// favour of the template where a schema does not say.
type Input struct {
	schema   *schema.Schema
	declared map[string]json.RawMessage
	required []string
	closed   bool // declared is all that there is
	plain    bool // required is all that is required
}

// InputOf reads a schema's root. With nil every argument may be there.
func InputOf(s *schema.Schema) *Input {
	in := &Input{schema: s}
	if s == nil {
		return in
	}
	var root map[string]json.RawMessage
	if json.Unmarshal(s.Source(), &root) != nil {
		return in
	}
	in.plain = true
	for _, elsewhere := range []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if"} {
		if _, ok := root[elsewhere]; ok {
			in.plain = false
		}
	}
	if list, ok := root["required"]; ok && json.Unmarshal(list, &in.required) != nil {
		in.plain = false
	}
	if list, ok := root["properties"]; ok && json.Unmarshal(list, &in.declared) == nil {
		in.closed = in.plain && root["patternProperties"] == nil
	}
	return in
}

// Declares reports whether there may be an argument of this name. It says no only
// where the schema plainly lists its properties and this is none of them: a slip
// of the pen.
func (in *Input) Declares(name string) bool {
	_, ok := in.declared[name]
	return ok || !in.closed
}

// Requires reports whether the argument of this name is always there.
func (in *Input) Requires(name string) bool {
	return !in.plain || slices.Contains(in.required, name)
}

// Hides reports whether the schema keeps the value of this name secret.
func (in *Input) Hides(name string) bool {
	if in.schema == nil {
		return false
	}
	quoted, err := json.Marshal(name)
	if err != nil {
		return false
	}
	text := fmt.Sprintf(`{%s:0}`, quoted)
	v, err := schema.Read([]byte(text), nil)
	return err == nil && string(in.schema.Mask(v)) != text
}
