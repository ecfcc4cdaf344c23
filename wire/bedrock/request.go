package bedrock

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
)

// toolSpec is one tool as sent, in this order.
type toolSpec struct {
	Spec struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Input       struct {
			JSON json.RawMessage `json:"json"`
		} `json:"inputSchema"`
	} `json:"toolSpec"`
}

// cachePoint lets the tools before it be read from the cache; not every model
// takes one.
var cachePoint = json.RawMessage(`{"cachePoint":{"type":"default"}}`)

// Tools is the catalog as Converse takes it. With Quirks "claude" a cache point
// follows the last tool.
func (Converse) Tools(c *holdfast.Catalog, o *wire.ToolOptions) (wire.ToolSet, error) {
	table, sent, err := names.Encode(c)
	if err != nil {
		return wire.ToolSet{}, fmt.Errorf("encoding tools: %w", err)
	}
	set := wire.ToolSet{Names: table}
	for i, t := range c.Tools() {
		var w toolSpec
		w.Spec.Name, w.Spec.Description = sent[i], t.Description()
		rules := schemaRules
		input, omitted := t.Input().Rewrite(&rules)
		for _, omission := range omitted {
			set.Adapted = append(set.Adapted, wire.Adapted{Tool: c.Qualify(t), Omission: omission})
		}
		w.Spec.Input.JSON = input
		raw, err := rawjson.Marshal(w)
		if err != nil {
			return wire.ToolSet{}, fmt.Errorf("encoding tool %q: %w", t.Name(), err)
		}
		set.Tools = append(set.Tools, raw)
	}
	if o != nil && o.Quirks == "claude" {
		set.Tools = append(set.Tools, cachePoint)
	}
	return set, nil
}

// schemaRules: the models behind Converse take JSON Schema, but for alternatives
// at the root.
var schemaRules = schema.Rules{PlainRoot: true}

// body is a request's JSON, in this order.
type body struct {
	System    []systemBlock     `json:"system,omitempty"`
	Tools     *toolConfig       `json:"toolConfig,omitempty"`
	Messages  []json.RawMessage `json:"messages"`
	Inference *inferenceConfig  `json:"inferenceConfig,omitempty"`
}

type systemBlock struct {
	Text string `json:"text"`
}

type inferenceConfig struct {
	MaxTokens int `json:"maxTokens"`
}

type toolConfig struct {
	Tools  []json.RawMessage `json:"tools"`
	Choice json.RawMessage   `json:"toolChoice,omitempty"`
}

// noTool stands for the tools of a request that offers none but whose history
// holds calls: without a tool configuration such a history is refused.
var noTool = json.RawMessage(`{"toolSpec":{"name":"unavailable","description":"No tool is available now.","inputSchema":{"json":{"type":"object","properties":{}}}}}`)

// Request is a POST to the model's converse address. Converse has no switch for
// parallel calls and no choice "none": with that, no tool is offered.
func (Converse) Request(r *wire.Request) (wire.Encoded, error) {
	messages, err := history(r.Items, r.Tools.Names, takesStatus(r.Model))
	if err != nil {
		return wire.Encoded{}, err
	}
	b := body{Messages: messages}
	if r.System != "" {
		b.System = []systemBlock{{r.System}}
	}
	if r.MaxTokens > 0 {
		b.Inference = &inferenceConfig{r.MaxTokens}
	}
	if b.Tools, err = configOf(r, messages); err != nil {
		return wire.Encoded{}, err
	}
	raw, err := rawjson.Marshal(b)
	if err != nil {
		return wire.Encoded{}, fmt.Errorf("encoding request: %w", err)
	}
	path := "/model/" + url.PathEscape(r.Model) + "/converse"
	if r.Stream {
		path += "-stream"
	}
	return wire.Encoded{Path: path, Header: http.Header{"Content-Type": {"application/json"}}, Body: raw}, nil
}

// takesStatus reports a model that takes a result's status.
func takesStatus(model string) bool {
	return strings.Contains(model, "claude") || strings.Contains(model, "nova")
}

func configOf(r *wire.Request, messages []json.RawMessage) (*toolConfig, error) {
	c := &toolConfig{Tools: r.Tools.Tools}
	switch r.Choice.Mode {
	case "":
	case "auto":
		c.Choice = json.RawMessage(`{"auto":{}}`)
	case "required":
		c.Choice = json.RawMessage(`{"any":{}}`)
	case "none":
		c.Tools = nil
	case "tool":
		if r.Choice.Tool == "" {
			return nil, fmt.Errorf("encoding request: tool choice names no tool")
		}
		c.Choice = append(append([]byte(`{"tool":{"name":`), rawjson.Quote(r.Choice.Tool)...), `}}`...)
	default:
		return nil, fmt.Errorf("encoding request: tool choice %q is none of auto, none, required, tool", r.Choice.Mode)
	}
	if len(c.Tools) > 0 {
		return c, nil
	}
	if !holdsCalls(messages) {
		return nil, nil
	}
	return &toolConfig{Tools: []json.RawMessage{noTool}}, nil
}

func holdsCalls(messages []json.RawMessage) bool {
	for _, m := range messages {
		for _, b := range rawjson.Elements(rawjson.Member(m, "content")) {
			if rawjson.Member(b, "toolUse") != nil || rawjson.Member(b, "toolResult") != nil {
				return true
			}
		}
	}
	return false
}
