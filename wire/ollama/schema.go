package ollama

import (
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/schema"
)

// source is the schema as it was given, for Ollama's templates with a type.
func source(s *schema.Schema) []byte {
	src := []byte(s.Source())
	if rawjson.Kind(src) != '{' {
		return []byte(`{"type":"object","properties":{}}`)
	}
	if rawjson.Member(src, "type") == nil {
		src = rawjson.Set(src, "type", []byte(`"object"`))
	}
	if rawjson.Member(src, "properties") == nil {
		src = rawjson.Set(src, "properties", []byte(`{}`))
	}
	return src
}
