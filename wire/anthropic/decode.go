package anthropic

import (
	"encoding/base64"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/frames"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/decode"
)

// assembler makes a reply of Anthropic's events, whatever framing they came in.
// A whole message body is taken as one event of type "message".
type assembler struct {
	decode.Draft
	api    string
	blocks []block
	text   []byte // of all text blocks
	usage  usage
	done   bool
}

// block is one content block while it grows.
type block struct {
	index     int64
	kind      string
	start     []byte          // the block as it started, a copy; whole where it came whole
	grown     rawjson.Builder // text, thinking or partial_json
	signature []byte
	citations [][]byte
	grew      bool // a delta came
	closed    bool
	late      bool // a delta came after its stop: what it holds is not what was meant
	call      int  // position in the reply's calls, -1 for none
}

// Done reports that message_stop came, or a whole message.
func (a *assembler) Done() bool { return a.done }

// Frame takes an event, or the chunk of an AWS event stream that holds one.
func (a *assembler) Frame(f frames.Frame) {
	switch {
	case f.Format == frames.EventStream:
		a.chunk(f)
	case f.Tail && !rawjson.Valid(f.Data):
		// The bytes ended within it: what it held never came.
	case string(f.Data) == "[DONE]":
		// A relay's own end sign.
	default:
		a.event(f.Data)
	}
}

// chunk takes a message of an AWS event stream, whose payload is one event in
// base64.
func (a *assembler) chunk(f frames.Frame) {
	if string(f.Message) != "event" && len(f.Message) > 0 {
		a.failed(f.Data, nil)
		a.Reply.Err.Code = string(f.Event)
		return
	}
	encoded := rawjson.Member(f.Data, "bytes")
	event, err := base64.StdEncoding.AppendDecode(nil, bare(encoded))
	if err != nil || len(event) == 0 {
		if len(encoded) > 0 {
			a.Unreadable(f.Data)
		}
		a.Reply.Unknown++
		return
	}
	a.event(event)
}

// event takes the next event. What follows the end sign is not this reply's, but
// a relay may begin anew.
func (a *assembler) event(raw []byte) {
	a.Seen = true
	if !rawjson.Valid(raw) {
		if !a.done {
			a.Unreadable(raw)
		}
		return
	}
	e := readEnvelope(raw)
	if a.done && string(e.kind) != "message_start" {
		return
	}
	e.index, e.indexed = a.Index(e.at)
	switch string(e.kind) {
	case "message_start":
		a.messageStart(e.message)
	case "content_block_start":
		a.blockStart(e)
	case "content_block_delta":
		a.blockDelta(e)
	case "content_block_stop":
		a.blockStop(e)
	case "message_delta":
		a.stopped(e.delta)
		a.usage.merge(e.usage)
	case "message_stop":
		a.done = true
	case "message":
		a.message(raw)
	case "error":
		a.failed(raw, e.failure)
	case "ping":
	default:
		if e.failure != nil || e.note != nil {
			a.failed(raw, e.failure)
			return
		}
		a.Reply.Unknown++
	}
}

// envelope is what any event may hold, as slices of it.
type envelope struct {
	kind, message, block, delta, usage, failure, note, at []byte
	index                                                 int64
	indexed                                               bool
}

func readEnvelope(raw []byte) envelope {
	var e envelope
	for name, v := range rawjson.Members(raw) {
		switch string(name) {
		case "type":
			e.kind = bare(v)
		case "index":
			e.at = v
		case "message":
			if e.message = v; rawjson.Kind(v) == '"' {
				e.note = v
			}
		case "content_block":
			e.block = v
		case "delta":
			e.delta = v
		case "usage":
			e.usage = v
		case "error":
			if rawjson.Kind(v) == '{' {
				e.failure = v
			}
		}
	}
	return e
}

// bare is a string without its quotes, for names that hold no escapes.
func bare(v []byte) []byte {
	if len(v) < 2 || v[0] != '"' {
		return nil
	}
	return v[1 : len(v)-1]
}

// messageStart begins a reply. A relay may splice a retried stream, so a second
// one voids everything before it.
func (a *assembler) messageStart(message []byte) {
	if len(a.blocks) > 0 || a.done || a.Reply.Stop != "" {
		a.Restart()
		*a = assembler{api: a.api, Draft: a.Draft}
	}
	a.header(message)
}

func (a *assembler) header(message []byte) {
	for name, v := range rawjson.Members(message) {
		switch string(name) {
		case "id":
			a.Reply.ID = rawjson.String(v)
		case "model":
			a.Reply.Model = rawjson.String(v)
		case "usage":
			a.usage.merge(v)
		case "stop_reason":
			a.Reply.Stop = rawjson.String(v)
		case "content":
			for _, b := range rawjson.Elements(v) {
				a.open(int64(len(a.blocks)), b)
			}
		}
	}
}

func (a *assembler) message(raw []byte) {
	a.messageStart(raw)
	a.done = true
	for i := range a.blocks {
		a.close(&a.blocks[i])
	}
}

func (a *assembler) blockStart(e envelope) {
	index := e.index
	if !e.indexed {
		index = int64(len(a.blocks))
	}
	a.open(index, e.block)
}

// open starts a block. One that starts at an index in use leaves the older one
// as it is: a fragment belongs to the last block that started at its index.
func (a *assembler) open(index int64, raw []byte) {
	if !a.Room(len(a.blocks)) {
		return
	}
	b := block{index: index, start: append([]byte(nil), raw...), call: -1}
	var id, name, text []byte
	for n, v := range rawjson.Members(b.start) {
		switch string(n) {
		case "type":
			b.kind = rawjson.String(v)
		case "id":
			id = v
		case "name":
			name = v
		case "text", "thinking":
			text = v
		}
	}
	switch b.kind {
	case "text":
		a.grow(&b, text, wire.TextDelta)
	case "thinking":
		a.grow(&b, text, wire.ReasoningDelta)
	case "tool_use":
		a.openCall(&b, rawjson.String(id), rawjson.String(name))
	case "redacted_thinking", "server_tool_use", "mcp_tool_use", "fallback", "container_upload", "compaction":
	default:
		if !isResult(b.kind) {
			a.Reply.Unknown++
		}
	}
	a.blocks = append(a.blocks, b)
}

// openCall lists a call. One without a name, an id and arguments is a phantom
// that some servers send, and none until it gets arguments.
func (a *assembler) openCall(b *block, id, name string) {
	if id == "" && name == "" && !decode.HoldsArguments(rawjson.Member(b.start, "input")) {
		return
	}
	b.call = a.Propose(holdfast.Call{
		ID: id, Name: name, Kind: holdfast.FunctionCall,
		Namespace: rawjson.MemberString(b.start, "toolset_name"),
	})
}

// grow adds a JSON string to the block's text and tells of it.
func (a *assembler) grow(b *block, raw []byte, kind wire.EventKind) {
	if kind == wire.TextDelta {
		a.text = rawjson.AppendString(a.text, raw)
	}
	a.Show(kind, max(b.call, 0), b.grown.AddString(raw))
}

// at is the block that an event speaks of: the last that started at its index,
// or, where it names none, the last of all.
func (a *assembler) at(e envelope) *block {
	for i := len(a.blocks) - 1; i >= 0; i-- {
		if !e.indexed || a.blocks[i].index == e.index {
			return &a.blocks[i]
		}
	}
	return nil
}

func (a *assembler) blockDelta(e envelope) {
	var kind, text, citation []byte
	for name, v := range rawjson.Members(e.delta) {
		switch string(name) {
		case "type":
			kind = bare(v)
		case "text", "thinking", "partial_json", "signature":
			text = v
		case "citation":
			citation = v
		}
	}
	b := a.at(e)
	if b == nil && string(kind) == "text_delta" {
		a.open(e.index, []byte(`{"type":"text","text":""}`))
		b = a.at(e)
	}
	if b == nil || b.closed {
		a.Reply.Unknown++
		if b != nil {
			b.late = true
		} else if string(kind) == "input_json_delta" && rawjson.String(decode.Fragment(text)) != "" {
			a.OutOfOrder()
		}
		return
	}
	b.grew = true
	switch string(kind) {
	case "text_delta":
		a.grow(b, text, wire.TextDelta)
	case "thinking_delta":
		a.grow(b, text, wire.ReasoningDelta)
	case "input_json_delta":
		a.growInput(b, text)
	case "signature_delta":
		b.signature = rawjson.AppendString(b.signature, text)
	case "citations_delta":
		b.citations = append(b.citations, append([]byte(nil), citation...))
	default:
		a.Reply.Unknown++
	}
}

func (a *assembler) growInput(b *block, text []byte) {
	text = decode.Fragment(text)
	if b.kind == "tool_use" && b.call < 0 && rawjson.String(text) != "" {
		b.call = a.Propose(holdfast.Call{Kind: holdfast.FunctionCall})
	}
	if b.call >= 0 {
		a.grow(b, text, wire.ArgumentsDelta)
		return
	}
	b.grown.AddString(text)
}

func (a *assembler) blockStop(e envelope) {
	if b := a.at(e); b != nil {
		a.close(b)
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

func (a *assembler) stopped(delta []byte) {
	if stop := rawjson.MemberString(delta, "stop_reason"); stop != "" && endingOf(a.Reply.Stop) == wire.Ended {
		a.Reply.Stop = stop // a veto is not taken back
	}
}

// failed notes an error that the provider told, in a stream or as the body. It
// stands before what was found out here.
func (a *assembler) failed(raw, failure []byte) {
	err := &wire.Error{}
	if rawjson.Valid(raw) {
		err.Raw = append([]byte(nil), raw...)
	}
	if failure == nil {
		failure = raw
	}
	for name, v := range rawjson.Members(failure) {
		switch string(name) {
		case "type", "status":
			if err.Code == "" || string(name) == "status" {
				err.Code = rawjson.String(v)
			}
		case "message":
			err.Message = rawjson.Text([]byte(rawjson.String(v)))
		}
	}
	if err.Code == "" {
		err.Code = "error"
	}
	a.Reply.Err = err
}

// isResult reports a block that holds the result of a tool that the provider
// ran: web_search_tool_result, code_execution_tool_result and their like.
func isResult(kind string) bool {
	return strings.HasSuffix(kind, "tool_result")
}
