package openai_test

import (
	"regexp"
	"testing"

	"github.com/holdfast-go/holdfast/wire/openai"
	"github.com/holdfast-go/holdfast/wire/wiretest"
)

func responsesOptions() wiretest.Options {
	return wiretest.Options{
		Codec: openai.Responses{}, Recorded: []string{"responses"},
		EndSign:      regexp.MustCompile(`"type": ?"response\.(completed|incomplete|failed)"`),
		Vetoes:       []string{"incomplete:max_output_tokens"},
		Usage:        sentUsage,
		Conversation: responsesConversation, Immaterial: responsesImmaterial, Apart: responsesApart,
		Speak: speakResponses, Read: readResponses, IDs: true,
		Name: takenName, ID: regexp.MustCompile(`^.+$`),
	}
}

func FuzzResponses(f *testing.F) {
	wiretest.Fuzz(f, openai.Responses{}, speakResponses(spoken), []byte(`{"object":"response","status":"completed","output":[{"type":"reasoning","summary":[{"text":"r"}]},{"type":"custom_tool_call","call_id":"a","name":"f","input":"x"},{"type":"mcp_approval_request","id":"m"}]}`),
		[]byte("event: error\ndata: {\"type\":\"error\",\"code\":\"x\",\"message\":\"m\"}\n\n"))
}

func TestResponses(t *testing.T) { wiretest.Run(t, responsesOptions()) }
