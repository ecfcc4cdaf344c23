//go:build llamacpp

package llamacpp

import (
	"encoding/json"
	"fmt"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/grammar"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/local"
	"github.com/holdfast-go/holdfast/wire/openai"
)

// codec is Chat Completions with calls in the text. Nothing of a schema is left out
// for the model: the grammar holds all of it.
type codec struct{ local.Codec }

func newCodec() (codec, error) {
	format, ok := local.Lookup(formatName)
	if !ok {
		return codec{}, fmt.Errorf("the call format %s is not known", formatName)
	}
	return codec{local.Codec{Inner: openai.Chat{}, Format: format}}, nil
}

// formatName is the call format of the models that speak ChatML.
const formatName = "hermes"

// callFormat is a format of package local for the grammar, each part as the model
// was trained on it.
func callFormat(f *local.Format) grammar.CallFormat {
	first := func(texts []string) string {
		if len(texts) == 0 {
			return ""
		}
		return texts[0]
	}
	trigger := first(f.Triggers)
	c := grammar.CallFormat{
		Trigger: trigger, Open: first(f.Open), Close: first(f.Close), NameMember: f.NameMember, ArgumentsMember: first(f.Arguments),
		NamePrefix: f.NamePrefix, NameEnd: first(f.NameEnd), Between: "\n" + trigger,
	}
	if c.Open == "" && len(f.NameEnd) == 0 {
		c.Open = "\n"
	}
	return c
}

// tool is one as the model reads it.
type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Tools implements [wire.Codec].
func (c codec) Tools(catalog *holdfast.Catalog, _ *wire.ToolOptions) (wire.ToolSet, error) {
	set := wire.ToolSet{Names: wire.Names{}}
	for _, t := range catalog.Tools() {
		text, err := json.Marshal(tool{"function", function{t.Name(), t.Description(), t.Input().Source()}})
		if err != nil {
			return set, fmt.Errorf("encoding tool %s: %w", t.Name(), err)
		}
		set.Tools = append(set.Tools, text)
		set.Names[t.Name()] = catalog.Qualify(t)
	}
	return set, nil
}

// grammarOf is what a reply to the request may be; nil: any text.
func grammarOf(r *wire.Request, f grammar.CallFormat) (*grammar.Grammar, error) {
	var tools []grammar.CallTool
	for _, text := range r.Tools.Tools {
		var t tool
		if err := json.Unmarshal(text, &t); err != nil {
			return nil, fmt.Errorf("reading a tool: %w", err)
		}
		if r.Choice.Mode == "tool" && r.Choice.Tool != t.Function.Name {
			continue
		}
		s, err := schema.Compile(t.Function.Parameters, nil)
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", t.Function.Name, err)
		}
		tools = append(tools, grammar.CallTool{Name: t.Function.Name, Arguments: s})
	}
	if len(tools) == 0 || r.Choice.Mode == "none" {
		if r.Output == nil {
			return nil, nil
		}
		return grammar.Compile(r.Output, nil)
	}
	return grammar.CompileCalls(tools, f, &grammar.CallOptions{
		Required: r.Choice.Mode == "required" || r.Choice.Mode == "tool", Single: r.Serial, Answer: r.Output,
	})
}
