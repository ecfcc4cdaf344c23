package ollama

import (
	"bytes"
	"encoding/json"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/frames"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

const (
	api      = "ollama"
	maxCalls = 1024
)

// decoder assembles one reply: lines of a stream, or one body, which has the
// form of a last line.
type decoder struct {
	frames frames.Reader
	cur    rawjson.Cursor
	frame  func(frames.Frame) // takes one frame; made once
	events []wire.Event

	model    string
	text     rawjson.Builder
	thinking rawjson.Builder
	calls    []holdfast.Call
	entries  [][]byte // the calls' sources
	usage    wire.Usage
	reason   string
	done     bool
	seen     bool
	unknown  int
	err      *wire.Error
}

func newDecoder() *decoder {
	d := &decoder{}
	d.frame = d.take
	return d
}

// Feed implements [wire.Decoder].
func (d *decoder) Feed(p []byte) []wire.Event {
	d.events = d.events[:0]
	d.frames.Feed(p, d.frame)
	return d.events
}

// Done implements [wire.Decoder].
func (d *decoder) Done() bool { return d.done }

// line is one line's members that are acted on once it is whole.
type line struct {
	message []byte
	known   bool
	done    bool
	reason  string
	usage   wire.Usage
	err     *wire.Error
}

// take reads one frame.
func (d *decoder) take(f frames.Frame) {
	if d.done {
		return
	}
	var l line
	d.cur.Reset(f.Data)
	if d.cur.Object(func(key []byte) { d.member(&l, key) }); !d.cur.Done() {
		if d.err == nil && !f.Tail {
			d.err = &wire.Error{Code: "unreadable_event", Message: "a line of the reply is not JSON", Raw: rawjson.Quote(string(f.Data[:min(len(f.Data), 1<<10)]))}
		}
		return
	}
	d.seen = true
	if d.err == nil {
		d.err = l.err
	}
	if l.message != nil {
		d.message(rawjson.NewCursor(l.message))
	} else if !l.known {
		d.unknown++
	}
	if l.done {
		d.done, d.reason, d.usage = true, l.reason, l.usage
		if d.ending() == wire.Ended {
			for i := range d.calls {
				d.events = append(d.events, wire.Event{Kind: wire.CallEnd, Call: i})
			}
		}
	}
}

func (d *decoder) member(l *line, key []byte) {
	c := &d.cur
	switch string(key) {
	case "message":
		if c.Kind() == '{' {
			l.message = c.Raw()
		}
	case "model":
		d.model = c.Text()
	case "done":
		l.done, l.known = c.Bool(), true
	case "done_reason":
		l.reason = c.Text()
	case "prompt_eval_count":
		if n, ok := c.Int(); ok {
			l.usage.Input = &n
		}
	case "eval_count":
		if n, ok := c.Int(); ok {
			l.usage.Output = &n
		}
	case "error":
		l.known = true
		l.err = readError(c)
	}
}

// readError reads an error's sentence; a gateway may send an object.
func readError(c *rawjson.Cursor) *wire.Error {
	if kind := c.Kind(); kind == 'n' || kind == 0 {
		return nil
	}
	raw := c.Raw()
	if raw == nil {
		return nil
	}
	e := &wire.Error{Code: "error", Raw: bytes.Clone(rawjson.Clean(raw))}
	if e.Message = rawjson.String(raw); e.Message == "" {
		e.Message = rawjson.String(rawjson.Member(raw, "message"))
	}
	e.Message = rawjson.Text([]byte(e.Message))
	return e
}

func (d *decoder) message(c *rawjson.Cursor) {
	c.Object(func(key []byte) {
		switch string(key) {
		case "content":
			d.show(wire.TextDelta, 0, d.text.Add(c.Bytes()))
		case "thinking":
			d.show(wire.ReasoningDelta, 0, d.thinking.Add(c.Bytes()))
		case "tool_calls":
			c.Array(func(int) { d.call(c) })
		}
	})
}

func (d *decoder) show(kind wire.EventKind, call int, text []byte) {
	if len(text) > 0 {
		d.events = append(d.events, wire.Event{Kind: kind, Call: call, Text: rawjson.Text(text)})
	}
}

// call takes one entry of tool_calls: always a call of its own, always whole.
func (d *decoder) call(c *rawjson.Cursor) {
	raw := c.Raw()
	if raw == nil {
		return
	}
	call := holdfast.Call{Kind: holdfast.FunctionCall}
	e := rawjson.NewCursor(raw)
	e.Object(func(key []byte) {
		switch string(key) {
		case "id":
			call.ID = e.Text()
		case "function":
			e.Object(func(key []byte) {
				switch string(key) {
				case "name":
					call.Name = e.Text()
				case "arguments":
					call.Arguments = arguments(e)
				}
			})
		}
	})
	if call.ID == "" && call.Name == "" && call.Arguments == "" {
		return // a phantom
	}
	if len(d.calls) >= maxCalls {
		if d.err == nil {
			d.err = &wire.Error{Code: "too_many_calls", Message: "the reply holds more calls than a reply can"}
		}
		return
	}
	d.events = append(d.events, wire.Event{Kind: wire.CallStart, Call: len(d.calls), Name: call.Name})
	d.show(wire.ArgumentsDelta, len(d.calls), []byte(call.Arguments))
	d.calls = append(d.calls, call)
	d.entries = append(d.entries, bytes.Clone(raw))
}

// arguments is the object's source, or a text where a server sends one.
func arguments(c *rawjson.Cursor) string {
	switch c.Kind() {
	case '"':
		return string(c.Bytes())
	case 'n':
		c.Skip()
		return ""
	}
	return string(c.Raw())
}

func (d *decoder) ending() wire.Ending {
	switch {
	case d.err != nil || !d.done:
		return wire.Broken
	case d.reason == "length":
		return wire.Cut
	}
	return wire.Ended
}

// Close implements [wire.Decoder].
func (d *decoder) Close() *wire.Reply {
	d.events = d.events[:0]
	d.frames.Close(d.frame)
	d.framing()
	r := &wire.Reply{
		API: api, Model: d.model, Stop: d.reason, Ending: d.ending(), Text: d.text.Text(), Reasoning: d.thinking.Text(),
		Calls: d.calls, Usage: d.usage, Err: d.err, Unknown: d.unknown,
	}
	r.Complete = r.Ending == wire.Ended
	for i := range r.Calls {
		r.Calls[i].Complete = r.Complete
	}
	r.Message = d.assistantMessage()
	return r
}

// framing notes what ended the reading, or a reply that is none.
func (d *decoder) framing() {
	if d.err != nil {
		return
	}
	if err := d.frames.Err(); err != nil {
		d.err = &wire.Error{Code: "unreadable_reply", Message: err.Error()}
	} else if noise := bytes.TrimSpace(d.frames.Noise()); len(noise) > 0 && !d.seen {
		d.err = &wire.Error{Code: "unreadable_reply", Message: "the reply is not JSON", Raw: rawjson.Quote(string(noise))}
	}
}

// assistantMessage is what the lines add up to, calls as they came.
func (d *decoder) assistantMessage() json.RawMessage {
	if d.text.Len() == 0 && len(d.calls) == 0 {
		return nil
	}
	b := append([]byte(`{"role":"assistant","content":`), rawjson.Quote(d.text.Text())...)
	if d.thinking.Len() > 0 {
		b = append(append(b, `,"thinking":`...), rawjson.Quote(d.thinking.Text())...)
	}
	if len(d.calls) > 0 {
		b = append(append(b, `,"tool_calls":[`...), bytes.Join(d.entries, []byte{','})...)
		b = append(b, ']')
	}
	return append(b, '}')
}
