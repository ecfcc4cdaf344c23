package policy_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/policy"
	"github.com/holdfast-go/holdfast/rule"
)

// asked is a house in which a call waits for a person, and what it waits for.
func (h *house) asked(name, args string) (ledger.Approval, ledger.Entry) {
	h.Helper()
	_, v := h.put(name, args)
	if v.Outcome.Status != holdfast.Pending {
		h.Fatalf("outcome of %s %s = %+v, want pending", name, args, v.Outcome)
	}
	a, err := h.ledger.Approval(h.Context(), v.ApprovalID)
	if err != nil {
		h.Fatal(err)
	}
	e, err := h.ledger.Entry(h.Context(), a.EntryID)
	if err != nil {
		h.Fatal(err)
	}
	return a, e
}

// always answers a waiting call with a rule.
func (h *house) always(a ledger.Approval, e ledger.Entry, o *policy.SuggestOptions) rule.Saved {
	h.Helper()
	r, err := policy.Suggest(a, e, o)
	if err != nil {
		h.Fatal(err)
	}
	_, saved, err := h.ledger.ApproveAlways(h.Context(), a.ID, "ben", "", r)
	if err != nil {
		h.Fatal(err)
	}
	if policy.Fingerprint(saved) != policy.Fingerprint(r) {
		h.Errorf("saved is %+v, shown was %+v", saved, r)
	}
	return saved
}

func condition(path, op, value string) rule.Condition {
	return rule.Condition{Path: path, Op: op, Value: json.RawMessage(value)}
}

func asks(o holdfast.ToolOptions) *holdfast.ToolOptions {
	o.Approval = &holdfast.ApprovalRule{}
	return &o
}

func TestBook_covers_what_was_agreed_to_and_nothing_else(t *testing.T) {
	for _, row := range []struct {
		name   string
		o      *policy.SuggestOptions
		passes []string
		waits  []string
	}{
		{
			"exactly the call", nil,
			[]string{`{"amount":5.0,"to":"bob","note":"n"}`},
			[]string{`{"to":"bob","amount":5}`, `{"to":"bob","amount":5,"note":"m"}`, `{"to":"bob","amount":5,"note":"n","bcc":"eve"}`, `{}`},
		},
		{
			"one argument free", &policy.SuggestOptions{Free: []string{"note"}},
			[]string{`{"to":"bob","amount":5}`, `{"to":"bob","amount":5,"note":"m"}`},
			[]string{`{"to":"eve","amount":5}`, `{"to":"bob","amount":5,"bcc":"eve"}`},
		},
		{
			"a bound", &policy.SuggestOptions{When: []rule.Condition{condition("/amount", "<=", "10"), condition("/amount", ">", "0")}},
			[]string{`{"to":"bob","amount":10,"note":"n"}`},
			[]string{`{"to":"bob","amount":11,"note":"n"}`, `{"to":"bob","amount":-1,"note":"n"}`, `{"to":"bob","note":"n"}`, `{"to":"bob","amount":"7","note":"n"}`},
		},
	} {
		h := open(t, nil, tool(t, "pay", holdfast.Write, asks(holdfast.ToolOptions{Repeats: true})))
		a, e := h.asked("pay", `{"to":"bob","amount":5,"note":"n"}`)
		saved := h.always(a, e, row.o)
		for _, args := range row.passes {
			if _, v := h.put("pay", args); v.Outcome.Status != holdfast.OK || v.Rule != "saved:"+saved.ID {
				t.Errorf("%s: %s = %s by rule %q, want it to run by the saved one", row.name, args, v.Outcome.Status, v.Rule)
			}
		}
		for _, args := range row.waits {
			if _, v := h.put("pay", args); v.Outcome.Status != holdfast.Pending {
				t.Errorf("%s: %s = %s, want it to wait: the rule does not speak of it", row.name, args, v.Outcome.Status)
			}
		}
	}
}

func TestBook_rule_ends_with_its_time_its_revocation_and_the_definition(t *testing.T) {
	h := open(t, nil, tool(t, "pay", holdfast.Write, asks(holdfast.ToolOptions{Repeats: true})))
	a, e := h.asked("pay", `{"to":"bob"}`)
	saved := h.always(a, e, nil)
	_, v := h.put("pay", `{"to":"bob"}`)
	h.want(v, holdfast.OK, "", "saved:"+saved.ID)

	changed := open(t, nil, tool(t, "pay", holdfast.Write, asks(holdfast.ToolOptions{Repeats: true, Version: "2"})))
	changed.ledger = h.ledger
	if _, v := changed.put("pay", `{"to":"bob"}`); v.Outcome.Status != holdfast.Pending {
		t.Errorf("another definition: %s, want it to wait", v.Outcome.Status)
	}
	if _, err := h.ledger.RevokeRule(t.Context(), saved.ID, "ben"); err != nil {
		t.Fatal(err)
	}
	if _, v := h.put("pay", `{"to":"bob"}`); v.Outcome.Status != holdfast.Pending {
		t.Errorf("revoked: %s, want it to wait", v.Outcome.Status)
	}
}

func TestBook_answers_neither_a_denial_nor_what_is_found_out_later(t *testing.T) {
	const ask = `rules: [{name: asks, decision: ask, tools: "*"}]`
	const deny = `rules: [{name: asks, decision: ask, tools: "*"}, {name: no, decision: deny, tools: "*"}]`
	h := open(t, parse(t, ask), tool(t, "pay", holdfast.Write, &holdfast.ToolOptions{Repeats: true}))
	a, e := h.asked("pay", `{"to":"bob"}`)
	saved := h.always(a, e, nil)
	_, v := h.put("pay", `{"to":"bob"}`)
	h.want(v, holdfast.OK, "", "saved:"+saved.ID)

	stopped := open(t, policy.NewBook(h.ledger, parse(t, deny)), tool(t, "pay", holdfast.Write, &holdfast.ToolOptions{Repeats: true}))
	_, v = stopped.put("pay", `{"to":"bob"}`)
	stopped.want(v, holdfast.Rejected, holdfast.NotPermitted, "no")

	// What entered the run after the person agreed was not agreed to.
	if err := h.ledger.Mark(t.Context(), "run", holdfast.Untrusted.Of("mail.read")); err != nil {
		t.Fatal(err)
	}
	a, e = h.asked("pay", `{"to":"bob"}`)
	if !strings.Contains(a.Why, "untrusted text from mail.read") {
		t.Errorf("why = %q, want what entered the run", a.Why)
	}
	saved = h.always(a, e, nil)
	if diff := cmp.Diff([]holdfast.Label{"untrusted:mail.read"}, saved.Despite); diff != "" {
		t.Errorf("labels of the rule (-want +got):\n%s", diff)
	}
	_, v = h.put("pay", `{"to":"bob"}`)
	h.want(v, holdfast.OK, "", "saved:"+saved.ID)
}

func TestSuggest_shows_everything(t *testing.T) {
	h := open(t, nil, tool(t, "pay", holdfast.Write, asks(holdfast.ToolOptions{})))
	if err := h.ledger.Mark(t.Context(), "run", holdfast.Untrusted.Of("mail.read")); err != nil {
		t.Fatal(err)
	}
	a, e := h.asked("pay", `{"to":"bob\u202e","amount":5,"note":"n"}`)
	r, err := policy.Suggest(a, e, &policy.SuggestOptions{
		Free: []string{"note"}, When: []rule.Condition{condition("/amount", "<=", "9007199254740993")}, Lasts: 48 * time.Hour, Tenant: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"bank.pay runs for everybody of tenant home without asking, when",
		`  to == "bob\u202e"`,
		"  amount <= 9007199254740993",
		"  note is anything, or left out",
		"  and no other argument is given",
		"also in a conversation that holds untrusted text from mail.read",
		"for 2 days, as long as the tool's definition stays the same",
	}
	if diff := cmp.Diff(want, policy.Describe(r)); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	wider := r
	wider.When = wider.When[:1]
	if policy.Fingerprint(wider) == policy.Fingerprint(r) {
		t.Error("a wider rule has the same fingerprint: another could be saved than was shown")
	}
}

func TestSuggest_refuses(t *testing.T) {
	h := open(t, nil, tool(t, "pay", holdfast.Write, asks(holdfast.ToolOptions{})))
	a, e := h.asked("pay", `{"to":"bob","amount":5}`)
	for _, row := range []struct {
		want   string
		o      policy.SuggestOptions
		change func(*ledger.Approval, *ledger.Entry)
	}{
		{"does not fulfil", policy.SuggestOptions{When: []rule.Condition{condition("/amount", "<", "5")}}, nil},
		{"has no argument", policy.SuggestOptions{When: []rule.Condition{condition("/cents", "<", "5")}}, nil},
		{"needs a number", policy.SuggestOptions{When: []rule.Condition{condition("/amount", "<", `"5"`)}}, nil},
		{"cannot be free", policy.SuggestOptions{Free: []string{"amount"}, When: []rule.Condition{condition("/amount", "<", "6")}}, nil},
		{"at most", policy.SuggestOptions{Lasts: 10000 * time.Hour}, nil},
		{"at most", policy.SuggestOptions{Lasts: -1}, nil},
		{"secret", policy.SuggestOptions{}, func(_ *ledger.Approval, e *ledger.Entry) { e.ArgumentsDigest = "of something else" }},
		{"not there any more", policy.SuggestOptions{}, func(a *ledger.Approval, _ *ledger.Entry) { a.Arguments = nil }},
		{"unresolved", policy.SuggestOptions{}, func(a *ledger.Approval, _ *ledger.Entry) { a.Unresolved = "x" }},
		{"own check", policy.SuggestOptions{}, func(a *ledger.Approval, _ *ledger.Entry) { a.Finding.NeedsApproval = true }},
	} {
		a, e := a, e
		if row.change != nil {
			row.change(&a, &e)
		}
		if r, err := policy.Suggest(a, e, &row.o); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("Suggest(%+v) = %+v, %v, want an error with %q", row.o, r, err, row.want)
		}
	}
}
