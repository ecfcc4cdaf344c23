// Package rawjson walks JSON text in place, without making values of it.
//
// It is for envelopes: a provider's event, of which a codec needs three members
// and keeps a fourth as it came. [Valid] looks at the whole text once; the
// walkers after it trust that and copy nothing.
//
//	if !rawjson.Valid(event) { … }
//	for name, value := range rawjson.Members(event) {
//		switch string(name) {
//		case "index":
//			index, ok = rawjson.Int(value)
//		case "text":
//			text = rawjson.AppendString(text, value)
//		}
//	}
//
// It is lenient where vendors are: names may repeat (walkers yield both, so the
// last wins), strings may hold invalid UTF-8. It refuses to judge argument text;
// that is the strict reader's work.
package rawjson
