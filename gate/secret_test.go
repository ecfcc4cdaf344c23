package gate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

const login = `{"type":"object","properties":{"user":{"type":"string"},"pin":{"type":"integer","writeOnly":true},
	"password":{"type":"string","writeOnly":true,"maxLength":20}},"required":["user"]}`

func TestSecretsReachTheHandlerAndNobodyElse(t *testing.T) {
	const secret = "hunter2\"x"
	quoted, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	args := `{"user":"ana","password":` + string(quoted) + `,"pin":987654}`
	leaky := map[string]holdfast.Handler{
		"echoes JSON": func(_ context.Context, a schema.Value) (holdfast.Result, error) {
			return holdfast.Result{JSON: a.Raw()}, nil
		},
		"echoes text": func(context.Context, schema.Value) (holdfast.Result, error) {
			return holdfast.Result{Text: "logged in with " + secret}, nil
		},
		"tells it in an error": func(context.Context, schema.Value) (holdfast.Result, error) {
			return holdfast.Result{}, errors.New("password " + secret + " is wrong, pin 987654 too")
		},
		"panics with it": func(context.Context, schema.Value) (holdfast.Result, error) { panic(secret) },
	}
	for name, handle := range leaky {
		t.Run(name, func(t *testing.T) {
			var logged bytes.Buffer
			var got string
			h := open(t, &gate.Options{Log: slog.New(slog.NewJSONHandler(&logged, nil))}, tool(t, "login", holdfast.Write, login,
				func(ctx context.Context, a schema.Value) (holdfast.Result, error) {
					p, _ := a.Get("password")
					got = p.Text()
					return handle(ctx, a)
				}, &holdfast.ToolOptions{Precondition: func(_ context.Context, a schema.Value) (holdfast.Finding, error) {
					return holdfast.Finding{NeedsApproval: true, Why: "as " + secret, Shown: a.Raw()}, nil
				}}))
			r := h.round(call("login", args))
			pending := h.put(r, nil)[0]
			want(t, pending, holdfast.Pending, holdfast.ApprovalPending, gate.Approve)
			h.approve(pending.ApprovalID)
			v := h.resume(r)[0]
			if got != secret {
				t.Errorf("handler got password %q, want %q", got, secret)
			}
			entries, err := h.ledger.Entries(t.Context(), ledger.Filter{})
			if err != nil {
				t.Fatal(err)
			}
			events, err := h.ledger.Events(t.Context(), v.LedgerID)
			if err != nil {
				t.Fatal(err)
			}
			for what, seen := range map[string]any{
				"pending": pending, "verdict": v, "approval": h.approval(pending.ApprovalID), "entries": entries, "events": events, "log": logged.String(),
			} {
				text, err := json.Marshal(seen)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(text), "hunter2") {
					t.Errorf("%s shows the password: %s", what, text)
				}
				if strings.Contains(string(text), "987654") {
					t.Errorf("%s shows the pin: %s", what, text)
				}
			}
		})
	}
}

func TestSecretsOfCallsThatDoNotRunAreMaskedToo(t *testing.T) {
	var e entered
	h := open(t, nil, tool(t, "login", holdfast.Write, login, e.answers(`{}`), &holdfast.ToolOptions{Coerce: true}))
	for _, args := range []string{
		`{"user":[],"password":"hunter2"}`,
		`{"password":"hunter2"}`,
		`{"user":"a","password":"hunter2`,
		`{"user":"a","password":"hunter2 and far more than twenty characters"}`,
		`{"user":"a","password":{"hunter2":"hunter2"}}`,
	} {
		v := h.one("login", args)
		if v.Outcome.Status != holdfast.Rejected {
			t.Errorf("outcome of %s = %+v", args, v.Outcome)
		}
		text, err := json.Marshal(h.entry(v.LedgerID))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "hunter2") || strings.Contains(v.Observation.Content(), "hunter2") {
			t.Errorf("%s: record %s, observation %s", args, text, v.Observation.Content())
		}
	}
	v := h.one("logim", `{"password":"hunter2"}`)
	if text := h.entry(v.LedgerID).Text; strings.Contains(text, "hunter2") {
		t.Errorf("record of an unknown tool keeps %s", text)
	}
}

func TestCoercionsOfSecretsAreMasked(t *testing.T) {
	var e entered
	h := open(t, nil, tool(t, "login", holdfast.Write, login, e.answers(`{}`), &holdfast.ToolOptions{Coerce: true}))
	v := h.one("login", `{"user":"a","pin":"987654"}`)
	if v.Outcome.Status != holdfast.OK {
		t.Skipf("the schema engine does not coerce yet: %s", v.Outcome.Message)
	}
	entry := h.entry(v.LedgerID)
	text, err := json.Marshal(entry)
	if err != nil {
		t.Fatal(err)
	}
	if len(entry.Coerced) != 1 || strings.Contains(string(text), "987654") || e.args[0] != `{"user":"a","pin":987654}` {
		t.Errorf("record = %s, handler got %v", text, e.args)
	}
}
