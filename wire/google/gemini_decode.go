package google

import (
	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/frames"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/decode"
)

// gemini makes a reply of GenerateContentResponse objects: the events of a
// stream, the elements of a streamed array, or one whole body.
type gemini struct {
	decode.Draft
	parts   []part
	text    rawjson.Builder
	thought rawjson.Builder
	blocked string // promptFeedback.blockReason
	usage   []byte // the last usageMetadata that counts tokens
	open    int    // the part whose call goes on in the next, -1 for none
}

// part is one part of the model's content.
type part struct {
	raw       []byte // as it came, a copy
	text      []byte // grown from several parts of plain text
	grew      bool
	thought   bool
	plain     bool // nothing but text, so that the next may join it
	call      int  // -1 for none
	partial   *partial
	continues bool
}

// Done is never said: usage and signatures may follow the finish reason, and
// the stream's end is the connection's.
func (g *gemini) Done() bool { return false }

// Whole reports that a finish reason came, or that the prompt was blocked.
func (g *gemini) Whole() bool { return g.Reply.Stop != "" || g.blocked != "" }

// Frame takes a response object.
func (g *gemini) Frame(f frames.Frame) {
	switch {
	case string(f.Data) == "[DONE]":
		// The end of the connection, not of the reply.
	case f.Tail && !rawjson.Valid(f.Data):
		// The bytes ended within it: what it held never came.
	default:
		g.event(f.Data)
	}
}

func (g *gemini) event(raw []byte) {
	g.Seen = true
	if !rawjson.Valid(raw) {
		g.Unreadable(raw)
		return
	}
	if g.Reply.Stop != "" && g.Reply.ID != "" {
		if id := rawjson.MemberString(raw, "responseId"); id != "" && id != g.Reply.ID {
			return // another reply, behind the end of this one
		}
	}
	known := false
	for name, v := range rawjson.Members(raw) {
		switch string(name) {
		case "candidates":
			known = true
			g.candidates(v)
		case "promptFeedback":
			known = true
			if reason := rawjson.MemberString(v, "blockReason"); reason != "" {
				g.blocked = reason
			}
		case "usageMetadata":
			known = true
			g.meter(v)
		case "responseId":
			g.Reply.ID = rawjson.String(v)
		case "modelVersion":
			g.Reply.Model = rawjson.String(v)
		case "error":
			known = true
			g.Reply.Err = googleError(raw, v)
		}
	}
	if !known {
		g.Reply.Unknown++
	}
}

// meter keeps the last count. Streams send it with every event, or only with the
// last, and then the others may hold a traffic type alone.
func (g *gemini) meter(raw []byte) {
	if g.usage == nil || rawjson.Member(raw, "promptTokenCount") != nil || rawjson.Member(raw, "totalTokenCount") != nil {
		g.usage = append(g.usage[:0], raw...)
	}
}

// candidates takes the first only.
func (g *gemini) candidates(raw []byte) {
	for n, c := range rawjson.Elements(raw) {
		index, numbered := rawjson.Int(rawjson.Member(c, "index"))
		if numbered && index != 0 || !numbered && n > 0 {
			continue
		}
		for name, v := range rawjson.Members(c) {
			switch string(name) {
			case "content":
				for _, p := range rawjson.Elements(rawjson.Member(v, "parts")) {
					g.part(p)
				}
			case "finishReason":
				stop := rawjson.String(v)
				if stop != "" && stop != "FINISH_REASON_UNSPECIFIED" && (g.Reply.Stop == "" || g.Reply.Stop == "STOP") {
					g.Reply.Stop = stop // a veto is not taken back
				}
			}
		}
	}
}

func (g *gemini) part(raw []byte) {
	if !g.Room(len(g.parts)) {
		return
	}
	p := part{call: -1, plain: true}
	var text, call []byte
	known := false
	for name, v := range rawjson.Members(raw) {
		switch string(name) {
		case "text":
			text, known = v, true
		case "thought":
			p.thought = rawjson.True(v)
		case "functionCall":
			call, known, p.plain = v, true, false
		case "inlineData", "fileData", "executableCode", "codeExecutionResult", "functionResponse", "toolCall", "toolResponse", "thoughtSignature":
			known, p.plain = true, false
		default:
			p.plain = false
		}
	}
	if !known {
		g.Reply.Unknown++
	}
	switch {
	case call != nil:
		g.call(p, raw, call)
		return
	case text != nil:
		if g.say(p, text) {
			return
		}
		p.text = rawjson.AppendString(nil, text)
	}
	p.raw = append([]byte(nil), raw...)
	g.parts = append(g.parts, p)
}

// say tells of text and reports whether it joined the plain part before it.
func (g *gemini) say(p part, raw []byte) bool {
	all, kind := &g.text, wire.TextDelta
	if p.thought {
		all, kind = &g.thought, wire.ReasoningDelta
	}
	g.Show(kind, 0, all.AddString(raw))
	if !p.plain || len(g.parts) == 0 {
		return false
	}
	last := &g.parts[len(g.parts)-1]
	if !last.plain || last.thought != p.thought {
		return false
	}
	last.text, last.grew = rawjson.AppendString(last.text, raw), true
	return true
}

// functionCall is one functionCall object, as slices of it.
type functionCall struct {
	id, name, args, partial []byte
	continues               bool
}

func readFunctionCall(raw []byte) functionCall {
	var c functionCall
	for name, v := range rawjson.Members(raw) {
		switch string(name) {
		case "id":
			c.id = v
		case "name":
			c.name = v
		case "args":
			if !rawjson.IsNull(v) {
				c.args = v
			}
		case "partialArgs":
			c.partial = v
		case "willContinue":
			c.continues = rawjson.True(v)
		}
	}
	return c
}

// call takes a functionCall part: a whole call, the first part of one whose
// arguments are streamed, or a later part of that. A name always starts a call;
// a part without one goes on with the call that is open.
func (g *gemini) call(p part, raw, value []byte) {
	c := readFunctionCall(value)
	named := rawjson.String(c.name) != "" || rawjson.String(c.id) != ""
	if !named && g.open >= 0 {
		g.goOn(&g.parts[g.open], c)
		return
	}
	if !named && c.args == nil && c.partial == nil {
		return // an empty end of a call that has ended already
	}
	p.raw = append([]byte(nil), raw...)
	p.call = g.Propose(holdfast.Call{ID: rawjson.String(c.id), Name: rawjson.String(c.name), Kind: holdfast.FunctionCall})
	g.parts = append(g.parts, p)
	g.open = len(g.parts) - 1
	g.goOn(&g.parts[g.open], c)
}

// goOn adds what one part says of a call's arguments and closes the call where
// the part does not announce another.
func (g *gemini) goOn(p *part, c functionCall) {
	call := &g.Reply.Calls[p.call]
	if c.args != nil {
		call.Arguments = string(c.args)
		g.Show(wire.ArgumentsDelta, p.call, c.args)
	}
	if c.partial != nil {
		if p.partial == nil {
			p.partial = &partial{}
		}
		for _, piece := range rawjson.Elements(c.partial) {
			p.partial.add(piece)
		}
	}
	if p.continues = c.continues; c.continues {
		return
	}
	g.open = -1
	g.Tell(wire.Event{Kind: wire.CallEnd, Call: p.call})
}

func googleError(raw, failure []byte) *wire.Error {
	err := &wire.Error{Raw: append([]byte(nil), raw...)}
	for name, v := range rawjson.Members(failure) {
		switch string(name) {
		case "status":
			err.Code = rawjson.String(v)
		case "code":
			if err.Code == "" {
				if err.Code = rawjson.String(v); err.Code == "" {
					err.Code = string(v)
				}
			}
		case "message":
			err.Message = rawjson.Text([]byte(rawjson.String(v)))
		}
	}
	if err.Code == "" {
		err.Code = "error"
	}
	return err
}
