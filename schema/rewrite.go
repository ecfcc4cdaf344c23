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
