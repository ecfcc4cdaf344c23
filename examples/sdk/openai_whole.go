package sdk

import (
	"context"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	chat "github.com/holdfast-go/holdfast/wire/openai"
)

// AskOpenAI is a loop over whole replies of openai-go.
func AskOpenAI(ctx context.Context, client openai.Client, g *gate.Gate, turn gate.Round, message string) (string, error) {
	params := openai.ChatCompletionNewParams{
		Model:    "gpt-5-mini",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(message)},
	}
	// holdfast {
	guard, err := agent.NewGuard(g, chat.Chat{}, turn, nil)
	if err != nil {
		return "", err
	}
	for _, tool := range guard.Tools() {
		params.Tools = append(params.Tools, param.Override[openai.ChatCompletionToolUnionParam](tool))
	}
	// }
	for range maxRounds {
		completion, err := client.Chat.Completions.New(ctx, params)
		if err != nil {
			return "", err
		}
		// holdfast {
		messages, parked, err := guard.Answer(ctx, []byte(completion.RawJSON()))
		if err != nil || parked != nil {
			return waits(parked), err
		}
		if len(messages) == 0 {
			return completion.Choices[0].Message.Content, nil
		}
		for _, m := range messages {
			params.Messages = append(params.Messages, param.Override[openai.ChatCompletionMessageParamUnion](m))
		}
		// }
	}
	return "", errRounds
}
