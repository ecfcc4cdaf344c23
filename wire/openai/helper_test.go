package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/openai"
)

// chunks is a Chat stream of deltas, ended by finish and [DONE].
func chunks(finish string, deltas ...string) string {
	var b strings.Builder
	for _, d := range deltas {
		fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", d)
	}
	fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%s}]}\n\ndata: [DONE]\n\n", finish)
	return b.String()
}

// call is a delta with one entry of tool_calls.
func call(entry string) string { return `{"tool_calls":[` + entry + `]}` }

func chat(body string) *wire.Reply      { return whole(openai.Chat{}, body) }
func responses(body string) *wire.Reply { return whole(openai.Responses{}, body) }

// told of a reply: id name arguments, ! where the call is not to run.
func calls(r *wire.Reply) string {
	var out []string
	for _, c := range r.Calls {
		s := c.ID + " " + c.Name + " " + c.Arguments
		if !c.Complete || !r.Complete || c.ProviderExecuted {
			s += " !"
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func wantCalls(t *testing.T, r *wire.Reply, want string) {
	t.Helper()
	if got := calls(r); got != want {
		t.Errorf("calls = %q, want %q (stop %q, error %v)", got, want, r.Stop, r.Err)
	}
}

// parsed is the member of a call in ParseJSON.
func parsed(t *testing.T, r *wire.Reply, i int, member string) string {
	t.Helper()
	var v struct{ Calls []map[string]json.RawMessage }
	if err := json.Unmarshal(wire.ParseJSON(r), &v); err != nil {
		t.Fatal(err)
	}
	return string(v.Calls[i][member])
}

// next is the history of a reply whose calls were answered, as one text.
func next(t *testing.T, c wire.Codec, r *wire.Reply) string {
	t.Helper()
	var results []holdfast.Observation
	for i, call := range r.Calls {
		results = append(results, holdfast.Observation{CallID: call.ID, Position: i, Text: fmt.Sprintf("result %d", i)})
	}
	items := []wire.Item{{User: "Go."}, {Reply: r}}
	if results != nil {
		items = append(items, wire.Item{Results: results})
	}
	return history(t, c, items...)
}

func history(t *testing.T, c wire.Codec, items ...wire.Item) string {
	t.Helper()
	messages, err := c.History(items, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, m := range messages {
		b.Write(m)
		b.WriteByte('\n')
	}
	return b.String()
}

func wantIn(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		n := strings.Index(text, p)
		if n < 0 {
			t.Errorf("%s\nlacks, in this order, %s", text, p)
			return
		}
		text = text[n+len(p):]
	}
}

func wantNotIn(t *testing.T, text, part string) {
	t.Helper()
	if strings.Contains(text, part) {
		t.Errorf("%s\nholds %s", text, part)
	}
}

func tool(t *testing.T, name, input string) *holdfast.Tool {
	t.Helper()
	s, err := schema.Compile([]byte(input), nil)
	if err != nil {
		t.Fatal(err)
	}
	handler := func(context.Context, schema.Value) (holdfast.Result, error) { return holdfast.Result{}, nil }
	tool, err := holdfast.NewTool(name, "Does a thing.", s, holdfast.Read, time.Second, handler, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func catalog(t *testing.T, tools ...*holdfast.Tool) *holdfast.Catalog {
	t.Helper()
	c, err := holdfast.NewCatalog("shop", tools...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func toolSet(t *testing.T, c wire.Codec, o *wire.ToolOptions, tools ...*holdfast.Tool) wire.ToolSet {
	t.Helper()
	set, err := c.Tools(catalog(t, tools...), o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}
