package anthropic

import (
	"encoding/json"
	"slices"

	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/schema"
)

// strictSchema is the schema for strict mode, and whether it is strict as it
// stands: closed objects and only what the constrained decoder takes. No schema
// is changed to become strict.
func strictSchema(s *schema.Schema) (json.RawMessage, bool) {
	src := source(s)
	return src, strictly(src, 0)
}

var strictFormats = []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}

const maxStrictDepth = 64

func strictly(raw []byte, depth int) bool {
	if rawjson.Kind(raw) != '{' || depth > maxStrictDepth {
		return false
	}
	object, closed := false, false
	for name, v := range rawjson.Members(raw) {
		ok := true
		switch string(name) {
		case "type":
			object = mentions(v, "object")
		case "additionalProperties":
			closed = rawjson.Kind(v) == 'f'
		case "properties", "$defs":
			for _, s := range rawjson.Members(v) {
				ok = ok && strictly(s, depth+1)
			}
		case "anyOf", "allOf":
			for _, s := range rawjson.Elements(v) {
				ok = ok && strictly(s, depth+1)
			}
		case "items":
			ok = strictly(v, depth+1)
		case "format":
			ok = slices.Contains(strictFormats, rawjson.String(v))
		case "minItems":
			n, isInt := rawjson.Int(v)
			ok = isInt && n <= 1
		case "$ref":
			// "#" would be the schema itself; recursion is not taken.
			ref := rawjson.String(v)
			ok = len(ref) > len("#/$defs/") && ref[:len("#/$defs/")] == "#/$defs/"
		case "required", "enum", "const", "title", "description", "default":
		default:
			ok = false
		}
		if !ok {
			return false
		}
	}
	return closed || !object
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
