package openai

import (
	"strings"

	"github.com/holdfast-go/holdfast/internal/frames"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/decode"
)

// responsesReply assembles one Responses reply, of events or of one body.
type responsesReply struct {
	decode.Draft
	cur       rawjson.Cursor
	text      rawjson.Builder
	refusal   rawjson.Builder
	reasoning rawjson.Builder
	items     []*responseItem
	calls     []*responseItem
	status    string // of the response, once it ended
	reason    string // why it is incomplete
	output    []byte // the final response's own items, as an array
	outputs   int
	ended     bool
}

// Done reports that the final response came.
func (d *responsesReply) Done() bool { return d.ended }

// responseEvent is one event's members, values still unread.
type responseEvent struct {
	typ, object []byte
	index       int64
	hasIndex    bool
	at          []byte // the index as sent
	itemID      []byte
	item        []byte // source
	delta       []byte
	hasDelta    bool
	value       []byte // source of a delta that is no text
	arguments   []byte
	response    []byte // source
	err         *wire.Error
	raw         []byte
	status      bool
}

// Frame takes an event, or a whole body.
func (d *responsesReply) Frame(f frames.Frame) {
	data := f.Data
	if d.ended || string(data) == "[DONE]" {
		return
	}
	if len(data) == 0 || data[0] != '{' {
		d.Reply.Unknown++
		return
	}
	e := responseEvent{raw: data}
	d.cur.Reset(data)
	d.cur.Object(func(key []byte) { e.member(&d.cur, key) })
	if !d.cur.Done() {
		if !f.Tail {
			d.Unreadable(data)
		}
		return
	}
	if len(e.typ) == 0 {
		e.typ = f.Event
	}
	e.index, e.hasIndex = d.Index(e.at)
	d.event(&e)
	d.Seen = true
}

func (e *responseEvent) member(c *rawjson.Cursor, key []byte) {
	switch string(key) {
	case "type":
		e.typ = c.Bytes()
	case "object":
		e.object = c.Bytes()
	case "output_index":
		e.at = c.Raw()
	case "item_id":
		e.itemID = c.Bytes()
	case "item":
		e.item = c.Raw()
	case "delta":
		if e.hasDelta = c.Kind() == '"'; e.hasDelta {
			e.delta = c.Bytes()
		} else if c.Kind() != 'n' {
			e.value = c.Raw()
		}
	case "arguments", "input":
		e.arguments = c.Bytes()
	case "response":
		e.response = c.Raw()
	case "status":
		e.status = c.Kind() == '"'
	case "error":
		e.err = readError(c)
	}
}

func (d *responsesReply) event(e *responseEvent) {
	switch string(e.typ) {
	case "response.output_text.delta":
		d.Show(wire.TextDelta, 0, d.text.Add(e.delta))
		d.markText(e)
	case "response.refusal.delta":
		d.Show(wire.TextDelta, 0, d.refusal.Add(e.delta))
		d.markText(e)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		d.Show(wire.ReasoningDelta, 0, d.reasoning.Add(e.delta))
		d.markText(e)
	case "response.reasoning_summary_part.added":
		d.separate()
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		d.argumentsDelta(e)
	case "response.function_call_arguments.done", "response.custom_tool_call_input.done":
		if it := d.find(e); it != nil {
			it.doneArgs = append(it.doneArgs[:0], e.arguments...)
		}
	case "response.output_item.added":
		d.item(e, false)
	case "response.output_item.done":
		d.item(e, true)
	case "response.created", "response.in_progress", "response.queued":
		d.begin(e)
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		d.end(e.response, strings.TrimPrefix(string(e.typ), "response."))
	case "error":
		d.fail(e)
	default:
		d.other(e)
	}
}

// other takes what has no known type: a whole body, an error, or a kind of event
// that carries nothing for us.
func (d *responsesReply) other(e *responseEvent) {
	switch {
	case len(e.typ) == 0 && (string(e.object) == "response" || e.status && e.err == nil):
		d.end(e.raw, "")
	case e.err != nil || len(e.typ) == 0 && !d.Seen:
		d.fail(e)
	case !knownEvent(string(e.typ)):
		d.Reply.Unknown++
	}
}

// knownEvent knows the events that only tell progress.
func knownEvent(typ string) bool {
	for _, prefix := range []string{
		"content_part.", "output_text.", "refusal.", "reasoning", "mcp_", "web_search_call.", "file_search_call.",
		"code_interpreter_call", "image_generation_call.", "apply_patch_call_operation_diff.", "shell_call", "audio.",
	} {
		if strings.HasPrefix(typ, "response."+prefix) {
			return true
		}
	}
	return typ == "keepalive" || typ == "ping"
}

// begin notes who answers. A second beginning is a relay's retry, spliced in: all
// before is void.
func (d *responsesReply) begin(e *responseEvent) {
	if string(e.typ) == "response.created" && (len(d.items) > 0 || d.text.Len() > 0) {
		d.Restart()
		*d = responsesReply{Draft: d.Draft}
	}
	c := rawjson.NewCursor(e.response)
	c.Object(func(key []byte) {
		switch string(key) {
		case "id":
			d.Reply.ID = c.Text()
		case "model":
			d.Reply.Model = c.Text()
		}
	})
}

// separate puts an empty line between two parts of the reasoning.
func (d *responsesReply) separate() {
	if d.reasoning.Len() > 0 {
		d.Show(wire.ReasoningDelta, 0, d.reasoning.Add([]byte("\n\n")))
	}
}

func (d *responsesReply) fail(e *responseEvent) {
	if d.Reply.Err != nil {
		return
	}
	d.Reply.Err = e.err
	if d.Reply.Err == nil {
		d.Reply.Err = errorOf(e.raw)
		d.Reply.Err.Raw = cleaned(e.raw)
	}
}

// end reads the final response, or a whole body.
func (d *responsesReply) end(response []byte, status string) {
	d.ended = true
	d.status = status
	var failure *wire.Error
	c := rawjson.NewCursor(response)
	c.Object(func(key []byte) {
		switch string(key) {
		case "id":
			d.Reply.ID = c.Text()
		case "model":
			d.Reply.Model = c.Text()
		case "status":
			if word := c.Bytes(); len(word) > 0 {
				d.status = rawjson.Text(word)
			}
		case "incomplete_details":
			c.Object(func(key []byte) {
				if string(key) == "reason" {
					d.reason = c.Text()
				}
			})
		case "error":
			failure = readError(c)
		case "usage":
			if c.Kind() == '{' {
				d.Reply.Usage = readUsage(c)
			}
		case "output":
			d.finalOutput(c)
		}
	})
	if d.Reply.Err == nil {
		d.Reply.Err = failure
	}
}

// finalOutput takes the items of the final response: all of a whole body, and of
// a stream those that it did not tell one by one.
func (d *responsesReply) finalOutput(c *rawjson.Cursor) {
	if c.Kind() != '[' {
		return
	}
	d.output = append(d.output[:0], c.Fork().Raw()...)
	c.Array(func(i int) {
		d.outputs++
		raw := c.Raw()
		e := responseEvent{item: raw, index: int64(i), hasIndex: true}
		if it := d.find(&e); it == nil || !it.done {
			d.item(&e, true)
		}
	})
}
