// Package openai speaks OpenAI's two formats: [Chat] Completions, and with it
// every compatible server, and [Responses].
//
//	d := openai.Chat{}.NewDecoder()
//	for chunk := range chunks {
//		show(d.Feed(chunk))
//	}
//	reply := d.Close()
//
// Decoding has one lenient rule for all servers: names and ids may be repeated,
// indices missing or wrong, arguments an object, null or absent, errors may come
// after the first byte of a good reply. It never mends argument text. Encoding
// follows OpenAI, and a server's named quirks where it takes less.
//
// A function call named parallel or multi_tool_use.parallel, which wraps other
// calls, is left as it came: its name is in no catalog, so the gate rejects it
// and the model is told. Unwrapping it would make calls that no provider sent an
// id for.
package openai
