package anthropic

import (
	"encoding/json"
	"fmt"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
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
		input, omitted := rewrite(t.Input())
		for _, omission := range omitted {
			set.Adapted = append(set.Adapted, wire.Adapted{Tool: c.Qualify(t), Omission: omission})
		}
		w := tool{Name: sent[i], Description: t.Description(), InputSchema: input}
		if o != nil && o.Strict {
			if strict, ok := strictly(t.Input()); ok && budget.take(strict) {
				w.InputSchema, w.Strict = strict, true
			}
		}
		if i == len(all)-1 {
			w.Cache = &cacheControl{Type: "ephemeral"}
		}
		raw, err := rawjson.Marshal(w)
		if err != nil {
			return wire.ToolSet{}, fmt.Errorf("encoding tool %q: %w", t.Name(), err)
		}
		set.Tools = append(set.Tools, raw)
	}
	return set, nil
}
