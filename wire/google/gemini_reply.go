package google

import (
	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/decode"
)

// Finish is the reply once the bytes have ended.
func (g *gemini) Finish() *wire.Reply {
	r := &g.Reply
	r.API = apiGemini
	r.Text = g.text.Text()
	r.Reasoning = g.thought.Text()
	r.Usage = geminiUsage(g.usage)
	if r.Stop == "" && g.blocked != "" {
		r.Stop = "blocked:" + g.blocked
	}
	r.Ending = geminiEnding(r)
	r.Complete = r.Ending == wire.Ended
	g.finishCalls()
	r.Message = g.content()
	return r
}

// geminiEnding: STOP is the one natural end, with and without calls; every other
// word names a fault, so a new one vetoes too.
func geminiEnding(r *wire.Reply) wire.Ending {
	if r.Err != nil || r.Stop == "" {
		return wire.Broken
	}
	switch r.Stop {
	case "STOP":
		return wire.Ended
	case "MAX_TOKENS", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS":
		// The last three say that the model's attempt to call failed. As after a
		// cut, its calls are rejected and it may try again.
		return wire.Cut
	}
	return wire.Filtered
}

func (g *gemini) finishCalls() {
	answered := g.answered()
	for i := range g.parts {
		p := &g.parts[i]
		if p.call < 0 {
			continue
		}
		call := &g.Reply.Calls[p.call]
		call.Complete = g.Reply.Complete && !p.continues
		if p.partial != nil {
			whole := call.Arguments
			var ok bool
			call.Arguments, ok = p.partial.text()
			if !ok || !rawjson.IsEmpty([]byte(whole)) && whole != "" && whole != call.Arguments {
				call.Problem = holdfast.UnreadableArguments
			}
			call.Complete = call.Complete && p.partial.closed()
		}
		call.ProviderExecuted = answered[call.ID]
	}
}

// answered are the ids of the calls whose results stand in the same reply.
func (g *gemini) answered() (ids decode.IDs) {
	for i := range g.parts {
		ids.Add(rawjson.MemberString(rawjson.Member(g.parts[i].raw, "functionResponse"), "id"))
	}
	return ids
}

// content is the model's content as history takes it back, signatures in place.
func (g *gemini) content() []byte {
	if len(g.parts) == 0 {
		return nil
	}
	out := []byte(`{"role":"model","parts":[`)
	for i := range g.parts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, g.rawPart(&g.parts[i])...)
	}
	return append(out, `]}`...)
}

// rawPart is a part as it came; where it grew, with what it grew to. Streamed
// arguments become whole ones: history takes no partial ones.
func (g *gemini) rawPart(p *part) []byte {
	switch {
	case p.partial != nil || p.continues:
		call := rawjson.Drop(rawjson.Drop(rawjson.Member(p.raw, "functionCall"), "partialArgs"), "willContinue")
		args := []byte(g.argsOf(p))
		if !rawjson.IsObject(args) {
			args = []byte(`{}`)
		}
		return rawjson.Set(p.raw, "functionCall", rawjson.Set(call, "args", args))
	case p.grew:
		return rawjson.Set(p.raw, "text", rawjson.AppendQuoted(nil, p.text))
	}
	return p.raw
}

func (g *gemini) argsOf(p *part) string {
	if p.partial == nil {
		return ""
	}
	text, _ := p.partial.text()
	return text
}

// geminiUsage: the prompt's count holds the cached tokens already; thoughts and
// what tools put before the model are counted apart.
func geminiUsage(raw []byte) wire.Usage {
	var u wire.Usage
	for name, v := range rawjson.Members(raw) {
		n, ok := rawjson.Int(v)
		if !ok {
			continue
		}
		switch string(name) {
		case "promptTokenCount", "toolUsePromptTokenCount":
			u.Input = decode.Add(u.Input, n)
		case "candidatesTokenCount":
			u.Output = decode.Add(u.Output, n)
		case "thoughtsTokenCount":
			u.Output, u.Reasoning = decode.Add(u.Output, n), &n
		case "cachedContentTokenCount":
			u.Cached = &n
		}
	}
	return u
}
