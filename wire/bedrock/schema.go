package bedrock

import (
	"encoding/json"

	"github.com/holdfast-go/holdfast/schema"
)

// schemaRules: the models behind Converse take JSON Schema, but for alternatives
// at the root.
var schemaRules = schema.Rules{PlainRoot: true}

// rewrite is the schema as it is sent, and what was left out of it.
func rewrite(s *schema.Schema) (json.RawMessage, []schema.Omission) {
	rules := schemaRules
	return s.Rewrite(&rules)
}
