package gate_test

import (
	"context"
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
)

// A reply proposed two writes. One runs; the other is told what is wrong with
// it. Proposed again, the first is replayed.
func Example() {
	type weight struct {
		Kg float64 `json:"kg"`
	}
	type stored struct {
		ID int `json:"id"`
	}
	ctx := context.Background()
	weigh, err := holdfast.Func("write_weight", "Stores today's weight.", holdfast.Write, time.Second,
		func(_ context.Context, in weight) (stored, error) {
			fmt.Println("storing", in.Kg)
			return stored{ID: 7}, nil
		}, nil)
	if err != nil {
		panic(err)
	}
	catalog, err := holdfast.NewCatalog("coach", weigh)
	if err != nil {
		panic(err)
	}
	book, err := ledger.New(ctx, memory.New(nil), nil)
	if err != nil {
		panic(err)
	}
	g, err := gate.New(catalog, book, nil)
	if err != nil {
		panic(err)
	}
	for round := 1; round <= 2; round++ {
		verdicts, err := g.Round(ctx, gate.Round{
			Run: "r1", Turn: 1, Number: round, Complete: true, Principal: holdfast.Principal{ID: "ana"},
			Calls: []holdfast.Call{
				{ID: "a", Name: "write_weight", Kind: holdfast.FunctionCall, Arguments: `{"kg":75.5}`, Complete: true},
				{ID: "b", Name: "write_weight", Kind: holdfast.FunctionCall, Arguments: `{"kg":"75,5"}`, Complete: true},
			},
		}, nil)
		if err != nil {
			panic(err)
		}
		for _, v := range verdicts {
			fmt.Println(v.CallID, v.Outcome.Status, v.Outcome.Code, v.Outcome.Replayed, v.Observation.Error)
		}
	}
	// Output:
	// storing 75.5
	// a ok  false false
	// b rejected invalid_arguments false true
	// a ok  true false
	// b rejected invalid_arguments false true
}
