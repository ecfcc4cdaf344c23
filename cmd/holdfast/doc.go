// Command holdfast puts a model's tool calls through the gate from a terminal:
// it reads recorded replies, checks arguments, runs single calls and whole
// conversations, and shows what was recorded of them.
//
//	holdfast run coach
//	holdfast parse --api anthropic reply.sse
//	holdfast call coach search_foods --args '{"query":"arroz"}'
//
// Results go to stdout and all else to stderr. The exit code is 0 when it is
// done, 1 for any outcome but ok, a turn that did not end in an answer, findings
// or an operational error, and 2 when the command was misused.
package main
