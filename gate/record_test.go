package gate_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

func TestCode_unrecorded(t *testing.T) {
	for _, when := range []error{errBroken, ledger.ErrUnavailable} {
		synctest.Test(t, func(t *testing.T) {
			var h *house
			var e entered
			h = open(t, nil, tool(t, "put", holdfast.Write, "", func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
				if e.add(ctx, args) == 1 {
					h.store.set(when)
				}
				return holdfast.Result{JSON: []byte(`{"id":7}`)}, nil
			}, nil))
			v := h.one("put", `{"n":1}`)
			want(t, v, holdfast.Uncertain, holdfast.Unrecorded, gate.Record)

			// While the record is not there the write must not run again, and it is
			// not "in progress": nobody runs it.
			synctest.Wait() // the owner has tried again, in vain, and pauses
			h.store.mu.Lock()
			h.store.failAt = -1 // nothing fails but what asks for it
			h.store.mu.Unlock()
			h.store.set(nil)
			again := h.one("put", `{"n":1}`)
			if again.Outcome.Code != holdfast.UnresolvedWrite || e.times() != 1 {
				t.Errorf("proposed again: %+v, handler entered %d times", again.Outcome, e.times())
			}

			time.Sleep(time.Minute) // the owner retries meanwhile
			synctest.Wait()
			if got := h.entry(v.LedgerID); got.State != ledger.StateOK || string(got.Outcome.Result.JSON) != `{"id":7}` {
				t.Errorf("entry = %+v, want the kept result committed", got)
			}
			late := h.one("put", `{"n":1}`)
			if !late.Outcome.Replayed || e.times() != 1 {
				t.Errorf("after the commit: %+v", late.Outcome)
			}
			if err := h.gate.Close(t.Context()); err != nil {
				t.Errorf("Close() = %v", err)
			}
		})
	}
}

func TestCommitThatWasNotAcknowledgedIsTriedAgainHarmlessly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *house
		h = open(t, nil, tool(t, "put", holdfast.Write, "", func(context.Context, schema.Value) (holdfast.Result, error) {
			h.store.failNext = "after"
			return holdfast.Result{JSON: []byte(`{"id":7}`)}, nil
		}, nil))
		v := h.one("put", `{}`)
		want(t, v, holdfast.Uncertain, holdfast.Unrecorded, gate.Record)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := h.entry(v.LedgerID); got.State != ledger.StateOK {
			t.Errorf("entry is %s, want ok", got.State)
		}
	})
}

func TestCloseEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *house
		h = open(t, nil, tool(t, "put", holdfast.Write, "", func(context.Context, schema.Value) (holdfast.Result, error) {
			h.store.set(errBroken)
			return holdfast.Result{}, nil
		}, nil))
		h.one("put", `{}`)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := h.gate.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close() = %v, want the context's end", err)
		}
	})
}

func TestCloseWaitsForTheCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *house
		h = open(t, nil, tool(t, "put", holdfast.Write, "", func(context.Context, schema.Value) (holdfast.Result, error) {
			h.store.set(errBroken)
			return holdfast.Result{}, nil
		}, nil))
		v := h.one("put", `{}`)
		go func() {
			time.Sleep(5 * time.Second)
			h.store.set(nil)
		}()
		if err := h.gate.Close(t.Context()); err != nil {
			t.Errorf("Close() = %v", err)
		}
		if got := h.entry(v.LedgerID).State; got != ledger.StateOK {
			t.Errorf("entry is %s, want ok", got)
		}
	})
}

func TestReadIsToldThoughItsRecordFails(t *testing.T) {
	var h *house
	h = open(t, nil, tool(t, "look", holdfast.Read, "", func(context.Context, schema.Value) (holdfast.Result, error) {
		h.store.set(errBroken)
		return holdfast.Result{JSON: []byte(`{"n":1}`)}, nil
	}, nil))
	v := h.one("look", `{}`)
	want(t, v, holdfast.OK, "", gate.Execute)
	if v.LedgerID != "" {
		t.Errorf("ledger id = %q of what is not recorded", v.LedgerID)
	}
}

func TestEveryCallLeavesARecord(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, nil), lookTool(t, &e))
	cut := withID(call("look", `{"n"`), "cut")
	cut.Complete = false
	r := h.round(call("look", `{}`), call("put", `{"n":1}`), call("nope", `{"x":1}`), withID(call("put", `{`), "bad"),
		withID(call("put", `{"n":"x"}`), "wrong"), cut, call("look", `{}`))
	vs := h.put(r, nil)
	entries, err := h.ledger.Entries(t.Context(), ledger.Filter{Run: "run", InOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(vs) {
		t.Fatalf("%d entries of %d calls", len(entries), len(vs))
	}
	at := map[int]ledger.Entry{}
	for _, e := range entries {
		at[e.Position] = e
	}
	for _, v := range vs {
		e := at[v.Position]
		if e.ID != v.LedgerID || e.Outcome == nil || e.Outcome.Code != v.Outcome.Code || e.Stage != string(v.Stage) || e.CallID != v.CallID {
			t.Errorf("entry of call %d = %+v, want that of %+v", v.Position, e, v)
		}
	}
	if got := at[2]; got.Tool != "nope" || got.Text != `{"x":1}` {
		t.Errorf("entry of an unknown tool = %+v", got)
	}
	if got := at[4]; string(got.Arguments) != `{"n":"x"}` || len(got.Outcome.Problems) != 1 {
		t.Errorf("entry of invalid arguments = %+v", got)
	}
}
