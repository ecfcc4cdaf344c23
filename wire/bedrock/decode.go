package bedrock

import (
	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/frames"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/decode"
)

// assembler makes a reply of Converse's events, or of one whole response.
type assembler struct {
	decode.Draft
	blocks  []block
	text    []byte
	stopped bool // messageStop, or a whole response
	done    bool
}

// block is one content block while it grows.
type block struct {
	index     int64
	kind      string          // the member's name: text, toolUse, toolResult, reasoningContent, …
	start     []byte          // the member's value as it started
	grown     rawjson.Builder // text, or a call's input
	signature []byte
	redacted  []byte
	results   [][]byte // pieces of a toolResult's content
	grew      bool
	closed    bool
	late      bool // a delta came after its stop: what it holds is not what was meant
	call      int  // -1 for none
}

// Done reports that the metadata came, the last event, or a whole response.
func (a *assembler) Done() bool { return a.done }

// Whole reports that messageStop came: metadata follows it.
func (a *assembler) Whole() bool { return a.stopped }

// Frame takes a message of the event stream, or JSON that is an event by itself.
// What follows the last one is not this reply's, but a relay may begin anew.
func (a *assembler) Frame(f frames.Frame) {
	switch {
	case a.done && !(rawjson.Valid(f.Data) && (string(f.Event) == "messageStart" || rawjson.Member(f.Data, "messageStart") != nil)):
	case f.Format == frames.EventStream && string(f.Message) == "event":
		a.event(string(f.Event), f.Data)
	case f.Format == frames.EventStream:
		a.failed(f.Data, string(f.Event))
	case f.Tail && !rawjson.Valid(f.Data):
		// The bytes ended within it: what it held never came.
	default:
		a.object(f.Data)
	}
}

// failed notes an exception: a message of the stream, or the body itself.
func (a *assembler) failed(raw []byte, code string) {
	err := &wire.Error{Code: code}
	if rawjson.Valid(raw) {
		err.Raw = append([]byte(nil), raw...)
	}
	for name, v := range rawjson.Members(raw) {
		switch string(name) {
		case "message", "Message":
			err.Message = rawjson.Text([]byte(rawjson.String(v)))
		case "__type", "code":
			if err.Code == "" {
				err.Code = rawjson.String(v)
			}
		}
	}
	if err.Code == "" {
		err.Code = "error"
	}
	a.Reply.Err = err
}

// object takes JSON without an event's name: a whole response, an error, or an
// event as the one member of an object.
func (a *assembler) object(raw []byte) {
	a.Seen = true
	if !rawjson.Valid(raw) {
		a.Unreadable(raw)
		return
	}
	var output []byte
	var name, value []byte
	known := false
	for n, v := range rawjson.Members(raw) {
		switch string(n) {
		case "output":
			output = v
		case "stopReason", "usage", "metrics":
			known = true
		case "message", "Message":
			if rawjson.Kind(v) == '"' {
				a.failed(raw, "")
				return
			}
		default:
			name, value = n, v
		}
	}
	switch {
	case output != nil || known:
		a.whole(raw, output)
	case rawjson.Kind(value) == '{':
		a.event(string(name), value)
	default:
		a.Reply.Unknown++
	}
}

func (a *assembler) whole(raw, output []byte) {
	for i, b := range rawjson.Elements(rawjson.Member(rawjson.Member(output, "message"), "content")) {
		for name, v := range rawjson.Members(b) {
			a.open(int64(i), string(name), v)
		}
	}
	for i := range a.blocks {
		a.close(&a.blocks[i])
	}
	a.Reply.Stop = rawjson.MemberString(raw, "stopReason")
	a.meter(rawjson.Member(raw, "usage"))
	a.stopped, a.done = true, true
}

func (a *assembler) event(name string, raw []byte) {
	a.Seen = true
	if !rawjson.Valid(raw) {
		a.Unreadable(raw)
		return
	}
	switch name {
	case "messageStart":
		if len(a.blocks) > 0 || a.stopped {
			a.Restart()
			*a = assembler{Draft: a.Draft}
		}
	case "contentBlockStart":
		a.blockStart(raw)
	case "contentBlockDelta":
		a.blockDelta(raw)
	case "contentBlockStop":
		if b := a.at(raw); b != nil {
			a.close(b)
		}
	case "messageStop":
		if endingOf(a.Reply.Stop) == wire.Ended { // a veto is not taken back
			a.Reply.Stop = rawjson.MemberString(raw, "stopReason")
		}
		a.stopped = true
	case "metadata":
		a.meter(rawjson.Member(raw, "usage"))
		a.done = a.stopped
	default:
		if len(name) > len("Exception") && name[len(name)-len("Exception"):] == "Exception" {
			a.failed(raw, name)
			return
		}
		a.Reply.Unknown++
	}
}

// meter: Converse counts the input without what the cache read and wrote.
func (a *assembler) meter(raw []byte) {
	var u wire.Usage
	for name, v := range rawjson.Members(raw) {
		n, ok := rawjson.Int(v)
		if !ok {
			continue
		}
		switch string(name) {
		case "inputTokens", "cacheWriteInputTokens":
			u.Input = decode.Add(u.Input, n)
		case "cacheReadInputTokens":
			u.Input, u.Cached = decode.Add(u.Input, n), &n
		case "outputTokens":
			u.Output = &n
		}
	}
	a.Reply.Usage = u
}

func (a *assembler) blockStart(raw []byte) {
	index, ok := a.Index(rawjson.Member(raw, "contentBlockIndex"))
	if !ok {
		index = int64(len(a.blocks))
	}
	for name, v := range rawjson.Members(rawjson.Member(raw, "start")) {
		a.open(index, string(name), v)
	}
}

// open starts a block and returns it, nil where there are too many.
func (a *assembler) open(index int64, kind string, value []byte) *block {
	if !a.Room(len(a.blocks)) {
		return nil
	}
	b := block{index: index, kind: kind, start: append([]byte(nil), value...), call: -1}
	switch kind {
	case "text":
		a.grow(&b, value, wire.TextDelta)
	case "reasoningContent":
		a.grow(&b, rawjson.Member(rawjson.Member(value, "reasoningText"), "text"), wire.ReasoningDelta)
	case "toolUse":
		a.openCall(&b)
	case "toolResult", "image", "document", "video", "audio", "citationsContent", "guardContent", "searchResult", "cachePoint":
	default:
		a.Reply.Unknown++
	}
	a.blocks = append(a.blocks, b)
	return &a.blocks[len(a.blocks)-1]
}

// openCall lists a call, those of the provider's own tools too: what it ran
// itself is marked by the block's type. A call without a name, an id and
// arguments is a phantom, and none until it gets arguments.
func (a *assembler) openCall(b *block) {
	call := holdfast.Call{Kind: holdfast.FunctionCall}
	var input []byte
	for name, v := range rawjson.Members(b.start) {
		switch string(name) {
		case "toolUseId":
			call.ID = rawjson.String(v)
		case "name":
			call.Name = rawjson.String(v)
		case "type":
			call.ProviderExecuted = rawjson.String(v) == "server_tool_use"
		case "input":
			input = v
		}
	}
	if call.ID != "" || call.Name != "" || decode.HoldsArguments(input) {
		b.call = a.Propose(call)
	}
}

// grow adds a JSON string to the block's text and tells of it.
func (a *assembler) grow(b *block, raw []byte, kind wire.EventKind) {
	if kind == wire.TextDelta {
		a.text = rawjson.AppendString(a.text, raw)
	}
	a.Show(kind, max(b.call, 0), b.grown.AddString(raw))
}

// growInput adds to a call's argument text. A value in the place of the text
// is taken as its source.
func (a *assembler) growInput(b *block, input []byte) {
	input = decode.Fragment(input)
	if b.call < 0 && rawjson.String(input) != "" {
		b.call = a.Propose(holdfast.Call{Kind: holdfast.FunctionCall})
	}
	if b.call >= 0 {
		a.grow(b, input, wire.ArgumentsDelta)
	}
}

// holdsInput reports a fragment of a call's input that says something.
func holdsInput(fragment []byte) bool {
	return rawjson.String(decode.Fragment(fragment)) != ""
}

// at is the block that an event speaks of: the last that started at its index.
func (a *assembler) at(raw []byte) *block {
	index, indexed := a.Index(rawjson.Member(raw, "contentBlockIndex"))
	for i := len(a.blocks) - 1; i >= 0; i-- {
		if !indexed || a.blocks[i].index == index {
			return &a.blocks[i]
		}
	}
	return nil
}

// blockDelta grows a block. Blocks of text and reasoning start with their first
// delta; one of another kind needs its start.
func (a *assembler) blockDelta(raw []byte) {
	b := a.at(raw)
	index, _ := a.Index(rawjson.Member(raw, "contentBlockIndex"))
	for name, v := range rawjson.Members(rawjson.Member(raw, "delta")) {
		kind := string(name)
		if kind == "citation" {
			continue // its text stands in the text; Converse takes none back
		}
		if b == nil && (kind == "text" || kind == "reasoningContent") {
			b = a.open(index, kind, emptyBlock(kind))
		}
		if b == nil || b.closed || b.kind != kind {
			a.Reply.Unknown++
			if b != nil && b.closed {
				b.late = true
			} else if kind == "toolUse" && holdsInput(rawjson.Member(v, "input")) {
				a.OutOfOrder()
			}
			continue
		}
		b.grew = true
		switch kind {
		case "text":
			a.grow(b, v, wire.TextDelta)
		case "toolUse":
			a.growInput(b, rawjson.Member(v, "input"))
		case "reasoningContent":
			a.reason(b, v)
		case "toolResult":
			for _, piece := range rawjson.Elements(v) {
				b.results = append(b.results, append([]byte(nil), piece...))
			}
		default:
			a.Reply.Unknown++
		}
	}
}

func emptyBlock(kind string) []byte {
	if kind == "text" {
		return []byte(`""`)
	}
	return []byte(`{}`)
}

func (a *assembler) reason(b *block, raw []byte) {
	for name, v := range rawjson.Members(raw) {
		switch string(name) {
		case "text":
			a.grow(b, v, wire.ReasoningDelta)
		case "signature":
			b.signature = rawjson.AppendString(b.signature, v)
		case "redactedContent":
			b.redacted = rawjson.AppendString(b.redacted, v)
		}
	}
}

func (a *assembler) close(b *block) {
	if b.closed {
		return
	}
	b.closed = true
	if b.call >= 0 {
		a.Tell(wire.Event{Kind: wire.CallEnd, Call: b.call})
	}
}
