package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
)

// tool is one tool as sent, in this order.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
	Strict      bool            `json:"strict,omitempty"`
	Cache       *cacheControl   `json:"cache_control,omitempty"`
}

type cacheControl struct {
	Type string `json:"type"`
}

// Tools is the catalog as Anthropic takes it: plain JSON Schema, with a cache
// mark on the last tool, so that the list is read from the cache.
func (Messages) Tools(c *holdfast.Catalog, o *wire.ToolOptions) (wire.ToolSet, error) {
	return tools(c, o)
}

// Tools is that of [Messages].
func (Invoke) Tools(c *holdfast.Catalog, o *wire.ToolOptions) (wire.ToolSet, error) {
	return tools(c, o)
}

func tools(c *holdfast.Catalog, o *wire.ToolOptions) (wire.ToolSet, error) {
	table, sent, err := names.Encode(c)
	if err != nil {
		return wire.ToolSet{}, fmt.Errorf("encoding tools: %w", err)
	}
	set := wire.ToolSet{Names: table}
	var budget strictBudget
	all := c.Tools()
	for i, t := range all {
		w := tool{Name: sent[i], Description: t.Description(), InputSchema: source(t.Input())}
		if o != nil && o.Strict {
			if strict, ok := strictSchema(t.Input()); ok && budget.take(strict) {
				w.InputSchema, w.Strict = strict, true
			}
		}
		if i == len(all)-1 {
			w.Cache = &cacheControl{Type: "ephemeral"}
		}
		raw, err := marshal(w)
		if err != nil {
			return wire.ToolSet{}, fmt.Errorf("encoding tool %q: %w", t.Name(), err)
		}
		set.Tools = append(set.Tools, raw)
	}
	return set, nil
}

// source is the schema as it was given, without white space.
func source(s *schema.Schema) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, s.Source()); err != nil || b.Len() == 0 {
		return json.RawMessage(`{"type":"object"}`)
	}
	return b.Bytes()
}

// strictBudget counts what one request may hold over all strict schemas.
type strictBudget struct {
	tools, optional, unions int
}

const (
	maxStrictTools    = 20
	maxStrictOptional = 24
	maxStrictUnions   = 16
)

// take reports whether one more strict schema fits, and counts it if so.
func (b *strictBudget) take(schema []byte) bool {
	next := *b
	next.tools++
	next.count(schema)
	if next.tools > maxStrictTools || next.optional > maxStrictOptional || next.unions > maxStrictUnions {
		return false
	}
	*b = next
	return true
}

func (b *strictBudget) count(schema []byte) {
	properties, required := 0, 0
	for name, v := range rawjson.Members(schema) {
		switch string(name) {
		case "properties", "$defs", "definitions":
			for _, s := range rawjson.Members(v) {
				if string(name) == "properties" {
					properties++
				}
				b.count(s)
			}
		case "required":
			for range rawjson.Elements(v) {
				required++
			}
		case "type":
			if rawjson.Kind(v) == '[' {
				b.unions++
			}
		case "anyOf":
			b.unions++
			for _, s := range rawjson.Elements(v) {
				b.count(s)
			}
		case "allOf":
			for _, s := range rawjson.Elements(v) {
				b.count(s)
			}
		case "items":
			b.count(v)
		}
	}
	b.optional += max(0, properties-required)
}
