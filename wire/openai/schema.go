package openai

import (
	"encoding/json"

	"github.com/holdfast-go/holdfast/schema"
)

// plainRules are what OpenAI takes of any schema: an object without alternatives
// at the root, and the empty keywords that it refuses a schema for lacking.
// Nothing that is added changes what the schema admits.
var plainRules = schema.Rules{PlainRoot: true, NeedProperties: true, NeedItems: true, OpenSchemas: true}

// strictRules are what its strict mode takes. No schema is changed to keep them:
// one that does not is sent as it is, without strict.
var strictRules = schema.Rules{
	PlainRoot: true, NeedProperties: true, Closed: true, AllRequired: true, Typed: true, LoneRefs: true, SimplePatterns: true,
	MaxDepth: 10, MaxProperties: 5000, MaxEnum: 1000,
	Keywords: []string{
		"$schema", "$id", "$defs", "definitions", "$ref", "type", "enum", "const", "anyOf", "properties", "required", "additionalProperties",
		"items", "minItems", "maxItems", "title", "description", "format", "pattern", "minLength", "maxLength",
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	},
	Formats: []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"},
}

// rewrite is the schema as it is sent, and what was left out of it.
func rewrite(s *schema.Schema) (json.RawMessage, []schema.Omission) {
	rules := plainRules
	return s.Rewrite(&rules)
}

// isStrict reports that a schema is strict as it stands: every object closed and
// all its properties required, and no keyword that strict mode refuses.
func isStrict(s *schema.Schema) bool {
	rules := strictRules
	return len(s.Strict(&rules)) == 0
}
