// Package wiretest is the suite that every codec runs: the recordings of its
// provider, cuts of them, splits of the bytes, histories.
//
//	func TestChat(t *testing.T) {
//		wiretest.Run(t, wiretest.Options{Codec: openai.Chat{}, Recorded: []string{"chat"}, …})
//	}
package wiretest
