// Package encode is what the codecs' requests and histories have in common.
package encode

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
)

// Tools is a catalog as a provider with that rule takes it; one writes a tool
// under the name that is sent, and tells what its schema had to leave out.
func Tools(c *holdfast.Catalog, rule wire.NameRule, one func(t *holdfast.Tool, name string) ([]byte, []schema.Omission, error)) (wire.ToolSet, error) {
	table, sent, err := rule.Encode(c)
	if err != nil {
		return wire.ToolSet{}, fmt.Errorf("encoding tools: %w", err)
	}
	set := wire.ToolSet{Names: table}
	for i, t := range c.Tools() {
		raw, omitted, err := one(t, sent[i])
		if err != nil {
			return wire.ToolSet{}, fmt.Errorf("encoding tool %q: %w", t.Name(), err)
		}
		set.Tools = append(set.Tools, raw)
		for _, o := range omitted {
			set.Adapted = append(set.Adapted, wire.Adapted{Tool: c.Qualify(t), Omission: o})
		}
	}
	return set, nil
}

// CheckChoice refuses a choice that no provider knows.
func CheckChoice(c wire.ToolChoice) error {
	switch c.Mode {
	case "", "auto", "none", "required":
		return nil
	case "tool":
		if c.Tool == "" {
			return fmt.Errorf("encoding request: tool choice names no tool")
		}
		return nil
	}
	return fmt.Errorf("encoding request: tool choice %q is none of auto, none, required, tool", c.Mode)
}

// Post is a request with a body of JSON.
func Post(path string, body any) (wire.Encoded, error) {
	raw, err := rawjson.Marshal(body)
	if err != nil {
		return wire.Encoded{}, fmt.Errorf("encoding request: %w", err)
	}
	return wire.Encoded{Path: path, Header: http.Header{"Content-Type": {"application/json"}}, Body: raw}, nil
}

// Input is a call's arguments as an object; the text of a custom call stands in a
// member of one.
func Input(c *wire.PairedCall) []byte {
	if c.Object != nil {
		return c.Object
	}
	return rawjson.Set([]byte(`{}`), "input", rawjson.Quote(c.Arguments))
}

// Base64 is an image's data as a JSON string.
func Base64(im holdfast.Image) []byte {
	return append(base64.StdEncoding.AppendEncode([]byte{'"'}, im.Data), '"')
}

// LeftOut stands in the place of an image that a provider does not take.
func LeftOut(im holdfast.Image) string {
	return "[an image of type " + strings.ToValidUTF8(im.MediaType, "\uFFFD") + " was left out: this provider does not take it]"
}
