// Package rawjson reads and writes JSON text in place, without making values of
// it: no reflection, no maps, no copy of what is not looked at. It is for
// envelopes, a provider's event of which a codec needs three members and keeps a
// fourth as it came.
//
// A [Cursor] walks text that nobody has looked at yet, once, and checks it on its
// way:
//
//	c := rawjson.NewCursor(event)
//	c.Object(func(key []byte) {
//		switch string(key) {
//		case "id":
//			id = c.Text()
//		case "choices":
//			c.Array(func(int) { … })
//		}
//	})
//	if !c.Done() { … not one JSON value … }
//
// The lookups ([Member], [Members], [Elements], [String], …) trust text that
// [Valid] or a cursor has passed, and may look twice:
//
//	if !rawjson.Valid(event) { … }
//	stop := rawjson.String(rawjson.Member(event, "stop_reason"))
//
// Both accept exactly the JSON grammar, with the two leniencies that providers
// need: names may repeat (the last wins), and a lone surrogate or a byte that is
// not UTF-8 inside a string is no fault. A lone surrogate comes out in the three
// bytes that no valid UTF-8 has: so [Builder] can put a pair together whose halves
// came in two fragments, and a strict reader refuses what stays alone. The package
// does not judge argument text; that is the strict reader's work.
package rawjson
