package holdfast_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
)

var (
	errRefused = errors.New("card refused")
	errLost    = errors.New("connection lost")
)

// bank loses the connection after it charged 20, and refuses above 1000.
type bank struct{ charged map[string]int }

func (b *bank) charge(key string, euros int) error {
	if euros > 1000 {
		return errRefused
	}
	b.charged[key] = euros
	if euros == 20 {
		return errLost
	}
	return nil
}

// A handler's error says "perhaps", unless it says that nothing happened. What is
// not known stays so until somebody who looked resolves it.
func ExampleWithoutEffect() {
	ctx := context.Background()
	api := &bank{charged: map[string]int{}}
	charge, err := chargeTool(api)
	must(err)
	catalog, err := holdfast.NewCatalog("", charge)
	must(err)
	book, err := ledger.New(ctx, memory.New(nil), nil)
	must(err)
	g, err := gate.New(catalog, book, nil)
	must(err)
	for i, args := range []string{`{"euros":5}`, `{"euros":2000}`, `{"euros":20}`, `{"euros":20}`} {
		if i == 3 { // nobody may run it again before a person looked
			must(resolve(ctx, book))
		}
		verdicts, err := g.Round(ctx, gate.Round{
			Run: "r", Turn: 1, Number: i + 1, Complete: true,
			Calls: []holdfast.Call{{ID: "c", Name: "charge", Kind: holdfast.FunctionCall, Arguments: args, Complete: true}},
		}, nil)
		must(err)
		o := verdicts[0].Outcome
		fmt.Println(args, o.Status, o.Code, o.Replayed)
	}
	// Output:
	// {"euros":5} ok  false
	// {"euros":2000} failed tool_error false
	// {"euros":20} uncertain tool_error false
	// resolved charge {"euros":20}: ok
	// {"euros":20} ok  true
}

func chargeTool(api *bank) (*holdfast.Tool, error) {
	return holdfast.Func("charge", "Charge the customer's card.", holdfast.Write, 5*time.Second,
		func(ctx context.Context, in struct {
			Euros int `json:"euros" min:"1"`
		},
		) (string, error) {
			err := api.charge(holdfast.CallInfoFrom(ctx).Key, in.Euros)
			if errors.Is(err, errRefused) {
				return "", holdfast.WithoutEffect(err) // failed: it may be called again
			}
			return "charged", err // any other error: uncertain
		}, nil)
}

func resolve(ctx context.Context, book *ledger.Ledger) error {
	lost, err := book.Entries(ctx, ledger.Filter{State: string(ledger.StateUncertain)})
	if err != nil {
		return err
	}
	for _, e := range lost {
		happened := holdfast.Outcome{Status: holdfast.OK, Result: &holdfast.Result{Text: "charged"}}
		e, err := book.Resolve(ctx, e.ID, e.Fence, happened, "bea", "receipt 4711")
		if err != nil {
			return err
		}
		fmt.Printf("resolved %s %s: %s\n", e.Tool, e.Arguments, e.State)
	}
	return nil
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
