package memory_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
)

func TestEntriesAreBoundByTheTimeTheyWereProposed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := ledger.New(t.Context(), memory.New(nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		begin := time.Now()
		for i := range 20 {
			e := ledger.Entry{Run: "r", Position: i, Tool: "look", Effect: holdfast.Read, Outcome: &holdfast.Outcome{Status: holdfast.OK}}
			if _, err := l.Record(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
		}
		at := func(minutes int) time.Time { return begin.Add(time.Duration(minutes) * time.Minute) }
		for name, row := range map[string]struct {
			filter      ledger.Filter
			first, last int // positions, newest first; -1: none
		}{
			"no bound":        {ledger.Filter{}, 19, 0},
			"since":           {ledger.Filter{Since: at(5)}, 19, 5},
			"until":           {ledger.Filter{Until: at(5)}, 4, 0},
			"both":            {ledger.Filter{Since: at(5), Until: at(9)}, 8, 5},
			"in order":        {ledger.Filter{Since: at(5), Until: at(9), InOrder: true}, 5, 8},
			"before all":      {ledger.Filter{Until: begin}, -1, -1},
			"after all":       {ledger.Filter{Since: at(30)}, -1, -1},
			"between two":     {ledger.Filter{Since: at(5).Add(time.Second)}, 19, 6},
			"turned around":   {ledger.Filter{Since: at(9), Until: at(5)}, -1, -1},
			"with a tool":     {ledger.Filter{Since: at(5), Tool: "look"}, 19, 5},
			"with no tool so": {ledger.Filter{Since: at(5), Tool: "other"}, -1, -1},
		} {
			found, err := l.Entries(t.Context(), row.filter)
			if err != nil {
				t.Fatalf("%s: Entries = %v", name, err)
			}
			first, last := -1, -1
			if len(found) > 0 {
				first, last = found[0].Position, found[len(found)-1].Position
			}
			if first != row.first || last != row.last {
				t.Errorf("%s: Entries = positions %d to %d, want %d to %d", name, first, last, row.first, row.last)
			}
		}
	})
}
