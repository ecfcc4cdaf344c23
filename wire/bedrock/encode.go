package bedrock

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/encode"
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
	set, err := encode.Tools(c, names, func(t *holdfast.Tool, name string) ([]byte, []schema.Omission, error) {
		var w toolSpec
		w.Spec.Name, w.Spec.Description = name, t.Description()
		input, omitted := rewrite(t.Input())
		w.Spec.Input.JSON = input
		raw, err := rawjson.Marshal(w)
		return raw, omitted, err
	})
	if err != nil {
		return wire.ToolSet{}, err
	}
	if o != nil && o.Quirks == "claude" {
		set.Tools = append(set.Tools, cachePoint)
	}
	return set, nil
}

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
	path := "/model/" + url.PathEscape(r.Model) + "/converse"
	if r.Stream {
		path += "-stream"
	}
	return encode.Post(path, b)
}

// takesStatus reports a model that takes a result's status.
func takesStatus(model string) bool {
	return strings.Contains(model, "claude") || strings.Contains(model, "nova")
}

func configOf(r *wire.Request, messages []json.RawMessage) (*toolConfig, error) {
	if err := encode.CheckChoice(r.Choice); err != nil {
		return nil, err
	}
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
		c.Choice = append(append([]byte(`{"tool":{"name":`), rawjson.Quote(r.Choice.Tool)...), `}}`...)
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
