package openai

import (
	"bytes"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// responseItem is one item of the output as it is assembled.
type responseItem struct {
	index    int64
	hasIndex bool
	id       string
	typ      string
	texted   bool   // its text came in deltas
	done     bool   // output_item.done came, or it stands in the final output
	late     bool   // a delta came after that, and nothing else tells what it holds
	raw      []byte // its source, once it is done
	status   string

	// Of a call:
	position        int // among the calls, -1 for what is none
	kind            holdfast.CallKind
	callID          string
	name, namespace string
	args            rawjson.Builder // the deltas
	doneArgs        []byte          // of the event that ended the deltas
	itemArgs        []byte          // of the item itself
	itemText        bool            // itemArgs is the text as sent, not an object's source
	server          bool            // the provider runs it
}

// find is the item that an event speaks of: by its place in the output, since
// proxies change item ids between two events of one item.
func (d *responsesReply) find(e *responseEvent) *responseItem {
	for i := len(d.items) - 1; i >= 0; i-- {
		it := d.items[i]
		if e.hasIndex && it.hasIndex {
			if it.index == e.index {
				return it
			}
		} else if len(e.itemID) > 0 && it.id != "" && bytes.Equal(e.itemID, []byte(it.id)) {
			return it
		}
	}
	if n := len(d.items); !e.hasIndex && len(e.itemID) == 0 && n > 0 && e.item == nil {
		return d.items[n-1]
	}
	return nil
}

// markText notes that the item's text needs not be read again when it is done.
func (d *responsesReply) markText(e *responseEvent) {
	if it := d.find(e); it != nil {
		it.texted = true
	}
}

func (d *responsesReply) argumentsDelta(e *responseEvent) {
	if !e.hasDelta {
		e.delta = e.value
	}
	it := d.find(e)
	switch {
	case it == nil && len(e.delta) > 0:
		d.OutOfOrder()
		return
	case it == nil:
		return
	case it.done:
		it.late = it.late || len(e.delta) > 0 && it.arguments() == ""
		return
	}
	piece := it.args.Add(e.delta)
	if it.position >= 0 {
		d.Show(wire.ArgumentsDelta, it.position, piece)
	}
}

// item takes an item that was added, or is done.
func (d *responsesReply) item(e *responseEvent, done bool) {
	if e.item == nil {
		return
	}
	if done {
		e.item = bytes.Clone(e.item) // kept, and slices of it
	}
	next := &responseItem{index: e.index, hasIndex: e.hasIndex, position: -1}
	next.read(rawjson.NewCursor(e.item))
	if !done {
		next.itemArgs = nil // what is not done yet is told by the deltas
	}
	if !e.hasIndex && len(e.itemID) == 0 {
		e.itemID = []byte(next.id)
	}
	it := d.find(e)
	if it != nil && it.isOther(next) {
		it = nil // some servers number all of their items alike
	}
	if it != nil && it.done {
		return // what is done does not change any more
	}
	switch {
	case it == nil && !d.Room(len(d.items)):
		return
	case it == nil:
		it = next
		d.items = append(d.items, it)
	default:
		it.update(next)
	}
	d.start(it)
	if !done {
		return
	}
	it.done = true
	it.raw = e.item
	d.finishItem(it, e.item)
}

// isOther reports an item that cannot be this one: neither id is.
func (it *responseItem) isOther(next *responseItem) bool {
	return it.callID != "" && next.callID != "" && it.callID != next.callID && (it.id == "" || it.id != next.id)
}

// update takes what a later event tells of the item.
func (it *responseItem) update(next *responseItem) {
	set := func(dst *string, s string) {
		if s != "" {
			*dst = s
		}
	}
	set(&it.id, next.id)
	set(&it.typ, next.typ)
	set(&it.status, next.status)
	set(&it.callID, next.callID)
	set(&it.name, next.name)
	set(&it.namespace, next.namespace)
	if next.kind != "" {
		it.kind = next.kind
	}
	it.itemArgs, it.itemText, it.server = next.itemArgs, next.itemText, next.server
}

// start counts the item among the calls once it is known for one that is ours to
// answer.
func (d *responsesReply) start(it *responseItem) {
	if it.kind == "" || it.server || it.position >= 0 {
		return
	}
	it.position = len(d.calls)
	d.calls = append(d.calls, it)
	d.Tell(wire.Event{Kind: wire.CallStart, Call: it.position, Name: it.name})
}

// finishItem shows what the deltas did not, and closes a call.
func (d *responsesReply) finishItem(it *responseItem, source []byte) {
	if it.position >= 0 {
		if it.args.Len() == 0 && it.itemText {
			d.Show(wire.ArgumentsDelta, it.position, it.itemArgs)
		}
		if it.whole() {
			d.Tell(wire.Event{Kind: wire.CallEnd, Call: it.position})
		}
		return
	}
	if it.texted {
		return
	}
	switch it.typ {
	case "message":
		d.messageText(rawjson.NewCursor(source))
	case "reasoning":
		d.reasoningText(rawjson.NewCursor(source))
	}
}

// read reads an item's members.
func (it *responseItem) read(c *rawjson.Cursor) {
	var action []byte
	c.Object(func(key []byte) {
		switch string(key) {
		case "type":
			it.typ = c.Text()
		case "id":
			it.id = c.Text()
		case "status":
			it.status = c.Text()
		case "call_id":
			it.callID = c.Text()
		case "name":
			it.name = c.Text()
		case "namespace":
			it.namespace = c.Text()
		case "execution":
			it.server = string(c.Bytes()) == "server"
		case "arguments", "input":
			if c.Kind() == '"' {
				it.itemArgs, it.itemText = c.Bytes(), true
			} else if c.Kind() != 'n' {
				it.itemArgs = c.Raw()
			}
		case "action", "operation":
			action = c.Raw()
		}
	})
	switch it.typ {
	case "function_call":
		it.kind = holdfast.FunctionCall
	case "custom_tool_call":
		it.kind = holdfast.CustomCall
	case "tool_search_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call":
		it.kind, it.name = holdfast.BuiltinCall, it.typ
		if action != nil {
			it.itemArgs, it.itemText = action, false
		}
	}
}

// whole reports that the item came to its end, and not as a cut one.
func (it *responseItem) whole() bool {
	return it.done && !it.late && it.status != "incomplete" && it.status != "failed"
}

// arguments is the item's own text, else what came before it. An empty text in
// the item does not void deltas that hold one: {} must not run in their place.
func (it *responseItem) arguments() string {
	switch {
	case len(it.itemArgs) > 0:
		return string(it.itemArgs)
	case len(it.doneArgs) > 0:
		return string(it.doneArgs)
	}
	return it.args.String()
}

// messageText reads the content of a message that came without deltas.
func (d *responsesReply) messageText(c *rawjson.Cursor) {
	c.Object(func(key []byte) {
		if string(key) != "content" {
			return
		}
		c.Array(func(int) {
			c.Object(func(key []byte) {
				switch string(key) {
				case "text":
					d.Show(wire.TextDelta, 0, d.text.Add(c.Bytes()))
				case "refusal":
					d.Show(wire.TextDelta, 0, d.refusal.Add(c.Bytes()))
				}
			})
		})
	})
}

// reasoningText reads the summary of reasoning that came without deltas, or its
// content where there is no summary.
func (d *responsesReply) reasoningText(c *rawjson.Cursor) {
	before := d.reasoning.Len()
	var content *rawjson.Cursor
	c.Object(func(key []byte) {
		switch string(key) {
		case "summary":
			d.reasoningParts(c)
		case "content":
			content = c.Fork()
		}
	})
	if content != nil && d.reasoning.Len() == before {
		d.reasoningParts(content)
	}
}

func (d *responsesReply) reasoningParts(c *rawjson.Cursor) {
	c.Array(func(int) {
		c.Object(func(key []byte) {
			if string(key) == "text" {
				d.separate()
				d.Show(wire.ReasoningDelta, 0, d.reasoning.Add(c.Bytes()))
			}
		})
	})
}
