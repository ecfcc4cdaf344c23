package schema

import (
	"encoding/json"
	"errors"
)

// Rules say what a provider takes of a schema.
type Rules struct{}

// Omission is something left out of a rewritten schema.
type Omission struct {
	Path    string `json:"path"`
	Keyword string `json:"keyword"`
	Why     string `json:"why"`
}

// Rewrite is the schema as a provider with these rules takes it, and what was left out.
func (s *Schema) Rewrite(r *Rules) (json.RawMessage, []Omission) { return s.Source(), nil }

// Coerce reads v as the schema would have it, where that can be done in one way
// only, and records what it changed. A value that validates comes back as it is.
func (s *Schema) Coerce(v Value) (Value, []Coercion) { return v, nil }

// Coercion records one change that Coerce made.
type Coercion struct {
	Path string          `json:"path"`
	Rule string          `json:"rule"`
	From json.RawMessage `json:"from"`
	To   json.RawMessage `json:"to"`
}

// Instance is a generated document; Path and Keyword name its one fault.
type Instance struct {
	JSON    json.RawMessage
	Path    string
	Keyword string
}

// Generate makes a valid instance; the same seed makes the same one.
func (s *Schema) Generate(seed uint64) (Instance, error) { return Instance{}, errors.ErrUnsupported }

// GenerateFaulty makes an instance with exactly one fault.
func (s *Schema) GenerateFaulty(seed uint64) (Instance, error) {
	return Instance{}, errors.ErrUnsupported
}
