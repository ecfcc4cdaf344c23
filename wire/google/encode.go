package google

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/encode"
)

// Both formats take up to 128 bytes of name today; 64 was the limit of servers
// that still run. Gemini admits dots, colons and dashes too.
var (
	geminiNames       = wire.NameRule{Bytes: 64, Rest: "-.:"}
	interactionsNames = wire.NameRule{Bytes: 64, Rest: "-"}
)

// maxDeclarations is how many functions one request may declare.
const maxDeclarations = 512

// tools encodes the catalog, each tool by declare.
func tools(c *holdfast.Catalog, rule wire.NameRule, declare func(name, description string, parameters json.RawMessage) any) (wire.ToolSet, error) {
	if n := len(c.Tools()); n > maxDeclarations {
		return wire.ToolSet{}, fmt.Errorf("encoding tools: the catalog has %d tools, at most %d can be declared", n, maxDeclarations)
	}
	return encode.Tools(c, rule, func(t *holdfast.Tool, name string) ([]byte, []schema.Omission, error) {
		parameters, omitted := rewrite(t.Input())
		raw, err := rawjson.Marshal(declare(name, t.Description(), parameters))
		return raw, omitted, err
	})
}

// choiceMode is a tool choice as both formats name it, in lower case.
func choiceMode(c wire.ToolChoice) (string, error) {
	if err := encode.CheckChoice(c); err != nil {
		return "", err
	}
	switch c.Mode {
	case "required", "tool":
		return "any", nil
	}
	return c.Mode, nil
}

// resultValue is a result as one JSON value: its JSON, else its text.
func resultValue(o holdfast.Observation) []byte {
	if o.JSON != nil {
		return o.JSON
	}
	return rawjson.Quote(o.Text)
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

// inline is an image's media type and data under the names that a format uses.
func inline(im holdfast.Image, typeName string) []byte {
	out := append([]byte(`"`+typeName+`":`), rawjson.Quote(im.MediaType)...)
	return append(append(out, `,"data":`...), encode.Base64(im)...)
}
