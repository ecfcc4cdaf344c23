package bedrock_test

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/bedrock"
	"github.com/holdfast-go/holdfast/wire/wiretest"
)

type object = wiretest.Object

// speak is a reply as Converse streams it.
func speak(s wiretest.Spoken) (out []byte) {
	add := func(event string, payload object) {
		payload["p"] = "abc"
		out = append(out, wiretest.Message(event, wiretest.JSON(payload))...)
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

func readMessages(messages []json.RawMessage) (entries []wiretest.Entry) {
	for _, m := range messages {
		for _, b := range rawjson.Elements(rawjson.Member(m, "content")) {
			use, result := rawjson.Member(b, "toolUse"), rawjson.Member(b, "toolResult")
			switch {
			case use != nil:
				entries = append(entries, wiretest.Entry{Kind: "call", ID: rawjson.MemberString(use, "toolUseId"), Name: rawjson.MemberString(use, "name"), Arguments: string(rawjson.Member(use, "input"))})
			case result != nil:
				entries = append(entries, wiretest.Entry{Kind: "result", ID: rawjson.MemberString(result, "toolUseId"), Content: resultText(result)})
			case rawjson.MemberString(m, "role") == "user":
				entries = append(entries, wiretest.Entry{Kind: "user", Content: rawjson.MemberString(b, "text")})
			default:
				entries = append(entries, wiretest.Entry{Kind: "text", Content: rawjson.MemberString(b, "text")})
			}
		}
	}
	return entries
}

// resultText is the text of a toolResult, its JSON as text.
func resultText(result []byte) (all string) {
	for _, b := range rawjson.Elements(rawjson.Member(result, "content")) {
		all += rawjson.MemberString(b, "text")
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
		if rawjson.MemberString(m, "role") == "assistant" {
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
			text.WriteString(rawjson.MemberString(b, "text"))
			continue
		}
		o := holdfast.Observation{CallID: rawjson.MemberString(result, "toolUseId"), Position: -1, Error: rawjson.MemberString(result, "status") == "error", Text: resultText(result)}
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
				content[i] = object{"text": string(wiretest.JSON(v))}
			}
		}
	}
}
