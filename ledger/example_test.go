package ledger_test

import (
	"context"
	"fmt"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
)

func Example() {
	ctx := context.Background()
	store := memory.New(nil)
	defer store.Close()
	l, err := ledger.New(ctx, store, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Close()

	claim := ledger.Claim{Entry: ledger.Entry{
		Tool: "bank.pay", Effect: holdfast.Write, Key: "order 7",
		Arguments: []byte(`{"to":"bob"}`), ArgumentsDigest: "digest of the canonical arguments",
	}}
	entry, standing, err := l.Start(ctx, claim) // durable before the effect
	fmt.Println(entry.State, standing.Free(), err)

	// Here the effect happens.

	paid := holdfast.Outcome{Status: holdfast.OK, Result: &holdfast.Result{Text: "receipt 12"}}
	entry, err = l.Settle(ctx, entry.ID, entry.Fence, paid, "record", "") // durable before anybody is told
	fmt.Println(entry.State, err)

	_, standing, err = l.Start(ctx, claim)
	fmt.Println(standing.Free(), standing.Held.Outcome.Result.Text, err)
	// Output:
	// started true <nil>
	// ok <nil>
	// false receipt 12 <nil>
}
