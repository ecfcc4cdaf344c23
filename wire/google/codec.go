package google

import (
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/decode"
)

const (
	apiGemini       = "gemini"
	apiInteractions = "interactions"
)

// Gemini is the codec of generateContent and streamGenerateContent, of the
// developer API and of Vertex AI. The zero value is ready.
type Gemini struct{}

// API is "gemini".
func (Gemini) API() string { return apiGemini }

// NewDecoder starts the decoding of one reply: server-sent events, a streamed
// JSON array, or a whole response.
func (Gemini) NewDecoder() wire.Decoder {
	return decode.New(&gemini{open: -1})
}

// Interactions is the codec of the Interactions API. The zero value is ready.
type Interactions struct{}

// API is "interactions".
func (Interactions) API() string { return apiInteractions }

// NewDecoder starts the decoding of one reply: server-sent events, their JSON as
// lines, or a whole interaction.
func (Interactions) NewDecoder() wire.Decoder {
	return decode.New(&interaction{})
}
