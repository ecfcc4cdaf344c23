package ollama

import (
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/decode"
)

const api = "ollama"

// Chat is the codec of /api/chat.
type Chat struct{}

// API implements [wire.Codec].
func (Chat) API() string { return api }

// NewDecoder implements [wire.Codec].
func (Chat) NewDecoder() wire.Decoder { return decode.New(&assembler{}) }
