package google

import (
	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// gemini makes a reply of GenerateContentResponse objects: the events of a
// stream, the elements of a streamed array, or one whole body.
type gemini struct {
	reply   wire.Reply
	parts   []part
	text    rawjson.Builder
	thought rawjson.Builder
	blocked string // promptFeedback.blockReason
	usage   []byte // the last usageMetadata that counts tokens
	open    int    // the part whose call goes on in the next, -1 for none
	events  []wire.Event
	broken  bool
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

func newGemini() *gemini { return &gemini{open: -1} }

func (g *gemini) preview() *[]wire.Event { return &g.events }

// ended is never said: usage and signatures may follow the finish reason, and
// the stream's end is the connection's.
func (g *gemini) ended() bool { return false }

func (g *gemini) fail(code, message string) {
	if g.reply.Err == nil {
		g.reply.Err = &wire.Error{Code: code, Message: message}
	}
}

func (g *gemini) event(raw []byte) {
	if !rawjson.Valid(raw) {
		g.broken = true
		return
	}
	known := false
	for name, v := range rawjson.Members(raw) {
		switch string(name) {
		case "candidates":
			known = true
			g.candidates(v)
		case "promptFeedback":
			known = true
			if reason := rawjson.String(rawjson.Member(v, "blockReason")); reason != "" {
				g.blocked = reason
			}
		case "usageMetadata":
			known = true
			g.meter(v)
		case "responseId":
			g.reply.ID = rawjson.String(v)
		case "modelVersion":
			g.reply.Model = rawjson.String(v)
		case "error":
			known = true
			g.reply.Err = googleError(raw, v)
		}
	}
	if !known {
		g.reply.Unknown++
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
				if stop := rawjson.String(v); stop != "" && stop != "FINISH_REASON_UNSPECIFIED" {
					g.reply.Stop = stop
				}
			}
		}
	}
}

func (g *gemini) part(raw []byte) {
	if len(g.parts) == maxParts {
		g.fail("reply_too_large", "the reply has more parts than this decoder keeps")
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
		g.reply.Unknown++
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
	if text := all.AddString(raw); len(text) > 0 {
		g.events = append(g.events, wire.Event{Kind: kind, Text: rawjson.Text(text)})
	}
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
	p.call = len(g.reply.Calls)
	name := rawjson.String(c.name)
	g.reply.Calls = append(g.reply.Calls, holdfast.Call{ID: rawjson.String(c.id), Name: name, Kind: holdfast.FunctionCall})
	g.events = append(g.events, wire.Event{Kind: wire.CallStart, Call: p.call, Name: rawjson.Text([]byte(name))})
	g.parts = append(g.parts, p)
	g.open = len(g.parts) - 1
	g.goOn(&g.parts[g.open], c)
}

// goOn adds what one part says of a call's arguments and closes the call where
// the part does not announce another.
func (g *gemini) goOn(p *part, c functionCall) {
	call := &g.reply.Calls[p.call]
	if c.args != nil {
		call.Arguments = string(c.args)
		g.events = append(g.events, wire.Event{Kind: wire.ArgumentsDelta, Call: p.call, Text: rawjson.Text(c.args)})
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
	g.events = append(g.events, wire.Event{Kind: wire.CallEnd, Call: p.call})
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
