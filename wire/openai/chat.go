package openai

import (
	"encoding/json"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/wire"
)

// Chat is the codec of Chat Completions and of every server compatible with it.
type Chat struct{}

// API implements [wire.Codec].
func (Chat) API() string { return chatAPI }

// NewDecoder implements [wire.Codec].
func (Chat) NewDecoder() wire.Decoder { return newChatDecoder() }

// Tools implements [wire.Codec].
func (Chat) Tools(c *holdfast.Catalog, o *wire.ToolOptions) (wire.ToolSet, error) {
	return wire.ToolSet{}, nil
}

// History implements [wire.Codec].
func (Chat) History(items []wire.Item, names wire.Names) ([]json.RawMessage, error) {
	return nil, nil
}

// Request implements [wire.Codec].
func (Chat) Request(r *wire.Request) (wire.Encoded, error) { return wire.Encoded{}, nil }
