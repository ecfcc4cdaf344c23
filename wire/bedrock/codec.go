package bedrock

import (
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/decode"
)

const apiConverse = "bedrock-converse"

// Converse is the codec of Converse and ConverseStream. The zero value is ready.
type Converse struct{}

// API is "bedrock-converse".
func (Converse) API() string { return apiConverse }

// NewDecoder starts the decoding of one reply: an AWS event stream, its events as
// JSON lines, or a whole response.
func (Converse) NewDecoder() wire.Decoder { return decode.New(&assembler{}) }
