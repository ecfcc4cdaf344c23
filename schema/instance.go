package schema

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
)

// Instance is a generated document; Path and Keyword name its one fault.
type Instance struct {
	JSON    json.RawMessage
	Path    string
	Keyword string
}

// generateAttempts bounds the search for an instance: what the generator cannot
// aim at (not, if, conflicting branches) it finds by trying.
const generateAttempts = 60

var errNoInstance = errors.New("generating instance: none was found")

// Generate makes a valid instance; the same seed makes the same one.
func (s *Schema) Generate(seed uint64) (Instance, error) {
	for attempt := range uint64(generateAttempts) {
		g := &generator{
			machine: machine{s: s}, rand: rand.New(rand.NewPCG(seed, attempt)),
			lean: attempt > generateAttempts/3, budget: 400,
		}
		text := g.value(s.root, 0)
		v, err := Read([]byte(text), schemaLimits)
		if err != nil || (s.mode == ModeTool && v.Kind() != Object) {
			continue
		}
		if m := (machine{d: v.d, s: s}); m.valid(s.root, 0) && !m.over {
			return Instance{JSON: json.RawMessage(text)}, nil
		}
	}
	return Instance{}, errNoInstance
}

// GenerateFaulty makes an instance with exactly one fault, which Validate reports
// at Path under Keyword. A schema that refuses next to nothing may have none.
func (s *Schema) GenerateFaulty(seed uint64) (Instance, error) {
	for attempt := range uint64(8) {
		base, err := s.Generate(seed + attempt<<32)
		if err != nil {
			return Instance{}, err
		}
		v, err := Read(base.JSON, schemaLimits)
		if err != nil {
			return Instance{}, err
		}
		if in, ok := s.spoil(v, rand.New(rand.NewPCG(seed, 1<<32+attempt))); ok {
			return in, nil
		}
	}
	return Instance{}, errors.New("generating faulty instance: none was found")
}
