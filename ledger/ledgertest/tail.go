package ledgertest

import (
	"encoding/json"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

var tailCases = []ledgerCase{
	{"the chain is told from any place on, by whoever wrote to it", func(b *bench) {
		if list, next, err := b.Tail(b.Context(), -1, 10); len(list) != 0 || next != 0 || err != nil {
			b.Errorf("Tail of nothing = %v, %d, %v, want nothing", list, next, err)
		}
		first := b.record(look("r", 1, 0))
		_, end, err := b.Tail(b.Context(), -1, 10)
		if err != nil {
			b.Fatalf("Tail = %v", err)
		}
		other := b.another()
		e := b.start(other, pay("k", "eva"))
		b.settle(other, e, ok("sent"))
		list, next, err := b.Tail(b.Context(), end, 10)
		if err != nil || len(list) != 2 || list[0].What != "started" || list[1].What != "ok" || list[0].Entry != e.ID {
			b.Fatalf("Tail behind the first = %+v, %v, want the start and the end of the other", list, err)
		}
		if list[0].Seq != 2 || list[1].Seq != 3 || len(list[1].Hash) != 64 || list[0].Hash == list[1].Hash {
			b.Errorf("Tail = %+v, want places 2 and 3 of the chain, each with its hash", list)
		}
		if list, again, err := b.Tail(b.Context(), next, 10); len(list) != 0 || again != next || err != nil {
			b.Errorf("Tail behind the last = %v, %d, %v, want nothing, and the same place", list, again, err)
		}
		one, _, err := b.Tail(b.Context(), 0, 1)
		if err != nil || len(one) != 1 || one[0].Entry != first.ID {
			b.Errorf("Tail from the begin, one = %+v, %v, want the first", one, err)
		}
		story, err := b.Events(b.Context(), e.ID)
		if err != nil || len(story) != 2 || story[1].Hash != list[1].Hash {
			b.Errorf("Events = %+v, %v, want the same hashes as the chain", story, err)
		}
	}},
	{"a person's word makes the same outcome at every door", func(b *bench) {
		for key, row := range map[string]struct {
			happened bool
			result   json.RawMessage
			status   holdfast.Status
			told     string
		}{
			"it did":        {true, nil, holdfast.OK, "a person looked and found the effect"},
			"and gave that": {true, json.RawMessage(`{"receipt":4711}`), holdfast.OK, "4711"},
			"it did not":    {false, nil, holdfast.Failed, "did not take effect"},
		} {
			c := pay(key, key)
			c.TellsApart = true
			e := b.settle(b.Ledger, b.start(b.Ledger, c), uncertain())
			got, err := b.TakeWord(b.Context(), e.ID, row.happened, row.result, "boss", "the statement")
			if err != nil || got.Outcome == nil || got.Outcome.Status != row.status {
				b.Fatalf("TakeWord(%s) = %+v, %v, want %s", key, got.Outcome, err, row.status)
			}
			if seen := holdfast.Observe(*got.Outcome, 1000).Content(); !strings.Contains(seen, row.told) {
				b.Errorf("TakeWord(%s): the model reads %s, want %q in it", key, seen, row.told)
			}
			_, err = b.TakeWord(b.Context(), e.ID, row.happened, row.result, "boss", "again")
			wantErr(b, "a second word", err, ledger.ErrLost)
		}
		_, err := b.TakeWord(b.Context(), "none", true, nil, "boss", "x")
		wantErr(b, "a word on nothing", err, ledger.ErrNotFound)
	}},
}
