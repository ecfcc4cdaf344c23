package gate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/schema"
)

type (
	angryError struct{}
	slyError   struct{}
	nilError   struct{ text string }
)

func (angryError) Error() string { panic("no words") }
func (slyError) Error() string   { return "sly" }
func (slyError) As(any) bool     { panic("no type") }
func (e *nilError) Error() string {
	return e.text // e is nil
}

func TestErrorsThatPanicAreContained(t *testing.T) {
	for _, err := range []error{angryError{}, slyError{}, (*nilError)(nil), &holdfast.NoEffectError{}, fmt.Errorf("x: %w", angryError{})} {
		for _, effect := range []holdfast.Effect{holdfast.Read, holdfast.Write} {
			h := open(t, nil, tool(t, "x", effect, "", new(entered).fails(err), &holdfast.ToolOptions{
				Precondition: func(context.Context, schema.Value) (holdfast.Finding, error) { return holdfast.Finding{}, nil },
			}))
			v := h.one("x", `{}`)
			if v.Outcome.Code != holdfast.ToolError || !v.Answer {
				t.Errorf("%T: outcome = %+v", err, v.Outcome)
			}
			h = open(t, nil, tool(t, "x", effect, "", new(entered).answers(`{}`), &holdfast.ToolOptions{
				Precondition: func(context.Context, schema.Value) (holdfast.Finding, error) { return holdfast.Finding{}, err },
			}))
			want(t, h.one("x", `{}`), holdfast.Rejected, holdfast.PreconditionFailed, gate.Approve)
		}
	}
}

func TestObservationsAreAlwaysValidText(t *testing.T) {
	for name, result := range map[string]holdfast.Result{
		"text":            {Text: "a\xffb"},
		"JSON":            {JSON: json.RawMessage("{\"a\":\"\xff\"}")},
		"nothing":         {},
		"image alone":     {Images: []holdfast.Image{{MediaType: "image/png", Data: []byte{1}}}},
		"long text":       {Text: strings.Repeat("ñ", 100<<10)},
		"long JSON":       {JSON: json.RawMessage(`"` + strings.Repeat("ñ", 100<<10) + `"`)},
		"several values":  {JSON: json.RawMessage(`{} {}`)},
		"trailing spaces": {JSON: json.RawMessage(" {} \n")},
	} {
		h := open(t, nil, tool(t, "put", holdfast.Write, "", func(context.Context, schema.Value) (holdfast.Result, error) { return result, nil }, nil))
		first, again := h.one("put", `{}`), h.one("put", `{}`)
		if first.Outcome.Status != holdfast.OK || !again.Outcome.Replayed {
			t.Errorf("%s: outcome = %+v, again %+v", name, first.Outcome, again.Outcome)
		}
		for _, v := range []gate.Verdict{first, again} {
			if text := v.Observation.Content(); !utf8.ValidString(text) || len(text) > 80<<10 {
				t.Errorf("%s: observation has %d bytes, valid %v", name, len(text), utf8.ValidString(text))
			}
			if v.Observation.JSON != nil && !json.Valid(v.Observation.JSON) {
				t.Errorf("%s: observation = %s", name, v.Observation.JSON)
			}
		}
	}
}

func TestHostileNamesStayShort(t *testing.T) {
	var e entered
	h := open(t, nil, lookTool(t, &e))
	for _, name := range []string{strings.Repeat("x", 1<<20), "a\x00b\x1b[2K", "\xff\xfe", "look\n", "lo\u200bok", "../look", "look "} {
		v := h.one(name, `{"secret":"`+strings.Repeat("y", 1<<20)+`"}`)
		want(t, v, holdfast.Rejected, holdfast.UnknownTool, gate.Lookup)
		if n := len(v.Observation.Content()); n > 1000 {
			t.Errorf("observation of a name of %d bytes has %d", len(name), n)
		}
		if entry := h.entry(v.LedgerID); len(entry.Tool)+len(entry.Text) > 10<<10 {
			t.Errorf("record of a name of %d bytes has %d", len(name), len(entry.Tool)+len(entry.Text))
		}
	}
	if e.times() != 0 {
		t.Errorf("handler entered %d times", e.times())
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{``, `{}`, `null`, `{"n":1}`, `{"n":1}{"n":2}`, `{"n":1e400}`, `{"n":`, "{\"n\":\"\xff\"}", `{"n":9007199254740993}`} {
		f.Add(seed, "id", true, "function")
	}
	f.Fuzz(func(t *testing.T, text, id string, complete bool, kind string) {
		var e entered
		h := open(t, nil, putTool(t, &e, nil))
		c := holdfast.Call{ID: id, Name: "put", Kind: holdfast.CallKind(kind), Arguments: text, Complete: complete}
		vs := h.put(h.round(c, c), nil)
		for _, v := range vs {
			if v.Outcome.Status == "" || v.CallID == "" {
				t.Errorf("verdict = %+v", v)
			}
			if v.Observation.JSON == nil || !json.Valid(v.Observation.JSON) || !utf8.Valid(v.Observation.JSON) {
				t.Errorf("observation = %q", v.Observation.Content())
			}
		}
		if id != "" && (e.times() > 1 || vs[1].Answer) {
			t.Errorf("of two calls with one id the handler saw %d, second answered %v", e.times(), vs[1].Answer)
		}
	})
}
