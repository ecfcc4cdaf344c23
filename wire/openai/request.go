package openai

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

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

func (b *body) list(name string, values [][]byte) {
	out := []byte{'['}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	b.add(name, append(out, ']'))
}

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
		if r.Choice.Tool == "" {
			return fmt.Errorf("encoding request: tool choice names no tool")
		}
		b.add("tool_choice", function(r.Choice.Tool))
	default:
		return fmt.Errorf("encoding request: tool choice %q is none of auto, none, required, tool", r.Choice.Mode)
	}
	if r.Serial && !q.noSerial {
		b.add("parallel_tool_calls", []byte("false"))
	}
	return nil
}

func number(n int) []byte { return strconv.AppendInt(nil, int64(n), 10) }
