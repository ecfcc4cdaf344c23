package openai

import (
	"fmt"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// names are what both formats take, and with them every compatible server.
var names = wire.NameRule{Bytes: 64, First: "0123456789-", Rest: "-"}

// maxTools is how many tools OpenAI and Groq take in one request.
const maxTools = 128

// tools encodes the catalog, each tool by encode.
func tools(c *holdfast.Catalog, o *wire.ToolOptions, encode func(name, description string, parameters []byte, strict bool) []byte) (wire.ToolSet, error) {
	if o == nil {
		o = &wire.ToolOptions{}
	}
	if _, err := quirksOf(o.Quirks); err != nil {
		return wire.ToolSet{}, fmt.Errorf("encoding tools: %w", err)
	}
	table, sent, err := names.Encode(c)
	if err != nil {
		return wire.ToolSet{}, fmt.Errorf("encoding tools: %w", err)
	}
	all := c.Tools()
	if len(all) > maxTools {
		return wire.ToolSet{}, fmt.Errorf("encoding tools: the catalog has %d tools, a request takes %d", len(all), maxTools)
	}
	set := wire.ToolSet{Names: table}
	for i, t := range all {
		parameters, omitted := parameters(t.Input())
		for _, om := range omitted {
			set.Adapted = append(set.Adapted, wire.Adapted{Tool: c.Qualify(t), Omission: om})
		}
		strict := o.Strict && isStrict(t.Input())
		set.Tools = append(set.Tools, encode(sent[i], t.Description(), parameters, strict))
	}
	return set, nil
}

// chatTool is one tool of Chat. strict is off unless it is sent.
func chatTool(name, description string, parameters []byte, strict bool) []byte {
	b := append([]byte(`{"type":"function","function":{"name":`), rawjson.Quote(name)...)
	b = append(append(b, `,"description":`...), rawjson.Quote(description)...)
	b = append(append(b, `,"parameters":`...), parameters...)
	if strict {
		b = append(b, `,"strict":true`...)
	}
	return append(b, "}}"...)
}

// responsesTool is one tool of Responses, which tries strict mode by itself, and
// changes the schema for it, unless it is told not to.
func responsesTool(name, description string, parameters []byte, strict bool) []byte {
	b := append([]byte(`{"type":"function","name":`), rawjson.Quote(name)...)
	b = append(append(b, `,"description":`...), rawjson.Quote(description)...)
	b = append(append(b, `,"parameters":`...), parameters...)
	return fmt.Appendf(b, `,"strict":%t}`, strict)
}
