package anthropic

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

const (
	defaultVersion   = "2023-06-01"
	defaultMaxTokens = 4096 // what every model can give
)

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
	header := http.Header{"Content-Type": {"application/json"}}
	path := "/v1/messages"
	if r.Quirks == "vertex" {
		b.Version = "vertex-2023-10-16"
		path = "/publishers/anthropic/models/" + url.PathEscape(r.Model) + ":rawPredict"
		if r.Stream {
			path = "/publishers/anthropic/models/" + url.PathEscape(r.Model) + ":streamRawPredict"
		}
	} else {
		version := m.Version
		if version == "" {
			version = defaultVersion
		}
		header.Set("Anthropic-Version", version)
		b.Model = r.Model
	}
	b.Stream = r.Stream
	return encoded(path, header, b)
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
	return encoded(path, http.Header{"Content-Type": {"application/json"}}, b)
}

func encoded(path string, header http.Header, b *body) (wire.Encoded, error) {
	raw, err := rawjson.Marshal(b)
	if err != nil {
		return wire.Encoded{}, fmt.Errorf("encoding request: %w", err)
	}
	return wire.Encoded{Path: path, Header: header, Body: raw}, nil
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
		if schema, ok := strictly(r.Output); ok {
			b.Output = &outputConfig{}
			b.Output.Format.Type, b.Output.Format.Schema = "json_schema", schema
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
			switch rawjson.String(rawjson.Member(b, "type")) {
			case "tool_use", "tool_result":
				return true
			}
		}
	}
	return false
}

func toolChoice(r *wire.Request) (*choice, error) {
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
		if r.Choice.Tool == "" {
			return nil, fmt.Errorf("encoding request: tool choice names no tool")
		}
		c.Type, c.Name = "tool", r.Choice.Tool
	default:
		return nil, fmt.Errorf("encoding request: tool choice %q is none of auto, none, required, tool", r.Choice.Mode)
	}
	return c, nil
}
