package openai

import (
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// readUsage reads usage of either format.
func readUsage(c *rawjson.Cursor) (u wire.Usage) {
	var total *int64
	count := func(dst **int64) {
		if n, ok := c.Int(); ok {
			*dst = &n
		}
	}
	c.Object(func(key []byte) {
		switch string(key) {
		case "prompt_tokens", "input_tokens":
			count(&u.Input)
		case "completion_tokens", "output_tokens":
			count(&u.Output)
		case "total_tokens":
			count(&total)
		case "prompt_cache_hit_tokens", "num_cached_tokens":
			if u.Cached == nil {
				count(&u.Cached)
			}
		case "prompt_tokens_details", "input_tokens_details":
			c.Object(func(key []byte) {
				if string(key) == "cached_tokens" {
					count(&u.Cached)
				}
			})
		case "completion_tokens_details", "output_tokens_details":
			c.Object(func(key []byte) {
				if string(key) == "reasoning_tokens" {
					count(&u.Reasoning)
				}
			})
		}
	})
	addReasoning(&u, total)
	return u
}

// addReasoning makes output include reasoning where a server counts them apart
// (xAI, gateways before Gemini): the total says so, or there is more reasoning
// than output.
func addReasoning(u *wire.Usage, total *int64) {
	if u.Output == nil || u.Reasoning == nil || *u.Reasoning <= 0 {
		return
	}
	apart := *u.Reasoning > *u.Output
	if total != nil && u.Input != nil {
		apart = apart || *total == *u.Input+*u.Output+*u.Reasoning
	}
	if apart {
		sum := *u.Output + *u.Reasoning
		u.Output = &sum
	}
}
