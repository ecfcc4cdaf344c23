package sdk

import (
	"context"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	chat "github.com/holdfast-go/holdfast/wire/openai"
)

// StreamOpenAI is a loop over streams of openai-go.
func StreamOpenAI(ctx context.Context, client openai.Client, g *gate.Gate, turn gate.Round, message string, show func(string)) (string, error) {
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
		answer := ""
		// holdfast {
		var events []byte
		// }
		stream := client.Chat.Completions.NewStreaming(ctx, params)
		for stream.Next() {
			chunk := stream.Current()
			// holdfast {
			events = append(events, chunk.RawJSON()...)
			// }
			if len(chunk.Choices) > 0 {
				show(chunk.Choices[0].Delta.Content)
				answer += chunk.Choices[0].Delta.Content
			}
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
			params.Messages = append(params.Messages, param.Override[openai.ChatCompletionMessageParamUnion](m))
		}
		// }
	}
	return "", errRounds
}
