package ledger

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Each write makes two rows of its entry and two of events. Their text is made by
// hand, in a fraction of the time, and is what encoding/json makes of the same
// struct, byte for byte: it reads them, and older rows are its own.

// object is the text of a JSON object on its way. A method whose name begins with
// opt leaves an empty member out.
type object struct {
	b   []byte
	err error // the first
}

// appendTo makes the body of an entry's row. What claims to be JSON and is not is
// kept as text: an outcome must be recordable whatever a handler handed back.
func (e *storedEntry) appendTo(b []byte) ([]byte, error) {
	o := object{b: append(b, '{')}
	o.text("id", e.ID)
	o.optText("run", e.Run)
	o.optNumber("turn", int64(e.Turn))
	o.optNumber("round", int64(e.Round))
	o.optNumber("position", int64(e.Position))
	o.optText("call_id", e.CallID)
	o.text("tool", e.Tool)
	o.optText("tool_digest", e.ToolDigest)
	o.optText("effect", e.Effect)
	o.optText("tenant", e.Tenant)
	o.optText("principal", e.Principal)
	o.optText("text", o.jsonOrText("arguments", e.Arguments, e.Text))
	o.optBytes("sealed", e.Sealed)
	o.optText("arguments_digest", e.ArgumentsDigest)
	o.optText("key", e.Key)
	o.optTrue("has_key", e.HasKey)
	o.optText("key_digest", e.KeyDigest)
	o.optText("pruned", e.Pruned)
	o.optText("erased", e.Erased)
	optList(&o, "coerced", e.Coerced)
	optList(&o, "warnings", e.Warnings)
	optList(&o, "labels", e.Labels)
	o.optText("rule", e.Rule)
	o.text("state", e.State)
	o.optText("stage", e.Stage)
	o.optNumber("fence", e.Fence)
	o.optText("owner", e.Owner)
	o.optOutcome("outcome", e.Outcome)
	optList(&o, "evidence", e.Evidence)
	o.optText("approval", e.Approval)
	o.optNumber("ran", int64(e.Ran))
	o.optNumber("asked", int64(e.Asked))
	o.optTime("ask_after", e.AskAfter)
	o.time("proposed", e.Proposed)
	o.optTime("started", e.Started)
	o.optTime("end", e.End)
	o.optNumber("event", e.Event)
	return append(o.b, '}'), o.err
}

func (o *object) optOutcome(name string, s *storedOutcome) {
	if s == nil {
		return
	}
	o.name(name)
	o.b = append(o.b, '{')
	o.text("status", s.Status)
	o.optText("code", s.Code)
	o.optText("message", s.Message)
	optList(o, "problems", s.Problems)
	o.optText("next", s.Next)
	if r := s.Result; r != nil {
		o.name("result")
		o.b = append(o.b, '{')
		o.optText("text", o.jsonOrText("json", r.JSON, r.Text))
		optList(o, "images", r.Images)
		o.b = append(o.b, '}')
	}
	o.optTrue("replayed", s.Replayed)
	o.optTrue("parked", s.Parked)
	o.optText("approval", s.Approval)
	optList(o, "inner", s.Inner)
	optList(o, "also", s.Also)
	o.b = append(o.b, '}')
}

// appendTo makes the body of an event's row, up to the hash of the one before.
func (e *storedEvent) appendTo(b []byte) ([]byte, error) {
	o := object{b: append(b, '{')}
	o.number("number", e.Number)
	o.text("entry", e.Entry)
	o.time("at", e.At)
	o.text("what", e.What)
	o.optText("who", e.Who)
	o.optNumber("fence", e.Fence)
	if len(e.Details) > 0 {
		o.value("details", e.Details)
	}
	o.optText("content", e.Content)
	o.optNumber("before", e.Before)
	return append(o.b, ','), o.err
}

// name begins a member.
func (o *object) name(name string) {
	if o.b[len(o.b)-1] != '{' {
		o.b = append(o.b, ',')
	}
	o.b = append(append(append(o.b, '"'), name...), `":`...)
}

// value leaves a member to encoding/json.
func (o *object) value(name string, v any) {
	o.name(name)
	b, err := appendJSON(o.b, v)
	switch {
	case err == nil:
		o.b = b
	case o.err == nil:
		o.err = err
	}
}

func optList[T any](o *object, name string, list []T) {
	if len(list) > 0 {
		o.value(name, list)
	}
}

func (o *object) text(name, s string) {
	o.name(name)
	o.b = appendText(o.b, s)
}

func (o *object) optText(name, s string) {
	if s != "" {
		o.text(name, s)
	}
}

// jsonOrText writes a member that is JSON, without the spaces in it, and hands
// back the text beside it. What is not JSON it hands back as that text.
func (o *object) jsonOrText(name string, value json.RawMessage, text string) string {
	if value == nil {
		return text
	}
	before := len(o.b)
	o.name(name)
	buf := bytes.NewBuffer(o.b)
	if err := json.Compact(buf, value); err != nil {
		o.b = o.b[:before]
		return valid(string(value))
	}
	o.b = buf.Bytes()
	return text
}

func (o *object) optBytes(name string, b []byte) {
	if len(b) == 0 {
		return
	}
	o.name(name)
	o.b = append(base64.StdEncoding.AppendEncode(append(o.b, '"'), b), '"')
}

func (o *object) number(name string, n int64) {
	o.name(name)
	o.b = strconv.AppendInt(o.b, n, 10)
}

func (o *object) optNumber(name string, n int64) {
	if n != 0 {
		o.number(name, n)
	}
}

func (o *object) optTrue(name string, yes bool) {
	if yes {
		o.name(name)
		o.b = append(o.b, "true"...)
	}
}

func (o *object) time(name string, t time.Time) {
	before := len(o.b)
	o.name(name)
	b, err := t.AppendText(append(o.b, '"'))
	if err != nil {
		o.b = o.b[:before]
		o.value(name, t) // which says why it cannot be written
		return
	}
	o.b = append(b, '"')
}

func (o *object) optTime(name string, t time.Time) {
	if !t.IsZero() {
		o.time(name, t)
	}
}

// appendText writes a string as JSON.
func appendText(b []byte, s string) []byte {
	all := byte(0)
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c == '"' || c == '\\' {
			return appendEscaped(b, s)
		}
		all |= c
	}
	if all >= utf8.RuneSelf && (!utf8.ValidString(s) || strings.ContainsAny(s, "\u2028\u2029")) {
		return appendEscaped(b, s)
	}
	return append(append(append(b, '"'), s...), '"')
}

func appendEscaped(b []byte, s string) []byte {
	b, _ = appendJSON(b, s) // a string is never refused
	return b
}

// appendJSON leaves a value to encoding/json. It keeps text as it is: people read
// these rows.
func appendJSON(b []byte, v any) ([]byte, error) {
	buf := bytes.NewBuffer(b)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding row: %w", err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// valid is s as JSON can hold it, so that it reads back as it was written.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
