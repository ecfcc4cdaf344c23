package ollama

import (
	"bytes"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/frames"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/decode"
)

// assembler makes one reply: lines of a stream, or one body, which has the
// form of a last line.
type assembler struct {
	decode.Draft
	cur      rawjson.Cursor
	text     rawjson.Builder
	thinking rawjson.Builder
	entries  [][]byte // the calls' sources
	reason   string
	done     bool
}

// Done reports that the last line came.
func (d *assembler) Done() bool { return d.done }

// line is one line's members that are acted on once it is whole.
type line struct {
	message []byte
	known   bool
	done    bool
	reason  string
	usage   wire.Usage
	err     *wire.Error
}

// Frame takes a line, or a whole body.
func (d *assembler) Frame(f frames.Frame) {
	if d.done {
		return
	}
	var l line
	d.cur.Reset(f.Data)
	if d.cur.Object(func(key []byte) { d.member(&l, key) }); !d.cur.Done() {
		if !f.Tail {
			d.Unreadable(f.Data)
		}
		return
	}
	d.Seen = true
	if d.Reply.Err == nil {
		d.Reply.Err = l.err
	}
	if l.message != nil {
		d.message(rawjson.NewCursor(l.message))
	} else if !l.known {
		d.Reply.Unknown++
	}
	if l.done {
		d.done, d.reason, d.Reply.Usage = true, l.reason, l.usage
		if d.ending() == wire.Ended {
			for i := range d.Reply.Calls {
				d.Tell(wire.Event{Kind: wire.CallEnd, Call: i})
			}
		}
	}
}

func (d *assembler) member(l *line, key []byte) {
	c := &d.cur
	switch string(key) {
	case "message":
		if c.Kind() == '{' {
			l.message = c.Raw()
		}
	case "model":
		d.Reply.Model = c.Text()
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
		e.Message = rawjson.MemberString(raw, "message")
	}
	e.Message = rawjson.Text([]byte(e.Message))
	return e
}

func (d *assembler) message(c *rawjson.Cursor) {
	c.Object(func(key []byte) {
		switch string(key) {
		case "content":
			d.Show(wire.TextDelta, 0, d.text.Add(c.Bytes()))
		case "thinking":
			d.Show(wire.ReasoningDelta, 0, d.thinking.Add(c.Bytes()))
		case "tool_calls":
			c.Array(func(int) { d.call(c) })
		}
	})
}

// call takes one entry of tool_calls: always a call of its own, always whole.
func (d *assembler) call(c *rawjson.Cursor) {
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
	if !d.Room(len(d.Reply.Calls)) {
		return
	}
	d.Show(wire.ArgumentsDelta, d.Propose(call), []byte(call.Arguments))
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
