package openai

import (
	"slices"

	"github.com/holdfast-go/holdfast/internal/rawjson"
)

// The bounds of OpenAI's strict mode.
const (
	maxStrictDepth      = 10
	maxStrictProperties = 5000
	maxStrictEnum       = 1000
)

var strictFormats = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}

// isStrict reports that a schema is strict as it stands: every object closed and
// all its properties required, and no keyword that strict mode refuses. A schema
// that is not is sent without strict; none is changed to become it.
func isStrict(raw []byte) bool {
	s := strictness{ok: rawjson.Member(raw, "anyOf") == nil && rawjson.String(rawjson.Member(raw, "type")) == "object"}
	s.schema(raw, 0)
	return s.ok && s.properties <= maxStrictProperties && s.enum <= maxStrictEnum
}

type strictness struct {
	ok               bool
	properties, enum int
}

func (s *strictness) schema(raw []byte, depth int) {
	if rawjson.Kind(raw) != '{' || depth > maxStrictDepth {
		s.ok = false
	}
	if !s.ok {
		return
	}
	typed := false
	for name, v := range rawjson.Members(raw) {
		switch string(name) {
		case "type":
			typed = true
		case "properties":
			for _, p := range rawjson.Members(v) {
				s.properties++
				s.schema(p, depth+1)
			}
		case "$defs", "definitions":
			for _, p := range rawjson.Members(v) {
				s.schema(p, depth)
			}
		case "anyOf":
			typed = true
			for _, p := range rawjson.Elements(v) {
				s.schema(p, depth)
			}
		case "items":
			s.schema(v, depth+1)
		case "enum":
			typed = true
			for range rawjson.Elements(v) {
				s.enum++
			}
		case "const":
			typed = true
		case "format":
			s.ok = s.ok && slices.Contains(strictFormats, rawjson.String(v))
		case "$ref":
			typed = true
			s.ok = s.ok && alone(raw)
		case "additionalProperties", "required", "title", "description", "$schema", "$id",
			"pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
			"multipleOf", "minItems", "maxItems":
		default:
			s.ok = false
		}
	}
	if hasType(rawjson.Member(raw, "type"), "object") || rawjson.Member(raw, "properties") != nil {
		s.ok = s.ok && closed(raw)
	}
	s.ok = s.ok && typed
}

// alone reports that a $ref has no sibling: strict mode refuses any.
func alone(raw []byte) bool {
	n := 0
	for range rawjson.Members(raw) {
		n++
	}
	return n == 1
}

// closed reports that an object admits no other properties and requires all.
func closed(raw []byte) bool {
	if rawjson.Kind(rawjson.Member(raw, "additionalProperties")) != 'f' {
		return false
	}
	var required []string
	for _, v := range rawjson.Elements(rawjson.Member(raw, "required")) {
		required = append(required, rawjson.String(v))
	}
	for name := range rawjson.Members(rawjson.Member(raw, "properties")) {
		if !slices.Contains(required, string(name)) {
			return false
		}
	}
	return true
}
