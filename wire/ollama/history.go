package ollama

import (
	"encoding/json"

	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/encode"
)

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
		calls = append(append(append(calls, `,"arguments":`...), encode.Input(c)...), "}}"...)
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
		b = append(b, encode.Base64(im)...)
	}
	if len(c.Result.Images) > 0 {
		b = append(b, ']')
	}
	return append(b, '}')
}
