package ledger

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// TestEventsAreWrittenAsEncodingJSONDoes: their text is made by hand, and read by
// encoding/json.
func TestEventsAreWrittenAsEncodingJSONDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	texts := []string{"", "started", "ana", "a\"b\\c", "línea\n", "\u2028<&>", "\x7f", "\xff", strings.Repeat("ab", 40)}
	text := func() string { return texts[r.IntN(len(texts))] }
	number := func() int64 { return []int64{0, 1, -1, 1 << 53}[r.IntN(4)] }
	for range 2000 {
		e := storedEvent{
			Number: number(), Entry: text(), At: time.Unix(r.Int64N(1<<33), r.Int64N(3)*250).UTC(), What: text(), Who: text(),
			Fence: number(), Content: text(), Before: number(),
		}
		if r.IntN(2) == 0 {
			e.Details = json.RawMessage(`{ "rule": "<x>", "list": [1, 2] }`)
		}
		want, err := appendJSON(nil, &e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.begin(nil)
		if whole := string(got) + `"prev":"","hash":""}`; err != nil || whole != string(want) {
			t.Fatalf("begin() = %s, %v, want the beginning of %s", got, err, want)
		}
	}
}
