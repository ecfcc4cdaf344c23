package anthropic

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/schema"
)

// strictSchema is the schema for strict mode, and whether it is strict as it
// stands: closed objects, only what the constrained decoder takes, no recursion.
// No schema is changed to become strict.
func strictSchema(s *schema.Schema) (json.RawMessage, bool) {
	src := source(s)
	c := strictCheck{known: map[string]bool{}}
	c.defs = rawjson.Member(src, "$defs")
	return src, c.strict(src, 0)
}

var strictFormats = []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}

const (
	maxStrictDepth = 64
	defsPrefix     = "#/$defs/"
)

// strictCheck walks one schema. known tells of definitions: false while one is
// looked at, true once it is known to be strict.
type strictCheck struct {
	defs  []byte
	known map[string]bool
}

func (c *strictCheck) strict(raw []byte, depth int) bool {
	if rawjson.Kind(raw) != '{' || depth > maxStrictDepth {
		return false
	}
	object, closed := false, false
	for name, v := range rawjson.Members(raw) {
		switch string(name) {
		case "type":
			object = mentions(v, "object")
		case "additionalProperties":
			closed = rawjson.Kind(v) == 'f'
		}
		if !c.keyword(string(name), v, depth) {
			return false
		}
	}
	return closed || !object
}

func (c *strictCheck) keyword(name string, v []byte, depth int) bool {
	switch name {
	case "type", "additionalProperties", "required", "enum", "const", "title", "description", "default":
		return true
	case "properties", "$defs":
		for _, s := range rawjson.Members(v) {
			if !c.strict(s, depth+1) {
				return false
			}
		}
		return true
	case "anyOf", "allOf":
		for _, s := range rawjson.Elements(v) {
			if !c.strict(s, depth+1) {
				return false
			}
		}
		return true
	case "items":
		return c.strict(v, depth+1)
	case "format":
		return slices.Contains(strictFormats, rawjson.String(v))
	case "minItems":
		n, ok := rawjson.Int(v)
		return ok && n <= 1
	case "$ref":
		return c.reference(rawjson.String(v), depth)
	}
	return false
}

func (c *strictCheck) reference(ref string, depth int) bool {
	name, ok := strings.CutPrefix(ref, defsPrefix)
	if !ok {
		return false
	}
	if strict, seen := c.known[name]; seen {
		return strict // or recursion
	}
	c.known[name] = false
	c.known[name] = c.strict(rawjson.Member(c.defs, name), depth+1)
	return c.known[name]
}

// mentions reports that a type keyword names kind.
func mentions(raw []byte, kind string) bool {
	if rawjson.String(raw) == kind {
		return true
	}
	for _, v := range rawjson.Elements(raw) {
		if rawjson.String(v) == kind {
			return true
		}
	}
	return false
}
