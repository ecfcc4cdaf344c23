package gate_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestReadsRunInParallelAndWritesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var story []string
		var running, most atomic.Int32
		note := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			story = append(story, what)
		}
		slow := func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			n, _ := args.Get("n")
			time.Sleep(100 * time.Millisecond)
			note(holdfast.CallInfoFrom(ctx).Tool)
			return holdfast.Result{JSON: []byte(n.Text())}, nil
		}
		alone := func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
			if n := running.Load(); n != 0 {
				t.Errorf("a write runs beside %d reads", n)
			}
			return slow(ctx, args)
		}
		h := open(t, nil, tool(t, "r", holdfast.Read, "", slow, nil), tool(t, "w", holdfast.Write, "", alone, nil),
			tool(t, "a", holdfast.Agent, "", alone, nil))
		var calls []holdfast.Call
		for i, name := range []string{"r", "r", "r", "w", "r", "r", "a", "r", "w", "w"} {
			calls = append(calls, withID(call(name, fmt.Sprintf(`{"n":%d}`, i)), fmt.Sprint(i)))
		}
		start := time.Now()
		vs := h.put(h.round(calls...), nil)
		for i, v := range vs {
			want(t, v, holdfast.OK, "", gate.Execute)
			if v.Position != i || v.CallID != fmt.Sprint(i) || v.Observation.Content() != fmt.Sprint(i) {
				t.Errorf("verdict %d = %s with %s", i, v.CallID, v.Observation.Content())
			}
		}
		if took := time.Since(start); took != 700*time.Millisecond {
			t.Errorf("took %s, want 700ms: reads next to each other in one go, the rest one by one", took)
		}
		if !slices.Equal(story, []string{"r", "r", "r", "w", "r", "r", "a", "r", "w", "w"}) || most.Load() != 3 {
			t.Errorf("order = %v, at most %d at once", story, most.Load())
		}
	})
}

func TestAtMostEightReadsAtOnce(t *testing.T) {
	for _, row := range []struct{ parallel, want int }{{0, 8}, {2, 2}, {1, 1}} {
		synctest.Test(t, func(t *testing.T) {
			var running, most atomic.Int32
			h := open(t, &gate.Options{Parallel: row.parallel}, tool(t, "r", holdfast.Read, "", func(context.Context, schema.Value) (holdfast.Result, error) {
				most.Store(max(most.Load(), running.Add(1)))
				time.Sleep(10 * time.Millisecond)
				running.Add(-1)
				return holdfast.Result{}, nil
			}, nil))
			var calls []holdfast.Call
			for i := range 20 {
				calls = append(calls, withID(call("r", fmt.Sprintf(`{"n":%d}`, i)), fmt.Sprint(i)))
			}
			h.put(h.round(calls...), nil)
			if got := int(most.Load()); got != row.want {
				t.Errorf("with Parallel %d, %d reads ran at once, want %d", row.parallel, got, row.want)
			}
		})
	}
}

func TestBugD4_ResultsComeInCallOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, nil, tool(t, "r", holdfast.Read, "", func(_ context.Context, args schema.Value) (holdfast.Result, error) {
			n, _ := args.Get("n")
			if n.Text() == "0" {
				time.Sleep(time.Millisecond)
			}
			return holdfast.Result{JSON: []byte(n.Text())}, nil
		}, nil))
		vs := h.put(h.round(withID(call("r", `{"n":0}`), "a"), withID(call("r", `{"n":1}`), "b")), nil)
		if vs[0].Observation.Content() != "0" || vs[1].Observation.Content() != "1" {
			t.Errorf("results = %s, %s", vs[0].Observation.Content(), vs[1].Observation.Content())
		}
	})
}

func TestBugC5_OneFailingReadLeaksNoSibling(t *testing.T) {
	// TestMain looks for what is left.
	h := open(t, nil, tool(t, "fast", holdfast.Read, "", new(entered).fails(errBroken), nil),
		tool(t, "slow", holdfast.Read, "", func(ctx context.Context, _ schema.Value) (holdfast.Result, error) {
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
			return holdfast.Result{JSON: []byte(`1`)}, nil
		}, nil))
	vs := h.put(h.round(call("fast", `{}`), call("slow", `{}`)), nil)
	want(t, vs[0], holdfast.Failed, holdfast.ToolError, gate.Execute)
	want(t, vs[1], holdfast.OK, "", gate.Execute)
}

func TestOneMalformedCallOfThree(t *testing.T) {
	var e entered
	h := open(t, nil, lookTool(t, &e))
	vs := h.put(h.round(withID(call("look", `{"n":1}`), "a"), withID(call("look", `{"n":`), "b"), withID(call("look", `{"n":3}`), "c")), nil)
	want(t, vs[0], holdfast.OK, "", gate.Execute)
	want(t, vs[1], holdfast.Rejected, holdfast.UnreadableArguments, gate.Parse)
	want(t, vs[2], holdfast.OK, "", gate.Execute)
	for i, id := range []string{"a", "b", "c"} {
		if vs[i].Observation.CallID != id || !vs[i].Answer {
			t.Errorf("observation %d is of %q", i, vs[i].Observation.CallID)
		}
	}
}

func TestMisuseIsAnErrorAndNothingRuns(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, nil))
	good := h.round(call("put", `{}`))
	for name, change := range map[string]func(*gate.Round){
		"no run":   func(r *gate.Round) { r.Run = "" },
		"no turn":  func(r *gate.Round) { r.Turn = 0 },
		"no round": func(r *gate.Round) { r.Number = 0 },
		"bad key":  func(r *gate.Round) { r.Keys = map[int]string{0: "\n"} },
		"key of no call": func(r *gate.Round) {
			r.Keys = map[int]string{5: "k"}
		},
	} {
		r := good
		change(&r)
		if _, err := h.gate.Round(t.Context(), r, nil); err == nil {
			t.Errorf("%s: Round() = nil, want an error", name)
		}
	}
	if _, err := gate.New(nil, nil, nil); err == nil {
		t.Error("New(nil, nil) = nil, want an error")
	}
	if vs := h.put(gate.Round{Run: "r", Turn: 1, Number: 1, Complete: true}, nil); len(vs) != 0 {
		t.Errorf("a round without calls = %v", vs)
	}
	if e.times() != 0 {
		t.Errorf("handler entered %d times", e.times())
	}
}

func TestWatchSeesStagesAndVerdicts(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, nil), lookTool(t, &e))
	stages := map[int][]gate.Stage{}
	verdicts := map[int]gate.Verdict{}
	busy := false
	vs := h.put(h.round(call("put", `{"n":1}`), call("look", `{}`), withID(call("look", `{}`), "b"), call("nope", `{}`)), &gate.RoundOptions{
		Watch: func(p gate.Progress) {
			if busy {
				t.Error("Watch runs twice at once")
			}
			busy = true
			if p.Verdict != nil {
				verdicts[p.Position] = *p.Verdict
			} else {
				stages[p.Position] = append(stages[p.Position], p.Stage)
			}
			busy = false
		},
	})
	if want := []gate.Stage{"complete", "lookup", "parse", "validate", "authorise", "approve", "admit", "claim", "execute", "record"}; !slices.Equal(stages[0], want) {
		t.Errorf("stages of a write = %v, want %v", stages[0], want)
	}
	if want := []gate.Stage{"complete", "lookup", "record"}; !slices.Equal(stages[3], want) {
		t.Errorf("stages of an unknown tool = %v, want %v", stages[3], want)
	}
	for i, v := range vs {
		if verdicts[i].Outcome.Status != v.Outcome.Status || verdicts[i].LedgerID != v.LedgerID {
			t.Errorf("watched verdict %d = %+v, want %+v", i, verdicts[i], v)
		}
	}
}

func TestCallersRoundIsNotChanged(t *testing.T) {
	var e entered
	h := open(t, nil, lookTool(t, &e))
	r := h.round(withID(call("look", `{}`), ""))
	h.put(r, nil)
	if r.Calls[0].ID != "" {
		t.Error("the caller's calls were changed")
	}
}

func TestAgentCallListsItsInnerOutcomes(t *testing.T) {
	inner := []holdfast.Inner{{Tool: "put", Status: holdfast.OK, LedgerID: "1"}, {Tool: "put", Status: holdfast.Failed, Code: holdfast.NoEffect}}
	h := open(t, nil, tool(t, "ask", holdfast.Agent, "", func(ctx context.Context, _ schema.Value) (holdfast.Result, error) {
		for _, in := range inner {
			gate.ReportInner(ctx, in)
		}
		return holdfast.Result{Text: "done"}, nil
	}, nil))
	v := h.one("ask", `{}`)
	if v.Outcome.Status != holdfast.OK || !slices.Equal(v.Outcome.Inner, inner) || v.Key != "" {
		t.Errorf("outcome = %+v, key %q", v.Outcome, v.Key)
	}
	contains(t, "observation", v.Observation.Content(), `"calls":[{"tool":"put"`, `"result":"done"`)
	inner = append(inner, holdfast.Inner{Tool: "put", Status: holdfast.Uncertain, Code: holdfast.Timeout})
	v = h.one("ask", `{}`)
	want(t, v, holdfast.Uncertain, holdfast.Unconfirmed, gate.Execute)
	if h.entry(v.LedgerID).State != ledger.StateUncertain {
		t.Errorf("entry is %s", h.entry(v.LedgerID).State)
	}
	gate.ReportInner(t.Context(), inner[0]) // elsewhere it does nothing
}
