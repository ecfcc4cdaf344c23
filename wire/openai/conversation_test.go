package openai_test

import (
	"encoding/json"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/openai"
	"github.com/holdfast-go/holdfast/wire/wiretest"
)

// whole decodes a reply's body.
func whole(c wire.Codec, body string) *wire.Reply {
	return wiretest.Decode(c, []byte(body))
}

// told is the observation of the open call with that id.
func told(r *wire.Reply, id string, content []byte) holdfast.Observation {
	for i, c := range r.Calls {
		if c.ID == id {
			return holdfast.Observation{CallID: id, Name: c.Name, Position: i, Text: parts(content)}
		}
	}
	return holdfast.Observation{CallID: id, Position: -1}
}

// parts is a text, or its parts' texts.
func parts(content []byte) string {
	if rawjson.Kind(content) != '[' {
		return text(content)
	}
	var b strings.Builder
	for _, p := range rawjson.Elements(content) {
		b.WriteString(rawjson.MemberString(p, "text"))
	}
	return b.String()
}

// chatConversation reads a recorded Chat request.
func chatConversation(request []byte) (items []wire.Item, messages []json.RawMessage) {
	var last *wire.Reply
	for _, m := range rawjson.Elements(rawjson.Member(request, "messages")) {
		content := rawjson.Member(m, "content")
		switch rawjson.MemberString(m, "role") {
		case "user":
			items = append(items, wire.Item{User: parts(content)})
		case "assistant":
			last = whole(openai.Chat{}, `{"choices":[{"message":`+string(m)+`,"finish_reason":"stop"}]}`)
			items = append(items, wire.Item{Reply: last})
		case "tool":
			obs := told(last, rawjson.MemberString(m, "tool_call_id"), content)
			if n := len(items) - 1; items[n].Results != nil {
				items[n].Results = append(items[n].Results, obs)
			} else {
				items = append(items, wire.Item{Results: []holdfast.Observation{obs}})
			}
		default:
			continue
		}
		messages = append(messages, json.RawMessage(m))
	}
	return items, messages
}

// chatImmaterial: whether no text is null, absent or empty; a text as its one
// part; what clients leave out of a reply, or mark for a cache.
func chatImmaterial(m map[string]any) {
	for _, name := range []string{"refusal", "annotations", "reasoning", "reasoning_content", "reasoning_details", "cache_control", "name"} {
		delete(m, name)
	}
	if m["content"] == nil || m["content"] == "" {
		delete(m, "content")
	}
	if list, ok := m["content"].([]any); ok {
		var all strings.Builder
		for _, p := range list {
			s, _ := p.(map[string]any)["text"].(string)
			all.WriteString(s)
		}
		m["content"] = all.String()
	}
	calls, _ := m["tool_calls"].([]any)
	for _, c := range calls {
		delete(c.(map[string]any), "index")
		delete(c.(map[string]any), "cache_control")
		c.(map[string]any)["type"] = "function"
	}
}

// responsesConversation reads a recorded Responses request.
func responsesConversation(request []byte) (items []wire.Item, messages []json.RawMessage) {
	input := rawjson.Member(request, "input")
	if rawjson.Kind(input) != '[' {
		return nil, nil
	}
	var output []string
	var last *wire.Reply
	flush := func() {
		if output != nil {
			last = whole(openai.Responses{}, `{"object":"response","status":"completed","output":[`+strings.Join(output, ",")+`]}`)
			items = append(items, wire.Item{Reply: last})
			output = nil
		}
	}
	for _, m := range rawjson.Elements(input) {
		typ, role := rawjson.MemberString(m, "type"), rawjson.MemberString(m, "role")
		switch {
		case role == "system" || role == "developer":
			continue
		case role == "user":
			flush()
			items = append(items, wire.Item{User: parts(rawjson.Member(m, "content"))})
		case strings.HasSuffix(typ, "_output"):
			flush()
			obs := told(last, rawjson.MemberString(m, "call_id"), rawjson.Member(m, "output"))
			if n := len(items) - 1; items[n].Results != nil {
				items[n].Results = append(items[n].Results, obs)
			} else {
				items = append(items, wire.Item{Results: []holdfast.Observation{obs}})
			}
		default:
			output = append(output, string(m))
		}
		messages = append(messages, json.RawMessage(m))
	}
	flush()
	return items, messages
}

// responsesImmaterial: what clients leave out of an item, and reasoning that is
// not encrypted.
func responsesImmaterial(m map[string]any) {
	if m["type"] == "reasoning" && m["encrypted_content"] == nil {
		clear(m)
	}
	for _, name := range []string{"id", "status"} {
		delete(m, name)
	}
	if list, ok := m["content"].([]any); ok && m["role"] != nil {
		var all strings.Builder
		for _, p := range list {
			s, _ := p.(map[string]any)["text"].(string)
			all.WriteString(s)
		}
		m["content"] = all.String()
	}
}

// chatApart and responsesApart are recorded requests that we would not send so.
var chatApart = map[string]string{
	"openai-compatible/testopenaicompatiblecommon-avian-kimi-multi-tool-streaming-1": "its client sends the reply's text back as one space",
	"openai-compatible/testopenaicompatiblethinking-avian-kimi-thinking-streaming-1": "its client sends the reply's text back as one space",
}

var responsesApart = map[string]string{
	"openai-responses/openai-client-tool-search-streaming-1": "it answers OpenAI's tool search, which is not ours to run, with tools",
}
