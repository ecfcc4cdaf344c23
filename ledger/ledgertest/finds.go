package ledgertest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/ledger"
)

// Finds compares what two stores of the same rows find, as of two processes that write
// by turns, with what model does, which is empty and in memory. open opens these rows
// once more. skips is that of Storm.
func Finds(t *testing.T, model ledger.Store, skips bool, open func() ledger.Store) {
	rng := rand.New(rand.NewPCG(3, 4))
	stores := []ledger.Store{open(), open()}
	for round := range 120 {
		seed := rng.Uint64()
		queries := make([]ledger.Query, 20)
		for i := range queries {
			queries[i] = fewWordsQuery(rng)
		}
		tell := func(into *[]string) func(ledger.Tx) error {
			return func(tx ledger.Tx) error {
				a := &act{tx: tx, storm: &Storm{Skips: skips}}
				for _, q := range queries {
					a.saw = append(a.saw, fmt.Sprintf("%+v", q))
					if err := a.findWithin(q); err != nil {
						return err
					}
				}
				*into = a.saw
				return nil
			}
		}
		change := func(tx ledger.Tx) error { return changeFew(tx, seed) }
		var want, within, after []string
		for _, err := range []error{
			model.Update(t.Context(), change),
			model.View(t.Context(), tell(&want)),
			stores[round/3%2].Update(t.Context(), func(tx ledger.Tx) error { return errors.Join(change(tx), tell(&within)(tx)) }),
			stores[round%2].View(t.Context(), tell(&after)),
		} {
			if err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
		if diff := gocmp.Diff(want, within); diff != "" {
			t.Fatalf("round %d: what the update finds differs (-want +got):\n%s", round, diff)
		}
		if diff := gocmp.Diff(want, after); diff != "" {
			t.Fatalf("round %d: what a view finds differs (-want +got):\n%s", round, diff)
		}
		if round%40 == 20 {
			_ = stores[0].Close()
			stores[0] = open()
		}
	}
}

// changeFew puts some rows, and may delete one.
func changeFew(tx ledger.Tx, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, seed))
	for n := range 1 + rng.IntN(60) {
		body := fmt.Append(nil, seed, " ", n)
		if err := tx.Put(fewWordsRow(rng, body)); err != nil {
			return err
		}
		if rng.IntN(20) > 0 {
			continue
		}
		// Not the newest, whose Seq some stores would give away again.
		err := errors.Join(tx.Put(ledger.Row{Table: "entries", ID: fmt.Sprintf("newest %s", body)}), tx.Delete("entries", fmt.Sprint("id ", rng.IntN(900))))
		if err != nil {
			return err
		}
	}
	return nil
}

// fewWordsRow is one of few ids with few words, so that rows meet.
func fewWordsRow(rng *rand.Rand, body []byte) ledger.Row {
	row := ledger.Row{Table: "events", Body: body}
	if rng.IntN(3) > 0 {
		row.Table, row.ID = "entries", fmt.Sprint("id ", rng.IntN(900))
		for i := range row.Words {
			if rng.IntN(3) == 0 {
				row.Words[i] = fmt.Sprint("word ", rng.IntN(4))
			}
		}
	} else if rng.IntN(9) == 0 {
		row.Words[0] = fmt.Sprint("word ", rng.IntN(4))
	}
	return row
}

func fewWordsQuery(rng *rand.Rand) ledger.Query {
	q := ledger.Query{Table: "entries", Newest: rng.IntN(2) == 0, Limit: rng.IntN(20)}
	if rng.IntN(3) == 0 {
		q.Table = "events"
	}
	for range rng.IntN(3) {
		q.Words[rng.IntN(7)] = fmt.Sprint("word ", rng.IntN(4))
	}
	if rng.IntN(3) == 0 {
		q.After = rng.Int64N(1000)
	}
	if rng.IntN(3) == 0 {
		q.Before = 1 + rng.Int64N(1000)
	}
	return q
}
