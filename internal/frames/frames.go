// Package frames is the front end of every codec: it takes a reply's bytes, split
// anywhere, and tells server-sent events, JSON lines, a whole JSON body, a
// streamed JSON array and an AWS event stream apart by itself. Each event, value
// or element comes out as one [Frame].
//
//	r.Feed(p, func(f frames.Frame) { … f.Data … })
//	r.Close(func(f frames.Frame) { … })
//	if r.Err() != nil { … }
//
// Memory is bounded: no frame is larger than [MaxFrame], only the unfinished one
// is kept between two calls, and a reply ends at [MaxReply].
package frames

import (
	"errors"
	"fmt"
)

// MaxFrame is the most bytes of one line, event, value or message, and MaxReply
// of all that one reader takes.
const (
	MaxFrame = 16 << 20
	MaxReply = 4 * MaxFrame
)

// Format is how a reply is framed.
type Format int

// The formats. Unknown means that nothing but white space came yet.
const (
	Unknown     Format = iota
	Events             // server-sent events
	JSON               // values one after another, or one whole body
	JSONArray          // the elements of one array
	EventStream        // application/vnd.amazon.eventstream
)

// Frame is one event, JSON value, array element or message. Its slices are valid
// only during the call that hands it over.
type Frame struct {
	// Event is an SSE event's name, or a message's :event-type, :exception-type
	// or :error-code.
	Event []byte
	// Message is an event stream's :message-type: event, exception or error.
	Message []byte
	Data    []byte
	// Format is how the reply is framed.
	Format Format
	// Tail marks a last frame that the end of the bytes closed, and not its own
	// end: it may be cut.
	Tail bool
}

// ErrTooLarge says that a frame outgrew MaxFrame, and ErrReplyTooLarge that all of
// them outgrew MaxReply; the rest was not read.
var (
	ErrTooLarge      = fmt.Errorf("reply frame is larger than %d bytes", MaxFrame)
	ErrReplyTooLarge = fmt.Errorf("reply is larger than %d bytes", MaxReply)
)

var (
	errChecksum = errors.New("event stream message has a wrong checksum")
	errLength   = errors.New("event stream message has an impossible length")
	errHeaders  = errors.New("event stream message has unreadable headers")
	errCut      = errors.New("event stream ends within a message")
)

// Reader splits one reply. The zero value is ready; it is used by one goroutine.
type Reader struct {
	format Format
	err    error
	taken  int    // bytes so far
	buf    []byte // the unfinished frame, from its start
	scan   int    // how much of the unfinished frame was looked at
	noise  []byte // the first bytes that are no part of any frame
	sse    sse
	// lineStart is where the unfinished line of the unfinished event begins.
	lineStart int
	json      values
}

const maxNoise = 2 << 10

// Err is what ended the reading, nil while all is well.
func (r *Reader) Err() error { return r.err }

// Noise is the beginning of what belonged to no frame: the text of a reply that
// is no reply at all.
func (r *Reader) Noise() []byte { return r.noise }

// Feed takes the next bytes, and hands over the frames that they complete. p is
// not kept.
func (r *Reader) Feed(p []byte, frame func(Frame)) {
	if r.err != nil || len(p) == 0 {
		return
	}
	if r.taken += len(p); r.taken > MaxReply {
		r.err, r.buf = ErrReplyTooLarge, nil
		return
	}
	work := p
	if len(r.buf) > 0 {
		r.buf = append(r.buf, p...)
		work = r.buf
	}
	if r.format == Unknown {
		n, format := detect(work)
		work = work[n:]
		r.format = format
		if format == Unknown {
			r.keep(work)
			return
		}
		r.json.array = format == JSONArray
	}
	used := 0
	switch r.format {
	case Events:
		used = r.events(work, frame)
	case JSON, JSONArray:
		used = r.values(work, frame)
	case EventStream:
		used = r.messages(work, frame)
	}
	if r.err != nil {
		r.buf = nil
		return
	}
	if len(work)-used > MaxFrame {
		r.err, r.buf = ErrTooLarge, nil
		return
	}
	if used == 0 && len(r.buf) == len(work) {
		return // it is all there already
	}
	r.keep(work[used:])
}

// keep holds on to rest, which may lie within buf.
func (r *Reader) keep(rest []byte) {
	if len(rest) == 0 && cap(r.buf) > 1<<20 {
		r.buf = nil
		return
	}
	r.buf = append(r.buf[:0], rest...)
}

// Close says that the bytes ended, and hands over a last frame that only the end
// closes.
func (r *Reader) Close(frame func(Frame)) {
	if r.err != nil {
		return
	}
	rest := r.buf
	r.buf = nil
	switch r.format {
	case Events:
		r.lastEvent(rest, frame)
	case JSON, JSONArray:
		r.lastValue(rest, frame)
	case EventStream:
		if len(rest) > 0 {
			r.err = errCut
		}
	}
}

// detect tells the format by the first byte that says something, and how many
// bytes stand before it.
func detect(b []byte) (skip int, f Format) {
	for skip < len(b) {
		switch rest := b[skip:]; {
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\n':
			skip++
		case rest[0] == 0xEF && len(rest) < 3 && string(rest) == "\uFEFF"[:len(rest)]:
			return skip, Unknown
		case len(rest) >= 3 && string(rest[:3]) == "\uFEFF":
			skip += 3
		case rest[0] == '{':
			return skip, JSON
		case rest[0] == '[':
			return skip, JSONArray
		case rest[0] == 0:
			return skip, EventStream
		default:
			return skip, Events
		}
	}
	return skip, Unknown
}

// unframed notes bytes that belong to no frame.
func (r *Reader) unframed(b []byte) {
	if room := maxNoise - len(r.noise); room > 0 && len(b) > 0 {
		r.noise = append(r.noise, b[:min(room, len(b))]...)
	}
}
