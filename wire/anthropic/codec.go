package anthropic

import (
	"bytes"
	"encoding/base64"

	"github.com/holdfast-go/holdfast/internal/frames"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

const (
	apiMessages = "anthropic"
	apiInvoke   = "bedrock-invoke"
)

// Messages is the codec of Anthropic's Messages API. The zero value is ready.
type Messages struct {
	// Version is the value of the anthropic-version header; "" is 2023-06-01.
	Version string
}

// API is "anthropic".
func (Messages) API() string { return apiMessages }

// NewDecoder starts the decoding of one reply: server-sent events, their JSON as
// lines, or a whole message.
func (Messages) NewDecoder() wire.Decoder { return &decoder{api: apiMessages} }

// Invoke is the codec of Bedrock's InvokeModel with Claude: Anthropic's messages,
// with the version in the body and the events in an AWS event stream.
type Invoke struct{}

// API is "bedrock-invoke".
func (Invoke) API() string { return apiInvoke }

// NewDecoder starts the decoding of one reply: an event stream, whose checksums
// are verified, or a whole message.
func (Invoke) NewDecoder() wire.Decoder { return &decoder{api: apiInvoke} }

// maxReply bounds what a decoder keeps of one reply, in bytes and in blocks.
const (
	maxReply  = 64 << 20
	maxBlocks = 10_000
)

// decoder feeds an assembler from frames.
type decoder struct {
	api      string
	frames   frames.Reader
	assembly assembler
	size     int
	closed   bool
}

// Feed takes the next bytes.
func (d *decoder) Feed(p []byte) []wire.Event {
	a := &d.assembly
	a.events = a.events[:0]
	if d.size += len(p); d.size > maxReply {
		a.fail("reply_too_large", "the reply is larger than this decoder keeps")
		return nil
	}
	d.frames.Feed(p, d.frame)
	return a.events
}

func (d *decoder) frame(f frames.Frame) {
	a := &d.assembly
	switch {
	case d.frames.Format() == frames.EventStream:
		d.message(f)
	case f.Tail && !rawjson.Valid(f.Data):
		// The bytes ended within it: what it held never came.
	case string(f.Data) == "[DONE]":
		// A relay's own end sign.
	default:
		a.event(f.Data)
	}
}

// message takes a message of an AWS event stream: the payload of a chunk is one
// event, in base64.
func (d *decoder) message(f frames.Frame) {
	a := &d.assembly
	if string(f.Message) != "event" && len(f.Message) > 0 {
		a.failed(f.Data, nil)
		a.reply.Err.Code = string(f.Event)
		return
	}
	encoded := rawjson.Member(f.Data, "bytes")
	event, err := base64.StdEncoding.AppendDecode(nil, bare(encoded))
	if err != nil || len(event) == 0 {
		a.broken = a.broken || len(encoded) > 0
		a.reply.Unknown++
		return
	}
	a.event(event)
}

// Done reports that message_stop came, or a whole message.
func (d *decoder) Done() bool { return d.assembly.done }

// Close returns the reply; a second call returns the same.
func (d *decoder) Close() *wire.Reply {
	a := &d.assembly
	if d.closed {
		return &a.reply
	}
	d.closed = true
	d.frames.Close(d.frame)
	if err := d.frames.Err(); err != nil && !a.done {
		a.fail("unreadable_reply", err.Error())
	}
	if noise := bytes.TrimSpace(d.frames.Noise()); len(noise) > 0 && !a.seen {
		a.fail("unreadable_reply", "the reply is neither events nor JSON")
		a.reply.Err.Raw = rawjson.AppendQuoted(nil, noise)
	}
	return a.finish(d.api)
}
