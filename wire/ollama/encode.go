package ollama

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/encode"
)

// names: Ollama takes any, the models behind it were trained on such.
var names = wire.NameRule{Bytes: 64, First: "0123456789-", Rest: "-"}

// Tools implements [wire.Codec]. Schemas go as they are; there is no strict mode.
func (Chat) Tools(c *holdfast.Catalog, _ *wire.ToolOptions) (wire.ToolSet, error) {
	return encode.Tools(c, names, func(t *holdfast.Tool, name string) ([]byte, []schema.Omission, error) {
		b := append([]byte(`{"type":"function","function":{"name":`), rawjson.Quote(name)...)
		b = append(append(b, `,"description":`...), rawjson.Quote(t.Description())...)
		b = append(append(b, `,"parameters":`...), source(t.Input())...)
		return append(b, "}}"...), nil, nil
	})
}

// Request implements [wire.Codec]: a POST to /api/chat.
func (ch Chat) Request(r *wire.Request) (wire.Encoded, error) {
	tools := r.Tools.Tools
	switch r.Choice.Mode {
	case "", "auto":
	case "none":
		tools = nil
	default:
		return wire.Encoded{}, fmt.Errorf("encoding request: Ollama cannot force a call; tool choice is %q", r.Choice.Mode)
	}
	messages, err := ch.History(r.Items, r.Tools.Names)
	if err != nil {
		return wire.Encoded{}, err
	}
	b := append([]byte(`{"model":`), rawjson.Quote(r.Model)...)
	b = append(b, `,"messages":[`...)
	if r.System != "" {
		b = append(append(append(b, `{"role":"system","content":`...), rawjson.Quote(r.System)...), '}')
	}
	for i, m := range messages {
		if i > 0 || r.System != "" {
			b = append(b, ',')
		}
		b = append(b, m...)
	}
	b = append(b, ']')
	for i, t := range tools {
		if i == 0 {
			b = append(b, `,"tools":[`...)
		} else {
			b = append(b, ',')
		}
		b = append(b, t...)
	}
	if len(tools) > 0 {
		b = append(b, ']')
	}
	b = fmt.Appendf(b, `,"stream":%t`, r.Stream) // it streams unless it is told not to
	if r.MaxTokens > 0 {
		b = append(append(append(b, `,"options":{"num_predict":`...), strconv.Itoa(r.MaxTokens)...), '}')
	}
	if r.Output != nil {
		b = append(append(b, `,"format":`...), source(r.Output)...)
	}
	return wire.Encoded{Path: "/api/chat", Header: http.Header{"Content-Type": {"application/json"}}, Body: append(b, '}')}, nil
}
