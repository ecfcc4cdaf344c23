package schemabench

import (
	"strings"

	"github.com/holdfast-go/holdfast/schema"
)

// disagreement is a pair on which not all engines agree.
type disagreement struct {
	subject
	instance      string
	report        schema.Report
	ours          bool
	santhosh, ajv *bool // nil: no verdict
}

func (d *disagreement) none() bool {
	return (d.santhosh == nil || *d.santhosh == d.ours) && (d.ajv == nil || *d.ajv == d.ours)
}

func (d *disagreement) bothAgainst() bool {
	return d.santhosh != nil && d.ajv != nil && *d.santhosh != d.ours && *d.ajv != d.ours
}

// explained lists what the others are known to decide otherwise. A reason holds
// only where the engine named stands alone.
var explained = []struct {
	engine string
	reason string
	holds  func(d *disagreement) bool
}{
	{"ajv", "resolves $dynamicRef by other rules", func(d *disagreement) bool {
		return d.mentions("$dynamicRef") || d.mentions("dynamic-ref.json") || d.mentions("$dynamicAnchor")
	}},
	{"ajv", "keeps another account of what was evaluated", func(d *disagreement) bool { return d.mentions("unevaluated") }},
	{"ajv", "takes the names that every JavaScript object inherits for given", func(d *disagreement) bool {
		return d.mentions("__proto__")
	}},
	{"ajv", "computes with 64-bit floats", func(d *disagreement) bool {
		return strings.Contains(d.instance, "9007199254740993") || strings.Contains(d.instance, "1e308")
	}},
	{"ajv", "heeds the siblings of $ref in draft 7", func(d *disagreement) bool {
		return d.draft == schema.Draft7 && d.mentions("$ref")
	}},
	{"ajv", "does not read the vocabularies of a metaschema", func(d *disagreement) bool {
		return d.mentions("metaschema-no-validation.json")
	}},
	{"santhosh", "asserts formats in draft 7 by itself", func(d *disagreement) bool {
		return d.draft == schema.Draft7 && d.mode == schema.ModeSpec && (d.mentions(`"format"`) || d.mentions("draft-07/schema"))
	}},
}

// explain gives the reason of a disagreement, or "".
func (d *disagreement) explain() string {
	alone := ""
	switch {
	case d.bothAgainst():
		return ""
	case d.ajv != nil && *d.ajv != d.ours:
		alone = "ajv"
	default:
		alone = "santhosh"
	}
	for _, e := range explained {
		if e.engine == alone && e.holds(d) {
			return e.engine + " " + e.reason
		}
	}
	return ""
}

func (d *disagreement) mentions(word string) bool { return strings.Contains(d.schema, word) }
