// Package bedrock speaks Amazon Bedrock's Converse and ConverseStream.
//
//	d := bedrock.Converse{}.NewDecoder()
//	for … { show(d.Feed(bytes)) }
//	reply := d.Close()
//
// A cut call looks closed here: its block is stopped and its input may be empty,
// so only the stop reason tells. Streams are AWS event streams whose checksums
// are verified; an error before the stream is plain JSON, one within it a message
// of type exception. InvokeModel carries the model maker's own format: Claude's is
// package anthropic's.
package bedrock
