package google

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// Both formats take up to 128 bytes of name today; 64 was the limit of servers
// that still run. Gemini admits dots, colons and dashes too.
var (
	geminiNames       = wire.NameRule{Bytes: 64, Rest: "-.:"}
	interactionsNames = wire.NameRule{Bytes: 64, Rest: "-"}
)

// maxDeclarations is how many functions one request may declare.
const maxDeclarations = 512

func checkCount(c *holdfast.Catalog) error {
	if n := len(c.Tools()); n > maxDeclarations {
		return fmt.Errorf("encoding tools: the catalog has %d tools, at most %d can be declared", n, maxDeclarations)
	}
	return nil
}

func encoded(path string, header http.Header, body any) (wire.Encoded, error) {
	raw, err := rawjson.Marshal(body)
	if err != nil {
		return wire.Encoded{}, fmt.Errorf("encoding request: %w", err)
	}
	header.Set("Content-Type", "application/json")
	return wire.Encoded{Path: path, Header: header, Body: raw}, nil
}

// choiceMode is a tool choice as both formats name it, in lower case.
func choiceMode(c wire.ToolChoice) (string, error) {
	switch c.Mode {
	case "", "auto", "none":
		return c.Mode, nil
	case "required":
		return "any", nil
	case "tool":
		if c.Tool == "" {
			return "", fmt.Errorf("encoding request: tool choice names no tool")
		}
		return "any", nil
	}
	return "", fmt.Errorf("encoding request: tool choice %q is none of auto, none, required, tool", c.Mode)
}

// resultValue is a result as one JSON value: its JSON, else its text.
func resultValue(o holdfast.Observation) []byte {
	if o.JSON != nil {
		return o.JSON
	}
	return rawjson.Quote(o.Text)
}

// object is the arguments of a call; a custom call's text stands in a member.
func object(c *wire.PairedCall) []byte {
	if c.Object != nil {
		return c.Object
	}
	return rawjson.Set([]byte(`{}`), "input", rawjson.Quote(c.Arguments))
}

// sameArguments reports that the arguments can be sent as they came.
func sameArguments(c *wire.PairedCall) bool {
	return strings.TrimSpace(c.Arguments) == "" || string(c.Object) == c.Arguments
}

// picture reports an image that Google's models take.
func picture(mediaType string) bool {
	switch mediaType {
	case "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif":
		return true
	}
	return false
}

func leftOut(im holdfast.Image) string {
	return "[an image of type " + strings.ToValidUTF8(im.MediaType, "\uFFFD") + " was left out: this provider does not take it]"
}

// inline is an image's media type and data under the names that a format uses.
func inline(im holdfast.Image, typeName string) []byte {
	out := append([]byte(`"`+typeName+`":`), rawjson.Quote(im.MediaType)...)
	out = base64.StdEncoding.AppendEncode(append(out, `,"data":"`...), im.Data)
	return append(out, '"')
}
