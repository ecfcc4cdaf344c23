// Package declared tells whether a JSON Schema may have a value at a path, so that
// the slip of a pen in a rule about an argument is told.
package declared

import (
	"encoding/json"
	"slices"
	"strconv"
)

// elsewhere are keywords by which a schema may say more than where it is looked.
var elsewhere = []string{
	"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties", "prefixItems", "dependentSchemas",
}

// At reports whether the schema may have a value at the steps of a path; * stands
// for every element. It says no only where the schema plainly lists its properties
// and the name is not among them.
func At(source json.RawMessage, steps []string) bool {
	if len(steps) == 0 {
		return true
	}
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Items      json.RawMessage            `json:"items"`
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(source, &all) != nil || json.Unmarshal(source, &s) != nil {
		return true // a boolean schema, or a form of an older draft
	}
	if next, ok := s.Properties[steps[0]]; ok {
		return At(next, steps[1:])
	}
	if _, err := strconv.Atoi(steps[0]); (err == nil || steps[0] == "*") && s.Items != nil {
		return At(s.Items, steps[1:])
	}
	if slices.ContainsFunc(elsewhere, func(k string) bool { return all[k] != nil }) {
		return true
	}
	return s.Properties == nil && s.Items == nil
}
