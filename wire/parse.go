package wire

import (
	"bytes"
	"encoding/json"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

// parsedReply is the form in which a decoded reply is shown to people and
// programs. Its field names are fixed; fields may be added.
type parsedReply struct {
	API      string       `json:"api"`
	Stop     *string      `json:"stop"`
	Complete bool         `json:"complete"`
	Text     string       `json:"text"`
	Calls    []parsedCall `json:"calls"`
	Usage    Usage        `json:"usage"`
	Error    *Error       `json:"error"`
}

// parsedCall is one call of a parsedReply.
type parsedCall struct {
	ID               *string           `json:"id"`
	Name             string            `json:"name"`
	Kind             holdfast.CallKind `json:"kind"`
	Arguments        json.RawMessage   `json:"arguments"`
	ArgumentsText    string            `json:"arguments_text"`
	Complete         bool              `json:"complete"`
	ProviderExecuted bool              `json:"provider_executed"`
	Namespace        *string           `json:"namespace"`
	Problem          *holdfast.Code    `json:"problem"`
}

// ParseJSON is what `holdfast parse` prints of a reply: one JSON object with
// fixed names, null for what is not known or was not sent.
func ParseJSON(r *Reply) json.RawMessage {
	v := parsedReply{API: r.API, Stop: optional(r.Stop), Complete: r.Complete, Text: r.Text, Usage: r.Usage, Error: r.Err}
	v.Calls = make([]parsedCall, len(r.Calls))
	seen := make(map[string]bool, len(r.Calls))
	for i, c := range r.Calls {
		v.Calls[i] = parseCall(c)
		if c.ID == "" {
			continue
		}
		if seen[c.ID] && c.Problem == "" {
			v.Calls[i].Problem = optional(holdfast.DuplicateCallID)
		}
		seen[c.ID] = true
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("wire: parsed reply does not marshal: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func parseCall(c holdfast.Call) parsedCall {
	p := parsedCall{
		ID: optional(c.ID), Name: c.Name, Kind: c.Kind, ArgumentsText: c.Arguments, Complete: c.Complete,
		ProviderExecuted: c.ProviderExecuted, Namespace: optional(c.Namespace), Problem: optional(c.Problem),
	}
	if c.Kind == holdfast.CustomCall {
		return p
	}
	text := c.Arguments
	if c.Complete && blank(text) {
		text = "{}"
	}
	if isObject(text) {
		p.Arguments = json.RawMessage(text)
	} else if c.Complete && c.Problem == "" && c.Kind == holdfast.FunctionCall {
		p.Problem = optional(holdfast.UnreadableArguments)
	}
	return p
}

// blank reports that no argument text was sent: the contract reads it as {}.
func blank(text string) bool { return len(bytes.TrimLeft([]byte(text), " \t\r\n")) == 0 }

// isObject reports that text is exactly one JSON object by the contract's
// reading: valid UTF-8, no lone surrogate, no name twice, within the limits.
func isObject(text string) bool {
	v, err := schema.Read([]byte(text), nil)
	return err == nil && v.Kind() == schema.Object
}

// optional is nil for "".
func optional[T ~string](s T) *T {
	if s == "" {
		return nil
	}
	return &s
}
