package anthropic

import (
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/decode"
)

const (
	apiMessages = "anthropic"
	apiInvoke   = "bedrock-invoke"
)

// Messages is the codec of Anthropic's Messages API. The zero value is ready.
type Messages struct {
	// Version is the value of the anthropic-version header; "" is 2023-06-01.
	Version string
}

// API is "anthropic".
func (Messages) API() string { return apiMessages }

// NewDecoder starts the decoding of one reply: server-sent events, their JSON as
// lines, or a whole message.
func (Messages) NewDecoder() wire.Decoder { return decode.New(&assembler{api: apiMessages}) }

// Invoke is the codec of Bedrock's InvokeModel with Claude: Anthropic's messages,
// with the version in the body and the events in an AWS event stream.
type Invoke struct{}

// API is "bedrock-invoke".
func (Invoke) API() string { return apiInvoke }

// NewDecoder starts the decoding of one reply: an event stream, whose checksums
// are verified, or a whole message.
func (Invoke) NewDecoder() wire.Decoder { return decode.New(&assembler{api: apiInvoke}) }
