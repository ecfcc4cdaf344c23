package anthropic_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/anthropic"
	"github.com/holdfast-go/holdfast/wire/wiretest"
)

func usage(sent []byte) wire.Usage {
	var u struct {
		Input   *int64 `json:"input_tokens"`
		Written *int64 `json:"cache_creation_input_tokens"`
		Read    *int64 `json:"cache_read_input_tokens"`
		Output  *int64 `json:"output_tokens"`
		Details *struct {
			Thinking *int64 `json:"thinking_tokens"`
		} `json:"output_tokens_details"`
	}
	if json.Unmarshal(sent, &u) != nil {
		return wire.Usage{}
	}
	out := wire.Usage{Input: u.Input, Output: u.Output, Cached: u.Read}
	for _, more := range []*int64{u.Written, u.Read} {
		if more != nil && out.Input != nil {
			sum := *out.Input + *more
			out.Input = &sum
		}
	}
	if u.Details != nil {
		out.Reasoning = u.Details.Thinking
	}
	return out
}

var vetoes = []string{"max_tokens", "model_context_window_exceeded", "refusal"}

var (
	takenName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	takenID   = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
)

func TestMessages(t *testing.T) {
	wiretest.Run(t, wiretest.Options{
		Codec: anthropic.Messages{}, Recorded: []string{"anthropic", "vertex-raw"},
		EndSign: regexp.MustCompile(`"type": ?"message_stop"`), Vetoes: vetoes, Usage: usage,
		Speak: speakMessages, Read: readMessages, IDs: true, Alternates: true, Name: takenName, ID: takenID,
		Conversation: conversation(anthropic.Messages{}), Immaterial: immaterial,
	})
}

func TestInvoke(t *testing.T) {
	wiretest.Run(t, wiretest.Options{
		Codec: anthropic.Invoke{}, Recorded: []string{"invoke"},
		EndSign: regexp.MustCompile(`eyJ0eXBlIjoibWVzc2FnZV9zdG9wI`), Vetoes: vetoes, Usage: usage,
		Speak: speakInvoke, Read: readMessages, IDs: true, Alternates: true, Name: takenName, ID: takenID,
		Conversation: conversation(anthropic.Invoke{}), Immaterial: immaterial,
	})
}

// spoken is a reply with all that one can hold.
var spoken = wiretest.Spoken{Text: "héllo \U0001F600", Calls: []holdfast.Call{{ID: "toolu_1", Name: "search", Arguments: `{"q":"\ud83d\ude00"}`}, {ID: "toolu_2", Name: "fetch"}}}

func FuzzMessages(f *testing.F) { wiretest.Fuzz(f, anthropic.Messages{}, speakMessages(spoken)) }

func FuzzInvoke(f *testing.F) { wiretest.Fuzz(f, anthropic.Invoke{}, speakInvoke(spoken)) }
