package policy_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
	"github.com/holdfast-go/holdfast/policy"
	"github.com/holdfast-go/holdfast/schema"
)

var ana = holdfast.Principal{Tenant: "home", ID: "ana"}

func tool(t *testing.T, name string, effect holdfast.Effect, o *holdfast.ToolOptions) *holdfast.Tool {
	t.Helper()
	input, err := schema.Compile([]byte(`{"type":"object","properties":{"to":{},"amount":{},"note":{}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	made, err := holdfast.NewTool(name, "A tool for a test.", input, effect, time.Second,
		func(context.Context, schema.Value) (holdfast.Result, error) {
			return holdfast.Result{JSON: json.RawMessage(`{}`)}, nil
		}, o)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func value(t *testing.T, text string) schema.Value {
	t.Helper()
	v, err := schema.Read([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

const bank = `
policy: bank
rules:
  - {name: looks, decision: allow, tools: "*", effects: [read]}
  - {name: small, decision: allow, tools: bank.pay, when: [{path: /amount, op: "<=", value: 50}]}
  - name: rent
    decision: allow
    tools: [bank.pay, bank.plan]
    principals: ana
    when:
      - {path: /to, op: "==", value: landlord}
      - {path: /amount, op: "<=", value: 900}
    despite: untrusted
  - {name: large, decision: ask, tools: bank.pay, when: [{path: /amount, op: ">", value: 500}], why: more than 500}
  - {name: never, decision: deny, tools: bank.pay, when: [{path: /to, op: in, value: [mallory, eve]}], why: they are on the list}
  - {name: quiet, decision: deny, tools: "*", sends: true, labels: "untrusted:mail.*"}
budgets:
  - {name: payments a day, tools: bank.pay, per_day: 3}
  - {name: money a run, tools: bank.pay, sum: /amount, per_run: 1000.5}
`

func parse(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse("bank.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPolicy_decides(t *testing.T) {
	p := parse(t, bank)
	pay := tool(t, "pay", holdfast.Write, nil)
	look := tool(t, "look", holdfast.Read, nil)
	fetch := tool(t, "fetch", holdfast.Read, &holdfast.ToolOptions{Sends: true})
	mail, web := holdfast.Untrusted.Of("mail.read"), holdfast.Untrusted.Of("web.fetch")
	for _, row := range []struct {
		name, tool, args string
		of               *holdfast.Tool
		who              string
		labels           []holdfast.Label
		want             string // decision and rule
	}{
		{"a read", "bank.look", `{}`, look, "", nil, "allow looks"},
		{"a small payment", "bank.pay", `{"to":"bob","amount":50}`, pay, "", nil, "allow small"},
		{"one too large for the rule", "bank.pay", `{"to":"bob","amount":51}`, pay, "", nil, "deny default"},
		{"one that asks, as another permits", "bank.pay", `{"to":"landlord","amount":900}`, pay, "", nil, "ask large"},
		{"one that does not say how much", "bank.pay", `{"to":"landlord"}`, pay, "", nil, "ask large"},
		{"an amount that is a text", "bank.pay", `{"to":"bob","amount":"5"}`, pay, "", nil, "ask large"},
		{"one to whom nothing goes", "bank.pay", `{"to":"eve","amount":1}`, pay, "", nil, "deny never"},
		{"one that does not say to whom", "bank.pay", `{"amount":1}`, pay, "", nil, "deny never"},
		{"somebody else's rent", "bank.pay", `{"to":"landlord","amount":400}`, pay, "ben", nil, "deny default"},
		{"rent after mail", "bank.pay", `{"to":"landlord","amount":400}`, pay, "", []holdfast.Label{mail, web}, "allow rent despite 2"},
		{"a small payment after mail", "bank.pay", `{"to":"bob","amount":5}`, pay, "", []holdfast.Label{mail}, "allow small"},
		{"rent, small, after mail: the rule that covers it", "bank.pay", `{"to":"landlord","amount":5}`, pay, "", []holdfast.Label{mail}, "allow rent despite 1"},
		{"a tool that no rule names", "shop.buy", `{}`, pay, "", nil, "deny default"},
		{"a look-up that sends, before mail", "web.fetch", `{}`, fetch, "", []holdfast.Label{web}, "allow looks"},
		{"a look-up that sends, after mail", "web.fetch", `{}`, fetch, "", []holdfast.Label{mail}, "deny quiet"},
	} {
		who := ana
		if row.who != "" {
			who.ID = row.who
		}
		r, err := p.Authorize(t.Context(), gate.Proposal{Tool: row.of, Name: row.tool, Arguments: value(t, row.args), Principal: who, Labels: row.labels})
		if err != nil {
			t.Fatal(err)
		}
		got := "deny " + r.Rule
		switch {
		case r.Ask:
			got = "ask " + r.Rule
		case r.Allow:
			got = "allow " + r.Rule
		}
		if len(r.Despite) > 0 {
			got += " despite " + string('0'+rune(len(r.Despite)))
		}
		if got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

func TestPolicy_order_of_rules_does_not_matter(t *testing.T) {
	rules := []policy.Rule{
		{Name: "a", Decision: policy.Allow, Tools: []string{"*"}},
		{Name: "b", Decision: policy.Ask, Tools: []string{"p*"}},
		{Name: "c", Decision: policy.Deny, Tools: []string{"pay"}},
	}
	call := gate.Proposal{Tool: tool(t, "pay", holdfast.Write, nil), Name: "pay", Arguments: value(t, `{}`)}
	for range 3 {
		rules = append(rules[1:], rules[0])
		p, err := policy.New(rules, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r, _ := p.Authorize(t.Context(), call); r.Allow || r.Rule != "c" {
			t.Errorf("ruling = %+v with %s first, want c to deny wherever it stands", r, rules[0].Name)
		}
	}
}

func TestPolicy_without_rules_allows_nothing(t *testing.T) {
	p, err := policy.New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := p.Authorize(t.Context(), gate.Proposal{Tool: tool(t, "look", holdfast.Read, nil), Name: "look", Arguments: value(t, `{}`)})
	if r.Allow || r.Rule != policy.Default {
		t.Errorf("ruling = %+v, want a denial by default", r)
	}
}

func TestParse_lists_every_fault_with_its_line(t *testing.T) {
	const src = `rules:
  - {name: a, decision: maybe, tools: "*"}
  - {name: b, decision: allow}
  - {name: c, decision: allow, tools: "*", colour: red}
  - {decision: allow, tools: 5, name: d}
budgets:
  - {name: e, tools: "*", per_day: -1}
`
	const later = `rules:
  - name: a
    decision: allow
    tools: "*"
    when:
      - {path: n, op: "==", value: 1}
      - {path: /n, op: ">", value: x}
      - {path: /n, op: exists, value: 1}
  - {name: b, decision: deny, tools: "*", despite: untrusted}
  - {name: c, decision: allow, tools: "*", labels: untrusted}
  - {name: d, decision: allow, tools: "*"}
  - {name: d, decision: allow, tools: "*"}
  - {name: default, decision: allow, tools: "*"}
  - {name: "a\u202eb", decision: allow, tools: "*"}
budgets:
  - {name: e, tools: "*"}
  - {name: f, tools: "*", per_day: 1, sum: amount}
`
	for src, want := range map[string][]string{
		src: {
			"2 rule a /rules/0/decision", "3 rule b /rules/1", "4 rule c /rules/2", "5 rule d /rules/3/tools",
			"7 budget e /budgets/0/per_day",
		},
		later: {
			"6 rule a /rules/0/when/0", "7 rule a /rules/0/when/1", "8 rule a /rules/0/when/2", "9 rule b /rules/1", "10 rule c /rules/2",
			"12 rule d /rules/4", "13 rule default /rules/5", "14 rule a\u202eb /rules/6", "16 budget e /budgets/0", "17 budget f /budgets/1",
		},
		"rules: []\nrules: []": {"2  "},
		"rules: [*a]":          {"0  "},
		"":                     {"1  "},
		"{}":                   {"1  "},
	} {
		_, err := policy.Parse("p.yaml", []byte(src))
		var faults *policy.Error
		if !errors.As(err, &faults) {
			t.Fatalf("Parse(%s) = %v, want an *Error", src, err)
		}
		var got []string
		for _, f := range faults.Faults {
			got = append(got, strconv.Itoa(f.Line)+" "+f.Rule+" "+f.Path)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("faults (-want +got):\n%s\n%v", diff, err)
		}
	}
}

func TestPolicy_says_itself_in_words(t *testing.T) {
	want := []string{
		"never: denies calls of bank.pay when to in [\"mallory\",\"eve\"], or when that cannot be told (they are on the list).",
		"quiet: denies calls that send data out, in a run that holds untrusted:mail.*.",
		"large: asks a person about calls of bank.pay when amount > 500, or when that cannot be told (more than 500).",
		"looks: allows reads.",
		"small: allows calls of bank.pay when amount <= 50.",
		"rent: allows calls of bank.pay or bank.plan for ana when to == \"landlord\" and amount <= 900, also in a run that holds untrusted.",
		"Whatever no rule speaks of is denied.",
		"payments a day: at most 3 calls a day of bank.pay, for each principal.",
		"money a run: at most 2001/2 as the sum of amount a run of bank.pay, for each principal.",
	}
	if diff := cmp.Diff(want, parse(t, bank).Words()); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
}

func TestPolicy_doubts(t *testing.T) {
	p := parse(t, `rules:
  - {name: reads, decision: allow, tools: "*", effects: [read]}
  - {name: typo, decision: allow, tools: bank.pey}
  - {name: slip, decision: allow, tools: bank.pay, when: [{path: /amuont, op: "<", value: 5}]}
  - {name: wide, decision: ask, tools: bank.pay, when: [{path: /amuont, op: ">", value: 5}]}
  - {name: shadowed, decision: allow, tools: bank.drop}
  - {name: stop, decision: deny, tools: bank.drop}
  - {name: broad, decision: deny, tools: bank.*, when: [{path: /extra, op: "==", value: 1}]}
  - {name: gone, decision: allow, tools: bank.pay, when: [{path: /bcc, op: absent}]}
budgets:
  - {name: nothing, tools: shop.*, per_day: 1}
  - {name: sums, tools: bank.pay, sum: /cents, per_day: 1}
`)
	c, err := holdfast.NewCatalog("bank", tool(t, "look", holdfast.Read, nil), tool(t, "pay", holdfast.Write, nil), tool(t, "drop", holdfast.Write, nil), tool(t, "plan", holdfast.Write, nil), extra(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range p.Doubts(c) {
		got = append(got, f.String())
	}
	want := []string{
		"bank.yaml:3:12: typo: can never match: no tool of the catalog is called so, or has such an effect",
		"bank.yaml:4:12: slip: can never match: none of its tools has an argument /amuont",
		"bank.yaml:5:12: wide: matches every call of bank.pay, which has no argument /amuont",
		"bank.yaml:6:12: shadowed: can never decide: stronger rules without conditions speak of all its tools",
		"bank.yaml:8:12: broad: matches every call of bank.look, bank.pay, bank.drop, bank.plan, which have no argument /extra",
		"bank.yaml:11:12: nothing: bounds nothing: no tool of the catalog is called so",
		"bank.yaml:12:12: sums: leaves no room for bank.pay, which has no argument /cents",
		"bank.yaml: tool bank.plan is always denied: no rule allows it or asks about it",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("doubts (-want +got):\n%s", diff)
	}
}

// extra is a read with an argument that the others do not have.
func extra(t *testing.T) *holdfast.Tool {
	t.Helper()
	input, err := schema.Compile([]byte(`{"type":"object","properties":{"extra":{}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	made, err := holdfast.NewTool("extra", "A tool for a test.", input, holdfast.Read, time.Second,
		func(context.Context, schema.Value) (holdfast.Result, error) { return holdfast.Result{}, nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// house is a gate over a policy, for one test.
type house struct {
	*testing.T
	gate   *gate.Gate
	ledger *ledger.Ledger
	number int
}

func open(t *testing.T, p gate.Authorizer, tools ...*holdfast.Tool) *house {
	t.Helper()
	l, err := ledger.New(t.Context(), memory.New(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := holdfast.NewCatalog("bank", tools...)
	if err != nil {
		t.Fatal(err)
	}
	g, err := gate.New(c, l, &gate.Options{Authorizer: policy.NewBook(l, p)})
	if err != nil {
		t.Fatal(err)
	}
	return &house{T: t, gate: g, ledger: l}
}

func (h *house) put(name, args string) (gate.Round, gate.Verdict) {
	h.Helper()
	h.number++
	r := gate.Round{
		Run: "run", Turn: 1, Number: h.number, Complete: true, Principal: ana,
		Calls: []holdfast.Call{{ID: "1", Name: name, Kind: holdfast.FunctionCall, Arguments: args, Complete: true}},
	}
	return r, h.again(r)
}

func (h *house) again(r gate.Round) gate.Verdict {
	h.Helper()
	vs, err := h.gate.Round(h.Context(), r, &gate.RoundOptions{Resume: true})
	if err != nil {
		h.Fatal(err)
	}
	return vs[0]
}

func (h *house) want(v gate.Verdict, status holdfast.Status, code holdfast.Code, rule string) {
	h.Helper()
	if v.Outcome.Status != status || v.Outcome.Code != code || v.Rule != rule {
		h.Errorf("verdict = %s %s by rule %q, want %s %s by %q; %s", v.Outcome.Status, v.Outcome.Code, v.Rule, status, code, rule, v.Outcome.Message)
	}
	if v.LedgerID == "" {
		return
	}
	if e, err := h.ledger.Entry(h.Context(), v.LedgerID); err != nil || e.Rule != rule {
		h.Errorf("the record says rule %q, %v, want %q", e.Rule, err, rule)
	}
}

func TestBudgets_hold_at_the_gate(t *testing.T) {
	h := open(t, parse(t, bank), tool(t, "pay", holdfast.Write, nil), tool(t, "look", holdfast.Read, nil))
	for _, to := range []string{"a", "b", "c"} {
		_, v := h.put("pay", `{"amount":10,"to":"`+to+`"}`)
		h.want(v, holdfast.OK, "", "small")
	}
	_, v := h.put("pay", `{"amount":10,"to":"d"}`)
	h.want(v, holdfast.Rejected, holdfast.BudgetExceeded, "payments a day")
	if v.Stage != gate.Admit || !strings.Contains(v.Outcome.Message, "payments a day") {
		t.Errorf("stage %s, message %q, want admit and the budget's name", v.Stage, v.Outcome.Message)
	}
	_, v = h.put("pay", `{"amount":10,"to":"a"}`)
	if !v.Outcome.Replayed {
		t.Errorf("outcome = %+v, want a replay, which needs no budget", v.Outcome)
	}
	_, v = h.put("look", `{}`)
	h.want(v, holdfast.OK, "", "looks")
}

func TestBudgets_count_sums_and_reads(t *testing.T) {
	h := open(t, parse(t, `rules: [{name: all, decision: allow, tools: "*"}]
budgets:
  - {name: money, tools: bank.pay, sum: /amount, per_run: 1.0}
  - {name: looks, tools: bank.look, per_run: 2}
`), tool(t, "pay", holdfast.Write, nil), tool(t, "look", holdfast.Read, nil))
	for _, row := range []struct{ tool, args, over string }{
		{"pay", `{"amount":0.4}`, ""},
		{"pay", `{"amount":0.7}`, "money"},
		{"pay", `{"amount":-5}`, "money"},
		{"pay", `{"amount":"0.1"}`, "money"},
		{"pay", `{}`, "money"},
		{"pay", `{"amount":0.6}`, ""},
		{"pay", `{"amount":1e-300}`, "money"},
		{"look", `{}`, ""},
		{"look", `{}`, ""},
		{"look", `{}`, "looks"},
	} {
		_, v := h.put(row.tool, row.args)
		if row.over == "" {
			h.want(v, holdfast.OK, "", "all")
		} else {
			h.want(v, holdfast.Rejected, holdfast.BudgetExceeded, row.over)
		}
	}
}

func TestBudgets_ask_nobody_in_vain(t *testing.T) {
	h := open(t, parse(t, `rules: [{name: all, decision: ask, tools: "*"}]
budgets: [{name: none, tools: "*", per_run: 0}]`), tool(t, "pay", holdfast.Write, nil))
	_, v := h.put("pay", `{}`)
	h.want(v, holdfast.Rejected, holdfast.BudgetExceeded, "none")
}
