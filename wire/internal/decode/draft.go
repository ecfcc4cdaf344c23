package decode

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// maxParts is how many blocks, parts, steps, items or calls a reply may have: far
// more than a model sends, and few enough to look through.
const maxParts = 4096

// Draft is a reply while it grows, and what is shown of it meanwhile.
type Draft struct {
	Reply wire.Reply
	// Seen says that something of this format came.
	Seen bool

	events []wire.Event
	block  *strings.Builder // of events' texts
}

func (d *Draft) draft() *Draft { return d }

// Restart voids everything before: a relay spliced a retried stream in.
func (d *Draft) Restart() {
	*d = Draft{Seen: true, events: append(d.events[:0], wire.Event{Kind: wire.Restart}), block: d.block}
}

// Fail notes an error; the first stands.
func (d *Draft) Fail(code, message string, raw json.RawMessage) {
	if d.Reply.Err == nil {
		d.Reply.Err = &wire.Error{Code: code, Message: message, Raw: raw}
	}
}

// Unreadable notes an event that is no JSON: what it held is lost, so the reply
// cannot be complete.
func (d *Draft) Unreadable(event []byte) {
	d.Fail("unreadable_event", "an event of the reply is not JSON", rawjson.AppendQuoted(nil, event[:min(len(event), 1<<10)]))
}

// OutOfOrder notes a part of a call that came before its start or after its end:
// what the call holds is not what was meant.
func (d *Draft) OutOfOrder() {
	d.Fail("out_of_order", "a part of a call came where no call can take it", nil)
}

// Room reports that a reply with n parts may get one more, and fails it if not.
func (d *Draft) Room(n int) bool {
	if n < maxParts {
		return true
	}
	d.Fail("reply_too_large", "the reply has more parts than a reply can", nil)
	return false
}

// Tell adds an event.
func (d *Draft) Tell(e wire.Event) { d.events = append(d.events, e) }

// Propose lists a call, tells of it and returns its position.
func (d *Draft) Propose(call holdfast.Call) int {
	position := len(d.Reply.Calls)
	d.Reply.Calls = append(d.Reply.Calls, call)
	d.Tell(wire.Event{Kind: wire.CallStart, Call: position, Name: rawjson.Text([]byte(call.Name))})
	return position
}

// textBlock is how many bytes of events' texts are allocated at once: a stream of
// small fragments does not allocate for each.
const textBlock = 2 << 10

// Show adds an event with text, unless there is none.
func (d *Draft) Show(kind wire.EventKind, call int, text []byte) {
	if len(text) > 0 {
		d.Tell(wire.Event{Kind: kind, Call: call, Text: d.keep(text)})
	}
}

func (d *Draft) keep(text []byte) string {
	if len(text) > textBlock/4 || !utf8.Valid(text) {
		return rawjson.Text(text)
	}
	if d.block == nil || d.block.Len()+len(text) > d.block.Cap() {
		d.block = new(strings.Builder)
		d.block.Grow(textBlock)
	}
	from := d.block.Len()
	d.block.Write(text)
	return d.block.String()[from:]
}

// Add is the sum of two counts of which the first may not be there yet.
func Add(sum *int64, n int64) *int64 {
	if sum != nil {
		n += *sum
	}
	return &n
}

// IDs are ids whose results stand in a reply; none is "".
type IDs map[string]bool

// Add adds an id, unless it is "".
func (s *IDs) Add(id string) {
	if id == "" {
		return
	}
	if *s == nil {
		*s = IDs{}
	}
	(*s)[id] = true
}

// HoldsArguments tells arguments from null and from the empty object that stands
// in their place.
func HoldsArguments(raw []byte) bool {
	return !rawjson.IsNull(raw) && (rawjson.Kind(raw) != '{' || !rawjson.IsEmpty(raw))
}
