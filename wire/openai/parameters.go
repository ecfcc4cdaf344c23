package openai

import (
	"bytes"
	"encoding/json"

	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/schema"
)

const maxSchemaDepth = 128

// parameters is a schema as OpenAI takes it: an object at the root, without the
// keywords that it refuses there, and with the empty keywords that it insists on.
// Nothing that it adds changes what the schema admits.
func parameters(s *schema.Schema) ([]byte, []schema.Omission) {
	var src bytes.Buffer
	if err := json.Compact(&src, s.Source()); err != nil || rawjson.Kind(src.Bytes()) != '{' {
		return []byte(`{"type":"object","properties":{}}`), nil
	}
	raw := src.Bytes()
	var omitted []schema.Omission
	for _, keyword := range []string{"oneOf", "anyOf", "allOf", "enum", "not"} {
		if rawjson.Member(raw, keyword) != nil {
			raw = rawjson.Drop(raw, keyword)
			omitted = append(omitted, schema.Omission{Path: "/" + keyword, Keyword: keyword, Why: "not taken at the root of a tool's parameters"})
		}
	}
	if rawjson.String(rawjson.Member(raw, "type")) != "object" {
		raw = rawjson.Set(raw, "type", []byte(`"object"`))
	}
	return insist(raw, 0), omitted
}

// insist adds what OpenAI refuses a schema for lacking: properties of an object,
// items of an array; and writes the schema true as {}.
func insist(raw []byte, depth int) []byte {
	switch {
	case rawjson.Kind(raw) == 't':
		return []byte(`{}`)
	case rawjson.Kind(raw) != '{' || depth > maxSchemaDepth:
		return raw
	}
	for name, v := range rawjson.Members(raw) {
		switch keyword := string(name); keyword {
		case "properties", "$defs", "definitions", "patternProperties", "dependentSchemas":
			raw = rawjson.Set(raw, keyword, eachMember(v, depth))
		case "anyOf", "oneOf", "allOf", "prefixItems":
			raw = rawjson.Set(raw, keyword, eachElement(v, depth))
		case "items":
			if rawjson.Kind(v) == '[' {
				raw = rawjson.Set(raw, keyword, eachElement(v, depth))
			} else {
				raw = rawjson.Set(raw, keyword, insist(v, depth+1))
			}
		case "not", "if", "then", "else", "contains", "propertyNames":
			raw = rawjson.Set(raw, keyword, insist(v, depth+1))
		case "additionalProperties", "unevaluatedProperties", "unevaluatedItems":
			if rawjson.Kind(v) == '{' {
				raw = rawjson.Set(raw, keyword, insist(v, depth+1))
			}
		}
	}
	typ := rawjson.Member(raw, "type")
	if depth == 0 && rawjson.Member(raw, "properties") == nil {
		raw = rawjson.Set(raw, "properties", []byte(`{}`))
	}
	if hasType(typ, "array") && rawjson.Member(raw, "items") == nil && rawjson.Member(raw, "prefixItems") == nil {
		raw = rawjson.Set(raw, "items", []byte(`{}`))
	}
	return raw
}

func eachMember(raw []byte, depth int) []byte {
	for name, v := range rawjson.Members(raw) {
		if next := insist(v, depth+1); !bytes.Equal(next, v) {
			raw = rawjson.Set(raw, string(name), next)
		}
	}
	return raw
}

func eachElement(raw []byte, depth int) []byte {
	if rawjson.Kind(raw) != '[' {
		return raw
	}
	out := []byte{'['}
	for i, v := range rawjson.Elements(raw) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, insist(v, depth+1)...)
	}
	return append(out, ']')
}

// hasType reports that a type keyword names kind.
func hasType(raw []byte, kind string) bool {
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
