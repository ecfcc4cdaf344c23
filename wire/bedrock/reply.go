package bedrock

import (
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/decode"
)

// Finish is the reply once the bytes have ended.
func (a *assembler) Finish() *wire.Reply {
	r := &a.Reply
	r.API = apiConverse
	r.Text = rawjson.Text(a.text)
	var reasoning []byte
	for i := range a.blocks {
		if a.blocks[i].kind == "reasoningContent" {
			reasoning = append(reasoning, a.blocks[i].grown.Bytes()...)
		}
	}
	r.Reasoning = rawjson.Text(reasoning)
	r.Ending = a.ending()
	r.Complete = r.Ending == wire.Ended
	results := a.results()
	for i := range a.blocks {
		if b := &a.blocks[i]; b.call >= 0 {
			call := &r.Calls[b.call]
			call.Arguments = b.arguments()
			call.Complete = b.closed && !b.late && r.Complete
			call.ProviderExecuted = call.ProviderExecuted || results[call.ID]
		}
	}
	r.Message = a.assistant()
	return r
}

// ending reads the stop reason as a veto only: calls are found by their presence.
func (a *assembler) ending() wire.Ending {
	if a.Reply.Err != nil || !a.stopped {
		return wire.Broken
	}
	return endingOf(a.Reply.Stop)
}

func endingOf(stop string) wire.Ending {
	switch stop {
	case "max_tokens", "model_context_window_exceeded", "malformed_model_output", "malformed_tool_use":
		// The last two say that the model's attempt failed. As after a cut, its
		// calls are rejected and it may try again.
		return wire.Cut
	case "guardrail_intervened", "content_filtered":
		return wire.Filtered
	}
	return wire.Ended
}

// results are the ids of the tools whose results stand in this reply.
func (a *assembler) results() (ids decode.IDs) {
	for i := range a.blocks {
		if a.blocks[i].kind == "toolResult" {
			ids.Add(rawjson.MemberString(a.blocks[i].start, "toolUseId"))
		}
	}
	return ids
}

// arguments is the text of the fragments, or the input of a whole block.
func (b *block) arguments() string {
	if b.grew {
		return b.grown.String()
	}
	input := rawjson.Member(b.start, "input")
	if rawjson.IsNull(input) {
		return ""
	}
	return string(input)
}

// assistant is the message as history takes it back.
func (a *assembler) assistant() []byte {
	var out []byte
	for i := range a.blocks {
		b := &a.blocks[i]
		if b.kind == "toolUse" && b.call < 0 {
			continue // a phantom
		}
		out = append(out, ',', '{')
		out = append(rawjson.AppendQuoted(out, []byte(b.kind)), ':')
		out = append(append(out, b.raw()...), '}')
	}
	if out == nil {
		return nil
	}
	out[0] = '['
	return append(append([]byte(`{"role":"assistant","content":`), out...), `]}`...)
}

// raw is the block's value. Text that is not an object cannot stand in an object
// field: its nearest legal form is {}.
func (b *block) raw() []byte {
	switch b.kind {
	case "text":
		if b.grew {
			return rawjson.AppendQuoted(nil, b.grown.Bytes())
		}
	case "toolUse":
		if !b.grew {
			break
		}
		input := []byte(`{}`)
		if rawjson.IsObject(b.grown.Bytes()) && rawjson.Sendable(b.grown.Bytes()) {
			input = b.grown.Bytes()
		}
		return rawjson.Set(b.start, "input", input)
	case "toolResult":
		if len(b.results) > 0 {
			return rawjson.Set(b.start, "content", rawjson.List(b.results))
		}
	case "reasoningContent":
		if b.grew {
			return b.reasoning()
		}
	}
	return b.start
}

func (b *block) reasoning() []byte {
	if len(b.redacted) > 0 && b.grown.Len() == 0 {
		return rawjson.Set([]byte(`{}`), "redactedContent", rawjson.AppendQuoted(nil, b.redacted))
	}
	text := rawjson.Set([]byte(`{}`), "text", rawjson.AppendQuoted(nil, b.grown.Bytes()))
	if len(b.signature) > 0 {
		text = rawjson.Set(text, "signature", rawjson.AppendQuoted(nil, b.signature))
	}
	return rawjson.Set([]byte(`{}`), "reasoningText", text)
}
