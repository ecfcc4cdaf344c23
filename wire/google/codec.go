package google

import (
	"bytes"

	"github.com/holdfast-go/holdfast/internal/frames"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

const (
	apiGemini       = "gemini"
	apiInteractions = "interactions"
)

// Gemini is the codec of generateContent and streamGenerateContent, of the
// developer API and of Vertex AI. The zero value is ready.
type Gemini struct{}

// API is "gemini".
func (Gemini) API() string { return apiGemini }

// NewDecoder starts the decoding of one reply: server-sent events, a streamed
// JSON array, or a whole response.
func (Gemini) NewDecoder() wire.Decoder {
	g := newGemini()
	return &decoder{api: apiGemini, assembly: g}
}

// Interactions is the codec of the Interactions API. The zero value is ready.
type Interactions struct{}

// API is "interactions".
func (Interactions) API() string { return apiInteractions }

// NewDecoder starts the decoding of one reply: server-sent events, their JSON as
// lines, or a whole interaction.
func (Interactions) NewDecoder() wire.Decoder {
	return &decoder{api: apiInteractions, assembly: &interaction{}}
}

// maxReply bounds what a decoder keeps of one reply, in bytes and in parts.
const (
	maxReply = 64 << 20
	maxParts = 10_000
)

// assembly makes a reply of JSON events.
type assembly interface {
	event(raw []byte)
	finish(api string) *wire.Reply
	preview() *[]wire.Event
	ended() bool
	fail(code, message string)
}

// decoder feeds an assembly from frames.
type decoder struct {
	api      string
	frames   frames.Reader
	assembly assembly
	size     int
	seen     bool // an event came
	reply    *wire.Reply
}

// Feed takes the next bytes.
func (d *decoder) Feed(p []byte) []wire.Event {
	events := d.assembly.preview()
	*events = (*events)[:0]
	if d.size += len(p); d.size > maxReply {
		d.assembly.fail("reply_too_large", "the reply is larger than this decoder keeps")
		return nil
	}
	d.frames.Feed(p, d.frame)
	return *events
}

func (d *decoder) frame(f frames.Frame) {
	switch {
	case string(f.Data) == "[DONE]":
		// The end of the connection, not of the reply.
	case f.Tail && !rawjson.Valid(f.Data):
		// The bytes ended within it: what it held never came.
	default:
		d.seen = true
		d.assembly.event(f.Data)
	}
}

// Done reports that the protocol's end came.
func (d *decoder) Done() bool { return d.assembly.ended() }

// Close returns the reply; a second call returns the same.
func (d *decoder) Close() *wire.Reply {
	if d.reply != nil {
		return d.reply
	}
	d.frames.Close(d.frame)
	if err := d.frames.Err(); err != nil && !d.assembly.ended() {
		d.assembly.fail("unreadable_reply", err.Error())
	}
	d.reply = d.assembly.finish(d.api)
	if noise := bytes.TrimSpace(d.frames.Noise()); len(noise) > 0 && !d.seen && d.reply.Err == nil {
		d.reply.Err = &wire.Error{Code: "unreadable_reply", Message: "the reply is neither events nor JSON", Raw: rawjson.AppendQuoted(nil, noise)}
	}
	return d.reply
}
