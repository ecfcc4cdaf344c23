package decode

import (
	"bytes"
	"errors"

	"github.com/holdfast-go/holdfast/internal/frames"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// Assembler makes a reply of frames. It embeds a [Draft].
type Assembler interface {
	// Frame takes the next frame. One may come after the end too: some relays send
	// a stream twice.
	Frame(f frames.Frame)
	// Done reports that the protocol's end came. One whose reply can be whole before
	// that has a method Whole too.
	Done() bool
	// Finish completes the draft's reply, once the bytes have ended.
	Finish() *wire.Reply

	Base() *Draft
}

// Decoder feeds an assembler; it is a [wire.Decoder].
type Decoder struct {
	frames    frames.Reader
	assembler Assembler
	take      func(frames.Frame) // made once
	reply     *wire.Reply
}

// New is a decoder that has read nothing yet.
func New(a Assembler) *Decoder {
	return &Decoder{assembler: a, take: a.Frame}
}

// Feed takes the next bytes.
func (d *Decoder) Feed(p []byte) []wire.Event {
	draft := d.assembler.Base()
	draft.events = draft.events[:0]
	if d.reply == nil {
		d.frames.Feed(p, d.take)
	}
	return draft.events
}

// Done reports that the protocol's end came.
func (d *Decoder) Done() bool { return d.assembler.Done() }

// Whole reports that the reply would be whole if the bytes ended here.
func (d *Decoder) Whole() bool {
	if a, ok := d.assembler.(interface{ Whole() bool }); ok && a.Whole() {
		return true
	}
	return d.Done()
}

// Close returns the reply; a second call returns the same.
func (d *Decoder) Close() *wire.Reply {
	if d.reply != nil {
		return d.reply
	}
	d.frames.Close(d.take)
	d.framing()
	d.reply = d.assembler.Finish()
	return d.reply
}

// framing notes what ended the reading of frames, or a reply that is none.
func (d *Decoder) framing() {
	draft := d.assembler.Base()
	if err := d.frames.Err(); err != nil && !d.assembler.Done() {
		code := "unreadable_reply"
		if errors.Is(err, frames.ErrReplyTooLarge) {
			code = "reply_too_large"
		}
		draft.Fail(code, err.Error(), nil)
	}
	if noise := bytes.TrimSpace(d.frames.Noise()); len(noise) > 0 && !draft.Seen {
		draft.Fail("unreadable_reply", "the reply is neither events nor JSON", rawjson.AppendQuoted(nil, noise))
	}
}
