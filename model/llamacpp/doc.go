// Package llamacpp is a model on this machine: a GGUF file, run by llama.cpp's
// shared libraries without cgo, that can write nothing but text and calls which the
// catalog's schemas hold valid.
//
//	m, err := llamacpp.Open("qwen2.5-0.5b-instruct.gguf", nil)
//	defer m.Close()
//	a, err := agent.New(m, gate, ledger, nil)
//
// The prompt is ChatML and the calls are Hermes' (of Qwen and others): a model whose
// vocabulary has no <|im_start|> is refused. The libraries (libllama, libggml,
// libggml-base and the processor's backends) stand in one folder, which
// Options.Libraries or the environment's YZMA_LIB names; libffi must be installed.
//
// A reply that comes to its limit of tokens is led to an end that the grammar
// admits, and not cut.
package llamacpp
