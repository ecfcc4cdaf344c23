package bedrock_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/bedrock"
	"github.com/holdfast-go/holdfast/wire/wiretest"
)

func usage(sent []byte) wire.Usage {
	var u struct{ InputTokens, CacheWriteInputTokens, CacheReadInputTokens, OutputTokens *int64 }
	if json.Unmarshal(sent, &u) != nil || u.InputTokens == nil {
		return wire.Usage{}
	}
	input := *u.InputTokens
	for _, more := range []*int64{u.CacheWriteInputTokens, u.CacheReadInputTokens} {
		if more != nil {
			input += *more
		}
	}
	return wire.Usage{Input: &input, Output: u.OutputTokens, Cached: u.CacheReadInputTokens}
}

func TestConverse(t *testing.T) {
	wiretest.Run(t, wiretest.Options{
		Codec: bedrock.Converse{}, Recorded: []string{"converse"},
		EndSign: regexp.MustCompile(`"stopReason":"`), Vetoes: []string{"max_tokens", "guardrail_intervened"}, Usage: usage,
	})
}

func FuzzConverse(f *testing.F) { wiretest.Fuzz(f, bedrock.Converse{}) }
