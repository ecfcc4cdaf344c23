package wiretest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/wire"
)

// Options say what a codec is tested with.
type Options struct {
	Codec wire.Codec
	// Recorded names the `api` words of the recordings that are this codec's.
	Recorded []string
	// EndSign matches the bytes that end a streamed reply by its protocol: a cut
	// before its first match must never leave a call to run.
	EndSign *regexp.Regexp
	// Vetoes are the stop words that forbid the calls of a reply.
	Vetoes []string
	// Usage converts the usage as a provider sent it.
	Usage func(sent []byte) wire.Usage
	// Speak writes a reply as the provider streams it, argument texts as they are
	// where the format can carry them.
	Speak func(Spoken) []byte
	// Read lists what an encoded history holds, in order.
	Read func(messages []json.RawMessage) []Entry
	// Name and ID match what the provider takes; nil: anything.
	Name, ID *regexp.Regexp
	// Conversation reads a recorded request: its history as items, and the messages
	// that are to be encoded again.
	Conversation func(request []byte) ([]wire.Item, []json.RawMessage)
	// Immaterial takes out of a message what is its client's choice when two are
	// compared; what it empties does not count.
	Immaterial func(message map[string]any)
	// Apart names recorded requests that differ, and why that is right.
	Apart map[string]string
	// Mark tells a reply with calls from others with the same ones, where the format
	// has no ids.
	Mark func(*wire.Reply) string
	// Prose says that calls stand in the text, whose pieces show no order.
	Prose bool
	// Alternates says that no two messages of a history may have one role, and that
	// a person's is the first.
	Alternates bool
	// Unforced says that the provider cannot be made to call.
	Unforced bool
	// Derived says that framing, tools and requests are another codec's, which is
	// tested with them.
	Derived bool
	// IDs says that calls are told apart by id.
	IDs bool
}

// Run is the whole suite.
func Run(t *testing.T, o Options) {
	t.Helper()
	t.Run("Scenarios", func(t *testing.T) { testScenarios(t, o) })
	if !o.Derived {
		t.Run("Hostile", func(t *testing.T) { testHostile(t, o.Codec) })
		t.Run("Tools", func(t *testing.T) { testTools(t, o) })
		t.Run("RealTools", func(t *testing.T) { testRealTools(t, o) })
	}
	if len(o.Recorded) > 0 {
		t.Run("Recordings", func(t *testing.T) { testRecordings(t, o) })
		t.Run("Cuts", func(t *testing.T) { testCuts(t, o) })
	}
	if o.Conversation != nil {
		t.Run("Requests", func(t *testing.T) { testRequests(t, o) })
	}
	if o.Speak != nil {
		t.Run("SpokenCuts", func(t *testing.T) { testSpokenCuts(t, o) })
		if !o.Prose {
			t.Run("Disorder", func(t *testing.T) { testDisorder(t, o) })
			t.Run("Values", func(t *testing.T) { testValues(t, o) })
		}
		t.Run("Histories", func(t *testing.T) { testHistories(t, o) })
	}
}

// decode feeds pieces and closes.
func decode(c wire.Codec, pieces ...[]byte) (*wire.Reply, preview) {
	d := c.NewDecoder()
	var p preview
	for _, piece := range pieces {
		p.add(d.Feed(piece))
	}
	r := d.Close()
	p.done, p.whole = d.Done(), d.Whole()
	return r, p
}

// preview is what the events told before the reply was there.
type preview struct {
	text, reasoning string
	calls           []previewCall
	problem         string
	done, whole     bool
}

type previewCall struct {
	name, arguments string
	ended           bool
}

func (p *preview) add(events []wire.Event) {
	for _, e := range events {
		switch e.Kind {
		case wire.TextDelta:
			p.text += e.Text
		case wire.ReasoningDelta:
			p.reasoning += e.Text
		case wire.Restart:
			*p = preview{}
		case wire.CallStart:
			if e.Call != len(p.calls) {
				p.problem = fmt.Sprintf("call %d starts after %d calls", e.Call, len(p.calls))
			}
			p.calls = append(p.calls, previewCall{name: e.Name})
		case wire.ArgumentsDelta, wire.CallEnd:
			if e.Call >= len(p.calls) {
				p.problem = fmt.Sprintf("call %d goes on before it starts", e.Call)
				return
			}
			if c := &p.calls[e.Call]; e.Kind == wire.CallEnd {
				c.ended = true
			} else {
				c.arguments += e.Text
			}
		}
	}
}

// toRun are the calls of r that would be ours to run.
func toRun(r *wire.Reply) []holdfast.Call {
	var calls []holdfast.Call
	for _, c := range r.Calls {
		if r.Complete && c.Complete && c.Kind == holdfast.FunctionCall && !c.ProviderExecuted && c.Problem == "" {
			calls = append(calls, c)
		}
	}
	return calls
}
