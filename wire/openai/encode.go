package openai

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

// names are what both formats take, and with them every compatible server.
var names = wire.NameRule{Bytes: 64, First: "0123456789-", Rest: "-"}

// maxTools is how many tools OpenAI and Groq take in one request.
const maxTools = 128

// tools encodes the catalog, each tool by one.
func tools(c *holdfast.Catalog, o *wire.ToolOptions, one func(name, description string, parameters []byte, strict bool) []byte) (wire.ToolSet, error) {
	if o == nil {
		o = &wire.ToolOptions{}
	}
	if _, err := quirksOf(o.Quirks); err != nil {
		return wire.ToolSet{}, fmt.Errorf("encoding tools: %w", err)
	}
	if n := len(c.Tools()); n > maxTools {
		return wire.ToolSet{}, fmt.Errorf("encoding tools: the catalog has %d tools, a request takes %d", n, maxTools)
	}
	return encode.Tools(c, names, func(t *holdfast.Tool, name string) ([]byte, []schema.Omission, error) {
		parameters, omitted := rewrite(t.Input())
		strict := o.Strict && isStrict(t.Input())
		return one(name, t.Description(), parameters, strict), omitted, nil
	})
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

// body is a request's JSON as it is written, member by member: one order, so that
// the provider finds the same prefix in its cache.
type body struct {
	b []byte
}

func (b *body) add(name string, value []byte) {
	if len(b.b) == 0 {
		b.b = append(b.b, '{')
	} else {
		b.b = append(b.b, ',')
	}
	b.b = append(append(append(b.b, '"'), name...), `":`...)
	b.b = append(b.b, value...)
}

func (b *body) text(name, value string) { b.add(name, rawjson.Quote(value)) }

func (b *body) list(name string, values [][]byte) { b.add(name, rawjson.List(values)) }

func (b *body) encoded(path string) wire.Encoded {
	return wire.Encoded{Path: path, Header: http.Header{"Content-Type": {"application/json"}}, Body: append(b.b, '}')}
}

// raws are the same bytes under the other name.
func raws[T ~[]byte](list []T) [][]byte {
	out := make([][]byte, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}

// toolsAndChoice adds the tools and how they may be called; function is the
// format's way to name one.
func (b *body) toolsAndChoice(r *wire.Request, q quirks, function func(name string) []byte) error {
	if len(r.Tools.Tools) == 0 {
		return nil
	}
	if err := encode.CheckChoice(r.Choice); err != nil {
		return err
	}
	b.list("tools", raws(r.Tools.Tools))
	switch r.Choice.Mode {
	case "":
	case "auto", "none":
		b.text("tool_choice", r.Choice.Mode)
	case "required":
		word := "required"
		if q.required != "" {
			word = q.required
		}
		b.text("tool_choice", word)
	case "tool":
		b.add("tool_choice", function(r.Choice.Tool))
	}
	if r.Serial && !q.noSerial {
		b.add("parallel_tool_calls", []byte("false"))
	}
	return nil
}

func number(n int) []byte { return strconv.AppendInt(nil, int64(n), 10) }
