package openai

import (
	"encoding/json"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// ending is what a finish reason means. Only a reason that is known to veto does:
// calls are found by their presence, never by the word.
func ending(finish string) wire.Ending {
	switch strings.ToLower(finish) {
	case "length", "max_tokens", "max_output_tokens", "model_length":
		return wire.Cut
	case "content_filter", "content-filter", "safety", "refusal", "recitation", "guardrail_intervened":
		return wire.Filtered
	case "error", "cancelled", "canceled", "abort", "aborted", "insufficient_system_resource":
		return wire.Broken
	}
	if strings.HasPrefix(finish, "function_call_filter") {
		return wire.Filtered // a gateway's word for a call that its model wrote wrongly
	}
	return wire.Ended
}

// Finish is the reply once the bytes have ended.
func (d *chatReply) Finish() *wire.Reply {
	if d.Reply.Err == nil && !d.chosen && !d.done {
		d.Reply.Err = d.bareErr
	}
	r := &d.Reply
	r.API, r.Stop = chatAPI, d.finish
	r.Text, r.Reasoning = d.text.Text(), d.reasoning.Text()
	switch {
	case d.Reply.Err != nil, d.finish == "" && !d.done && !d.whole, d.open:
		r.Ending = wire.Broken
	case d.refusal.Len() > 0:
		r.Ending = wire.Filtered
	default:
		r.Ending = ending(d.finish)
	}
	if r.Ending == wire.Broken && r.Err == nil && d.finish != "" {
		r.Err = &wire.Error{Code: d.finish, Message: "the provider ended the reply with " + d.finish}
	}
	r.Complete = r.Ending == wire.Ended
	r.Text += d.refusal.Text()
	for _, call := range d.calls {
		r.Calls = append(r.Calls, call.call(r.Complete))
	}
	d.mirrored(r.Calls)
	r.Message = d.assistantMessage()
	return r
}

// mirrored marks a function_call that stands among the tool_calls too: some
// servers write a call in the old form and in the new, and it is one.
func (d *chatReply) mirrored(calls []holdfast.Call) {
	for i, old := range d.calls {
		if !old.legacy {
			continue
		}
		for j, call := range d.calls {
			if !call.legacy && calls[i].Name == calls[j].Name && calls[i].Arguments == calls[j].Arguments {
				calls[i].Problem = holdfast.DuplicateCallID
			}
		}
	}
}

func (s *chatCall) call(complete bool) holdfast.Call {
	c := holdfast.Call{ID: s.id, Name: s.name, Kind: holdfast.FunctionCall, Arguments: s.args.String(), Complete: complete}
	if s.custom {
		c.Kind = holdfast.CustomCall
	}
	return c
}

// assistantMessage is the message that the history takes back: a body's own, or
// one that the chunks add up to.
func (d *chatReply) assistantMessage() json.RawMessage {
	if d.message != nil {
		return json.RawMessage(d.message)
	}
	if len(d.calls) == 0 && d.text.Len() == 0 && d.refusal.Len() == 0 {
		return nil
	}
	b := []byte(`{"role":"assistant","content":`)
	if d.text.Len() == 0 && (len(d.calls) > 0 || d.refusal.Len() > 0) {
		b = append(b, "null"...)
	} else {
		b = rawjson.AppendQuoted(b, d.text.Bytes())
	}
	if d.refusal.Len() > 0 {
		b = rawjson.AppendQuoted(append(b, `,"refusal":`...), d.refusal.Bytes())
	}
	if d.member != "" {
		b = rawjson.AppendQuoted(append(append(append(b, `,"`...), d.member...), `":`...), d.reasoning.Bytes())
	}
	if len(d.details) > 0 {
		b = append(append(append(b, `,"reasoning_details":[`...), d.details...), ']')
	}
	if len(d.extra) > 0 {
		b = append(append(b, `,"extra_content":`...), d.extra...)
	}
	if len(d.calls) > 0 {
		b = append(b, `,"tool_calls":[`...)
		for i, call := range d.calls {
			if i > 0 {
				b = append(b, ',')
			}
			b = call.append(b)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

// append writes the call as its message holds it.
func (s *chatCall) append(b []byte) []byte {
	kind, text := "function", "arguments"
	if s.custom {
		kind, text = "custom", "input"
	}
	b = rawjson.AppendQuoted(append(b, `{"id":`...), []byte(s.id))
	b = append(append(append(append(b, `,"type":"`...), kind...), `","`...), kind...)
	b = rawjson.AppendQuoted(append(b, `":{"name":`...), []byte(s.name))
	b = append(append(append(b, `,"`...), text...), `":`...)
	b = rawjson.AppendQuoted(b, s.args.Bytes())
	return append(append(append(b, '}'), s.extra...), '}')
}
