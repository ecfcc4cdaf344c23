package openai_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/wire/wiretest"
)

// event is one server-sent event.
func event(b *strings.Builder, v any) {
	fmt.Fprintf(b, "data: %s\n\n", wiretest.JSON(v))
}

type object = wiretest.Object

// halves are a text in two fragments.
func halves(s string) []string { return []string{s[:len(s)/2], s[len(s)/2:]} }

func speakChat(s wiretest.Spoken) []byte {
	var b strings.Builder
	chunk := func(delta object, finish any) {
		event(&b, object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "m", "choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}})
	}
	chunk(object{"role": "assistant", "content": s.Text}, nil)
	for i, c := range s.Calls {
		chunk(object{"tool_calls": []any{object{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": ""}}}}, nil)
		for _, half := range halves(c.Arguments) {
			chunk(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": half}}}}, nil)
		}
	}
	finish := "stop"
	if s.Cut {
		finish = "length"
	}
	chunk(object{}, finish)
	b.WriteString("data: [DONE]\n\n")
	return []byte(b.String())
}

func readChat(messages []json.RawMessage) (entries []wiretest.Entry) {
	for _, raw := range messages {
		var m struct {
			Role      string
			Content   json.RawMessage
			ID        string `json:"tool_call_id"`
			ToolCalls []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			panic(err)
		}
		switch m.Role {
		case "user":
			entries = append(entries, wiretest.Entry{Kind: "user", Content: string(m.Content)})
		case "tool":
			entries = append(entries, wiretest.Entry{Kind: "result", ID: m.ID, Content: text(m.Content)})
		case "assistant":
			entries = append(entries, wiretest.Entry{Kind: "text", Content: text(m.Content)})
			for _, c := range m.ToolCalls {
				entries = append(entries, wiretest.Entry{Kind: "call", ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
			}
		}
	}
	return entries
}

func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

func speakResponses(s wiretest.Spoken) []byte {
	var b strings.Builder
	event(&b, object{"type": "response.created", "response": object{"id": "resp_1", "model": "m", "status": "in_progress"}})
	var output []any
	if s.Text != "" {
		item := object{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": []any{object{"type": "output_text", "text": s.Text, "annotations": []any{}}}}
		event(&b, object{"type": "response.output_item.added", "output_index": 0, "item": object{"type": "message", "id": "msg_1", "role": "assistant", "content": []any{}}})
		event(&b, object{"type": "response.output_text.delta", "output_index": 0, "item_id": "msg_1", "delta": s.Text})
		event(&b, object{"type": "response.output_item.done", "output_index": 0, "item": item})
		output = append(output, item)
	}
	for i, c := range s.Calls {
		at := len(output)
		item := responsesCall(c, i)
		added := responsesCall(holdfast.Call{ID: c.ID, Name: c.Name}, i)
		event(&b, object{"type": "response.output_item.added", "output_index": at, "item": added})
		for _, half := range halves(c.Arguments) {
			event(&b, object{"type": "response.function_call_arguments.delta", "output_index": at, "delta": half})
		}
		if s.Cut && i == len(s.Calls)-1 {
			break
		}
		event(&b, object{"type": "response.output_item.done", "output_index": at, "item": item})
		output = append(output, item)
	}
	response := object{"id": "resp_1", "object": "response", "status": "completed", "output": output}
	typ := "response.completed"
	if s.Cut {
		typ = "response.incomplete"
		response["status"], response["incomplete_details"] = "incomplete", object{"reason": "max_output_tokens"}
	}
	event(&b, object{"type": typ, "response": response})
	return []byte(b.String())
}

func responsesCall(c holdfast.Call, i int) object {
	item := object{"type": "function_call", "id": fmt.Sprintf("fc_%d", i), "name": c.Name, "arguments": c.Arguments}
	if c.ID != "" {
		item["call_id"] = c.ID
	}
	return item
}

func readResponses(items []json.RawMessage) (entries []wiretest.Entry) {
	for _, raw := range items {
		var m struct {
			Type, Role, Name, Arguments string
			Content, Output             json.RawMessage
			ID                          string `json:"call_id"`
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			panic(err)
		}
		switch {
		case m.Role == "user":
			entries = append(entries, wiretest.Entry{Kind: "user", Content: text(m.Content)})
		case m.Role == "assistant":
			entries = append(entries, wiretest.Entry{Kind: "text", Content: text(m.Content)})
		case m.Type == "function_call":
			entries = append(entries, wiretest.Entry{Kind: "call", ID: m.ID, Name: m.Name, Arguments: m.Arguments})
		case m.Type == "function_call_output":
			entries = append(entries, wiretest.Entry{Kind: "result", ID: m.ID, Content: text(m.Output)})
		}
	}
	return entries
}
