package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

type confirmFunc = func(context.Context, string, schema.Value) (holdfast.Confirmation, error)

func says(effect holdfast.EffectState) confirmFunc {
	return func(context.Context, string, schema.Value) (holdfast.Confirmation, error) {
		return holdfast.Confirmation{Effect: effect, Evidence: "row 7"}, nil
	}
}

func TestConfirmDecides(t *testing.T) {
	reset := new(entered).fails(errors.New("connection reset"))
	declined := new(entered).fails(holdfast.WithoutEffect(errors.New("declined")))
	fine := new(entered).answers(`{"id":7}`)
	breaks := func(context.Context, schema.Value) (holdfast.Result, error) { panic("oops") }
	rows := []struct {
		name    string
		handle  holdfast.Handler
		confirm confirmFunc
		status  holdfast.Status
		code    holdfast.Code
		stage   gate.Stage
	}{
		{"done and there", fine, says(holdfast.Happened), holdfast.OK, "", gate.Confirm},
		{"done and not there", fine, says(holdfast.DidNotHappen), holdfast.Failed, holdfast.NoEffect, gate.Confirm},
		{"done and cannot tell", fine, says(holdfast.Unknown), holdfast.Uncertain, holdfast.Unconfirmed, gate.Confirm},
		{"done and no answer", fine, says(""), holdfast.Uncertain, holdfast.Unconfirmed, gate.Confirm},
		{"error and there", reset, says(holdfast.Happened), holdfast.OK, "", gate.Confirm},
		{"error and not there", reset, says(holdfast.DidNotHappen), holdfast.Failed, holdfast.NoEffect, gate.Confirm},
		{"error and cannot tell", reset, says(holdfast.Unknown), holdfast.Uncertain, holdfast.Unconfirmed, gate.Confirm},
		{"panic and there", breaks, says(holdfast.Happened), holdfast.OK, "", gate.Confirm},
		{"no effect is not asked", declined, func(context.Context, string, schema.Value) (holdfast.Confirmation, error) { panic("asked") }, holdfast.Failed, holdfast.ToolError, gate.Execute},
		{"confirm fails", fine, func(context.Context, string, schema.Value) (holdfast.Confirmation, error) {
			return holdfast.Confirmation{Effect: holdfast.Happened}, errors.New("cannot look")
		}, holdfast.Uncertain, holdfast.Unconfirmed, gate.Confirm},
		{"confirm panics", fine, func(context.Context, string, schema.Value) (holdfast.Confirmation, error) { panic("oops") }, holdfast.Uncertain, holdfast.Unconfirmed, gate.Confirm},
		{"confirm takes too long", fine, func(ctx context.Context, _ string, _ schema.Value) (holdfast.Confirmation, error) {
			<-ctx.Done()
			return holdfast.Confirmation{}, ctx.Err()
		}, holdfast.Uncertain, holdfast.Unconfirmed, gate.Confirm},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, nil, tool(t, "x", holdfast.Write, "", row.handle, &holdfast.ToolOptions{Confirm: row.confirm}))
				v := h.one("x", `{}`)
				want(t, v, row.status, row.code, row.stage)
				if got := h.entry(v.LedgerID).State; string(got) != string(row.status) {
					t.Errorf("entry is %s, want %s", got, row.status)
				}
			})
		})
	}
}

func TestCode_no_effect(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, &holdfast.ToolOptions{Confirm: says(holdfast.DidNotHappen)}))
	want(t, h.one("put", `{"n":1}`), holdfast.Failed, holdfast.NoEffect, gate.Confirm)
	h.one("put", `{"n":1}`)
	if e.times() != 2 {
		t.Errorf("handler entered %d times, want 2: what had no effect may be proposed again", e.times())
	}
}

func TestCode_unconfirmed(t *testing.T) {
	var e entered
	h := open(t, nil, putTool(t, &e, &holdfast.ToolOptions{Confirm: says(holdfast.Unknown)}))
	v := h.one("put", `{"n":1}`)
	want(t, v, holdfast.Uncertain, holdfast.Unconfirmed, gate.Confirm)
	contains(t, "observation", v.Observation.Content(), `"executed":null`)
	want(t, h.one("put", `{"n":1}`), holdfast.Rejected, holdfast.UnresolvedWrite, gate.Claim)
}

func TestConfirmHandsBackTheLostResult(t *testing.T) {
	h := open(t, nil, tool(t, "x", holdfast.Write, "", new(entered).fails(errors.New("connection reset")), &holdfast.ToolOptions{
		Confirm: func(_ context.Context, key string, args schema.Value) (holdfast.Confirmation, error) {
			if key == "" || args.Kind() != schema.Object {
				t.Errorf("confirm got key %q and %v", key, args.Kind())
			}
			return holdfast.Confirmation{Effect: holdfast.Happened, Result: &holdfast.Result{JSON: json.RawMessage(`{"id":7}`)}}, nil
		},
	}))
	v := h.one("x", `{}`)
	want(t, v, holdfast.OK, "", gate.Confirm)
	if got := v.Observation.Content(); got != `{"id":7}` {
		t.Errorf("observation = %s", got)
	}
}

func TestConfirmRunsAlthoughTheCallerIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, nil, tool(t, "x", holdfast.Write, "", func(ctx context.Context, _ schema.Value) (holdfast.Result, error) {
			<-ctx.Done()
			return holdfast.Result{}, ctx.Err()
		}, &holdfast.ToolOptions{Confirm: func(ctx context.Context, _ string, _ schema.Value) (holdfast.Confirmation, error) {
			if err := ctx.Err(); err != nil {
				t.Errorf("confirm runs under %v", err)
			}
			return holdfast.Confirmation{Effect: holdfast.DidNotHappen}, nil
		}}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		v := h.putIn(ctx, h.round(call("x", `{}`)), nil)[0]
		want(t, v, holdfast.Failed, holdfast.NoEffect, gate.Confirm)
		if h.entry(v.LedgerID).State != ledger.StateFailed {
			t.Errorf("entry is %s", h.entry(v.LedgerID).State)
		}
	})
}

func TestNotThereIsNotTrustedWhileTheHandlerStillRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, nil, tool(t, "deaf", holdfast.Write, "", func(context.Context, schema.Value) (holdfast.Result, error) {
			time.Sleep(time.Hour)
			return holdfast.Result{}, nil
		}, &holdfast.ToolOptions{Confirm: says(holdfast.DidNotHappen)}))
		want(t, h.one("deaf", `{}`), holdfast.Uncertain, holdfast.Unconfirmed, gate.Confirm)
		time.Sleep(2 * time.Hour)
	})
}
