package ledger

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

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
		e := c.claim().body.storedEntry
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

// TestClaim_each_run_of_a_start_fills_in_an_entry_of_its_own: what the one before
// has put is a row by then.
func TestClaim_each_run_of_a_start_fills_in_an_entry_of_its_own(t *testing.T) {
	c := (&Claim{Entry: Entry{Tool: "bank.pay", Effect: holdfast.Write, Key: "key", ArgumentsDigest: "digest"}}).claim()
	at := time.Date(2024, 4, 11, 10, 0, 1, 0, time.UTC)
	run := func(now time.Time) *entryBody {
		c.begin()
		if c.body.ID != "" || c.body.Event != 0 {
			t.Errorf("the run at %v finds the claim's entry as %q of event %d, want none", now, c.body.ID, c.body.Event)
		}
		b, err := (&txn{l: &Ledger{owner: "owner"}, now: now}).beginEntry(c, &standing{}, "id")
		if err != nil {
			t.Fatal(err)
		}
		b.Event = int64(now.Second()) // as putBody does
		return b
	}
	first := run(at)
	then := first.storedEntry
	second := run(at.Add(time.Second))
	if first == second || !reflect.DeepEqual(first.storedEntry, then) {
		t.Errorf("the entry of the first run became %+v, want it as it was: %+v", first.storedEntry, then)
	}
	if !second.Proposed.Equal(at.Add(time.Second)) || second.made != then.made {
		t.Errorf("the second run's entry is %+v, want it proposed in that run, with the same words", second.storedEntry)
	}
}
