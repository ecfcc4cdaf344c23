package gate_test

import (
	"context"
	"encoding/json"
	"runtime"
	"slices"
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
// memory, against json.Unmarshal and the same handler. The ratio comes from
// blocks of both by turns, so that a noisy machine is noisy for both.
func BenchmarkDispatch(b *testing.B) {
	b.Run("unmarshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			dispatchBare(b)
		}
	})
	b.Run("gate", func(b *testing.B) {
		d := &dispatcher{b: b}
		b.ReportAllocs()
		for b.Loop() {
			d.dispatch()
		}
	})
	b.Run("by turns", func(b *testing.B) {
		const block = 50
		d := &dispatcher{b: b}
		var ratios []float64
		for b.Loop() {
			start := time.Now()
			for range block {
				dispatchBare(b)
			}
			bare := time.Since(start)
			start = time.Now()
			for range block {
				d.dispatch()
			}
			ratios = append(ratios, float64(time.Since(start))/float64(bare))
		}
		slices.Sort(ratios)
		b.ReportMetric(ratios[len(ratios)/2], "x-unmarshal")
		b.ReportMetric(0, "ns/op")
	})
}

func dispatchBare(b *testing.B) {
	var m meal
	if err := json.Unmarshal([]byte(dispatchArgs), &m); err != nil {
		b.Fatal(err)
	}
	if _, err := look(m); err != nil {
		b.Fatal(err)
	}
}

// dispatcher puts one call after the other through a gate. A ledger in memory
// keeps everything, and its size is not what is measured: so it is renewed.
type dispatcher struct {
	b     *testing.B
	gate  *gate.Gate
	round gate.Round
	calls int
}

func (d *dispatcher) dispatch() {
	if d.calls%5000 == 0 {
		d.b.StopTimer()
		d.gate, d.round = benchGate(d.b)
		runtime.GC()
		d.b.StartTimer()
	}
	d.calls++
	vs, err := d.gate.Round(d.b.Context(), d.round, nil)
	if err != nil || vs[0].Outcome.Status != holdfast.OK {
		d.b.Fatal(err, vs)
	}
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
