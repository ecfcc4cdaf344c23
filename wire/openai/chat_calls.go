package openai

import (
	"bytes"
	"math"

	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// fragment is one entry of tool_calls, or a legacy function_call.
type fragment struct {
	index      int64
	hasIndex   bool
	id, name   []byte
	custom     bool
	legacy     bool // a function_call
	args       []byte
	argsObject bool // args is an object's source
	extra      []byte
}

// callFragment reads an entry of tool_calls and puts it where it belongs.
func (d *chatReply) callFragment(c *rawjson.Cursor) {
	var f fragment
	c.Object(func(key []byte) {
		switch string(key) {
		case "index":
			f.index, f.hasIndex = d.Index(c.Raw())
		case "id":
			f.id = c.Bytes()
		case "type":
			f.custom = string(c.Bytes()) == "custom" || f.custom
		case "function":
			f.function(c)
		case "custom":
			f.custom = true
			f.function(c)
		default:
			if raw := c.Raw(); raw != nil && string(raw) != "null" {
				f.extra = append(append(append(f.extra, ','), rawjson.AppendQuoted(nil, key)...), ':')
				f.extra = append(f.extra, raw...)
			}
		}
	})
	d.put(&f)
}

// legacyCall reads function_call, which has neither index nor id.
func (d *chatReply) legacyCall(c *rawjson.Cursor) {
	f := fragment{hasIndex: true, index: math.MinInt64, legacy: true}
	f.function(c)
	d.put(&f)
}

func (f *fragment) function(c *rawjson.Cursor) {
	c.Object(func(key []byte) {
		switch string(key) {
		case "name":
			f.name = c.Bytes()
		case "arguments", "input":
			switch c.Kind() {
			case '"':
				f.args = c.Bytes()
			case 'n':
				c.Skip()
			default:
				f.args, f.argsObject = c.Raw(), true
			}
		}
	})
}

// put adds f to its call: a new one if its id is another than the slot's, its
// index is new, or it has no index but an id or a name. An empty id, name or
// argument text is no information. A name is set once: another one in the same
// slot is another call, an equal one a repetition.
func (d *chatReply) put(f *fragment) {
	slot := d.slot(f)
	if slot == nil {
		if !d.Room(len(d.slots)) {
			return
		}
		slot = &chatCall{index: f.index, hasIndex: f.hasIndex, legacy: f.legacy, position: -1}
		d.slots = append(d.slots, slot)
	}
	if slot.id == "" && len(f.id) > 0 {
		slot.id = rawjson.Text(f.id)
	}
	if slot.name == "" && len(f.name) > 0 {
		slot.name = rawjson.Text(f.name)
	}
	slot.custom = slot.custom || f.custom
	if len(f.extra) > 0 {
		slot.extra = f.extra
	}
	if slot.position < 0 {
		if slot.id == "" && slot.name == "" && len(f.args) == 0 {
			return // nothing is known of it: a phantom until something comes
		}
		slot.position = len(d.calls)
		d.calls = append(d.calls, slot)
		d.Tell(wire.Event{Kind: wire.CallStart, Call: slot.position, Name: slot.name})
	}
	d.open = true
	slot.object = slot.object || f.argsObject
	d.Show(wire.ArgumentsDelta, slot.position, slot.args.Add(f.args))
}

// slot is where f goes on, nil for a new call.
func (d *chatReply) slot(f *fragment) *chatCall {
	var slot *chatCall
	if f.hasIndex {
		for i := len(d.slots) - 1; i >= 0 && slot == nil; i-- {
			if s := d.slots[i]; s.hasIndex && s.index == f.index {
				slot = s
			}
		}
	} else if len(f.id) == 0 && len(f.name) == 0 && len(d.slots) > 0 {
		return d.slots[len(d.slots)-1]
	}
	if slot == nil {
		return nil
	}
	otherID := len(f.id) > 0 && slot.id != "" && !bytes.Equal(f.id, []byte(slot.id))
	otherName := len(f.name) > 0 && slot.name != "" && !bytes.Equal(f.name, []byte(slot.name))
	if otherID || otherName {
		return nil
	}
	return slot
}

// endCalls tells the preview that all calls are closed: this format closes them
// together, with the choice.
func (d *chatReply) endCalls() {
	if d.closed || d.open || ending(d.finish) != wire.Ended {
		return
	}
	d.closed = true
	for _, call := range d.calls {
		d.Tell(wire.Event{Kind: wire.CallEnd, Call: call.position})
	}
}
