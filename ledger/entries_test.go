package ledger

import (
	"encoding/json"
	"testing"

	"github.com/holdfast-go/holdfast"
)

// TestWordsAreMadeWithTheClaim: what an entry is found by is not put together
// within a transaction, and is the same as that of an entry which was read.
func TestWordsAreMadeWithTheClaim(t *testing.T) {
	c := Claim{Entry: Entry{
		Run: "run", Turn: 1, Round: 2, Tool: "bank.pay", Effect: holdfast.Write, Principal: holdfast.Principal{Tenant: "t", ID: "ana"},
		Key: "key", ArgumentsDigest: "digest",
	}}
	if err := c.check(); err != nil {
		t.Fatal(err)
	}
	for _, state := range []State{StateStarted, StateOK} {
		e := *c.entry()
		e.State, e.HasKey = string(state), true
		if n := testing.AllocsPerRun(10, func() {
			one := e
			one.words()
		}); n > 0 {
			t.Errorf("words of an entry that is %s: %v allocations, want none", state, n)
		}
		text, err := e.appendTo(nil)
		if err != nil {
			t.Fatal(err)
		}
		var read storedEntry
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if got, want := e.words(), read.words(); got != want {
			t.Errorf("words of an entry that is %s = %q, want those of one that was read: %q", state, got, want)
		}
	}
}
