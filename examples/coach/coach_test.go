package coach

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
)

// gym is a coach behind a gate, with a store that a test can make fail.
type gym struct {
	t      *testing.T
	path   string
	coach  *Coach
	gate   *gate.Gate
	ledger *ledger.Ledger
	failAt map[Point]error
	// reached, if set, is told each point that a call comes to.
	reached func(Point)
	rounds  int
}

func newGym(t *testing.T) *gym {
	t.Helper()
	g := &gym{t: t, path: filepath.Join(t.TempDir(), "coach.db"), failAt: map[Point]error{}}
	g.open()
	l, err := ledger.New(t.Context(), memory.New(nil), nil)
	if err != nil {
		t.Fatalf("ledger.New = %v", err)
	}
	g.ledger = l
	if g.gate, err = gate.New(g.coach.Catalog(), l, nil); err != nil {
		t.Fatalf("gate.New = %v", err)
	}
	t.Cleanup(func() {
		if err := g.gate.Close(context.Background()); err != nil {
			t.Errorf("Gate.Close = %v", err)
		}
		if err := l.Close(); err != nil {
			t.Errorf("Ledger.Close = %v", err)
		}
	})
	return g
}

// fresh is a file as Open makes it: loading the tables once is enough.
var fresh = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "coach")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "coach.db")
	c, err := Open(context.Background(), path, nil)
	if err != nil {
		return nil, err
	}
	if err := c.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func (g *gym) open() {
	g.t.Helper()
	if _, err := os.Stat(g.path); errors.Is(err, os.ErrNotExist) {
		text, err := fresh()
		if err != nil {
			g.t.Fatalf("making a fresh file = %v", err)
		}
		if err := os.WriteFile(g.path, text, 0o600); err != nil {
			g.t.Fatal(err)
		}
	}
	fault := func(p Point) error {
		if g.reached != nil {
			g.reached(p)
		}
		return g.failAt[p]
	}
	c, err := Open(g.t.Context(), g.path, &Options{Location: time.UTC, Fault: fault})
	if err != nil {
		g.t.Fatalf("Open = %v", err)
	}
	g.coach = c
	g.t.Cleanup(func() { c.Close() })
}

// stored runs fn over the file as another process finds it: opened anew, without
// faults.
func (g *gym) stored(fn func(tx *sql.Tx) error) {
	g.t.Helper()
	c, err := Open(g.t.Context(), g.path, nil)
	if err != nil {
		g.t.Fatalf("reopening = %v", err)
	}
	defer c.Close()
	if err := c.store.read(g.t.Context(), Reading, fn); err != nil {
		g.t.Fatalf("reading what is stored = %v", err)
	}
}

var ana = holdfast.Principal{ID: "ana"}

// meal is what is stored of a meal, as "name grams" in order.
func (g *gym) meal(who holdfast.Principal, day, meal string) []string {
	g.t.Helper()
	var lines []string
	c, err := Open(g.t.Context(), g.path, nil)
	if err != nil {
		g.t.Fatalf("reopening = %v", err)
	}
	defer c.Close()
	foods, err := c.store.meal(g.t.Context(), who, day, meal)
	if err != nil {
		g.t.Fatalf("reading the meal = %v", err)
	}
	for _, f := range foods {
		lines = append(lines, f.Name+" "+f.Grams.String())
	}
	return lines
}

// day is what is stored of a day's measurements.
func (g *gym) day(who holdfast.Principal, day string) map[string]string {
	g.t.Helper()
	values := map[string]string{}
	g.stored(func(tx *sql.Tx) error {
		data, err := readDay(g.t.Context(), tx, who, day)
		for measure, value := range data {
			values[measure] = value.String()
		}
		return err
	})
	return values
}

// count is the number of rows in a table.
func (g *gym) count(table string) int {
	g.t.Helper()
	n := 0
	g.stored(func(tx *sql.Tx) error {
		return tx.QueryRowContext(g.t.Context(), "SELECT count(*) FROM "+table).Scan(&n)
	})
	return n
}

func call(id, name, arguments string) holdfast.Call {
	return holdfast.Call{ID: id, Name: name, Kind: holdfast.FunctionCall, Arguments: arguments, Complete: true}
}

// round puts the calls of one reply through the gate. Each is a round of its own
// turn, so that the same write again is another one.
func (g *gym) round(calls ...holdfast.Call) []gate.Verdict {
	g.t.Helper()
	g.rounds++
	return g.inTurn(g.rounds, 1, calls...)
}

func (g *gym) inTurn(turn, number int, calls ...holdfast.Call) []gate.Verdict {
	g.t.Helper()
	verdicts, err := g.gate.Round(g.t.Context(), gate.Round{
		Run: "run", Turn: turn, Number: number, Calls: calls, Complete: true, Principal: ana,
	}, nil)
	if err != nil {
		g.t.Fatalf("Round(%d calls) = %v", len(calls), err)
	}
	return verdicts
}

// call puts one call through the gate.
func (g *gym) call(name, arguments string) gate.Verdict {
	g.t.Helper()
	return g.round(call("c1", name, arguments))[0]
}

// want fails unless v has that status and code.
func want(t *testing.T, v gate.Verdict, status holdfast.Status, code holdfast.Code) {
	t.Helper()
	if v.Outcome.Status != status || v.Outcome.Code != code {
		t.Fatalf("%s = %s %s at %s (%s), want %s %s", v.Tool, v.Outcome.Status, v.Outcome.Code, v.Stage, v.Observation.Content(), status, code)
	}
}

// result decodes an ok call's result.
func result[T any](t *testing.T, v gate.Verdict) T {
	t.Helper()
	want(t, v, holdfast.OK, "")
	var out T
	if err := json.Unmarshal(v.Outcome.Result.JSON, &out); err != nil {
		t.Fatalf("result %s: %v", v.Outcome.Result.JSON, err)
	}
	return out
}
