package sdk

import (
	"context"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	wireopenai "github.com/holdfast-go/holdfast/wire/openai"
)

// AskResponses is a loop over whole replies of openai-go's Responses API.
func AskResponses(ctx context.Context, client openai.Client, g *gate.Gate, turn gate.Round, message string) (string, error) {
	params := responses.ResponseNewParams{
		Model:   "gpt-5-mini",
		Store:   openai.Bool(false),
		Include: []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent},
	}
	params.Input.OfInputItemList = responses.ResponseInputParam{
		responses.ResponseInputItemParamOfMessage(message, responses.EasyInputMessageRoleUser),
	}
	// holdfast {
	guard, err := agent.NewGuard(g, wireopenai.Responses{}, turn, nil)
	if err != nil {
		return "", err
	}
	for _, tool := range guard.Tools() {
		params.Tools = append(params.Tools, param.Override[responses.ToolUnionParam](tool))
	}
	// }
	for range maxRounds {
		reply, err := client.Responses.New(ctx, params)
		if err != nil {
			return "", err
		}
		// holdfast {
		items, parked, err := guard.Answer(ctx, []byte(reply.RawJSON()))
		if err != nil || parked != nil {
			return waits(parked), err
		}
		if len(items) == 0 {
			return reply.OutputText(), nil
		}
		for _, item := range items {
			params.Input.OfInputItemList = append(params.Input.OfInputItemList, param.Override[responses.ResponseInputItemUnionParam](item))
		}
		// }
	}
	return "", errRounds
}
