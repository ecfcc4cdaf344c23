package bedrock_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/bedrock"
	"github.com/holdfast-go/holdfast/wire/wiretest"
)

type object = map[string]any

func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// speak is a reply as Converse streams it.
func speak(s wiretest.Spoken) (out []byte) {
	add := func(event string, payload object) {
		payload["p"] = "abc"
		out = append(out, message(event, marshal(payload))...)
	}
	add("messageStart", object{"role": "assistant"})
	at := 0
	if s.Text != "" {
		add("contentBlockDelta", object{"contentBlockIndex": at, "delta": object{"text": s.Text}})
		add("contentBlockStop", object{"contentBlockIndex": at})
		at++
	}
	for _, c := range s.Calls {
		add("contentBlockStart", object{"contentBlockIndex": at, "start": object{"toolUse": object{"toolUseId": c.ID, "name": c.Name}}})
		for _, half := range []string{c.Arguments[:len(c.Arguments)/2], c.Arguments[len(c.Arguments)/2:]} {
			add("contentBlockDelta", object{"contentBlockIndex": at, "delta": object{"toolUse": object{"input": half}}})
		}
		add("contentBlockStop", object{"contentBlockIndex": at})
		at++
	}
	stop := "tool_use"
	if s.Cut {
		stop = "max_tokens"
	}
	add("messageStop", object{"stopReason": stop})
	add("metadata", object{"usage": object{"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}})
	return out
}

// message is one of an AWS event stream.
func message(event string, payload []byte) []byte {
	var h []byte
	for _, kv := range [][2]string{{":message-type", "event"}, {":event-type", event}} {
		h = append(append(h, byte(len(kv[0]))), kv[0]...)
		h = append(binary.BigEndian.AppendUint16(append(h, 7), uint16(len(kv[1]))), kv[1]...)
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(16+len(h)+len(payload)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(h)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, h...), payload...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func member(raw []byte, name string) string { return rawjson.String(rawjson.Member(raw, name)) }

func readMessages(messages []json.RawMessage) (entries []wiretest.Entry) {
	for _, m := range messages {
		for _, b := range rawjson.Elements(rawjson.Member(m, "content")) {
			use, result := rawjson.Member(b, "toolUse"), rawjson.Member(b, "toolResult")
			switch {
			case use != nil:
				entries = append(entries, wiretest.Entry{Kind: "call", ID: member(use, "toolUseId"), Name: member(use, "name"), Arguments: string(rawjson.Member(use, "input"))})
			case result != nil:
				entries = append(entries, wiretest.Entry{Kind: "result", ID: member(result, "toolUseId"), Content: resultText(result)})
			case member(m, "role") == "user":
				entries = append(entries, wiretest.Entry{Kind: "user", Content: member(b, "text")})
			default:
				entries = append(entries, wiretest.Entry{Kind: "text", Content: member(b, "text")})
			}
		}
	}
	return entries
}

// resultText is the text of a toolResult, its JSON as text.
func resultText(result []byte) (all string) {
	for _, b := range rawjson.Elements(rawjson.Member(result, "content")) {
		all += member(b, "text")
		if v := rawjson.Member(b, "json"); v != nil {
			var compact bytes.Buffer
			if err := json.Compact(&compact, v); err != nil {
				panic(err)
			}
			all += compact.String()
		}
	}
	return all
}

// conversation reads a recorded request.
func conversation(request []byte) (items []wire.Item, messages []json.RawMessage) {
	var last *wire.Reply
	for _, m := range rawjson.Elements(rawjson.Member(request, "messages")) {
		messages = append(messages, json.RawMessage(m))
		if member(m, "role") == "assistant" {
			d := bedrock.Converse{}.NewDecoder()
			d.Feed([]byte(`{"output":{"message":` + string(m) + `},"stopReason":"tool_use"}`))
			last = d.Close()
			items = append(items, wire.Item{Reply: last})
			continue
		}
		items = append(items, told(last, m)...)
	}
	return items, messages
}

// told are the results and the text of a user message.
func told(last *wire.Reply, m []byte) (items []wire.Item) {
	var results []holdfast.Observation
	var text strings.Builder
	for _, b := range rawjson.Elements(rawjson.Member(m, "content")) {
		result := rawjson.Member(b, "toolResult")
		if result == nil {
			text.WriteString(member(b, "text"))
			continue
		}
		o := holdfast.Observation{CallID: member(result, "toolUseId"), Position: -1, Error: member(result, "status") == "error", Text: resultText(result)}
		for i, c := range last.Calls {
			if c.ID == o.CallID {
				o.Position = i
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

// immaterial: a result's JSON as text, and that it succeeded.
func immaterial(m map[string]any) {
	list, _ := m["content"].([]any)
	for _, b := range list {
		result, ok := b.(map[string]any)["toolResult"].(map[string]any)
		if !ok {
			continue
		}
		if result["status"] == "success" {
			delete(result, "status")
		}
		content, _ := result["content"].([]any)
		for i, c := range content {
			if v, ok := c.(map[string]any)["json"]; ok {
				content[i] = object{"text": string(marshal(v))}
			}
		}
	}
}
