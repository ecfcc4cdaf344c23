package openai

import (
	"fmt"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// Tools implements [wire.Codec].
func (Chat) Tools(c *holdfast.Catalog, o *wire.ToolOptions) (wire.ToolSet, error) {
	return tools(c, o, chatTool)
}

// Request implements [wire.Codec]: a POST to /v1/chat/completions.
func (Chat) Request(r *wire.Request) (wire.Encoded, error) {
	q, err := quirksOf(r.Quirks)
	if err != nil {
		return wire.Encoded{}, fmt.Errorf("encoding request: %w", err)
	}
	messages, err := chatHistory(r.Items, r.Tools.Names, q)
	if err != nil {
		return wire.Encoded{}, err
	}
	all := raws(messages)
	if r.System != "" {
		system := append([]byte(`{"role":"system","content":`), rawjson.Quote(r.System)...)
		all = append([][]byte{append(system, '}')}, all...)
	}
	var b body
	b.text("model", r.Model)
	b.list("messages", all)
	if err := b.toolsAndChoice(r, q, chatFunction); err != nil {
		return wire.Encoded{}, err
	}
	if r.MaxTokens > 0 {
		name := "max_completion_tokens"
		if q.oldMaxTokens {
			name = "max_tokens"
		}
		b.add(name, number(r.MaxTokens))
	}
	if r.Output != nil {
		b.add("response_format", chatFormat(r))
	}
	if r.Stream {
		b.add("stream", []byte("true"))
		if !q.noStreamOptions {
			b.add("stream_options", []byte(`{"include_usage":true}`))
		}
	}
	return b.encoded("/v1/chat/completions"), nil
}

func chatFunction(name string) []byte {
	return append(append([]byte(`{"type":"function","function":{"name":`), rawjson.Quote(name)...), "}}"...)
}

// chatFormat asks for the final answer by a schema.
func chatFormat(r *wire.Request) []byte {
	parameters, _ := rewrite(r.Output)
	b := append([]byte(`{"type":"json_schema","json_schema":{"name":"answer","schema":`), parameters...)
	return fmt.Appendf(b, `,"strict":%t}}`, isStrict(r.Output))
}
