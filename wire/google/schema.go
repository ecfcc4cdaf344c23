package google

import (
	"encoding/json"

	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
)

// adapt is a tool's schema as Google takes it, and what was left out of it.
func adapt(tool string, s *schema.Schema) (json.RawMessage, []wire.Adapted) {
	return source(s), nil
}
