package openai

import (
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/decode"
)

const (
	chatAPI      = "openai-chat"
	responsesAPI = "openai-responses"
)

// Chat is the codec of Chat Completions and of every server compatible with it.
// Quirks name the server when something is sent: azure, compatible, deepseek,
// groq, llamacpp, mistral, ollama, openrouter, vercel, vllm, xai; decoding needs
// none.
type Chat struct{}

// API implements [wire.Codec].
func (Chat) API() string { return chatAPI }

// NewDecoder implements [wire.Codec].
func (Chat) NewDecoder() wire.Decoder { return decode.New(&chatReply{}) }

// Responses is the codec of the Responses API and of servers compatible with it,
// used without state at the provider: every request holds the whole history, with
// reasoning encrypted.
type Responses struct{}

// API implements [wire.Codec].
func (Responses) API() string { return responsesAPI }

// NewDecoder implements [wire.Codec].
func (Responses) NewDecoder() wire.Decoder { return decode.New(&responsesReply{}) }
