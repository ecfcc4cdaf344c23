package gate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/schema"
)

type authorizer func(context.Context, gate.Proposal) (gate.Ruling, error)

func (f authorizer) Authorize(ctx context.Context, p gate.Proposal) (gate.Ruling, error) {
	return f(ctx, p)
}

func TestCode_not_permitted(t *testing.T) {
	rows := map[string]authorizer{
		"no": func(context.Context, gate.Proposal) (gate.Ruling, error) {
			return gate.Ruling{Why: "only before noon"}, nil
		},
		"error": func(context.Context, gate.Proposal) (gate.Ruling, error) {
			return gate.Ruling{Allow: true}, errors.New("policy server gone")
		},
		"panic": func(context.Context, gate.Proposal) (gate.Ruling, error) { panic("oops") },
	}
	for name, a := range rows {
		t.Run(name, func(t *testing.T) {
			var e entered
			asked := 0
			h := open(t, &gate.Options{Authorizer: a}, putTool(t, &e, &holdfast.ToolOptions{
				Key:          func(schema.Value) (string, error) { asked++; return "k", nil },
				Precondition: func(context.Context, schema.Value) (holdfast.Finding, error) { asked++; return holdfast.Finding{}, nil },
				Approval:     &holdfast.ApprovalRule{Needs: func(schema.Value) bool { asked++; return false }},
			}))
			v := h.one("put", `{"n":1}`)
			want(t, v, holdfast.Rejected, holdfast.NotPermitted, gate.Authorise)
			if e.times() != 0 || asked != 0 {
				t.Errorf("handler entered %d times, key function and precondition asked %d times before it was permitted", e.times(), asked)
			}
			if name == "no" {
				contains(t, "message", v.Outcome.Message, "only before noon")
			}
		})
	}
}

func TestAuthorizerSeesTheValidatedCall(t *testing.T) {
	var e entered
	var got gate.Proposal
	h := open(t, &gate.Options{Authorizer: authorizer(func(_ context.Context, p gate.Proposal) (gate.Ruling, error) {
		got = p
		return gate.Ruling{Allow: true}, nil
	})}, lookTool(t, &e))
	h.one("look", `{"n":5}`)
	if got.Name != "look" || got.Principal != me || got.Run != "run" || got.Turn != 1 || got.Round != 1 || string(got.Arguments.Raw()) != `{"n":5}` {
		t.Errorf("proposal = %+v", got)
	}
	h.one("look", `{"n":"x"}`)
	if string(got.Arguments.Raw()) != `{"n":5}` {
		t.Error("an invalid call reached the authorizer")
	}
}

func TestRulingMayAskForAPerson(t *testing.T) {
	var e entered
	h := open(t, &gate.Options{Authorizer: authorizer(func(context.Context, gate.Proposal) (gate.Ruling, error) {
		return gate.Ruling{Allow: true, Ask: true, Why: "it sends data out"}, nil
	})}, lookTool(t, &e))
	r := h.round(call("look", `{}`), withID(call("look", `{"n":1}`), "two"))
	vs := h.put(r, nil)
	want(t, vs[0], holdfast.Pending, holdfast.ApprovalPending, gate.Approve)
	contains(t, "message", vs[0].Outcome.Message, "it sends data out")
	if !vs[1].Waiting || e.times() != 0 {
		t.Errorf("a read behind one that waits = %+v, handler entered %d times", vs[1], e.times())
	}
	h.approve(vs[0].ApprovalID)
	vs = h.put(r, &gate.RoundOptions{Resume: true})
	want(t, vs[0], holdfast.OK, "", gate.Execute)
	want(t, vs[1], holdfast.Pending, holdfast.ApprovalPending, gate.Approve)
	h.approve(vs[1].ApprovalID)
	vs = h.put(r, &gate.RoundOptions{Resume: true})
	want(t, vs[0], holdfast.OK, "", gate.Execute)
	want(t, vs[1], holdfast.OK, "", gate.Execute)
	if e.times() != 2 {
		t.Errorf("handler entered %d times, want 2", e.times())
	}
}
