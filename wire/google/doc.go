// Package google speaks Google's two formats: generateContent ([Gemini]) and the
// Interactions API ([Interactions]).
//
//	d := google.Gemini{}.NewDecoder()
//	for … { show(d.Feed(bytes)) }
//	reply := d.Close()
//
// Gemini has no stop word of its own for calls: STOP ends replies with and
// without them, and every other finish reason vetoes. Arguments that are streamed
// as values with paths are put together as one JSON object; a call whose last
// piece announced another is not complete. Ids are often missing, and stay "".
package google
