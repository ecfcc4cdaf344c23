package google

import (
	"encoding/json"

	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
)

// schemaRules are what both formats take of a JSON Schema: the keywords that
// Google lists, and pattern, which was seen to be taken. Formats of strings are
// refused by some models, enums of anything but strings by others.
var schemaRules = schema.Rules{
	Keywords: []string{
		"type", "description", "properties", "required", "additionalProperties", "items", "prefixItems", "minItems", "maxItems",
		"minimum", "maximum", "enum", "anyOf", "format", "pattern", "$ref", "$defs", "propertyOrdering",
	},
	Formats:     []string{"int32", "int64", "float", "double"},
	StringEnums: true,
	ConstAsEnum: true, OneOfAsAnyOf: true, OpenSchemas: true, SimplePatterns: true,
	Describe: []string{
		"format", "enum", "const", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
		"minProperties", "maxProperties", "uniqueItems", "default",
	},
}

// adapt is a tool's schema as Google takes it, and what was left out of it.
func adapt(tool string, s *schema.Schema) (json.RawMessage, []wire.Adapted) {
	rules := schemaRules
	raw, omitted := s.Rewrite(&rules)
	var adapted []wire.Adapted
	for _, o := range omitted {
		adapted = append(adapted, wire.Adapted{Tool: tool, Omission: o})
	}
	return raw, adapted
}
