package anthropic

import (
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/decode"
)

// Finish is the reply once the bytes have ended.
func (a *assembler) Finish() *wire.Reply {
	r := &a.Reply
	r.API = a.api
	r.Text = rawjson.Text(a.text)
	r.Usage = a.usage.neutral()
	var reasoning []byte
	for i := range a.blocks {
		if a.blocks[i].kind == "thinking" {
			reasoning = append(reasoning, a.blocks[i].grown.Bytes()...)
		}
	}
	r.Reasoning = rawjson.Text(reasoning)
	r.Ending = a.ending()
	r.Complete = r.Ending == wire.Ended || r.Ending == wire.Paused
	a.finishCalls()
	r.Message = a.assistant()
	return r
}

// ending reads the stop reason as a veto only: calls are found by their presence.
func (a *assembler) ending() wire.Ending {
	if a.Reply.Err != nil || !a.done {
		return wire.Broken
	}
	return endingOf(a.Reply.Stop)
}

func endingOf(stop string) wire.Ending {
	switch stop {
	case "max_tokens", "model_context_window_exceeded":
		return wire.Cut
	case "refusal":
		return wire.Filtered
	case "pause_turn":
		return wire.Paused
	}
	return wire.Ended
}

func (a *assembler) finishCalls() {
	results := a.results()
	for i := range a.blocks {
		b := &a.blocks[i]
		if b.call < 0 {
			continue
		}
		call := &a.Reply.Calls[b.call]
		call.Arguments = b.arguments()
		call.Complete = b.closed && !b.late && a.Reply.Complete
		call.ProviderExecuted = len(results) > 0 && answered(b, results)
	}
}

// arguments is the text of the fragments, or, where none said anything, the
// input that the block started with. The two are never merged. An empty object
// at the start of a stream is a placeholder, not what the model wrote.
func (b *block) arguments() string {
	if b.grown.Len() > 0 {
		return b.grown.String()
	}
	input := rawjson.Member(b.start, "input")
	if rawjson.IsNull(input) || b.grew && !decode.HoldsArguments(input) {
		return ""
	}
	return string(input)
}

// results are the ids of the tools whose results stand in this reply.
func (a *assembler) results() (ids decode.IDs) {
	for i := range a.blocks {
		if isResult(a.blocks[i].kind) {
			ids.Add(rawjson.MemberString(a.blocks[i].start, "tool_use_id"))
		}
	}
	return ids
}

// answered reports that the result of a call already stands in the same reply:
// its own, or that of the code that made the call and has ended.
func answered(b *block, results decode.IDs) bool {
	id := rawjson.MemberString(b.start, "id")
	maker := rawjson.MemberString(rawjson.Member(b.start, "caller"), "tool_id")
	return results[id] || results[maker]
}

// assistant is the message as history takes it back: the blocks as they came,
// with what grew put in its place.
func (a *assembler) assistant() []byte {
	out := []byte(`{"role":"assistant","content":[`)
	n := 0
	for i := range a.blocks {
		if a.blocks[i].kind == "tool_use" && a.blocks[i].call < 0 {
			continue // a phantom
		}
		if n++; n > 1 {
			out = append(out, ',')
		}
		out = append(out, a.blocks[i].raw()...)
	}
	if n == 0 {
		return nil
	}
	return append(out, `]}`...)
}

// raw is the block as one JSON object. A call's text that is not an object
// cannot stand in an object field, so its nearest legal form does: {}.
func (b *block) raw() []byte {
	if !b.grew {
		return b.start
	}
	out := b.start
	switch b.kind {
	case "text":
		out = rawjson.Set(out, "text", rawjson.AppendQuoted(nil, b.grown.Bytes()))
		if len(b.citations) > 0 {
			out = rawjson.Set(out, "citations", rawjson.List(b.citations))
		}
	case "thinking":
		out = rawjson.Set(out, "thinking", rawjson.AppendQuoted(nil, b.grown.Bytes()))
		if len(b.signature) > 0 {
			out = rawjson.Set(out, "signature", rawjson.AppendQuoted(nil, b.signature))
		}
	case "tool_use", "server_tool_use", "mcp_tool_use":
		if b.grown.Len() == 0 {
			return out
		}
		input := []byte(`{}`)
		if rawjson.IsObject(b.grown.Bytes()) && rawjson.Sendable(b.grown.Bytes()) {
			input = b.grown.Bytes()
		}
		out = rawjson.Set(out, "input", input)
	}
	return out
}

// usage as Anthropic counts it: input without what the cache read and wrote.
// message_delta repeats and extends what message_start told, so later values
// replace earlier ones and are never added.
type usage struct {
	input, written, read, output, thinking int64
	has                                    [5]bool
}

func (u *usage) merge(raw []byte) {
	for name, v := range rawjson.Members(raw) {
		switch string(name) {
		case "input_tokens":
			u.set(0, &u.input, v)
		case "cache_creation_input_tokens":
			u.set(1, &u.written, v)
		case "cache_read_input_tokens":
			u.set(2, &u.read, v)
		case "output_tokens":
			u.set(3, &u.output, v)
		case "output_tokens_details":
			u.set(4, &u.thinking, rawjson.Member(v, "thinking_tokens"))
		}
	}
}

func (u *usage) set(i int, field *int64, raw []byte) {
	if n, ok := rawjson.Int(raw); ok {
		*field, u.has[i] = n, true
	}
}

func (u *usage) neutral() wire.Usage {
	var out wire.Usage
	if u.has[0] {
		total := u.input + u.written + u.read
		out.Input = &total
	}
	if u.has[2] {
		out.Cached = &u.read
	}
	if u.has[3] {
		out.Output = &u.output
	}
	if u.has[4] {
		out.Reasoning = &u.thinking
	}
	return out
}
