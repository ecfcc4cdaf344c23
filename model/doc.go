// Package model is one HTTP exchange with a provider over a [wire.Codec],
// streamed or whole, by one path.
//
//	client, err := model.New(anthropic.Messages{}, "claude-…", nil)
//	reply, err := client.Reply(ctx, &wire.Request{Items: items, Tools: tools, Stream: true}, show)
//
// Keys and addresses come from the options or the environment. Every exchange
// has time limits and a bound on its bytes. A request is sent again, with jitter
// and as the provider's Retry-After asks, only while nothing of a reply was
// received: half a reply is never spliced onto another.
//
// It does not decide what becomes of a reply: a reply that broke off is handed
// back as it is, with the error beside it.
package model
