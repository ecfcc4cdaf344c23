package sdk

import (
	"context"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	claude "github.com/holdfast-go/holdfast/wire/anthropic"
)

// StreamAnthropic is a loop over streams of anthropic-sdk-go.
func StreamAnthropic(ctx context.Context, client anthropic.Client, g *gate.Gate, turn gate.Round, message string, show func(string)) (string, error) {
	params := anthropic.MessageNewParams{
		Model:     "claude-sonnet-4-5",
		MaxTokens: 4096,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(message))},
	}
	// holdfast {
	guard, err := agent.NewGuard(g, claude.Messages{}, turn, nil)
	if err != nil {
		return "", err
	}
	for _, tool := range guard.Tools() {
		params.Tools = append(params.Tools, param.Override[anthropic.ToolUnionParam](tool))
	}
	// }
	for range maxRounds {
		answer := ""
		// holdfast {
		var events []byte
		// }
		stream := client.Messages.NewStreaming(ctx, params)
		for stream.Next() {
			event := stream.Current()
			// holdfast {
			events = append(events, event.RawJSON()...)
			// }
			show(event.Delta.Text)
			answer += event.Delta.Text
		}
		if err := stream.Err(); err != nil {
			return "", err
		}
		// holdfast {
		messages, parked, err := guard.Answer(ctx, events)
		if err != nil || parked != nil {
			return waits(parked), err
		}
		if len(messages) == 0 {
			return answer, nil
		}
		for _, m := range messages {
			params.Messages = append(params.Messages, param.Override[anthropic.MessageParam](m))
		}
		// }
	}
	return "", errRounds
}
