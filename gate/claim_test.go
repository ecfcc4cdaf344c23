package gate_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/schema"
)

// keyed gives a round's single call the caller's own key.
func keyed(r gate.Round, key string) gate.Round {
	r.Keys = map[int]string{0: key}
	return r
}

func TestCode_key_conflict(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, nil))
	first := h.put(keyed(h.round(call("put", `{"n":1}`)), "order-1"), nil)[0]
	want(t, first, holdfast.OK, "", gate.Execute)
	if first.Key != "order-1" || e.keys[0] != "order-1" {
		t.Errorf("key = %q, the handler's %q, want the caller's", first.Key, e.keys[0])
	}
	v := h.put(keyed(h.round(call("put", `{"n":2}`)), "order-1"), nil)[0]
	want(t, v, holdfast.Rejected, holdfast.KeyConflict, gate.Claim)
	if strings.Contains(v.Observation.Content(), first.LedgerID) || strings.Contains(v.Observation.Content(), "stored") {
		t.Errorf("observation shows something of the first call: %s", v.Observation.Content())
	}
	r := keyed(h.round(call("put", `{"n":1}`)), "order-1")
	r.Principal.ID = "eve"
	want(t, h.put(r, nil)[0], holdfast.Rejected, holdfast.KeyConflict, gate.Claim)
	r = keyed(h.round(call("put", `{"n":2}`)), "order-1")
	r.Principal.Tenant = "elsewhere"
	want(t, h.put(r, nil)[0], holdfast.OK, "", gate.Execute)
}

func TestCode_in_progress(t *testing.T) {
	var e entered
	entered, release := make(chan struct{}), make(chan struct{})
	h := open(t, nil, tool(t, "slow", holdfast.Write, "", func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
		e.add(ctx, args)
		close(entered)
		<-release
		return holdfast.Result{JSON: []byte(`{}`)}, nil
	}, nil))
	done := make(chan gate.Verdict)
	r, again := h.round(call("slow", `{}`)), h.round(call("slow", `{}`))
	go func() { done <- h.put(r, nil)[0] }()
	<-entered
	want(t, h.put(again, nil)[0], holdfast.Rejected, holdfast.InProgress, gate.Claim)
	// Under another key, in another run, it is the same write all the same.
	other := h.round(call("slow", `{}`))
	other.Run = "another"
	want(t, h.put(other, nil)[0], holdfast.Rejected, holdfast.InProgress, gate.Claim)
	close(release)
	want(t, <-done, holdfast.OK, "", gate.Execute)
	if e.times() != 1 {
		t.Errorf("handler entered %d times, want 1", e.times())
	}
}

func TestCode_unresolved_write(t *testing.T) {
	var e entered
	h := open(t, nil, tool(t, "put", holdfast.Write, "", e.fails(errors.New("connection reset")), nil))
	first := h.one("put", `{"n":1}`)
	want(t, first, holdfast.Uncertain, holdfast.ToolError, gate.Execute)
	for name, change := range map[string]func(*gate.Round){
		"later round":  func(*gate.Round) {},
		"later turn":   func(r *gate.Round) { r.Turn = 2 },
		"another run":  func(r *gate.Round) { r.Run = "another" },
		"another key":  func(r *gate.Round) { *r = keyed(*r, "k") },
		"another form": func(r *gate.Round) { r.Calls[0].Arguments = ` { "n" : 1.0 } ` },
	} {
		t.Run(name, func(t *testing.T) {
			r := h.round(call("put", `{"n":1}`))
			change(&r)
			v := h.put(r, nil)[0]
			want(t, v, holdfast.Rejected, holdfast.UnresolvedWrite, gate.Claim)
			contains(t, "message", v.Outcome.Message, first.LedgerID)
		})
	}
	if e.times() != 1 {
		t.Errorf("handler entered %d times, want 1", e.times())
	}
	r := h.round(call("put", `{"n":1}`))
	r.Run, r.Principal.ID = "eves", "eve"
	h.put(r, nil)
	if e.times() != 2 {
		t.Error("another principal's own write was held back")
	}
}

func TestFailedWriteFreesItsKey(t *testing.T) {
	var e entered
	bad := true
	h := open(t, nil, moody(t, &e, &bad))
	first := h.one("moody", `{"n":1}`)
	want(t, first, holdfast.Failed, holdfast.ToolError, gate.Execute)
	contains(t, "message", first.Outcome.Message, "Nothing was changed.")
	bad = false
	second := h.one("moody", `{"n":1}`)
	want(t, second, holdfast.OK, "", gate.Execute)
	if first.Key != second.Key {
		t.Errorf("keys = %q and %q, want one", first.Key, second.Key)
	}
	if before, after := h.entry(first.LedgerID), h.entry(second.LedgerID); after.Fence <= before.Fence {
		t.Errorf("fences = %d and %d, want them to go up", before.Fence, after.Fence)
	}
}

func TestDefaultKeys(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, nil), tool(t, "beep", holdfast.Write, "", e.answers(`{}`), &holdfast.ToolOptions{Repeats: true}))
	vs := h.put(h.round(withID(call("put", `{"n":1}`), "a"), withID(call("put", `{ "n": 1.0 }`), "b"), withID(call("put", `{"n":2}`), "c")), nil)
	if vs[0].Key == vs[1].Key || e.times() != 3 || vs[1].Outcome.Replayed {
		t.Errorf("two identical writes side by side: keys %q and %q, handler entered %d times", vs[0].Key, vs[1].Key, e.times())
	}
	again := h.put(h.round(withID(call("put", `{"n":1}`), "d"), withID(call("put", `{"n":1}`), "e"), withID(call("put", `{"n":1}`), "f")), nil)
	if again[0].Key != vs[0].Key || again[1].Key != vs[1].Key || !again[0].Outcome.Replayed || !again[1].Outcome.Replayed || again[2].Outcome.Replayed {
		t.Errorf("proposed again in a later round: %v %v %v replayed", again[0].Outcome.Replayed, again[1].Outcome.Replayed, again[2].Outcome.Replayed)
	}
	r := h.round(call("put", `{"n":1}`))
	r.Turn = 2
	if v := h.put(r, nil)[0]; v.Key == vs[0].Key || v.Outcome.Replayed {
		t.Errorf("in a later turn: key %q, replayed %v", v.Key, v.Outcome.Replayed)
	}
	if a, b := h.one("beep", `{}`), h.one("beep", `{}`); a.Key == b.Key || b.Outcome.Replayed {
		t.Errorf("a tool for which repetition is normal: keys %q and %q", a.Key, b.Key)
	}
}

func TestOccurrenceCountsOnlyCallsThatPassedComplete(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, nil))
	alone := h.one("put", `{"n":1}`)
	cut := withID(call("put", `{"n":1}`), "a")
	cut.Complete = false
	vs := h.put(h.round(cut, withID(call("put", `{"n":1}`), "b")), nil)
	if vs[1].Key != alone.Key {
		t.Errorf("key = %q, want %q: the call before it did not pass complete", vs[1].Key, alone.Key)
	}
}

func TestKeyFunction(t *testing.T) {
	var e entered
	h := open(t, nil, tool(t, "charge", holdfast.Write, "", e.answers(`{}`), &holdfast.ToolOptions{
		Key: func(args schema.Value) (string, error) {
			order, _ := args.Get("order")
			return "order:" + order.Text(), nil
		},
	}))
	vs := h.put(h.round(withID(call("charge", `{"order":"7"}`), "a"), withID(call("charge", `{"order":"7"}`), "b")), nil)
	if vs[0].Key != "order:7" || !vs[1].Outcome.Replayed || e.times() != 1 {
		t.Errorf("key = %q, second replayed %v, handler entered %d times", vs[0].Key, vs[1].Outcome.Replayed, e.times())
	}
	want(t, h.one("charge", `{"order":"7","amount":1}`), holdfast.Rejected, holdfast.KeyConflict, gate.Claim)
}

func TestCallersKeyMustFitAHeader(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, nil))
	for _, key := range []string{"a\r\nX-Evil: 1", strings.Repeat("k", 300), "ключ"} {
		if _, err := h.gate.Round(t.Context(), keyed(h.round(call("put", `{}`)), key), nil); err == nil {
			t.Errorf("Round with key %q = nil, want an error", key)
		}
	}
	if e.times() != 0 {
		t.Errorf("handler entered %d times", e.times())
	}
}

func TestOfTwoSideBySideTheSecondSaysToProposeBothAgain(t *testing.T) {
	var e entered
	fail := true
	h := open(t, nil, tool(t, "put", holdfast.Write, "", func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
		if e.add(ctx, args) == 2 && fail {
			return holdfast.Result{}, holdfast.WithoutEffect(errors.New("full"))
		}
		return holdfast.Result{JSON: []byte(`{}`)}, nil
	}, nil))
	two := func() gate.Round {
		return h.round(withID(call("put", `{"n":1}`), "a"), withID(call("put", `{"n":1}`), "b"))
	}
	vs := h.put(two(), nil)
	want(t, vs[0], holdfast.OK, "", gate.Execute)
	want(t, vs[1], holdfast.Failed, holdfast.ToolError, gate.Execute)
	contains(t, "next", vs[1].Outcome.Next, "both")
	vs = h.put(two(), nil)
	if !vs[0].Outcome.Replayed || vs[1].Outcome.Replayed || e.times() != 3 {
		t.Errorf("proposed again: %v %v replayed, handler entered %d times", vs[0].Outcome.Replayed, vs[1].Outcome.Replayed, e.times())
	}
}

func TestBugE9_SlowWriteProposedAgainHasOneEffect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e entered
		h := open(t, &gate.Options{Grace: time.Second}, tool(t, "slow", holdfast.Write, "", func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
			e.add(ctx, args)
			time.Sleep(15 * time.Second)
			return holdfast.Result{JSON: []byte(`{}`)}, nil
		}, nil))
		want(t, h.one("slow", `{}`), holdfast.Uncertain, holdfast.Timeout, gate.Execute)
		for range 3 {
			want(t, h.one("slow", `{}`), holdfast.Rejected, holdfast.UnresolvedWrite, gate.Claim)
		}
		if e.times() != 1 {
			t.Errorf("handler entered %d times, want 1", e.times())
		}
		time.Sleep(time.Minute)
	})
}

func TestRacersForOneKeyHaveOneWinner(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, nil))
	verdicts := make(chan gate.Verdict)
	rounds := make([]gate.Round, 32)
	for i := range rounds {
		rounds[i] = h.round(call("put", `{"n":1}`))
	}
	for _, r := range rounds {
		go func() {
			vs, err := h.gate.Round(t.Context(), r, nil)
			if err != nil {
				t.Error(err)
			}
			verdicts <- vs[0]
		}()
	}
	var codes []string
	for range rounds {
		v := <-verdicts
		if v.Outcome.Status == holdfast.OK && !v.Outcome.Replayed {
			codes = append(codes, "won")
		} else if v.Outcome.Status != holdfast.OK && v.Outcome.Code != holdfast.InProgress {
			t.Errorf("a racer's outcome = %+v", v.Outcome)
		}
	}
	if !slices.Equal(codes, []string{"won"}) || e.times() != 1 {
		t.Errorf("%d won, handler entered %d times", len(codes), e.times())
	}
}

func TestCode_key_pruned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e entered
		h := open(t, nil, putTool(t, &e, nil))
		want(t, h.put(keyed(h.round(call("put", `{"n":1}`)), "order-1"), nil)[0], holdfast.OK, "", gate.Execute)
		time.Sleep(48 * time.Hour)
		if n, err := h.ledger.Prune(t.Context(), 24*time.Hour); err != nil || n == 0 {
			t.Fatalf("Prune() = %d, %v", n, err)
		}
		for _, args := range []string{`{"n":1}`, `{"n":2}`} {
			v := h.put(keyed(h.round(call("put", args)), "order-1"), nil)[0]
			want(t, v, holdfast.Rejected, holdfast.KeyPruned, gate.Claim)
		}
		if e.times() != 1 {
			t.Errorf("handler entered %d times, want 1", e.times())
		}
	})
}
