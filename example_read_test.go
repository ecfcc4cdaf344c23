package holdfast_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
)

// quotes is an API that is busy the first time that it is asked.
type quotes struct{ asked int }

var errBusy = errors.New("busy")

func (q *quotes) price(context.Context, string) (float64, error) {
	if q.asked++; q.asked == 1 {
		return 0, errBusy
	}
	return 12.5, nil
}

func priceTool(api *quotes) (*holdfast.Tool, error) {
	return holdfast.Func("price", "Tell the price of a share.", holdfast.Read, 5*time.Second,
		func(ctx context.Context, in struct {
			Share string `json:"share" min:"1"`
		},
		) (float64, error) {
			price, err := api.price(ctx, in.Share)
			if errors.Is(err, errBusy) {
				return 0, &holdfast.TransientError{Err: err} // it may be tried again
			}
			return price, err
		}, &holdfast.ToolOptions{Retries: 3, CacheFor: time.Minute})
}

func ExampleTransientError() {
	api := &quotes{}
	tool, err := priceTool(api)
	if err != nil {
		log.Fatal(err)
	}
	catalog, err := holdfast.NewCatalog("", tool)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	book, err := ledger.New(ctx, memory.New(nil), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer book.Close()
	g, err := gate.New(catalog, book, nil)
	if err != nil {
		log.Fatal(err)
	}
	for round := 1; round <= 2; round++ {
		verdicts, err := g.Round(ctx, gate.Round{
			Run: "r", Turn: 1, Number: round, Complete: true,
			Calls: []holdfast.Call{{ID: "a", Name: "price", Kind: holdfast.FunctionCall, Arguments: `{"share":"HF"}`, Complete: true}},
		}, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(verdicts[0].Observation.Content(), "after", verdicts[0].Attempts, "tries")
	}
	// Output:
	// 12.5 after 2 tries
	// 12.5 after 0 tries
}
