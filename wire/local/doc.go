// Package local finds the calls that local models write into their text: where a
// server does not parse them, the model's own format is all there is. A [Format]
// is data (what triggers a call, where name and arguments stand, what ends it),
// so that the same description can also constrain what a model may write.
//
//	f, ok := local.Lookup("hermes")
//	p := f.NewParser()
//	for piece := range pieces {
//		show(p.Feed(piece))
//	}
//	reply := p.Close(wire.Ended)
//
// [Codec] does so for the text of another codec's replies. Calls are found, never
// mended: what begins like a call and is none comes out as a call that cannot be
// read, and the model is told.
package local
