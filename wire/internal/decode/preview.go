package decode

import (
	"strings"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

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
