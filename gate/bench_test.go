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
	"github.com/holdfast-go/holdfast/schema"
)

const dispatchArgs = `{"date":"2024-04-11","meal":"Comida","food_id":"arroz-blanco-cocido","grams":200,"note":"con aceite"}`

type meal struct {
	Date   string  `json:"date"`
	Meal   string  `json:"meal"`
	FoodID string  `json:"food_id"`
	Grams  float64 `json:"grams"`
	Note   string  `json:"note"`
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

func benchGate(b *testing.B) (*gate.Gate, gate.Round) {
	src := `{"type":"object","properties":{"date":{"type":"string","format":"date"},"meal":{"enum":["Desayuno","Almuerzo","Comida","Merienda","Cena"]},
		"food_id":{"type":"string","minLength":1},"grams":{"type":"number","exclusiveMinimum":0,"maximum":5000},"note":{"type":"string"}},
		"required":["date","meal","food_id","grams"],"additionalProperties":false}`
	s, err := schema.Compile([]byte(src), nil)
	if err != nil {
		b.Fatal(err)
	}
	t, err := holdfast.NewTool("meal", "Looks at a meal.", s, holdfast.Read, time.Second, func(_ context.Context, args schema.Value) (holdfast.Result, error) {
		var m meal
		if err := schema.Decode(args, &m); err != nil {
			return holdfast.Result{}, err
		}
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
