package openai

import (
	"encoding/base64"
	"encoding/json"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// History is the items as messages. What cannot be replayed as it came:
//
//	unreadable arguments            an object that holds their text
//	no arguments                    {}
//	lone surrogate                  U+FFFD
//	unknown or illegal name         the nearest legal name
//	missing, repeated, foreign id   an id of our own, in call and result
//	second call of one id           left out
//	cut call                        the call, with the rejection as its result
//	legacy function_call            an entry of tool_calls
//	filtered or refused reply       its text alone
//	broken reply                    left out
//	reply of another API            its text and calls
//	call without a result           a result that says so
//	image in a result               a user message after the results
func (Chat) History(items []wire.Item, table wire.Names) ([]json.RawMessage, error) {
	return chatHistory(items, table, quirks{})
}

func chatHistory(items []wire.Item, table wire.Names, q quirks) ([]json.RawMessage, error) {
	turns, err := wire.Pair(items, table, wire.HistoryRule{API: chatAPI, Names: names, ID: q.id})
	if err != nil {
		return nil, err
	}
	var out []json.RawMessage
	answered := false // the last message is a tool's
	for i := range turns {
		t := &turns[i]
		if t.Reply == nil {
			if answered && q.answerTools {
				out = append(out, json.RawMessage(`{"role":"assistant","content":"The results are there."}`))
			}
			out = append(out, userMessage(rawjson.Quote(t.User)))
			answered = false
			continue
		}
		out = append(out, assistantOf(t, q))
		for j := range t.Calls {
			out = append(out, toolMessage(&t.Calls[j]))
		}
		answered = len(t.Calls) > 0
		if images := imageMessage(t.Calls); images != nil {
			if q.answerTools {
				out = append(out, json.RawMessage(`{"role":"assistant","content":"The images follow."}`))
			}
			out = append(out, images)
			answered = false
		}
	}
	return out, nil
}

func userMessage(content []byte) json.RawMessage {
	return append(append([]byte(`{"role":"user","content":`), content...), '}')
}

// assistantOf is the reply as history holds it.
func assistantOf(t *wire.Turn, q quirks) json.RawMessage {
	message := []byte(t.Reply.Message)
	own := t.Reply.API == chatAPI && rawjson.Kind(message) == '{' && rawjson.Sendable(message)
	if !own {
		message = []byte(`{"role":"assistant","content":null}`)
		if t.Reply.Text != "" || len(t.Calls) == 0 {
			message = rawjson.Set(message, "content", rawjson.Quote(t.Reply.Text))
		}
	}
	if !t.Verbatim || anyBlank(t.Calls) {
		message = rawjson.Drop(rawjson.Drop(message, "function_call"), "tool_calls")
		if len(t.Calls) > 0 {
			message = rawjson.Set(message, "tool_calls", toolCalls(t, own))
		}
	}
	if q.noReasoning {
		for _, name := range []string{"reasoning_content", "reasoning", "reasoning_details"} {
			message = rawjson.Drop(message, name)
		}
	}
	if q.echoReasoning && len(t.Calls) > 0 && rawjson.Member(message, "reasoning_content") == nil {
		message = rawjson.Set(message, "reasoning_content", rawjson.Quote(t.Reply.Reasoning))
	}
	return message
}

// anyBlank reports a call whose argument text is empty: servers parse it, and
// nothing is no JSON.
func anyBlank(calls []wire.PairedCall) bool {
	for i := range calls {
		if calls[i].Kind != holdfast.CustomCall && string(calls[i].Object) != calls[i].Arguments {
			return true
		}
	}
	return false
}

// toolCalls writes the calls. An entry of the message's own keeps what else it
// holds (a thought signature, for one).
func toolCalls(t *wire.Turn, own bool) []byte {
	var entries [][]byte
	if own {
		for _, e := range rawjson.Elements(rawjson.Member(t.Reply.Message, "tool_calls")) {
			if !phantom(e) {
				entries = append(entries, e)
			}
		}
	}
	out := []byte{'['}
	for i := range t.Calls {
		if i > 0 {
			out = append(out, ',')
		}
		c := &t.Calls[i]
		entry := []byte(`{}`)
		if len(entries) == len(t.Reply.Calls) {
			entry = entries[c.Position]
		}
		out = append(out, toolCall(entry, c)...)
	}
	return append(out, ']')
}

// phantom reports an entry that says nothing: no id, no name, no arguments.
func phantom(entry []byte) bool {
	f := rawjson.Member(entry, "function")
	return rawjson.Member(entry, "custom") == nil && rawjson.MemberString(entry, "id") == "" &&
		rawjson.MemberString(f, "name") == "" && rawjson.MemberString(f, "arguments") == ""
}

func toolCall(entry []byte, c *wire.PairedCall) []byte {
	kind, member, text := "function", "arguments", string(c.Object)
	if c.Kind == holdfast.CustomCall {
		kind, member, text = "custom", "input", c.Arguments
	}
	function := append([]byte(`{"name":`), rawjson.Quote(c.SentName)...)
	function = append(append(append(function, `,"`...), member...), `":`...)
	function = append(append(function, rawjson.Quote(text)...), '}')
	entry = rawjson.Set(entry, "id", rawjson.Quote(c.SentID))
	entry = rawjson.Set(entry, "type", rawjson.Quote(kind))
	return rawjson.Set(entry, kind, function)
}

// toolMessage is a call's result. There is no error flag: the content says it.
func toolMessage(c *wire.PairedCall) json.RawMessage {
	b := append([]byte(`{"role":"tool","tool_call_id":`), rawjson.Quote(c.SentID)...)
	b = append(append(b, `,"content":`...), rawjson.Quote(c.Result.Content())...)
	return append(b, '}')
}

// imageMessage shows the images of the results, which a tool message cannot hold.
func imageMessage(calls []wire.PairedCall) json.RawMessage {
	var content []byte
	for i := range calls {
		for _, im := range calls[i].Result.Images {
			if content == nil {
				content = []byte{'['}
			} else {
				content = append(content, ',')
			}
			content = append(append(content, `{"type":"text","text":`...), rawjson.Quote("Image of the result of call "+calls[i].SentID+":")...)
			content = append(append(content, `},{"type":"image_url","image_url":{"url":`...), rawjson.Quote(dataURL(im))...)
			content = append(content, "}}"...)
		}
	}
	if content == nil {
		return nil
	}
	return userMessage(append(content, ']'))
}

func dataURL(im holdfast.Image) string {
	return "data:" + im.MediaType + ";base64," + base64.StdEncoding.EncodeToString(im.Data)
}
