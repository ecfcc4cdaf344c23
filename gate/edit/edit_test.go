package edit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/gate/edit"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
	"github.com/holdfast-go/holdfast/schema"
)

var ana = holdfast.Principal{Tenant: "gym", ID: "ana"}

// desk is a gate with one tool that asks a person each time.
type desk struct {
	*testing.T
	edit.Editor
	paid  []string // the arguments of each effect
	found string   // by the precondition
	round int
}

const amount = `{"type":"object","properties":{"cents":{"type":"integer"},"pin":{"type":"string","writeOnly":true}},"required":["cents"]}`

func open(t *testing.T) *desk {
	d := &desk{T: t, found: `[{"field":"paid","old":0,"new":1}]`}
	l, err := ledger.New(t.Context(), memory.New(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Ledger, d.Catalog = l, "till"
	d.Gate = d.gateOf(amount)
	return d
}

// gateOf is a gate whose tool takes what the schema says.
func (d *desk) gateOf(input string) *gate.Gate {
	d.Helper()
	s, err := schema.Compile([]byte(input), nil)
	if err != nil {
		d.Fatal(err)
	}
	pay, err := holdfast.NewTool("pay", "Pay.", s, holdfast.Write, time.Second, func(_ context.Context, args schema.Value) (holdfast.Result, error) {
		d.paid = append(d.paid, string(args.Raw()))
		return holdfast.Result{Text: "paid"}, nil
	}, &holdfast.ToolOptions{
		Approval: &holdfast.ApprovalRule{},
		Precondition: func(context.Context, schema.Value) (holdfast.Finding, error) {
			return holdfast.Finding{Shown: []byte(d.found)}, nil
		},
	})
	if err != nil {
		d.Fatal(err)
	}
	catalog, err := holdfast.NewCatalog("till", pay)
	if err != nil {
		d.Fatal(err)
	}
	g, err := gate.New(catalog, d.Ledger, nil)
	if err != nil {
		d.Fatal(err)
	}
	return g
}

// asks makes a call that waits for a person.
func (d *desk) asks(arguments string) ledger.Approval {
	d.Helper()
	d.round++
	vs, err := d.Gate.Round(d.Context(), gate.Round{
		Run: "run", Turn: 1, Number: d.round, Complete: true, Ending: "ended", Principal: ana,
		Calls: []holdfast.Call{{ID: "c", Name: "pay", Kind: holdfast.FunctionCall, Arguments: arguments, Complete: true}},
	}, &gate.RoundOptions{NoWait: true})
	if err != nil || vs[0].Outcome.Status != holdfast.Pending {
		d.Fatalf("Round() = %+v, %v, want it to wait", vs, err)
	}
	return d.approval(vs[0].ApprovalID)
}

func (d *desk) approval(id string) ledger.Approval {
	d.Helper()
	a, err := d.Ledger.Approval(d.Context(), id)
	if err != nil {
		d.Fatal(err)
	}
	return a
}

func TestAnotherCallIsMadeInItsPlace(t *testing.T) {
	d := open(t)
	a := d.asks(`{"cents":500}`)
	denied, v, err := d.Instead(t.Context(), a, `{"cents":50}`, "bea", " a slip ")
	if err != nil || v.Outcome.Status != holdfast.OK || !slices.Equal(d.paid, []string{`{"cents":50}`}) {
		t.Fatalf("Instead() = %+v, %v with effects %q, want what the person gave, once", v.Outcome, err, d.paid)
	}
	if want := `a slip; a person made this call with other arguments instead: {"cents":50}`; denied.State != ledger.Denied || denied.DecidedBy != "bea" || denied.Reason != want {
		t.Errorf("approval = %s by %s because %q, want it denied by bea because %q", denied.State, denied.DecidedBy, denied.Reason, want)
	}
	e, err := d.Ledger.Entry(t.Context(), v.LedgerID)
	if err != nil || e.Run != edit.Run(a.ID) || e.Principal != ana {
		t.Errorf("entry = %+v, %v, want it in a run of its own, on behalf of the same principal", e, err)
	}
	run, err := d.Ledger.LookupRun(t.Context(), e.Run)
	if err != nil || run.Root != "run" || run.Catalog != "till" {
		t.Errorf("run = %+v, %v, want one that holds what the first does", run, err)
	}
	if made := d.approval(e.ApprovalID); made.DecidedBy != "bea" || made.State != ledger.Consumed {
		t.Errorf("its own approval = %s by %s, want it consumed, by bea", made.State, made.DecidedBy)
	}
	decided := (*ledger.DecidedError)(nil)
	if again, _, err := d.Instead(t.Context(), a, `{"cents":51}`, "bea", ""); !errors.As(err, &decided) || again.ID != "" {
		t.Errorf("Instead() once more = %v, %v, want that it was decided", again, err)
	}
	if _, _, err := d.Instead(t.Context(), d.approval(a.ID), `{"cents":51}`, "bea", ""); !errors.As(err, &decided) || len(d.paid) != 1 {
		t.Errorf("Instead() of a denied one = %v with effects %q, want that it was decided", err, d.paid)
	}
}

func TestWhatThePersonDidNotSeeIsAskedAgain(t *testing.T) {
	d := open(t)
	a := d.asks(`{"cents":500}`)
	d.found = `[{"field":"paid","old":700,"new":50}]`
	_, v, err := d.Instead(t.Context(), a, `{"cents":50}`, "bea", "")
	if err != nil || v.Outcome.Status != holdfast.Pending || len(d.paid) != 0 {
		t.Fatalf("Instead() = %+v, %v with effects %q, want it to wait for another look", v.Outcome, err, d.paid)
	}
	if asked := d.approval(v.ApprovalID); asked.State != ledger.Waiting || string(asked.Finding.Shown) != d.found {
		t.Errorf("approval = %+v, want one that shows what is there now", asked)
	}
}

func TestARefusedEditDecidesNothing(t *testing.T) {
	for name, row := range map[string]struct {
		asked, arguments, code, says string
		change                       func(*desk, *ledger.Approval)
	}{
		"no JSON":          {`{"cents":1}`, `{`, "unreadable_arguments", "not one JSON object", nil},
		"not as it takes":  {`{"cents":1}`, `{"cents":"2"}`, "invalid_arguments", "/cents", nil},
		"a hidden secret":  {`{"cents":1,"pin":"4711"}`, `{"cents":2}`, "secret_arguments", "secret", nil},
		"another tool now": {`{"cents":1}`, `{"cents":2}`, "tool_changed", "no longer", func(d *desk, _ *ledger.Approval) { d.Gate = d.gateOf(`{"type":"object"}`) }},
		"within a call":    {`{"cents":1}`, `{"cents":2}`, "within_call", "agent", func(_ *desk, a *ledger.Approval) { a.Within = "outer" }},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			a := d.asks(row.asked)
			if row.change != nil {
				row.change(d, &a)
			}
			_, _, err := d.Instead(t.Context(), a, row.arguments, "bea", "")
			refusal := (*edit.Refusal)(nil)
			if !errors.As(err, &refusal) || refusal.Code != row.code || !strings.Contains(fmt.Sprint(refusal.Message, refusal.Problems), row.says) {
				t.Errorf("Instead() = %v, want a refusal %s that says %q", err, row.code, row.says)
			}
			if now := d.approval(a.ID); now.State != ledger.Waiting || len(d.paid) != 0 {
				t.Errorf("approval = %s with effects %q, want it to wait as before", now.State, d.paid)
			}
		})
	}
}
