package google_test

import (
	"encoding/json"
	"regexp"
	"testing"

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
	})
}

func TestInteractions(t *testing.T) {
	wiretest.Run(t, wiretest.Options{
		Codec: google.Interactions{}, Recorded: []string{"interactions"},
		EndSign: regexp.MustCompile(`"event_type": ?"interaction.completed"`),
		Vetoes:  []string{"incomplete", "in_progress"},
		Usage:   interactionsUsage,
	})
}

func FuzzGemini(f *testing.F) { wiretest.Fuzz(f, google.Gemini{}) }

func FuzzInteractions(f *testing.F) { wiretest.Fuzz(f, google.Interactions{}) }
