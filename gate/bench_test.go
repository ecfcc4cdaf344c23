package gate_test

import (
	"context"
	"encoding/json"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
)

const dispatchArgs = `{"date":"2024-04-11","meal":"Comida","food_id":"arroz-blanco-cocido","grams":200,"note":"con aceite"}`

type meal struct {
	Date   string  `json:"date" format:"date"`
	Meal   string  `json:"meal" enum:"Desayuno|Almuerzo|Comida|Merienda|Cena"`
	FoodID string  `json:"food_id" min:"1"`
	Grams  float64 `json:"grams" min:"0.1" max:"5000"`
	Note   string  `json:"note,omitempty"`
}

func look(m meal) (holdfast.Result, error) {
	return holdfast.Result{Text: m.FoodID + " " + strconv.FormatFloat(m.Grams, 'g', -1, 64)}, nil
}

// BenchmarkDispatch sets a validated read through the gate, over a ledger in
// memory, against json.Unmarshal and the same handler, and prints the ratio.
func BenchmarkDispatch(b *testing.B) {
	var bare float64
	b.Run("unmarshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var m meal
			if err := json.Unmarshal([]byte(dispatchArgs), &m); err != nil {
				b.Fatal(err)
			}
			if _, err := look(m); err != nil {
				b.Fatal(err)
			}
		}
		bare = float64(b.Elapsed()) / float64(b.N)
	})
	b.Run("gate", func(b *testing.B) {
		g, r := benchGate(b)
		b.ReportAllocs()
		for n := 1; b.Loop(); n++ {
			if n%5000 == 0 { // a ledger in memory keeps everything; its size is not what is measured
				b.StopTimer()
				g, r = benchGate(b)
				runtime.GC()
				b.StartTimer()
			}
			vs, err := g.Round(b.Context(), r, nil)
			if err != nil || vs[0].Outcome.Status != holdfast.OK {
				b.Fatal(err, vs[0].Outcome)
			}
		}
		if bare > 0 {
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/bare, "x-unmarshal")
		}
	})
}

func benchGate(b testing.TB) (*gate.Gate, gate.Round) {
	t, err := holdfast.Func("meal", "Looks at a meal.", holdfast.Read, time.Second, func(_ context.Context, m meal) (holdfast.Result, error) {
		return look(m)
	}, nil)
	if err != nil {
		b.Fatal(err)
	}
	c, err := holdfast.NewCatalog("", t)
	if err != nil {
		b.Fatal(err)
	}
	l, err := ledger.New(b.Context(), memory.New(nil), nil)
	if err != nil {
		b.Fatal(err)
	}
	g, err := gate.New(c, l, nil)
	if err != nil {
		b.Fatal(err)
	}
	return g, gate.Round{Run: "run", Turn: 1, Number: 1, Complete: true, Principal: me, Calls: []holdfast.Call{call("meal", dispatchArgs)}}
}
