package local

import (
	"bytes"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

const (
	maxCalls = 1024
	maxName  = 256
	// maxCallBytes is how long a call's text may be: more than the gate reads.
	maxCallBytes = 1<<20 + 64<<10
)

// Parser reads one reply's text. It is used by one goroutine.
type Parser struct {
	format  *Format
	markers []marker
	state   state
	buf     []byte // what is not decided yet
	object  object // the JSON object that buf starts with, while one does
	span    int    // the reasoning that is being read
	name    string // of a named call whose arguments are awaited
	id      string
	named   bool
	bare    bool // nothing announced the call that is being read
	trim    bool // white space that comes next is no text
	begun   bool // something other than white space came
	last    bool // no more text will come
	events  []wire.Event
	text    strings.Builder
	thought strings.Builder
	calls   []holdfast.Call
}

type state int

const (
	inText state = iota
	inReasoning
	inCalls   // before a call, or behind the last
	inCall    // at a call's object, or at its name
	afterCall // at what may close it
	inNoCall  // in what began like a call and is none
)

// NewParser starts the reading of one reply.
func (f *Format) NewParser() *Parser { return &Parser{format: f, markers: f.markers()} }

// Feed takes the next piece of text, and returns what a person may see of it.
// The events are valid until the next Feed.
func (p *Parser) Feed(piece string) []wire.Event {
	p.events = p.events[:0]
	p.buf = append(p.buf, piece...)
	p.read()
	return p.events
}

// read goes from state to state until one waits for more.
func (p *Parser) read() {
	for {
		var on bool
		switch p.state {
		case inText:
			on = p.readText()
		case inReasoning:
			on = p.readReasoning()
		case inCalls:
			on = p.readCalls()
		case inCall:
			on = p.readCall()
		case afterCall:
			on = p.readClose()
		case inNoCall:
			on = p.readNoCall()
		}
		if !on {
			return
		}
	}
}

// Close says that the text ended, and how; it returns the reply's text,
// reasoning and calls. Calls of a reply that did not end well are not complete.
func (p *Parser) Close(ending wire.Ending) *wire.Reply {
	p.flush()
	r := &wire.Reply{
		API: "local", Ending: ending, Complete: ending == wire.Ended,
		Text: p.text.String(), Reasoning: p.thought.String(), Calls: p.calls,
	}
	for i := range r.Calls {
		r.Calls[i].Complete = r.Calls[i].Complete && r.Complete
	}
	return r
}

// flush decides what waited for more.
func (p *Parser) flush() []wire.Event {
	p.events = p.events[:0]
	p.last = true
	p.read()
	return p.events
}

func (p *Parser) show(kind wire.EventKind, text []byte) {
	if len(text) == 0 {
		return
	}
	e := wire.Event{Kind: kind, Text: string(text)}
	p.events = append(p.events, e)
	if kind == wire.TextDelta {
		p.text.WriteString(e.Text)
	} else {
		p.thought.WriteString(e.Text)
	}
}

func (p *Parser) readText() bool {
	if p.trim || !p.begun {
		trimmed := bytes.TrimLeft(p.buf, space)
		if len(trimmed) == 0 {
			return false
		}
		if !p.begun && p.format.Bare && trimmed[0] == '{' {
			p.begun = true
			p.buf, p.bare = trimmed, true
			p.enterCall()
			return true
		}
		if p.trim {
			p.buf, p.trim = trimmed, false
		}
		p.begun = true
	}
	at, m, wait := earliest(p.markers, p.buf, p.last)
	if m == nil || wait <= at {
		cut := min(at, wait)
		p.show(wire.TextDelta, p.buf[:cut])
		p.buf = p.buf[cut:]
		return false
	}
	p.show(wire.TextDelta, p.buf[:at])
	p.buf = p.buf[at+len(m.text):]
	switch m.kind {
	case trigger:
		p.state = inCalls
		if len(p.format.Open) == 0 && !p.format.List {
			p.enterCall()
		}
	case reasoning:
		p.state, p.span, p.trim = inReasoning, m.span, true
	}
	return true
}

func (p *Parser) readReasoning() bool {
	var ends []marker
	for _, e := range p.format.Reasoning[p.span].End {
		ends = append(ends, marker{text: []byte(e)})
	}
	at, m, wait := earliest(ends, p.buf, p.last)
	cut := min(at, wait)
	p.show(wire.ReasoningDelta, p.buf[:cut])
	if m == nil || wait <= at {
		p.buf = p.buf[cut:]
		return false
	}
	p.buf, p.state = p.buf[at+len(m.text):], inText
	return true
}

func (p *Parser) enterCall() {
	p.state, p.object, p.name, p.id, p.named = inCall, object{}, "", "", false
}

// readCalls stands between calls: another one begins, or they are over.
func (p *Parser) readCalls() bool {
	if len(bytes.TrimLeft(p.buf, space)) == 0 && !p.last {
		return false
	}
	if p.format.List {
		return p.readList()
	}
	f := p.format
	for _, begin := range []struct {
		texts []string
		next  func()
	}{
		{f.End, p.leaveCalls},
		{f.Open, p.enterCall},
		{f.Between, p.enterCall},
	} {
		switch rest, m := startsWith(p.buf, begin.texts, p.last); m {
		case maybe:
			return false
		case yes:
			p.buf = rest
			begin.next()
			return true
		}
	}
	p.leaveCalls()
	return true
}

// leaveCalls goes back to text; the white space that parts calls is none.
func (p *Parser) leaveCalls() { p.state, p.trim, p.bare = inText, true, false }

// readList stands in the array of calls.
func (p *Parser) readList() bool {
	trimmed := bytes.TrimLeft(p.buf, space+",[")
	switch {
	case len(trimmed) == 0:
		p.buf = nil
		return false
	case trimmed[0] == ']':
		p.buf = trimmed[1:]
		p.leaveCalls()
	default:
		p.buf = trimmed
		p.enterCall()
	}
	return true
}

// readCall reads a call's name, where it stands as text, and its object.
func (p *Parser) readCall() bool {
	if len(p.format.NameEnd) > 0 && !p.named {
		return p.readName()
	}
	if p.object.depth == 0 {
		p.buf = bytes.TrimLeft(p.buf, space)
	}
	switch {
	case len(p.buf) == 0:
		return p.endWithin()
	case p.buf[0] != '{':
		p.state = inNoCall
		return true
	}
	end := p.object.end(p.buf)
	if p.object.broken && !p.bare {
		p.state = inNoCall
		return true
	}
	if end < 0 {
		return p.endWithin()
	}
	source := string(p.buf[:end])
	p.buf = p.buf[end:]
	if p.bare && !p.mayBeCall(source) {
		p.leaveCalls()
		p.trim = false
		p.show(wire.TextDelta, []byte(source)) // an answer in JSON, and no call
		return true
	}
	p.state = afterCall
	if p.named {
		p.add(holdfast.Call{ID: p.id, Name: p.name, Arguments: source, Complete: true})
	} else {
		p.add(p.format.call(source))
	}
	return true
}

// mayBeCall reports that an object, which nothing announced, names a tool.
func (p *Parser) mayBeCall(source string) bool {
	raw := []byte(source)
	if !rawjson.Valid(raw) {
		return strings.Contains(source, string(rawjson.Quote(p.format.NameMember)))
	}
	if rawjson.Kind(rawjson.Member(raw, p.format.NameMember)) != '"' {
		return false
	}
	for _, name := range p.format.Arguments {
		if rawjson.Member(raw, name) != nil {
			return true
		}
	}
	return false
}

// readName reads the name before the arguments, and the id after it.
func (p *Parser) readName() bool {
	name, rest := word(p.buf)
	if len(rest) == 0 && !p.last && len(name) <= maxName {
		return false
	}
	id := ""
	if p.format.IDBegin != "" {
		switch after, m := startsWith(rest, []string{p.format.IDBegin}, p.last); m {
		case maybe:
			return false
		case yes:
			var w []byte
			if w, rest = word(after); len(rest) == 0 && !p.last {
				return false
			}
			id = string(w)
		}
	}
	rest, m := startsWith(rest, p.format.NameEnd, p.last)
	switch {
	case m == maybe:
		return false
	case len(name) > maxName:
		p.state = inNoCall
		return true
	}
	p.name = strings.TrimPrefix(string(name), p.format.NamePrefix)
	if m == no {
		p.state = inNoCall
		return true
	}
	p.id, p.named, p.buf = id, true, rest
	return true
}

// word is what a name or an id may consist of, and what follows it.
func word(b []byte) (w, rest []byte) {
	b = bytes.TrimLeft(b, space)
	n := 0
	for n < len(b) && isNameByte(b[n]) {
		n++
	}
	return b[:n], b[n:]
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-./:", c) >= 0
}

// endWithin waits for the rest of a call; where none will come, the call is cut.
func (p *Parser) endWithin() bool {
	if len(p.buf) > maxCallBytes {
		p.state = inNoCall
		return true
	}
	if !p.last {
		return false
	}
	text := string(p.buf)
	p.buf, p.state = nil, inText
	switch {
	case p.bare && !p.mayBeCall(text):
		p.show(wire.TextDelta, []byte(text))
	case p.named:
		p.add(holdfast.Call{ID: p.id, Name: p.name, Arguments: text})
	default:
		p.add(holdfast.Call{Name: p.format.nameIn(text), Arguments: text, Problem: holdfast.UnreadableArguments})
	}
	return false
}

// readClose passes over what closes a call. Where it is missing, the next call or
// the end of the text closes it as well: the object was whole.
func (p *Parser) readClose() bool {
	rest, m := startsWith(p.buf, p.format.Close, p.last)
	if m == maybe {
		return false
	}
	if m == yes {
		p.buf = rest
	}
	p.state = inCalls
	return true
}

// readNoCall takes what began like a call and is none, up to what closes it.
func (p *Parser) readNoCall() bool {
	var ends []marker
	for _, texts := range [][]string{p.format.Close, p.format.End, p.format.Triggers} {
		for _, t := range texts {
			ends = append(ends, marker{text: bytes.TrimSpace([]byte(t))})
		}
	}
	at, m, _ := earliest(ends, p.buf, true)
	if m == nil && !p.last && len(p.buf) <= maxCallBytes {
		return false
	}
	text := string(bytes.TrimSpace(p.buf[:at]))
	p.buf, p.state = p.buf[at:], afterCall
	name := p.name
	if name == "" {
		name = p.format.nameIn(text)
	}
	switch {
	case text == "" && p.named:
		p.add(holdfast.Call{ID: p.id, Name: name, Complete: m != nil}) // no arguments
	case text != "":
		p.add(holdfast.Call{ID: p.id, Name: name, Arguments: text, Complete: m != nil, Problem: holdfast.UnreadableArguments})
	}
	return true
}

// call reads a call that is one object.
func (f *Format) call(source string) holdfast.Call {
	raw := []byte(source)
	c := holdfast.Call{Complete: true}
	if !rawjson.Valid(raw) {
		c.Name, c.Arguments, c.Problem = f.nameIn(source), source, holdfast.UnreadableArguments
		return c
	}
	c.Name = rawjson.Text([]byte(strings.TrimPrefix(rawjson.MemberString(raw, f.NameMember), f.NamePrefix)))
	if f.ID != "" {
		c.ID = rawjson.Text([]byte(rawjson.MemberString(raw, f.ID)))
	}
	for _, name := range f.Arguments {
		if v := rawjson.Member(raw, name); v != nil {
			switch {
			case rawjson.IsNull(v):
			case rawjson.Kind(v) == '"':
				c.Arguments = rawjson.String(v) // the object as text, as some models write it
			default:
				c.Arguments = string(v)
			}
			break
		}
	}
	return c
}

// nameIn is the name in an object that is broken behind it: the model is told of
// the tool that it meant.
func (f *Format) nameIn(text string) (name string) {
	c := rawjson.NewCursor([]byte(text))
	c.Object(func(key []byte) {
		if string(key) == f.NameMember {
			name = strings.TrimPrefix(c.Text(), f.NamePrefix)
		}
	})
	return name
}

func (p *Parser) add(c holdfast.Call) {
	if len(p.calls) >= maxCalls {
		return
	}
	c.Kind = holdfast.FunctionCall
	at := len(p.calls)
	p.calls = append(p.calls, c)
	p.events = append(p.events, wire.Event{Kind: wire.CallStart, Call: at, Name: c.Name})
	if c.Arguments != "" {
		p.events = append(p.events, wire.Event{Kind: wire.ArgumentsDelta, Call: at, Text: c.Arguments})
	}
	if c.Complete {
		p.events = append(p.events, wire.Event{Kind: wire.CallEnd, Call: at})
	}
}
