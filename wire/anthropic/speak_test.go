package anthropic_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/wiretest"
)

type object = wiretest.Object

// events are a reply as Anthropic streams it.
func events(s wiretest.Spoken) (out []object) {
	add := func(typ string, e object) {
		e["type"] = typ
		out = append(out, e)
	}
	add("message_start", object{"message": object{"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []any{}, "usage": object{"input_tokens": 1, "output_tokens": 1}}})
	at := 0
	if s.Text != "" {
		add("content_block_start", object{"index": at, "content_block": object{"type": "text", "text": ""}})
		add("content_block_delta", object{"index": at, "delta": object{"type": "text_delta", "text": s.Text}})
		add("content_block_stop", object{"index": at})
		at++
	}
	for i, c := range s.Calls {
		add("content_block_start", object{"index": at, "content_block": object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}})
		for _, half := range []string{c.Arguments[:len(c.Arguments)/2], c.Arguments[len(c.Arguments)/2:]} {
			add("content_block_delta", object{"index": at, "delta": object{"type": "input_json_delta", "partial_json": half}})
		}
		if !s.Cut || i < len(s.Calls)-1 {
			add("content_block_stop", object{"index": at})
		}
		at++
	}
	stop := "tool_use"
	if s.Cut {
		stop = "max_tokens"
	}
	add("message_delta", object{"delta": object{"stop_reason": stop}, "usage": object{"output_tokens": 9}})
	add("message_stop", object{})
	return out
}

func speakMessages(s wiretest.Spoken) []byte {
	var b strings.Builder
	for _, e := range events(s) {
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", e["type"], wiretest.JSON(e))
	}
	return []byte(b.String())
}

// speakInvoke wraps each event in a message of an AWS event stream.
func speakInvoke(s wiretest.Spoken) (out []byte) {
	for _, e := range events(s) {
		payload := wiretest.JSON(object{"bytes": base64.StdEncoding.EncodeToString(wiretest.JSON(e)), "p": "abc"})
		out = append(out, wiretest.Message("chunk", payload)...)
	}
	return out
}

// blocks of a message; a text is one block.
func blocks(message []byte) (out [][]byte) {
	content := rawjson.Member(message, "content")
	if rawjson.Kind(content) == '"' {
		return [][]byte{rawjson.Set([]byte(`{"type":"text"}`), "text", content)}
	}
	for _, b := range rawjson.Elements(content) {
		out = append(out, b)
	}
	return out
}

func readMessages(messages []json.RawMessage) (entries []wiretest.Entry) {
	for _, m := range messages {
		for _, b := range blocks(m) {
			e := wiretest.Entry{Kind: rawjson.MemberString(b, "type"), ID: rawjson.MemberString(b, "id")}
			switch e.Kind {
			case "text":
				if rawjson.MemberString(m, "role") == "user" {
					e.Kind = "user"
				}
				e.Content = rawjson.MemberString(b, "text")
			case "tool_use":
				e.Kind, e.Name, e.Arguments = "call", rawjson.MemberString(b, "name"), string(rawjson.Member(b, "input"))
			case "tool_result":
				e.Kind, e.ID, e.Content = "result", rawjson.MemberString(b, "tool_use_id"), resultText(rawjson.Member(b, "content"))
			}
			entries = append(entries, e)
		}
	}
	return entries
}

func resultText(content []byte) string {
	if rawjson.Kind(content) == '"' {
		return rawjson.String(content)
	}
	var all strings.Builder
	for _, b := range rawjson.Elements(content) {
		all.WriteString(rawjson.MemberString(b, "text"))
	}
	return all.String()
}

// conversation reads a recorded request; api is the codec's.
func conversation(c wire.Codec) func([]byte) ([]wire.Item, []json.RawMessage) {
	return func(request []byte) (items []wire.Item, messages []json.RawMessage) {
		var last *wire.Reply
		for _, m := range rawjson.Elements(rawjson.Member(request, "messages")) {
			messages = append(messages, json.RawMessage(m))
			if rawjson.MemberString(m, "role") == "assistant" {
				last = replyOf(c, m)
				items = append(items, wire.Item{Reply: last})
				continue
			}
			items = append(items, told(last, blocks(m))...)
		}
		return items, messages
	}
}

func replyOf(c wire.Codec, message []byte) *wire.Reply {
	d := c.NewDecoder()
	var body strings.Builder
	body.WriteString(`{"type":"message","role":"assistant","stop_reason":"tool_use","content":[`)
	for i, b := range blocks(message) {
		if i > 0 {
			body.WriteString(",")
		}
		body.WriteString(string(b))
	}
	d.Feed([]byte(body.String() + "]}"))
	return d.Close()
}

// told are the results and the text of a user message.
func told(last *wire.Reply, blocks [][]byte) (items []wire.Item) {
	var results []holdfast.Observation
	var text strings.Builder
	for _, b := range blocks {
		if rawjson.MemberString(b, "type") != "tool_result" {
			text.WriteString(rawjson.MemberString(b, "text"))
			continue
		}
		o := holdfast.Observation{CallID: rawjson.MemberString(b, "tool_use_id"), Position: -1, Error: rawjson.True(rawjson.Member(b, "is_error")), Text: resultText(rawjson.Member(b, "content"))}
		for i, c := range last.Calls {
			if c.ID == o.CallID {
				o.Name, o.Position = c.Name, i
			}
		}
		results = append(results, o)
	}
	if results != nil {
		items = append(items, wire.Item{Results: results})
	}
	if text.String() != "" {
		items = append(items, wire.Item{User: text.String()})
	}
	return items
}

// immaterial: a text as its one block or by itself, cache marks, and what clients
// leave out.
func immaterial(m map[string]any) {
	m["content"] = plain(m["content"])
	list, _ := m["content"].([]any)
	kept := list[:0:0]
	for _, b := range list {
		block := b.(map[string]any)
		for _, name := range []string{"cache_control", "caller", "citations"} {
			delete(block, name)
		}
		if block["is_error"] == false {
			delete(block, "is_error")
		}
		if block["type"] == "tool_result" {
			block["content"] = plain(block["content"])
		}
		if text, ok := block["text"].(string); ok && strings.TrimSpace(text) == "" {
			continue
		}
		kept = append(kept, block)
	}
	m["content"] = kept
}

func plain(content any) any {
	if text, ok := content.(string); ok {
		return []any{object{"type": "text", "text": text}}
	}
	return content
}
