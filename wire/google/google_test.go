package google_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/google"
	"github.com/holdfast-go/holdfast/wire/wiretest"
)

func sum(counts ...*int64) *int64 {
	var total *int64
	for _, n := range counts {
		if n == nil {
			continue
		}
		if total == nil {
			total = new(int64)
		}
		*total += *n
	}
	return total
}

func geminiUsage(sent []byte) wire.Usage {
	var u struct {
		Prompt     *int64 `json:"promptTokenCount"`
		Tool       *int64 `json:"toolUsePromptTokenCount"`
		Candidates *int64 `json:"candidatesTokenCount"`
		Thoughts   *int64 `json:"thoughtsTokenCount"`
		Cached     *int64 `json:"cachedContentTokenCount"`
	}
	if json.Unmarshal(sent, &u) != nil {
		return wire.Usage{}
	}
	return wire.Usage{Input: sum(u.Prompt, u.Tool), Output: sum(u.Candidates, u.Thoughts), Cached: u.Cached, Reasoning: u.Thoughts}
}

func interactionsUsage(sent []byte) wire.Usage {
	var u struct {
		Input    *int64 `json:"total_input_tokens"`
		Tool     *int64 `json:"total_tool_use_tokens"`
		Output   *int64 `json:"total_output_tokens"`
		Thoughts *int64 `json:"total_thought_tokens"`
		Cached   *int64 `json:"total_cached_tokens"`
	}
	if json.Unmarshal(sent, &u) != nil {
		return wire.Usage{}
	}
	return wire.Usage{Input: sum(u.Input, u.Tool), Output: sum(u.Output, u.Thoughts), Cached: u.Cached, Reasoning: u.Thoughts}
}

func TestGemini(t *testing.T) {
	wiretest.Run(t, wiretest.Options{
		Codec: google.Gemini{}, Recorded: []string{"gemini"},
		EndSign: regexp.MustCompile(`"(finishReason|blockReason)": ?"`),
		Vetoes: []string{
			"MAX_TOKENS", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "SAFETY", "MODEL_ARMOR", "blocked:MODEL_ARMOR",
		},
		Usage: geminiUsage,
		Speak: speakGemini, Read: readGemini, Name: regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$`),
		Conversation: geminiConversation, Immaterial: geminiImmaterial, Mark: signature,
	})
}

func TestInteractions(t *testing.T) {
	wiretest.Run(t, wiretest.Options{
		Codec: google.Interactions{}, Recorded: []string{"interactions"},
		EndSign: regexp.MustCompile(`"event_type": ?"interaction.completed"`),
		Vetoes:  []string{"incomplete", "in_progress"},
		Usage:   interactionsUsage,
		Speak:   speakInteractions, Read: readInteractions, IDs: true, Name: regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`),
	})
}

// spoken is a reply with all that one can hold.
var spoken = wiretest.Spoken{Text: "héllo \U0001F600", Calls: []holdfast.Call{{ID: "abc12345", Name: "search", Arguments: `{"q":"\ud83d\ude00"}`}, {ID: "def12345", Name: "fetch"}}}

func FuzzGemini(f *testing.F) { wiretest.Fuzz(f, google.Gemini{}, speakGemini(spoken)) }

func FuzzInteractions(f *testing.F) {
	wiretest.Fuzz(f, google.Interactions{}, speakInteractions(spoken))
}

// FuzzPartialArguments puts pieces with paths of any kind together: never a panic,
// and what comes out is JSON.
func FuzzPartialArguments(f *testing.F) {
	f.Add(`[{"jsonPath":"$.a[0].b","stringValue":"x","willContinue":true},{"jsonPath":"$['q \\' r']","numberValue":1e9}]`, `[{"jsonPath":"$.a[0].b","stringValue":""}]`)
	f.Fuzz(func(t *testing.T, first, second string) {
		d := google.Gemini{}.NewDecoder()
		d.Feed([]byte(`data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","willContinue":true}}]}}]}` + "\n\n"))
		for _, pieces := range []string{first, second} {
			d.Feed([]byte(`data: {"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":` + strings.ReplaceAll(pieces, "\n", " ") + `,"willContinue":true}}]}}]}` + "\n\n"))
		}
		d.Feed([]byte(`data: {"candidates":[{"content":{"parts":[{"functionCall":{}}]},"finishReason":"STOP"}]}` + "\n\n"))
		r := d.Close()
		for _, c := range r.Calls {
			if c.Arguments != "" && !json.Valid([]byte(c.Arguments)) {
				t.Errorf("arguments of %q and %q = %q, want JSON", first, second, c.Arguments)
			}
		}
		if r.Message != nil && !json.Valid(r.Message) {
			t.Errorf("message of %q and %q = %q, want JSON", first, second, r.Message)
		}
	})
}
