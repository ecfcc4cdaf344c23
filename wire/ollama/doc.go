// Package ollama speaks Ollama's own chat API, /api/chat: JSON lines in which
// calls come whole, with arguments that are objects and, from older builds,
// without ids. Ollama's /v1 speaks OpenAI's format; use package openai for it.
//
//	d := ollama.Chat{}.NewDecoder()
//	for chunk := range chunks {
//		show(d.Feed(chunk))
//	}
//	reply := d.Close()
//
// There is no way to force, forbid or serialise calls: a request that asks for it
// is refused where that would change what may happen, and sent without where it
// would not.
package ollama
