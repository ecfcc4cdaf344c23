package openai

import (
	"fmt"
	"strings"
)

// quirks are a server's deviations when it is sent a request. The zero value is
// OpenAI itself.
type quirks struct {
	// oldMaxTokens: the limit is max_tokens; only OpenAI renamed it.
	oldMaxTokens bool
	// noStreamOptions: usage comes in a stream unasked, and asking is refused.
	noStreamOptions bool
	// noSerial: there is no parallel_tool_calls to turn off.
	noSerial bool
	// required is the server's word for a forced call, "" for required.
	required string
	// id: the ids that it takes, nil for any.
	id func(string) bool
	// echoReasoning: an assistant message with calls is refused in thinking mode
	// without its reasoning_content.
	echoReasoning bool
	// answerTools: a user message may not follow a tool message directly.
	answerTools bool
	// noReasoning: members that hold reasoning are refused in history.
	noReasoning bool
	// callsLast: nothing may stand between two calls of a reply and their outputs.
	callsLast bool
}

// quirksOf is a switch and no map, so that nothing of it can change.
func quirksOf(name string) (quirks, error) {
	switch name {
	case "", "azure":
		return quirks{}, nil
	case "compatible", "llamacpp", "vllm", "ollama", "openrouter", "xai", "vercel":
		return quirks{oldMaxTokens: true}, nil
	case "deepseek":
		// 400 "The reasoning_content in the thinking mode must be passed back", and
		// on Responses 400 "No tool output found for tool call" for text between calls.
		return quirks{oldMaxTokens: true, noSerial: true, echoReasoning: true, callsLast: true}, nil
	case "mistral":
		// Ids of nine letters and digits, extra members refused, "any" for a forced
		// call, and roles in the order tool, assistant, user.
		return quirks{oldMaxTokens: true, noStreamOptions: true, required: "any", id: mistralID, answerTools: true, noReasoning: true}, nil
	case "groq":
		// 400 "property 'reasoning_content' is unsupported".
		return quirks{noReasoning: true}, nil
	}
	return quirks{}, fmt.Errorf("quirks %q are none of %s", name, strings.Join(knownQuirks(), ", "))
}

func knownQuirks() []string {
	return []string{"azure", "compatible", "deepseek", "groq", "llamacpp", "mistral", "ollama", "openrouter", "vercel", "vllm", "xai"}
}

func mistralID(id string) bool {
	if len(id) != 9 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}
