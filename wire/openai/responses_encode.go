package openai

import (
	"fmt"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// Tools implements [wire.Codec].
func (Responses) Tools(c *holdfast.Catalog, o *wire.ToolOptions) (wire.ToolSet, error) {
	return tools(c, o, responsesTool)
}

// Request implements [wire.Codec]: a POST to /v1/responses.
func (Responses) Request(r *wire.Request) (wire.Encoded, error) {
	q, err := quirksOf(r.Quirks)
	if err != nil {
		return wire.Encoded{}, fmt.Errorf("encoding request: %w", err)
	}
	input, err := responsesHistory(r.Items, r.Tools.Names, q)
	if err != nil {
		return wire.Encoded{}, err
	}
	var b body
	b.text("model", r.Model)
	if r.System != "" {
		b.text("instructions", r.System)
	}
	b.list("input", raws(input))
	if err := b.toolsAndChoice(r, q, responsesFunction); err != nil {
		return wire.Encoded{}, err
	}
	if r.MaxTokens > 0 {
		b.add("max_output_tokens", number(r.MaxTokens))
	}
	if r.Output != nil {
		b.add("text", responsesFormat(r))
	}
	b.add("store", []byte("false"))
	if encryptsReasoning(r) {
		b.add("include", []byte(`["reasoning.encrypted_content"]`))
	}
	if r.Stream {
		b.add("stream", []byte("true"))
	}
	return b.encoded("/v1/responses"), nil
}

// encryptsReasoning reports that the model can hand out its reasoning encrypted;
// one that does not reason refuses to be asked.
func encryptsReasoning(r *wire.Request) bool {
	switch r.Quirks {
	case "", "azure", "xai", "openrouter":
	default:
		return false
	}
	for _, silent := range []string{"gpt-3", "gpt-4", "chatgpt-"} {
		if strings.HasPrefix(r.Model, silent) {
			return false
		}
	}
	return true
}

func responsesFunction(name string) []byte {
	return append(append([]byte(`{"type":"function","name":`), rawjson.Quote(name)...), '}')
}

// responsesFormat asks for the final answer by a schema.
func responsesFormat(r *wire.Request) []byte {
	parameters, _ := rewrite(r.Output)
	b := append([]byte(`{"format":{"type":"json_schema","name":"answer","schema":`), parameters...)
	return fmt.Appendf(b, `,"strict":%t}}`, isStrict(r.Output))
}
