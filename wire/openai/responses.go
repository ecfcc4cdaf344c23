package openai

import (
	"encoding/json"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/wire"
)

const responsesAPI = "openai-responses"

// Responses is the codec of the Responses API and of servers compatible with it.
type Responses struct{}

// API implements [wire.Codec].
func (Responses) API() string { return responsesAPI }

// NewDecoder implements [wire.Codec].
func (Responses) NewDecoder() wire.Decoder { return newResponsesDecoder() }

// Tools implements [wire.Codec].
func (Responses) Tools(c *holdfast.Catalog, o *wire.ToolOptions) (wire.ToolSet, error) {
	return wire.ToolSet{}, nil
}

// History implements [wire.Codec].
func (Responses) History(items []wire.Item, names wire.Names) ([]json.RawMessage, error) {
	return nil, nil
}

// Request implements [wire.Codec].
func (Responses) Request(r *wire.Request) (wire.Encoded, error) { return wire.Encoded{}, nil }
