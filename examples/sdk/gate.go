package sdk

import (
	"context"
	"errors"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
)

// maxRounds is how often a loop asks the model before it gives up.
const maxRounds = 16

var errRounds = errors.New("the model called tools in every round that it had")

// Reading is what the model writes down.
type Reading struct {
	Date   string  `json:"date" desc:"Day of the reading" format:"date"`
	Weight float64 `json:"weight_kg" desc:"Body weight in kilograms" min:"20" max:"400"`
}

// Book is where readings go.
type Book interface {
	Write(ctx context.Context, key string, r Reading) error
	Erase(ctx context.Context, key string, date string) error
}

// NewGate is what a program makes once: the tools, the ledger, and the gate that
// every call passes. A ledger in a file (ledger/sqlite) outlives the process.
func NewGate(ctx context.Context, book Book) (*gate.Gate, *ledger.Ledger, error) {
	weigh, err := holdfast.Func("write_weight", "Store the body weight of one day.", holdfast.Write, 2*time.Second,
		func(ctx context.Context, in Reading) (string, error) {
			return "stored", book.Write(ctx, holdfast.CallInfoFrom(ctx).Key, in)
		}, nil)
	if err != nil {
		return nil, nil, err
	}
	erase, err := holdfast.Func("erase_weight", "Erase the reading of one day.", holdfast.Write, 2*time.Second,
		func(ctx context.Context, in struct {
			Date string `json:"date" format:"date"`
		},
		) (string, error) {
			return "erased", book.Erase(ctx, holdfast.CallInfoFrom(ctx).Key, in.Date)
		}, &holdfast.ToolOptions{Approval: &holdfast.ApprovalRule{}})
	if err != nil {
		return nil, nil, err
	}
	catalog, err := holdfast.NewCatalog("diary", weigh, erase)
	if err != nil {
		return nil, nil, err
	}
	record, err := ledger.New(ctx, memory.New(nil), nil)
	if err != nil {
		return nil, nil, err
	}
	g, err := gate.New(catalog, record, nil)
	return g, record, err
}

// waits says what a parked loop waits for.
func waits(parked *gate.Verdict) string {
	if parked == nil {
		return ""
	}
	return "A call of " + parked.Tool + " waits for a person: approval " + parked.ApprovalID
}
