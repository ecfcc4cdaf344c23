// Package decode is what every codec's decoder is made of: the shell that feeds
// frames ([Decoder]), and the reply while it grows ([Draft]). A codec writes an
// [Assembler], which only reads its provider's events:
//
//	type assembler struct {
//		decode.Draft
//		…
//	}
//
//	func (Messages) NewDecoder() wire.Decoder { return decode.New(&assembler{}) }
package decode
