package anthropic

import (
	"cmp"
	"encoding/json"
	"net/url"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/encode"
)

const (
	defaultVersion   = "2023-06-01"
	defaultMaxTokens = 4096 // what every model can give
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
	var budget strictBudget
	rest := len(c.Tools())
	return encode.Tools(c, names, func(t *holdfast.Tool, name string) ([]byte, []schema.Omission, error) {
		input, omitted := rewrite(t.Input())
		w := tool{Name: name, Description: t.Description(), InputSchema: input}
		if o != nil && o.Strict {
			if strict, ok := strictly(t.Input()); ok && budget.take(strict) {
				w.InputSchema, w.Strict = strict, true
			}
		}
		if rest--; rest == 0 {
			w.Cache = &cacheControl{Type: "ephemeral"}
		}
		raw, err := rawjson.Marshal(w)
		return raw, omitted, err
	})
}

// body is a request's JSON, in this order.
type body struct {
	Version   string            `json:"anthropic_version,omitempty"`
	Model     string            `json:"model,omitempty"`
	MaxTokens int               `json:"max_tokens"`
	System    string            `json:"system,omitempty"`
	Tools     []json.RawMessage `json:"tools,omitempty"`
	Choice    *choice           `json:"tool_choice,omitempty"`
	Messages  []json.RawMessage `json:"messages"`
	Output    *outputConfig     `json:"output_config,omitempty"`
	Stream    bool              `json:"stream,omitempty"`
}

type choice struct {
	Type   string `json:"type"`
	Name   string `json:"name,omitempty"`
	Serial bool   `json:"disable_parallel_tool_use,omitempty"`
}

type outputConfig struct {
	Format struct {
		Type   string          `json:"type"`
		Schema json.RawMessage `json:"schema"`
	} `json:"format"`
}

// Request is a POST to /v1/messages; with Quirks "vertex", to the model's own
// address on Vertex AI, which wants the version in the body.
func (m Messages) Request(r *wire.Request) (wire.Encoded, error) {
	b, err := newBody(apiMessages, r)
	if err != nil {
		return wire.Encoded{}, err
	}
	b.Stream = r.Stream
	if r.Quirks == "vertex" {
		b.Version = "vertex-2023-10-16"
		verb := ":rawPredict"
		if r.Stream {
			verb = ":streamRawPredict"
		}
		return encode.Post("/publishers/anthropic/models/"+url.PathEscape(r.Model)+verb, b)
	}
	b.Model = r.Model
	e, err := encode.Post("/v1/messages", b)
	if err == nil {
		e.Header.Set("Anthropic-Version", cmp.Or(m.Version, defaultVersion))
	}
	return e, err
}

// Request is a POST to the model's invoke address.
func (Invoke) Request(r *wire.Request) (wire.Encoded, error) {
	b, err := newBody(apiInvoke, r)
	if err != nil {
		return wire.Encoded{}, err
	}
	b.Version = "bedrock-2023-05-31"
	path := "/model/" + url.PathEscape(r.Model) + "/invoke"
	if r.Stream {
		path += "-with-response-stream"
	}
	return encode.Post(path, b)
}

func newBody(api string, r *wire.Request) (*body, error) {
	messages, err := history(api, r.Items, r.Tools.Names)
	if err != nil {
		return nil, err
	}
	b := &body{MaxTokens: r.MaxTokens, System: r.System, Tools: r.Tools.Tools, Messages: messages}
	if b.MaxTokens == 0 {
		b.MaxTokens = defaultMaxTokens
	}
	if len(b.Tools) == 0 {
		if holdsCalls(messages) {
			b.Tools, b.Choice = []json.RawMessage{noTool}, &choice{Type: "none"}
		}
	} else if b.Choice, err = toolChoice(r); err != nil {
		return nil, err
	}
	if r.Output != nil {
		if output, ok := strictly(r.Output); ok {
			b.Output = &outputConfig{}
			b.Output.Format.Type, b.Output.Format.Schema = "json_schema", output
		}
	}
	return b, nil
}

// noTool stands for the tools of a request that offers none but whose history
// holds calls: without any tool such a history is refused.
var noTool = json.RawMessage(`{"name":"unavailable","description":"No tool is available now.","input_schema":{"type":"object","properties":{}}}`)

func holdsCalls(messages []json.RawMessage) bool {
	for _, m := range messages {
		for _, b := range rawjson.Elements(rawjson.Member(m, "content")) {
			switch rawjson.MemberString(b, "type") {
			case "tool_use", "tool_result":
				return true
			}
		}
	}
	return false
}

func toolChoice(r *wire.Request) (*choice, error) {
	if err := encode.CheckChoice(r.Choice); err != nil {
		return nil, err
	}
	c := &choice{Serial: r.Serial}
	switch r.Choice.Mode {
	case "":
		if !r.Serial {
			return nil, nil
		}
		c.Type = "auto"
	case "auto":
		c.Type = "auto"
	case "none":
		return &choice{Type: "none"}, nil
	case "required":
		c.Type = "any"
	case "tool":
		c.Type, c.Name = "tool", r.Choice.Tool
	}
	return c, nil
}
