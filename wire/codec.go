package wire

import (
	"encoding/json"
	"net/http"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

// Codec speaks one provider's format. It holds no state between calls and is
// safe for concurrent use. Package wiretest holds what every codec must keep.
type Codec interface {
	// API is the format's name: "openai-chat", "anthropic", …
	API() string
	// NewDecoder starts the decoding of one reply, streamed or whole: the
	// decoder tells them apart by itself.
	NewDecoder() Decoder
	// Tools is the catalog as this provider takes it, byte-stable for one
	// catalog. The names table is kept with the run.
	Tools(c *holdfast.Catalog, o *ToolOptions) (ToolSet, error)
	// History encodes items as the provider's own messages, in a form that it
	// accepts: every call answered once, what cannot be replayed as it came in
	// its nearest legal form.
	History(items []Item, names Names) ([]json.RawMessage, error)
	// Request is the whole HTTP request but for address and authorisation.
	Request(r *Request) (Encoded, error)
}

// Decoder assembles one reply. It is used by one goroutine and never panics;
// what is wrong with the bytes is told in the reply.
type Decoder interface {
	// Feed takes the next bytes, split anywhere, and returns what a person may
	// see of them. The events are valid until the next Feed; p is not kept.
	Feed(p []byte) []Event
	// Done reports that the protocol's end came; what follows is not needed.
	Done() bool
	// Whole reports that the reply would be whole if the bytes ended here, though
	// usage may still follow: some protocols end with the connection alone.
	Whole() bool
	// Close says that the bytes ended and returns the reply.
	Close() *Reply
}

// EventKind says what an [Event] adds.
type EventKind int

// The kinds of events.
const (
	TextDelta      EventKind = iota // Text adds to the reply's text
	ReasoningDelta                  // Text adds to the reasoning that may be shown
	CallStart                       // a call was proposed: Call, Name
	ArgumentsDelta                  // Text adds to the argument text of Call
	CallEnd                         // the provider closed Call
	Restart                         // all before is void: the stream began anew
)

// Event is a preview while a reply still streams. Nothing may run because of it.
type Event struct {
	Kind EventKind
	Call int // position of the call in the reply
	Name string
	Text string
}

// Ending is what a reply's end means for the turn, in one word for all providers.
type Ending string

// The endings.
const (
	Ended    Ending = "ended"    // complete; calls, if any, may run
	Cut      Ending = "cut"      // a length limit cut it; no call of it runs
	Filtered Ending = "filtered" // filter, guardrail or refusal; no call of it runs
	Paused   Ending = "paused"   // the provider wants the reply sent back to go on
	Stopped  Ending = "stopped"  // the loop stopped it, for arguments that could not become valid; no call of it runs
	Broken   Ending = "broken"   // an error, or no end sign; nothing of it enters the history
)

// Reply is one model reply, whole.
type Reply struct {
	API   string
	ID    string
	Model string
	// Stop is the provider's own word; Responses: incomplete:REASON where it
	// gives one, Gemini: blocked:REASON for a blocked prompt.
	Stop   string
	Ending Ending
	// Complete is true only after the protocol's end, without a vetoing stop or
	// an error.
	Complete  bool
	Text      string
	Reasoning string
	Calls     []holdfast.Call
	Usage     Usage
	Err       *Error
	// Message is the provider's assistant message verbatim, as its own history
	// takes it back: a message object, or an array of items, blocks or parts.
	Message json.RawMessage
	// Unknown counts events and items of a kind that this codec does not know.
	Unknown int
}

// Usage in tokens; nil means that the provider did not tell. Input includes
// cached and cache-written tokens, Output includes reasoning.
type Usage struct {
	Input     *int64 `json:"input"`
	Output    *int64 `json:"output"`
	Cached    *int64 `json:"cached"`
	Reasoning *int64 `json:"reasoning"`
}

// Error is what a provider said went wrong, before or within a reply.
type Error struct {
	Code    string          `json:"code"`
	Message string          `json:"message"`
	Raw     json.RawMessage `json:"raw"`
}

func (e *Error) Error() string { return "provider: " + e.Code + ": " + e.Message }

// Item is one entry of a conversation: exactly one field is set.
type Item struct {
	User    string                 // a person's message
	Reply   *Reply                 // a model's reply
	Results []holdfast.Observation // the results of the calls of the reply before, by position
}

// Names is the table from the names that a provider was sent to qualified ones.
type Names map[string]string

// ToolOptions of Codec.Tools; nil means none.
type ToolOptions struct {
	// Strict asks for the provider's strict mode where a schema is strict as it
	// stands; no schema is changed for it.
	Strict bool
	// Quirks name the server's deviations for encoding, "" for the vendor's own.
	Quirks string
}

// ToolSet is a catalog as one provider takes it.
type ToolSet struct {
	Tools   []json.RawMessage // exactly as sent, in catalog order
	Adapted []Adapted
	Names   Names
}

// Adapted is one thing of a tool that this provider does not get; the gate
// checks it all the same.
type Adapted struct {
	Tool string `json:"tool"`
	schema.Omission
}

// ToolChoice says whether the model must call. The zero value leaves it free.
type ToolChoice struct {
	Mode string // "", "auto", "none", "required", "tool"
	Tool string // the name as sent, for mode "tool"
}

// Request is what to ask a model.
type Request struct {
	Model     string
	System    string
	Items     []Item
	Tools     ToolSet
	Choice    ToolChoice
	MaxTokens int // of output; 0: the codec's default where the provider needs one
	Stream    bool
	Quirks    string
	// Serial asks for at most one call a reply, where the provider can.
	Serial bool
	// Output asks for a final answer by this schema, where the provider can.
	Output *schema.Schema
}

// Encoded is a request without address and authorisation.
type Encoded struct {
	Path   string // "/v1/messages", from the provider's base address
	Header http.Header
	Body   json.RawMessage
}
