// Package anthropic speaks Anthropic's Messages API, and the same messages as
// Bedrock's InvokeModel carries them.
//
//	d := anthropic.Messages{}.NewDecoder()
//	for … { show(d.Feed(bytes)) }
//	reply := d.Close()
//
// A call is complete when its content block was closed, the message was stopped,
// and neither an error nor a vetoing stop reason came: max_tokens,
// model_context_window_exceeded and refusal veto every call of the reply. Blocks
// of tools that the provider ran itself (server_tool_use, mcp_tool_use) are no
// calls: they stay in the message alone.
package anthropic
