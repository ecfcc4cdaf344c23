package bedrock_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/holdfast-go/holdfast"
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
		Speak: speak, Read: readMessages, IDs: true, Alternates: true,
		Name: regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`), ID: regexp.MustCompile(`^[a-zA-Z0-9_.:-]{1,64}$`),
		Conversation: conversation, Immaterial: immaterial, Apart: apart,
	})
}

// apart are recorded requests that we would not send so.
var apart = map[string]string{
	"bedrock-converse/chat-multimodal-tool-attachments-bedrock-claude-sonnet-4-5-reads-pdfs-returned-f-1": "its result holds a document; ours hold text and images",
}

func FuzzConverse(f *testing.F) {
	wiretest.Fuzz(f, bedrock.Converse{}, speak(wiretest.Spoken{Text: "héllo \U0001F600", Calls: []holdfast.Call{{ID: "tooluse_1", Name: "search", Arguments: `{"q":"\ud83d\ude00"}`}, {ID: "tooluse_2", Name: "fetch"}}}))
}
