package openai

import (
	"bytes"

	"github.com/holdfast-go/holdfast/internal/frames"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/decode"
)

// chatReply assembles one Chat reply, of chunks or of one body.
type chatReply struct {
	decode.Draft
	cur       rawjson.Cursor
	text      rawjson.Builder
	refusal   rawjson.Builder
	reasoning rawjson.Builder
	member    string // under which reasoning came: reasoning_content or reasoning
	details   []byte // entries of reasoning_details, joined by commas
	calls     []*chatCall
	slots     []*chatCall // by arrival, placeholders too
	message   []byte      // a whole body's own message
	extra     []byte      // the message's extra_content

	finish  string // the stop word, once there is one
	ends    bool   // the frame that is read holds a stop word
	open    bool   // something of a call came, and no end sign with or after it
	done    bool   // [DONE] came
	whole   bool   // one body came
	choice  int64  // the choice that is decoded
	chosen  bool
	closed  bool        // calls were closed in the preview
	bareErr *wire.Error // what may be an error if no reply comes
}

// chatCall is one call as it is assembled.
type chatCall struct {
	index    int64
	hasIndex bool
	position int // among the real calls; -1 for a placeholder
	id, name string
	custom   bool
	legacy   bool // it came as a function_call
	args     rawjson.Builder
	object   bool   // arguments came as an object
	extra    []byte // members that are not ours, as ,"name":value
}

// Done reports that [DONE] came, or a whole body.
func (d *chatReply) Done() bool { return d.done || d.whole }

// Whole reports that a stop word came: usage and [DONE] follow it, or nothing.
func (d *chatReply) Whole() bool { return d.finish != "" || d.Done() }

// Frame takes a chunk, or a whole body.
func (d *chatReply) Frame(f frames.Frame) {
	data := f.Data
	switch {
	case d.done || d.whole:
		d.after(data)
		return
	case string(data) == "[DONE]":
		d.done, d.open = true, false
		d.endCalls()
		return
	case len(data) == 0 || data[0] != '{':
		d.Reply.Unknown++
		return
	}
	d.cur.Reset(data)
	d.ends = false
	known, finish := false, d.finish
	d.cur.Object(func(key []byte) { known = d.top(key) || known })
	if !d.cur.Done() {
		if !f.Tail {
			d.Unreadable(data)
		}
		d.whole, d.message, d.finish = false, nil, finish // no end sign counts that came in a cut
		return
	}
	if !known {
		d.Reply.Unknown++
		if d.bareErr == nil {
			d.bareErr = bareError(data)
		}
		if d.Reply.Err == nil && string(f.Event) == "error" {
			d.Reply.Err = bareError(data)
		}
	}
	d.Seen = true
	if d.ends || d.whole {
		d.open = false
	}
	if d.finish != "" && !d.open || d.whole {
		d.endCalls()
	}
}

// after takes what follows [DONE]. It is not looked at, but for more of a call of
// this very reply: then the end sign came too soon.
func (d *chatReply) after(data []byte) {
	if len(data) == 0 || data[0] != '{' || d.whole || d.Reply.Err != nil {
		return
	}
	rest := &chatReply{}
	rest.Frame(frames.Frame{Data: data})
	if len(rest.calls) > 0 && (rest.Reply.ID == "" || rest.Reply.ID == d.Reply.ID) {
		d.OutOfOrder()
	}
}

// bareError reads an object without choices as an error that has no error member
// around it: it is one if it is all there is, or its event says so.
func bareError(data []byte) *wire.Error {
	e := errorOf(data)
	if e.Message == "" {
		return nil
	}
	e.Raw = cleaned(data)
	return e
}

// top reads a member of a chunk or body; it reports whether that is of a reply.
func (d *chatReply) top(key []byte) bool {
	c := &d.cur
	switch string(key) {
	case "choices":
		return c.Array(func(i int) { d.choiceOf(c, int64(i)) })
	case "id":
		if d.Reply.ID == "" {
			d.Reply.ID = c.Text()
		}
	case "model":
		if d.Reply.Model == "" {
			d.Reply.Model = c.Text()
		}
	case "usage":
		return d.readUsage()
	case "x_groq":
		c.Object(func(key []byte) {
			if string(key) == "usage" && d.Reply.Usage.Output == nil {
				d.readUsage()
			}
		})
	case "error":
		if e := readError(c); e != nil && d.Reply.Err == nil {
			d.Reply.Err = e
		}
		return true
	}
	return false
}

func (d *chatReply) readUsage() bool {
	if d.cur.Kind() != '{' {
		return false
	}
	if u := readUsage(&d.cur); u.Input != nil || u.Output != nil {
		d.Reply.Usage = u
	}
	return true
}

// choiceOf reads one choice. Only the first is decoded; its index may stand
// after what it holds, and is its place where it has none.
func (d *chatReply) choiceOf(c *rawjson.Cursor, place int64) {
	start := c.Fork()
	index, known := int64(0), false
	c.Object(func(key []byte) {
		name := string(key)
		if name == "index" {
			index, known = d.choiceIndex(c, place), true
			return
		}
		if !known {
			index, known = place, true
			start.Object(func(key []byte) {
				if string(key) == "index" {
					index = d.choiceIndex(start, place)
				}
			})
		}
		if !d.chosen {
			d.choice, d.chosen = index, true
		}
		if d.choice != index {
			return
		}
		switch name {
		case "delta", "message":
			d.messageOf(c, name == "message")
		case "finish_reason":
			if word := c.Bytes(); len(word) > 0 {
				d.ends = true
				if ending(d.finish) == wire.Ended { // a veto is not taken back
					d.finish = rawjson.Text(word)
				}
			}
		}
	})
}

func (d *chatReply) choiceIndex(c *rawjson.Cursor, place int64) int64 {
	if index, ok := d.Index(c.Raw()); ok {
		return index
	}
	return place
}

// messageOf reads a delta, or a whole message.
func (d *chatReply) messageOf(c *rawjson.Cursor, whole bool) {
	if whole && c.Kind() == '{' {
		d.whole = true
		d.message = bytes.Clone(c.Fork().Raw()) // the frame is not ours to keep
	}
	reasoned := false
	c.Object(func(key []byte) {
		switch string(key) {
		case "content":
			d.content(c)
		case "refusal":
			d.Show(wire.TextDelta, 0, d.refusal.Add(c.Bytes()))
		case "reasoning_content", "reasoning":
			// Some servers send the same under both names.
			if piece := c.Bytes(); len(piece) > 0 && !reasoned {
				reasoned = true
				if d.member == "" {
					d.member = string(key)
				}
				d.reason(piece)
			}
		case "reasoning_details":
			d.reasoningDetails(c)
		case "extra_content":
			if c.Kind() != 'n' {
				d.extra = append(d.extra[:0], c.Raw()...)
			}
		case "tool_calls":
			c.Array(func(int) { d.callFragment(c) })
		case "function_call":
			if c.Kind() == '{' {
				d.legacyCall(c)
			}
		}
	})
}

// content is a text, or an array of parts that are text or thinking.
func (d *chatReply) content(c *rawjson.Cursor) {
	if c.Kind() != '[' {
		d.Show(wire.TextDelta, 0, d.text.Add(c.Bytes()))
		return
	}
	c.Array(func(int) {
		c.Object(func(key []byte) {
			switch string(key) {
			case "text":
				d.Show(wire.TextDelta, 0, d.text.Add(c.Bytes()))
			case "thinking":
				d.thinking(c)
			}
		})
	})
}

func (d *chatReply) thinking(c *rawjson.Cursor) {
	if c.Kind() == '"' {
		d.reason(c.Bytes())
		return
	}
	c.Array(func(int) {
		c.Object(func(key []byte) {
			if string(key) == "text" {
				d.reason(c.Bytes())
			}
		})
	})
}

func (d *chatReply) reason(piece []byte) {
	d.Show(wire.ReasoningDelta, 0, d.reasoning.Add(piece))
}

func (d *chatReply) reasoningDetails(c *rawjson.Cursor) {
	c.Array(func(int) {
		raw := c.Raw()
		if raw == nil {
			return
		}
		if len(d.details) > 0 {
			d.details = append(d.details, ',')
		}
		d.details = append(d.details, raw...)
	})
}
