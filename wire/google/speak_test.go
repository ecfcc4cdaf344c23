package google_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/google"
	"github.com/holdfast-go/holdfast/wire/wiretest"
)

type object = wiretest.Object

// carried is argument text as a JSON value: what is no JSON, as a string.
func carried(arguments string) json.RawMessage {
	if rawjson.Valid([]byte(arguments)) {
		return json.RawMessage(arguments)
	}
	return rawjson.Quote(arguments)
}

// speakGemini is a reply as Gemini streams it. It sends calls whole, so a cut one
// does not come at all.
func speakGemini(s wiretest.Spoken) []byte {
	var b strings.Builder
	chunk := func(parts []any, finish string) {
		candidate := object{"content": object{"role": "model", "parts": parts}}
		if finish != "" {
			candidate["finishReason"] = finish
		}
		fmt.Fprintf(&b, "data: %s\r\n\r\n", wiretest.JSON(object{"candidates": []any{candidate}, "modelVersion": "gemini-test"}))
	}
	if s.Text != "" {
		chunk([]any{object{"text": s.Text}}, "")
	}
	calls, finish := s.Calls, "STOP"
	if s.Cut {
		calls, finish = calls[:max(0, len(calls)-1)], "MAX_TOKENS"
	}
	for _, c := range calls {
		call := object{"name": c.Name}
		if c.ID != "" {
			call["id"] = c.ID
		}
		if c.Arguments != "" {
			call["args"] = carried(c.Arguments)
		}
		// The raw arguments must stay as they are, which json.Marshal would not do
		// with an escaped surrogate.
		chunk([]any{object{"functionCall": call}}, "")
	}
	chunk([]any{object{"text": ""}}, finish)
	return []byte(b.String())
}

func readGemini(messages []json.RawMessage) (entries []wiretest.Entry) {
	for _, m := range messages {
		for _, p := range rawjson.Elements(rawjson.Member(m, "parts")) {
			call, result := rawjson.Member(p, "functionCall"), rawjson.Member(p, "functionResponse")
			switch {
			case call != nil:
				args := rawjson.Member(call, "args")
				if args == nil {
					args = []byte("{}")
				}
				entries = append(entries, wiretest.Entry{Kind: "call", ID: identity(call), Name: rawjson.MemberString(call, "name"), Arguments: string(args)})
			case result != nil:
				entries = append(entries, wiretest.Entry{Kind: "result", ID: identity(result), Content: string(rawjson.Member(result, "response"))})
			case rawjson.Member(p, "text") == nil:
			case rawjson.MemberString(m, "role") == "user":
				entries = append(entries, wiretest.Entry{Kind: "user", Content: rawjson.MemberString(p, "text")})
			default:
				entries = append(entries, wiretest.Entry{Kind: "text", Content: rawjson.MemberString(p, "text")})
			}
		}
	}
	return entries
}

// identity is an id, or the name by which calls without ids are matched in order.
func identity(v []byte) string {
	if id := rawjson.MemberString(v, "id"); id != "" {
		return id
	}
	return rawjson.MemberString(v, "name")
}

// geminiConversation reads a recorded request.
func geminiConversation(request []byte) (items []wire.Item, messages []json.RawMessage) {
	for _, m := range rawjson.Elements(rawjson.Member(request, "contents")) {
		messages = append(messages, json.RawMessage(m))
		if rawjson.MemberString(m, "role") == "model" {
			d := google.Gemini{}.NewDecoder()
			d.Feed([]byte(`{"candidates":[{"content":` + string(m) + `,"finishReason":"STOP"}]}`))
			items = append(items, wire.Item{Reply: d.Close()})
			continue
		}
		var results []holdfast.Observation
		var text strings.Builder
		for _, p := range rawjson.Elements(rawjson.Member(m, "parts")) {
			if r := rawjson.Member(p, "functionResponse"); r != nil {
				results = append(results, holdfast.Observation{Position: len(results), JSON: rawjson.Member(r, "response")})
				continue
			}
			text.WriteString(rawjson.MemberString(p, "text"))
		}
		if results != nil {
			items = append(items, wire.Item{Results: results})
		}
		if text.String() != "" {
			items = append(items, wire.Item{User: text.String()})
		}
	}
	return items, messages
}

// geminiImmaterial: ids that the client made, the member under which it tells a
// result, the alphabet of a signature, and shown thoughts.
func geminiImmaterial(m map[string]any) {
	list, _ := m["parts"].([]any)
	kept := list[:0:0]
	for _, p := range list {
		part := p.(map[string]any)
		if part["thought"] == true || part["text"] == "" {
			continue
		}
		if signature, ok := part["thoughtSignature"].(string); ok {
			part["thoughtSignature"] = alphabet(signature)
		}
		if call, ok := part["functionCall"].(map[string]any); ok {
			delete(call, "id")
		} else {
			delete(part, "thoughtSignature")
		}
		if result, ok := part["functionResponse"].(map[string]any); ok {
			delete(result, "id")
			if response, ok := result["response"].(map[string]any); ok && response["output"] != nil {
				result["response"] = response["output"]
			}
		}
		kept = append(kept, part)
	}
	m["parts"] = kept
}

// alphabet is base64 in its first alphabet.
func alphabet(s string) string {
	return strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(s), "=")
}

// signature of a reply's first call.
func signature(r *wire.Reply) string {
	for _, p := range rawjson.Elements(rawjson.Member(r.Message, "parts")) {
		if rawjson.Member(p, "functionCall") != nil {
			return alphabet(rawjson.MemberString(p, "thoughtSignature"))
		}
	}
	return ""
}

func speakInteractions(s wiretest.Spoken) []byte {
	var b strings.Builder
	event := func(typ string, e object) {
		e["event_type"] = typ
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", typ, wiretest.JSON(e))
	}
	event("interaction.created", object{"interaction": object{"id": "v1_x", "status": "in_progress", "object": "interaction", "model": "m"}})
	at := 0
	if s.Text != "" {
		event("step.start", object{"index": at, "step": object{"type": "model_output"}})
		event("step.delta", object{"index": at, "delta": object{"type": "text", "text": s.Text}})
		event("step.stop", object{"index": at})
		at++
	}
	for i, c := range s.Calls {
		event("step.start", object{"index": at, "step": object{"type": "function_call", "id": c.ID, "name": c.Name, "arguments": object{}}})
		for _, half := range []string{c.Arguments[:len(c.Arguments)/2], c.Arguments[len(c.Arguments)/2:]} {
			event("step.delta", object{"index": at, "delta": object{"type": "arguments_delta", "arguments": half}})
		}
		if !s.Cut || i < len(s.Calls)-1 {
			event("step.stop", object{"index": at})
		}
		at++
	}
	status := "completed"
	switch {
	case s.Cut:
		status = "incomplete"
	case len(s.Calls) > 0:
		status = "requires_action"
	}
	event("interaction.completed", object{"interaction": object{"id": "v1_x", "status": status, "object": "interaction", "model": "m"}})
	b.WriteString("event: done\ndata: [DONE]\n\n")
	return []byte(b.String())
}

func readInteractions(messages []json.RawMessage) (entries []wiretest.Entry) {
	for _, m := range messages {
		e := wiretest.Entry{Kind: rawjson.MemberString(m, "type"), ID: rawjson.MemberString(m, "id")}
		for _, c := range rawjson.Elements(rawjson.Member(m, "content")) {
			e.Content += rawjson.MemberString(c, "text")
		}
		switch e.Kind {
		case "user_input":
			e.Kind = "user"
		case "model_output":
			e.Kind = "text"
		case "function_call":
			e.Kind, e.Name, e.Arguments = "call", rawjson.MemberString(m, "name"), string(rawjson.Member(m, "arguments"))
		case "function_result":
			e.Kind, e.ID, e.Content = "result", rawjson.MemberString(m, "call_id"), string(rawjson.Member(m, "result"))
		}
		entries = append(entries, e)
	}
	return entries
}
