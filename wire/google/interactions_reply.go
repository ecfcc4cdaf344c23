package google

import (
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/decode"
)

// Finish is the reply once the bytes have ended.
func (s *interaction) Finish() *wire.Reply {
	r := &s.Reply
	r.API = apiInteractions
	r.Text = s.text.Text()
	r.Reasoning = s.thought.Text()
	r.Usage = interactionUsage(s.usage)
	r.Ending = s.ending()
	r.Complete = r.Ending == wire.Ended || r.Ending == wire.Paused
	results := s.results()
	for i := range s.steps {
		if st := &s.steps[i]; st.call >= 0 {
			call := &r.Calls[st.call]
			call.Arguments = st.arguments()
			call.Complete = st.closed && !st.late && r.Complete
			call.ProviderExecuted = results[call.ID]
		}
	}
	r.Message = s.message()
	return r
}

// ending of the interaction: its status is its stop word.
func (s *interaction) ending() wire.Ending {
	if s.Reply.Err != nil || !s.done {
		return wire.Broken
	}
	switch s.Reply.Stop {
	case "completed", "requires_action":
		return wire.Ended
	case "requires_continuation":
		return wire.Paused
	case "incomplete", "budget_exceeded":
		return wire.Cut
	}
	return wire.Broken // failed, cancelled, or not at its end yet
}

// results are the ids of the calls whose results stand in this reply.
func (s *interaction) results() (ids decode.IDs) {
	for i := range s.steps {
		if s.steps[i].kind == "function_result" {
			ids.Add(rawjson.MemberString(s.steps[i].start, "call_id"))
		}
	}
	return ids
}

func (st *interactionStep) arguments() string {
	if st.args.Len() > 0 {
		return st.args.String()
	}
	args := rawjson.Member(st.start, "arguments")
	if rawjson.IsNull(args) || st.grew && !decode.HoldsArguments(args) {
		return ""
	}
	return string(args)
}

// message is the steps as the next input takes them back.
func (s *interaction) message() []byte {
	var out []byte
	for i := range s.steps {
		if s.steps[i].kind == "function_call" && s.steps[i].call < 0 {
			continue // a phantom
		}
		out = append(out, ',')
		out = append(out, s.steps[i].raw()...)
	}
	if out == nil {
		return nil
	}
	out[0] = '['
	return append(out, ']')
}

// raw is the step as one object, with what grew put in its place. Text that is
// no object cannot stand in an object field: its nearest legal form is {}.
func (st *interactionStep) raw() []byte {
	if !st.grew {
		return st.start
	}
	out := st.start
	if len(st.signature) > 0 {
		out = rawjson.Set(out, "signature", rawjson.AppendQuoted(nil, st.signature))
	}
	if len(st.summary) > 0 {
		out = rawjson.Set(out, "summary", rawContents(st.summary))
	}
	if len(st.contents) > 0 {
		out = rawjson.Set(out, "content", rawContents(st.contents))
	}
	if st.call >= 0 && st.args.Len() > 0 {
		args := []byte(`{}`)
		if rawjson.IsObject(st.args.Bytes()) && rawjson.Sendable(st.args.Bytes()) {
			args = st.args.Bytes()
		}
		out = rawjson.Set(out, "arguments", args)
	}
	return out
}

func rawContents(cs []content) []byte {
	out := []byte{'['}
	for i, c := range cs {
		if i > 0 {
			out = append(out, ',')
		}
		if c.grew {
			out = append(out, rawjson.Set(c.raw, "text", rawjson.AppendQuoted(nil, c.text))...)
			continue
		}
		out = append(out, c.raw...)
	}
	return append(out, ']')
}

// interactionUsage: output is counted without thoughts, input without what tools
// put before the model.
func interactionUsage(raw []byte) wire.Usage {
	var u wire.Usage
	for name, v := range rawjson.Members(raw) {
		n, ok := rawjson.Int(v)
		if !ok {
			continue
		}
		switch string(name) {
		case "total_input_tokens", "total_tool_use_tokens":
			u.Input = decode.Add(u.Input, n)
		case "total_output_tokens":
			u.Output = decode.Add(u.Output, n)
		case "total_thought_tokens":
			u.Output, u.Reasoning = decode.Add(u.Output, n), &n
		case "total_cached_tokens":
			u.Cached = &n
		}
	}
	return u
}
