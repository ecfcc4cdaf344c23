package ledger

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Entries and events are written for every call, so they are encoded by hand, to
// the same bytes that encoding/json makes of them; a test compares the two.

// rowRoom is what most rows take.
const rowRoom = 1024

// object appends the members of a JSON object in the order in which they come.
// The first error stays.
type object struct {
	b   []byte
	err error
}

func (o *object) name(name string) {
	if last := o.b[len(o.b)-1]; last != '{' {
		o.b = append(o.b, ',')
	}
	o.b = append(o.b, '"')
	o.b = append(o.b, name...)
	o.b = append(o.b, '"', ':')
}

func (o *object) text(name, s string) {
	o.name(name)
	o.b = appendText(o.b, s)
}

// some is text where there is some.
func (o *object) some(name, s string) {
	if s != "" {
		o.text(name, s)
	}
}

func (o *object) number(name string, n int64) {
	o.name(name)
	o.b = strconv.AppendInt(o.b, n, 10)
}

func (o *object) count(name string, n int64) {
	if n != 0 {
		o.number(name, n)
	}
}

func (o *object) yes(name string, is bool) {
	if is {
		o.name(name)
		o.b = append(o.b, "true"...)
	}
}

func (o *object) time(name string, t time.Time) {
	o.name(name)
	o.b = append(o.b, '"')
	o.b = t.AppendFormat(o.b, time.RFC3339Nano)
	o.b = append(o.b, '"')
}

func (o *object) someTime(name string, t time.Time) {
	if !t.IsZero() {
		o.time(name, t)
	}
}

func (o *object) bytes(name string, data []byte) {
	if len(data) > 0 {
		o.name(name)
		o.b = append(o.b, '"')
		o.b = base64.StdEncoding.AppendEncode(o.b, data)
		o.b = append(o.b, '"')
	}
}

// raw is JSON without its spaces.
func (o *object) raw(name string, text json.RawMessage) {
	if len(text) == 0 {
		return
	}
	o.name(name)
	buf := bytes.NewBuffer(o.b)
	if err := json.Compact(buf, text); err != nil && o.err == nil {
		o.err = fmt.Errorf("encoding row: %s: %w", name, err)
	}
	o.b = buf.Bytes()
}

// list is for what is rare, and left to encoding/json.
func list[T any](o *object, name string, l []T) {
	if len(l) == 0 {
		return
	}
	o.name(name)
	b, err := appendJSON(o.b, l)
	if err != nil && o.err == nil {
		o.err = err
	}
	if err == nil {
		o.b = b
	}
}

func (o *object) close() ([]byte, error) {
	o.b = append(o.b, '}')
	return o.b, o.err
}

// appendText quotes s. Most texts have nothing that needs an escape.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			quoted, _ := appendJSON(b, s) // a string can be encoded
			return quoted
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

func (e *storedEntry) append(b []byte) ([]byte, error) {
	o := object{b: append(b, '{')}
	o.text("id", e.ID)
	o.some("run", e.Run)
	o.count("turn", int64(e.Turn))
	o.count("round", int64(e.Round))
	o.count("position", int64(e.Position))
	o.some("call_id", e.CallID)
	o.text("tool", e.Tool)
	o.some("tool_digest", e.ToolDigest)
	o.some("effect", e.Effect)
	o.some("tenant", e.Tenant)
	o.some("principal", e.Principal)
	o.raw("arguments", e.Arguments)
	o.some("text", e.Text)
	o.bytes("sealed", e.Sealed)
	o.some("arguments_digest", e.ArgumentsDigest)
	o.some("key", e.Key)
	o.yes("has_key", e.HasKey)
	o.some("key_digest", e.KeyDigest)
	o.some("pruned", e.Pruned)
	o.some("erased", e.Erased)
	list(&o, "coerced", e.Coerced)
	list(&o, "warnings", e.Warnings)
	list(&o, "labels", e.Labels)
	o.some("rule", e.Rule)
	o.text("state", e.State)
	o.some("stage", e.Stage)
	o.count("fence", e.Fence)
	o.some("owner", e.Owner)
	if e.Outcome != nil {
		o.name("outcome")
		e.Outcome.append(&o)
	}
	list(&o, "evidence", e.Evidence)
	o.some("approval", e.Approval)
	o.count("ran", int64(e.Ran))
	o.time("proposed", e.Proposed)
	o.someTime("started", e.Started)
	o.someTime("end", e.End)
	return o.close()
}

func (s *storedOutcome) append(o *object) {
	o.b = append(o.b, '{')
	o.text("status", s.Status)
	o.some("code", s.Code)
	o.some("message", s.Message)
	list(o, "problems", s.Problems)
	o.some("next", s.Next)
	if r := s.Result; r != nil {
		o.name("result")
		o.b = append(o.b, '{')
		o.raw("json", r.JSON)
		o.some("text", r.Text)
		list(o, "images", r.Images)
		o.b = append(o.b, '}')
	}
	o.yes("replayed", s.Replayed)
	o.yes("parked", s.Parked)
	o.some("approval", s.Approval)
	list(o, "inner", s.Inner)
	list(o, "also", s.Also)
	o.b = append(o.b, '}')
}

func (e *storedEvent) append(b []byte) ([]byte, error) {
	o := object{b: append(b, '{')}
	o.number("number", e.Number)
	o.text("entry", e.Entry)
	o.time("at", e.At)
	o.text("what", e.What)
	o.some("who", e.Who)
	o.count("fence", e.Fence)
	o.raw("details", e.Details)
	o.some("content", e.Content)
	o.text("prev", e.Prev)
	o.text("hash", e.Hash)
	return o.close()
}
