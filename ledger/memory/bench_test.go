package memory_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
)

// BenchmarkRecord is what a read through the gate pays for its record.
func BenchmarkRecord(b *testing.B) {
	l, err := ledger.New(b.Context(), memory.New(nil), nil)
	if err != nil {
		b.Fatal(err)
	}
	found := holdfast.Outcome{Status: holdfast.OK, Result: &holdfast.Result{JSON: []byte(`{"carbohydrate":28}`)}}
	e := ledger.Entry{
		Run: "run", Turn: 1, Round: 1, CallID: "call_1", Tool: "coach.search_foods", ToolDigest: "digest", Effect: holdfast.Read,
		Principal: holdfast.Principal{Tenant: "t", ID: "ana"}, Arguments: []byte(`{"query":"arroz"}`), ArgumentsDigest: "digest",
		Outcome: &found, Stage: "execute",
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Record(context.Background(), e); err != nil {
			b.Fatal(err)
		}
	}
}
