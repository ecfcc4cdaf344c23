package google

import (
	"encoding/json"

	"github.com/holdfast-go/holdfast/schema"
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

// rewrite is the schema as it is sent, and what was left out of it.
func rewrite(s *schema.Schema) (json.RawMessage, []schema.Omission) {
	rules := schemaRules
	return s.Rewrite(&rules)
}
