package bedrock

import (
	"bytes"

	"github.com/holdfast-go/holdfast/internal/frames"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

const apiConverse = "bedrock-converse"

// Converse is the codec of Converse and ConverseStream. The zero value is ready.
type Converse struct{}

// API is "bedrock-converse".
func (Converse) API() string { return apiConverse }

// NewDecoder starts the decoding of one reply: an AWS event stream, its events as
// JSON lines, or a whole response.
func (Converse) NewDecoder() wire.Decoder { return &decoder{} }

// maxReply bounds what a decoder keeps of one reply, in bytes and in blocks.
const (
	maxReply  = 64 << 20
	maxBlocks = 10_000
)

// decoder feeds an assembler from frames.
type decoder struct {
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
	case d.frames.Format() == frames.EventStream && string(f.Message) == "event":
		a.event(string(f.Event), f.Data)
	case d.frames.Format() == frames.EventStream:
		a.failed(f.Data, string(f.Event))
	case f.Tail && !rawjson.Valid(f.Data):
		// The bytes ended within it: what it held never came.
	default:
		a.object(f.Data)
	}
}

// Done reports that the metadata came, the last event, or a whole response.
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
	return a.finish()
}
