package ollama

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/decode"
)

// names: Ollama takes any, the models behind it were trained on such.
var names = wire.NameRule{Bytes: 64, First: "0123456789-", Rest: "-"}

// Chat is the codec of /api/chat.
type Chat struct{}

// API implements [wire.Codec].
func (Chat) API() string { return api }

// NewDecoder implements [wire.Codec].
func (Chat) NewDecoder() wire.Decoder { return decode.New(&assembler{}) }

// Tools implements [wire.Codec]. Schemas go as they are; there is no strict mode.
func (Chat) Tools(c *holdfast.Catalog, _ *wire.ToolOptions) (wire.ToolSet, error) {
	table, sent, err := names.Encode(c)
	if err != nil {
		return wire.ToolSet{}, fmt.Errorf("encoding tools: %w", err)
	}
	set := wire.ToolSet{Names: table}
	for i, t := range c.Tools() {
		b := append([]byte(`{"type":"function","function":{"name":`), rawjson.Quote(sent[i])...)
		b = append(append(b, `,"description":`...), rawjson.Quote(t.Description())...)
		b = append(append(b, `,"parameters":`...), source(t.Input())...)
		set.Tools = append(set.Tools, append(b, "}}"...))
	}
	return set, nil
}

// source is the schema as it was given, for Ollama's templates with a type.
func source(s *schema.Schema) []byte {
	src := []byte(s.Source())
	if rawjson.Kind(src) != '{' {
		return []byte(`{"type":"object","properties":{}}`)
	}
	if rawjson.Member(src, "type") == nil {
		src = rawjson.Set(src, "type", []byte(`"object"`))
	}
	if rawjson.Member(src, "properties") == nil {
		src = rawjson.Set(src, "properties", []byte(`{}`))
	}
	return src
}

// History is the items as messages. What cannot be replayed as it came:
//
//	unreadable arguments            an object that holds their text
//	no arguments                    {}
//	lone surrogate                  U+FFFD
//	unknown or illegal name         the nearest legal name
//	repeated or foreign id          an id of our own, in call and result
//	missing id                      none: results are told by name and order
//	second call of one id           left out
//	cut call                        the call, with the rejection as its result
//	filtered reply                  its text alone
//	broken reply                    left out
//	reply of another API            its text and calls
//	call without a result           a result that says so
func (Chat) History(items []wire.Item, table wire.Names) ([]json.RawMessage, error) {
	turns, err := wire.Pair(items, table, wire.HistoryRule{API: api, Names: names})
	if err != nil {
		return nil, err
	}
	var out []json.RawMessage
	for i := range turns {
		t := &turns[i]
		if t.Reply == nil {
			out = append(out, append(append([]byte(`{"role":"user","content":`), rawjson.Quote(t.User)...), '}'))
			continue
		}
		out = append(out, assistant(t))
		for j := range t.Calls {
			out = append(out, result(t, &t.Calls[j]))
		}
	}
	return out, nil
}

// own reports that the reply's message is of this format.
func own(t *wire.Turn) bool {
	return t.Reply.API == api && rawjson.Kind(t.Reply.Message) == '{' && rawjson.Sendable(t.Reply.Message)
}

func assistant(t *wire.Turn) json.RawMessage {
	if t.Verbatim && !anyBlank(t.Calls) {
		return t.Reply.Message
	}
	message := append(append([]byte(`{"role":"assistant","content":`), rawjson.Quote(t.Reply.Text)...), '}')
	if own(t) {
		message = rawjson.Drop(t.Reply.Message, "tool_calls")
	}
	if len(t.Calls) == 0 {
		return message
	}
	calls := []byte{'['}
	for i := range t.Calls {
		c := &t.Calls[i]
		if i > 0 {
			calls = append(calls, ',')
		}
		calls = append(calls, '{')
		if hasID(t, c) {
			calls = append(append(append(calls, `"id":`...), rawjson.Quote(c.SentID)...), ',')
		}
		calls = append(append(calls, `"function":{"name":`...), rawjson.Quote(c.SentName)...)
		calls = append(append(append(calls, `,"arguments":`...), object(c)...), "}}"...)
	}
	return rawjson.Set(message, "tool_calls", append(calls, ']'))
}

// anyBlank reports a call whose arguments are no object in the message.
func anyBlank(calls []wire.PairedCall) bool {
	for i := range calls {
		if string(calls[i].Object) != calls[i].Arguments {
			return true
		}
	}
	return false
}

// hasID: a call that came from Ollama without an id goes back without.
func hasID(t *wire.Turn, c *wire.PairedCall) bool { return c.ID != "" || t.Reply.API != api }

// object is a call's arguments; another format's custom call has text.
func object(c *wire.PairedCall) []byte {
	if c.Object != nil {
		return c.Object
	}
	return append(append([]byte(`{"input":`), rawjson.Quote(c.Arguments)...), '}')
}

// result is a call's result. There is no error flag: the content says it.
func result(t *wire.Turn, c *wire.PairedCall) json.RawMessage {
	b := append([]byte(`{"role":"tool","tool_name":`), rawjson.Quote(c.SentName)...)
	if hasID(t, c) {
		b = append(append(b, `,"tool_call_id":`...), rawjson.Quote(c.SentID)...)
	}
	b = append(append(b, `,"content":`...), rawjson.Quote(c.Result.Content())...)
	for i, im := range c.Result.Images {
		if i == 0 {
			b = append(b, `,"images":[`...)
		} else {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = base64.StdEncoding.AppendEncode(b, im.Data)
		b = append(b, '"')
	}
	if len(c.Result.Images) > 0 {
		b = append(b, ']')
	}
	return append(b, '}')
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
