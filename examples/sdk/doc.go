// Package sdk shows loops that are written with OpenAI's and Anthropic's own Go
// clients, and the few lines that put their calls through Holdfast's gate: those
// between the comments "holdfast {" and "}". docs/gate-your-loop.md is about
// them. It is a module of its own, so that neither client is a dependency of
// Holdfast.
package sdk
