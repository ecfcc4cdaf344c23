package anthropic

import (
	"encoding/json"

	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/schema"
)

// plainRules are what Anthropic takes of any schema: all of it, but for
// alternatives at the root.
var plainRules = schema.Rules{PlainRoot: true}

// strictRules are what its constrained decoder takes. No schema is changed to
// keep them: one that does not is sent as it is, without strict.
var strictRules = schema.Rules{
	PlainRoot: true, Closed: true, NoRecursion: true,
	Keywords: []string{
		"$schema", "type", "enum", "const", "anyOf", "allOf", "$ref", "$defs", "properties", "required", "additionalProperties",
		"title", "description", "default", "items", "minItems", "format",
	},
	Refuse:  map[string]string{"minItems:2": "only 0 and 1 are enforced"},
	Formats: []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"},
}

// rewrite is the schema as it is sent, and what was left out of it.
func rewrite(s *schema.Schema) (json.RawMessage, []schema.Omission) {
	rules := plainRules
	return s.Rewrite(&rules)
}

// strictly is the schema for strict mode, and whether it is strict as it stands.
// Only the name of its draft is left out: the decoder knows one.
func strictly(s *schema.Schema) (json.RawMessage, bool) {
	rules := strictRules
	if len(s.Strict(&rules)) > 0 {
		return nil, false
	}
	raw, _ := rewrite(s)
	if rawjson.Member(raw, "$schema") != nil {
		raw = rawjson.Drop(raw, "$schema")
	}
	return raw, true
}

// strictBudget counts what one request may hold over all strict schemas.
type strictBudget struct {
	tools, optional, unions int
}

const (
	maxStrictTools    = 20
	maxStrictOptional = 24
	maxStrictUnions   = 16
)

// take reports whether one more strict schema fits, and counts it if so.
func (b *strictBudget) take(schema []byte) bool {
	next := *b
	next.tools++
	next.count(schema)
	if next.tools > maxStrictTools || next.optional > maxStrictOptional || next.unions > maxStrictUnions {
		return false
	}
	*b = next
	return true
}

func (b *strictBudget) count(schema []byte) {
	properties, required := 0, 0
	for name, v := range rawjson.Members(schema) {
		switch string(name) {
		case "properties", "$defs":
			for _, s := range rawjson.Members(v) {
				if string(name) == "properties" {
					properties++
				}
				b.count(s)
			}
		case "required":
			required = count(v)
		case "type":
			b.unions += min(1, count(v))
		case "anyOf":
			b.unions++
			b.countAll(v)
		case "allOf":
			b.countAll(v)
		case "items":
			b.count(v)
		}
	}
	b.optional += max(0, properties-required)
}

func (b *strictBudget) countAll(schemas []byte) {
	for _, s := range rawjson.Elements(schemas) {
		b.count(s)
	}
}

func count(list []byte) (n int) {
	for range rawjson.Elements(list) {
		n++
	}
	return n
}
