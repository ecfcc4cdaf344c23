package gate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

func TestBrokenHandlers(t *testing.T) {
	type handler = holdfast.Handler
	rows := []struct {
		name        string
		handle      handler
		code        holdfast.Code
		read, write holdfast.Status
	}{
		{"error (C1)", func(context.Context, schema.Value) (holdfast.Result, error) {
			return holdfast.Result{}, errors.New("not implemented")
		}, holdfast.ToolError, holdfast.Failed, holdfast.Uncertain},
		{"no effect", func(context.Context, schema.Value) (holdfast.Result, error) {
			return holdfast.Result{}, fmt.Errorf("charging: %w", holdfast.WithoutEffect(errors.New("card declined")))
		}, holdfast.ToolError, holdfast.Failed, holdfast.Failed},
		{"panic", func(context.Context, schema.Value) (holdfast.Result, error) { panic("oops") }, holdfast.Panicked, holdfast.Failed, holdfast.Uncertain},
		{"nil dereference (C6, G7)", func(context.Context, schema.Value) (holdfast.Result, error) {
			var r *holdfast.Result
			return *r, nil
		}, holdfast.Panicked, holdfast.Failed, holdfast.Uncertain},
		{"panic with no effect error", func(context.Context, schema.Value) (holdfast.Result, error) {
			panic(holdfast.WithoutEffect(errors.New("x")))
		}, holdfast.Panicked, holdfast.Failed, holdfast.Uncertain},
		{"panic nil", func(context.Context, schema.Value) (holdfast.Result, error) { panic(nil) }, holdfast.Panicked, holdfast.Failed, holdfast.Uncertain},
		{"goexit", func(context.Context, schema.Value) (holdfast.Result, error) { runtime.Goexit(); panic("unreachable") }, holdfast.Panicked, holdfast.Failed, holdfast.Uncertain},
		{"timeout", func(ctx context.Context, _ schema.Value) (holdfast.Result, error) {
			<-ctx.Done()
			return holdfast.Result{}, ctx.Err()
		}, holdfast.Timeout, holdfast.Failed, holdfast.Uncertain},
		{"timeout before any effect", func(ctx context.Context, _ schema.Value) (holdfast.Result, error) {
			<-ctx.Done()
			return holdfast.Result{}, holdfast.WithoutEffect(ctx.Err())
		}, holdfast.Timeout, holdfast.Failed, holdfast.Failed},
	}
	for _, row := range rows {
		for _, effect := range []holdfast.Effect{holdfast.Read, holdfast.Write, holdfast.Agent} {
			t.Run(row.name+" "+string(effect), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					h := open(t, nil, tool(t, "x", effect, "", row.handle, nil), lookTool(t, &entered{}))
					vs := h.put(h.round(call("x", `{}`), call("look", `{}`)), nil)
					status := row.read
					if effect == holdfast.Write {
						status = row.write
					}
					want(t, vs[0], status, row.code, gate.Execute)
					want(t, vs[1], holdfast.OK, "", gate.Execute) // its sibling keeps its result (D5)
					if got := h.entry(vs[0].LedgerID); string(got.State) != string(status) {
						t.Errorf("entry is %s, want %s", got.State, status)
					}
					if strings.Contains(vs[0].Observation.Content(), "goroutine") { // G9
						t.Errorf("observation shows a stack: %s", vs[0].Observation.Content())
					}
				})
			})
		}
	}
}

func TestCode_tool_error(t *testing.T) {
	h := open(t, nil, tool(t, "x", holdfast.Read, "", new(entered).fails(errors.New("table is locked")), nil))
	v := h.one("x", `{}`)
	want(t, v, holdfast.Failed, holdfast.ToolError, gate.Execute)
	contains(t, "observation", v.Observation.Content(), "table is locked", `"executed":true`)
}

func TestCode_panic(t *testing.T) {
	var logged bytes.Buffer
	o := &gate.Options{Log: slog.New(slog.NewTextHandler(&logged, nil))}
	h := open(t, o, tool(t, "x", holdfast.Write, "", func(_ context.Context, args schema.Value) (holdfast.Result, error) {
		panic("cannot take " + string(args.Raw()))
	}, nil))
	v := h.one("x", `{"card":"4111111111111111"}`)
	want(t, v, holdfast.Uncertain, holdfast.Panicked, gate.Execute)
	contains(t, "log", logged.String(), "panicked", "execute_test.go")
	if strings.Contains(logged.String(), "4111") || strings.Contains(v.Observation.Content(), "4111") {
		t.Error("the panic's value is told or logged")
	}
}

func TestCode_timeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		h := open(t, &gate.Options{Grace: 300 * time.Millisecond}, tool(t, "deaf", holdfast.Write, "", func(context.Context, schema.Value) (holdfast.Result, error) {
			time.Sleep(time.Hour)
			return holdfast.Result{JSON: json.RawMessage(`{"late":true}`)}, nil
		}, nil))
		v := h.one("deaf", `{}`)
		want(t, v, holdfast.Uncertain, holdfast.Timeout, gate.Execute)
		if took := time.Since(start); took != 1300*time.Millisecond {
			t.Errorf("took %s, want timeout and grace", took)
		}
		if total, running := h.gate.Abandoned(); total != 1 || running != 1 {
			t.Errorf("Abandoned() = %d, %d, want 1, 1", total, running)
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if total, running := h.gate.Abandoned(); total != 1 || running != 0 {
			t.Errorf("Abandoned() = %d, %d after it ended, want 1, 0", total, running)
		}
		if got := h.entry(v.LedgerID).State; got != ledger.StateUncertain {
			t.Errorf("entry is %s after a late result, want uncertain", got)
		}
		events, err := h.ledger.Events(t.Context(), v.LedgerID)
		if err != nil {
			t.Fatal(err)
		}
		last := events[len(events)-1]
		if last.What != "evidence" {
			t.Errorf("last event is %q, want the late result as evidence", last.What)
		}
		contains(t, "evidence", string(last.Details), "late")
	})
}

func TestDeafReadIsAbandonedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, nil, tool(t, "deaf", holdfast.Read, "", func(context.Context, schema.Value) (holdfast.Result, error) {
			time.Sleep(time.Hour)
			return holdfast.Result{}, nil
		}, nil))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		want(t, h.putIn(ctx, h.round(call("deaf", `{}`)), nil)[0], holdfast.Failed, holdfast.Cancelled, gate.Execute)
		time.Sleep(2 * time.Hour)
	})
}

func TestResultAfterTheDeadlineButInTimeCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, nil, tool(t, "x", holdfast.Write, "", func(ctx context.Context, _ schema.Value) (holdfast.Result, error) {
			<-ctx.Done() // it was done already and looks only now
			return holdfast.Result{JSON: json.RawMessage(`{"id":1}`)}, nil
		}, nil))
		want(t, h.one("x", `{}`), holdfast.OK, "", gate.Execute)
	})
}

func TestCode_limit_exceeded(t *testing.T) {
	large := func(context.Context, schema.Value) (holdfast.Result, error) {
		return holdfast.Result{Text: strings.Repeat("x", 2000)}, nil
	}
	o := &holdfast.ToolOptions{HandlerBytes: 1000}
	h := open(t, nil, tool(t, "look", holdfast.Read, "", large, o), tool(t, "put", holdfast.Write, "", large, o))
	want(t, h.one("look", `{}`), holdfast.Failed, holdfast.LimitExceeded, gate.Execute)
	v := h.one("put", `{}`)
	want(t, v, holdfast.OK, holdfast.LimitExceeded, gate.Execute)
	if v.Outcome.Result != nil || len(v.Observation.Content()) > 500 {
		t.Errorf("the oversized result was kept: %s", v.Observation.Content())
	}
	contains(t, "observation", v.Observation.Content(), "took effect", "limit_exceeded")
}

func TestCode_output_invalid(t *testing.T) {
	output, err := schema.Compile([]byte(`{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]holdfast.Result{
		"other type": {JSON: json.RawMessage(`{"id":"seven"}`)},
		"not JSON":   {JSON: json.RawMessage(`{"id":`)},
		"text":       {Text: "done"},
	}
	for name, result := range rows {
		for _, o := range []*holdfast.ToolOptions{{Output: output}, nil} {
			if o == nil && name != "not JSON" {
				continue
			}
			handle := func(context.Context, schema.Value) (holdfast.Result, error) { return result, nil }
			h := open(t, nil, tool(t, "look", holdfast.Read, "", handle, o), tool(t, "put", holdfast.Write, "", handle, o))
			want(t, h.one("look", `{}`), holdfast.Failed, holdfast.OutputInvalid, gate.Execute)
			v := h.one("put", `{}`)
			want(t, v, holdfast.OK, holdfast.OutputInvalid, gate.Execute)
			if v.Outcome.Result == nil {
				t.Errorf("%s: the result of a write that happened is lost", name)
			}
		}
	}
	good := func(context.Context, schema.Value) (holdfast.Result, error) {
		return holdfast.Result{JSON: json.RawMessage(`{"id": 7}`)}, nil
	}
	h := open(t, nil, tool(t, "look", holdfast.Read, "", good, &holdfast.ToolOptions{Output: output}))
	v := h.one("look", `{}`)
	want(t, v, holdfast.OK, "", gate.Execute)
	if got := v.Observation.Content(); got != `{"id": 7}` {
		t.Errorf("observation = %s, want it as the tool gave it", got)
	}
}

func TestNothingFoundIsNotCouldNotLook(t *testing.T) {
	h := open(t, nil, tool(t, "found", holdfast.Read, "", new(entered).answers(`{"foods":[]}`), nil),
		tool(t, "broken", holdfast.Read, "", new(entered).fails(errors.New("food table unavailable")), nil))
	found, broken := h.one("found", `{}`), h.one("broken", `{}`)
	want(t, found, holdfast.OK, "", gate.Execute)
	want(t, broken, holdfast.Failed, holdfast.ToolError, gate.Execute)
	if found.Observation.Error || !broken.Observation.Error {
		t.Errorf("error marks = %v and %v, want false and true", found.Observation.Error, broken.Observation.Error)
	}
}

func TestHandlerKnowsItsCall(t *testing.T) {
	var info holdfast.CallInfo
	h := open(t, nil, tool(t, "x", holdfast.Write, "", func(ctx context.Context, _ schema.Value) (holdfast.Result, error) {
		info = holdfast.CallInfoFrom(ctx)
		return holdfast.Result{}, nil
	}, nil))
	v := h.one("x", `{}`)
	if wanted := (holdfast.CallInfo{Key: v.Key, LedgerID: v.LedgerID, Run: "run", Turn: 1, Round: 1, Tool: "x", Principal: me}); info != wanted {
		t.Errorf("CallInfoFrom() = %+v, want %+v", info, wanted)
	}
}

func TestStartedIsDurableBeforeTheHandlerIsEntered(t *testing.T) {
	var h *house
	h = open(t, nil, tool(t, "x", holdfast.Write, "", func(ctx context.Context, _ schema.Value) (holdfast.Result, error) {
		if e := h.entry(holdfast.CallInfoFrom(ctx).LedgerID); e.State != ledger.StateStarted || e.Owner == "" {
			t.Errorf("in the handler the entry is %+v, want started", e)
		}
		return holdfast.Result{}, nil
	}, nil))
	want(t, h.one("x", `{}`), holdfast.OK, "", gate.Execute)
}
