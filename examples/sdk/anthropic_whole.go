package sdk

import (
	"context"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	claude "github.com/holdfast-go/holdfast/wire/anthropic"
)

// AskAnthropic is a loop over whole replies of anthropic-sdk-go.
func AskAnthropic(ctx context.Context, client anthropic.Client, g *gate.Gate, turn gate.Round, message string) (string, error) {
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
		reply, err := client.Messages.New(ctx, params)
		if err != nil {
			return "", err
		}
		// holdfast {
		messages, parked, err := guard.Answer(ctx, []byte(reply.RawJSON()))
		if err != nil || parked != nil {
			return waits(parked), err
		}
		if len(messages) == 0 {
			return text(reply), nil
		}
		for _, m := range messages {
			params.Messages = append(params.Messages, param.Override[anthropic.MessageParam](m))
		}
		// }
	}
	return "", errRounds
}

func text(m *anthropic.Message) string {
	all := ""
	for _, block := range m.Content {
		all += block.Text
	}
	return all
}
