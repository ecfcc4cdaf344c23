package google

import (
	"encoding/json"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/encode"
)

// apiRevision is the revision whose steps and events this codec knows.
const apiRevision = "2026-05-20"

// interactionsTool is one function as sent, in this order.
type interactionsTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Tools is the catalog as the Interactions API takes it.
func (Interactions) Tools(c *holdfast.Catalog, _ *wire.ToolOptions) (wire.ToolSet, error) {
	return tools(c, interactionsNames, func(name, description string, parameters json.RawMessage) any {
		return interactionsTool{"function", name, description, parameters}
	})
}

// interactionsBody is a request's JSON, in this order.
type interactionsBody struct {
	Model      string              `json:"model"`
	System     string              `json:"system_instruction,omitempty"`
	Tools      []json.RawMessage   `json:"tools,omitempty"`
	Input      []json.RawMessage   `json:"input"`
	Generation *interactionsConfig `json:"generation_config,omitempty"`
	Format     *responseFormat     `json:"response_format,omitempty"`
	Store      bool                `json:"store"`
	Stream     bool                `json:"stream,omitempty"`
}

type interactionsConfig struct {
	MaxTokens int             `json:"max_output_tokens,omitempty"`
	Choice    json.RawMessage `json:"tool_choice,omitempty"`
}

type responseFormat struct {
	Type     string          `json:"type"`
	MIMEType string          `json:"mime_type"`
	Schema   json.RawMessage `json:"schema"`
}

// Request is a POST to /v1beta/interactions. The whole history goes with it, so
// nothing is stored there.
func (Interactions) Request(r *wire.Request) (wire.Encoded, error) {
	input, err := interactionsHistory(r.Items, r.Tools.Names)
	if err != nil {
		return wire.Encoded{}, err
	}
	b := interactionsBody{Model: r.Model, System: r.System, Tools: r.Tools.Tools, Input: input, Stream: r.Stream}
	choice, err := interactionsChoice(r)
	if err != nil {
		return wire.Encoded{}, err
	}
	if r.MaxTokens > 0 || choice != nil {
		b.Generation = &interactionsConfig{MaxTokens: r.MaxTokens, Choice: choice}
	}
	if r.Output != nil {
		schema, _ := rewrite(r.Output)
		b.Format = &responseFormat{Type: "text", MIMEType: "application/json", Schema: schema}
	}
	e, err := encode.Post("/v1beta/interactions", b)
	if err == nil {
		e.Header.Set("Api-Revision", apiRevision)
	}
	return e, err
}

func interactionsChoice(r *wire.Request) (json.RawMessage, error) {
	mode, err := choiceMode(r.Choice)
	if err != nil || mode == "" || len(r.Tools.Tools) == 0 {
		return nil, err
	}
	if r.Choice.Mode != "tool" {
		return rawjson.Quote(mode), nil
	}
	out := []byte(`{"allowed_tools":{"mode":"any","tools":[`)
	return append(append(out, rawjson.Quote(r.Choice.Tool)...), `]}}`...), nil
}
