package openai

import (
	"bytes"
	"encoding/json"

	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// readError reads the value of an error member: an object or a sentence.
func readError(c *rawjson.Cursor) *wire.Error {
	at := c.Kind()
	if at == 'n' || at == 0 {
		c.Skip()
		return nil
	}
	raw := c.Raw()
	if raw == nil {
		return nil
	}
	e := errorOf(raw)
	e.Raw = cleaned(raw)
	return e
}

// errorOf finds code and message in an error's JSON.
func errorOf(raw []byte) *wire.Error {
	c := rawjson.NewCursor(raw)
	if c.Kind() == '"' {
		return &wire.Error{Code: "error", Message: c.Text()}
	}
	var code, typ, status, message string
	c.Object(func(key []byte) {
		switch string(key) {
		case "code":
			code = word(c)
		case "type":
			typ = word(c)
		case "status":
			status = word(c)
		case "message", "detail", "error":
			if c.Kind() == '"' {
				message = c.Text()
			}
		}
	})
	for _, next := range []string{typ, status, "error"} {
		if code == "" {
			code = next
		}
	}
	return &wire.Error{Code: code, Message: message}
}

// word is a string or a number as text.
func word(c *rawjson.Cursor) string {
	if c.Kind() == '0' {
		return string(c.Raw())
	}
	return c.Text()
}

// cleaned is a well-formed source that may be kept and printed.
func cleaned(raw []byte) json.RawMessage { return bytes.Clone(rawjson.Clean(raw)) }
