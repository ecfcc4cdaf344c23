package frames

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// got is a frame of a test.
type got struct {
	Event, Message, Data string
	Tail                 bool
}

func read(pieces ...[]byte) (frames []got, r Reader) {
	add := func(f Frame) {
		frames = append(frames, got{string(f.Event), string(f.Message), string(f.Data), f.Tail})
	}
	for _, p := range pieces {
		r.Feed(bytes.Clone(p), add)
	}
	r.Close(add)
	return frames, r
}

func message(event, payload string) string {
	var h []byte
	for _, kv := range [][2]string{{":message-type", "event"}, {":event-type", event}} {
		h = append(append(h, byte(len(kv[0]))), kv[0]...)
		h = append(binary.BigEndian.AppendUint16(append(h, 7), uint16(len(kv[1]))), kv[1]...)
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(16+len(h)+len(payload)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(h)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, h...), payload...)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

var framings = []struct {
	name, in string
	format   Format
	want     []got
}{
	{"LF events", "event: a\ndata: {\"x\":1}\n\ndata:{\"y\":2}\n\n", Events, []got{{Event: "a", Data: `{"x":1}`}, {Data: `{"y":2}`}}},
	{"CRLF events", "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", Events, []got{{Event: "a", Data: "1"}, {Data: "2"}}},
	{"CR events", "event: a\rdata: 1\r\rdata: 2\r\r", Events, []got{{Event: "a", Data: "1"}, {Data: "2"}}},
	{"comments, ids and retries are no data", ": ping\n\nid: 7\nretry: 10\ndata: 1\n\n: end\n\n", Events, []got{{Data: "1"}}},
	{"data of several lines", "data: {\ndata: }\ndata:\n\n", Events, []got{{Data: "{\n}\n"}}},
	{"no empty line at the end", "data: 1\n\ndata: 2\n", Events, []got{{Data: "1"}, {Data: "2", Tail: true}}},
	{"no end of line at the end", "data: 1\n\ndata: 2", Events, []got{{Data: "1"}, {Data: "2", Tail: true}}},
	{"byte order mark", "\uFEFFdata: 1\n\n", Events, []got{{Data: "1"}}},
	{"an object without its field name", "data: 1\n\n{\"error\":1}\n\n", Events, []got{{Data: "1"}, {Data: `{"error":1}`}}},
	{"an event name does not outlive its event", "event: a\n\ndata: 1\n\n", Events, []got{{Data: "1"}}},
	{"whole body", " {\n \"a\": [1, {\"b\":\"}\\\"\"}]\n}\n", JSON, []got{{Data: "{\n \"a\": [1, {\"b\":\"}\\\"\"}]\n}"}}},
	{"JSON lines", "{\"a\":1}\n{\"b\":\"]\"}\r\n", JSON, []got{{Data: `{"a":1}`}, {Data: `{"b":"]"}`}}},
	{"cut body", `{"a":"`, JSON, []got{{Data: `{"a":"`, Tail: true}}},
	{"array", "[{\"a\":1}\n,\r\n{\"b\":[2]}]\n", JSONArray, []got{{Data: `{"a":1}`}, {Data: `{"b":[2]}`}}},
	{"event stream", message("x", "{}") + message("y", `{"a":1}`), EventStream, []got{{Event: "x", Message: "event", Data: "{}"}, {Event: "y", Message: "event", Data: `{"a":1}`}}},
	{"nothing", " \n", Unknown, nil},
	{"a page", "<html>\nbad gateway", Events, nil},
}

func TestFramesAreTheSameHoweverTheBytesAreSplit(t *testing.T) {
	for _, tt := range framings {
		t.Run(tt.name, func(t *testing.T) {
			frames, r := read([]byte(tt.in))
			if diff := cmp.Diff(tt.want, frames); diff != "" || r.Err() != nil || r.format != tt.format {
				t.Errorf("whole: err %v, format %v, want %v, frames (-want +got):\n%s", r.Err(), r.format, tt.format, diff)
			}
			for at := range len(tt.in) {
				if frames, _ := read([]byte(tt.in[:at]), []byte(tt.in[at:])); !cmp.Equal(tt.want, frames) {
					t.Errorf("split at %d: %v, want %v", at, frames, tt.want)
				}
			}
			if frames, _ := read(bytes.SplitAfter([]byte(tt.in), nil)...); !cmp.Equal(tt.want, frames) {
				t.Errorf("byte by byte: %v, want %v", frames, tt.want)
			}
		})
	}
}

func TestAFlippedBitInAnEventStreamIsAnError(t *testing.T) {
	whole := message("x", `{"a":1}`)
	for i := range whole {
		b := []byte(whole)
		b[i] ^= 1
		if frames, r := read(b); r.Err() == nil && len(frames) > 0 {
			t.Errorf("bit of byte %d flipped: frames %v and no error", i, frames)
		}
	}
	if _, r := read([]byte(whole[:len(whole)-1])); r.Err() == nil {
		t.Error("cut event stream: no error")
	}
}

func TestTooLargeAFrameIsAnErrorAndMemoryStaysBounded(t *testing.T) {
	piece := []byte(strings.Repeat("x", 1<<20))
	for _, start := range []string{"data: ", "{\"a\":\"", "[{\"a\":\"", "data: 1\ndata: "} {
		var r Reader
		r.Feed([]byte(start), func(Frame) {})
		for range 40 {
			r.Feed(piece, func(Frame) {})
			if len(r.buf) > 2*MaxFrame {
				t.Fatalf("after %q the reader holds %d bytes", start, len(r.buf))
			}
		}
		if r.Err() != ErrTooLarge {
			t.Errorf("after %q and 40 MiB: err %v, want %v", start, r.Err(), ErrTooLarge)
		}
	}
}

func TestAnEndlessReplyEnds(t *testing.T) {
	var r Reader
	event := []byte("data: " + strings.Repeat("x", 1<<20) + "\n\n")
	for range 2 * MaxReply / len(event) {
		r.Feed(event, func(Frame) {})
	}
	if r.Err() == nil {
		t.Errorf("after %d bytes: no error", 2*MaxReply)
	}
}

func FuzzFrames(f *testing.F) {
	for _, tt := range framings {
		f.Add([]byte(tt.in), uint64(1))
	}
	f.Fuzz(func(t *testing.T, in []byte, seed uint64) {
		want, whole := read(in)
		rng := rand.New(rand.NewPCG(seed, 0))
		var pieces [][]byte
		for rest := in; len(rest) > 0; {
			n := 1 + rng.IntN(len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		frames, r := read(pieces...)
		if diff := cmp.Diff(want, frames); diff != "" || (r.Err() == nil) != (whole.Err() == nil) {
			t.Errorf("split: err %v, whole: err %v, frames (-whole +split):\n%s", r.Err(), whole.Err(), diff)
		}
	})
}
