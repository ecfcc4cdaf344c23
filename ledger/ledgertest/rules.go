package ledgertest

import (
	"encoding/json"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/rule"
)

// always is a rule that covers payments to bob.
func always() rule.Saved {
	return rule.Saved{
		Arguments: []string{"to"}, Principal: ana,
		When: []rule.Condition{{Path: "/to", Op: "==", Value: json.RawMessage(`"bob"`)}},
	}
}

var ruleCases = []ledgerCase{
	{"a rule is saved with its answer, once, and survives its process", func(b *bench) {
		e, a := b.pend(pay("k", "bob"), ledger.Approval{ToolDigest: "v1"})
		got, saved, err := b.ApproveAlways(b.Context(), a.ID, "boss", "he is family", always())
		if err != nil || got.State != ledger.Approved || got.Saved != saved.ID || got.DecidedBy != "boss" {
			b.Fatalf("ApproveAlways() = %+v, %+v, %v, want approved and saved", got, saved, err)
		}
		now := b.clock.Now()
		want := always()
		want.ID, want.Tool, want.ToolDigest, want.Approval, want.SavedBy = saved.ID, e.Tool, "v1", a.ID, "boss"
		want.Saved, want.Lasts, want.Expires = now, 30*24*time.Hour, now.Add(30*24*time.Hour)
		b.Ledger = b.another()
		list, err := b.RulesFor(b.Context(), ana, e.Tool)
		if diff := cmp.Diff([]rule.Saved{want}, list); diff != "" || err != nil {
			b.Errorf("RulesFor() error %v, differs (-want +got):\n%s", err, diff)
		}
		_, again, err := b.ApproveAlways(b.Context(), a.ID, "boss", "", always())
		if err != nil || again.ID != saved.ID {
			b.Errorf("the same answer again = %s, %v, want %s and no other", again.ID, err, saved.ID)
		}
		wider := always()
		wider.When = nil
		_, _, err = b.ApproveAlways(b.Context(), a.ID, "boss", "", wider)
		b.wantDecided("a wider rule for the same answer", err, ledger.Approved)
		if what := b.story(e.ID); what[len(what)-1] != "rule_saved/0" {
			b.Errorf("the call's story ends %v, want rule_saved", what)
		}
	}},
	{"a rule ends by its time, by a person, and with what its principal said", func(b *bench) {
		save := func(key, to string) string {
			_, a := b.pend(pay(key, to), ledger.Approval{})
			_, saved, err := b.ApproveAlways(b.Context(), a.ID, "boss", "", always())
			if err != nil {
				b.Fatal(err)
			}
			return saved.ID
		}
		count := func(what string, want int) {
			b.Helper()
			if list, err := b.RulesFor(b.Context(), ana, pay("k", "").Entry.Tool); len(list) != want || err != nil {
				b.Errorf("%s: %d rules hold, %v, want %d", what, len(list), err, want)
			}
		}
		save("1", "bob")
		count("one saved", 1)
		b.clock.pass(31 * 24 * time.Hour)
		count("past its time", 0)
		id := save("2", "cyd")
		for range 2 {
			if r, err := b.RevokeRule(b.Context(), id, "boss"); err != nil || r.RevokedBy != "boss" {
				b.Errorf("RevokeRule() = %+v, %v", r, err)
			}
		}
		count("revoked", 0)
		save("3", "dan")
		if _, err := b.Erase(b.Context(), ana); err != nil {
			b.Fatal(err)
		}
		count("erased", 0)
		list, err := b.Rules(b.Context(), ledger.Filter{})
		if err != nil || len(list) != 3 || list[0].When != nil {
			b.Errorf("Rules() = %+v, %v, want three, without what they said", list, err)
		}
		if _, err := b.RevokeRule(b.Context(), "none", "boss"); err == nil {
			b.Error("RevokeRule(none) = no error")
		}
		b.wantIntact()
	}},
	{"a rule that ended before the start starts nothing", func(b *bench) {
		_, a := b.pend(pay("k", "bob"), ledger.Approval{})
		_, saved, err := b.ApproveAlways(b.Context(), a.ID, "boss", "", always())
		if err != nil {
			b.Fatal(err)
		}
		c := pay("j", "eve")
		c.Rule = saved.ID
		b.settle(b.Ledger, b.start(b.Ledger, c), ok(""))
		if _, err := b.RevokeRule(b.Context(), saved.ID, "boss"); err != nil {
			b.Fatal(err)
		}
		c = pay("i", "fay")
		c.Rule = saved.ID
		b.wantStart(c, holdfast.ApprovalVoid)
		c.Rule = "unknown"
		b.wantStart(c, holdfast.ApprovalVoid)
	}},
	{"a rule cannot be saved for another, by nobody, or with an answer that stands", func(b *bench) {
		_, a := b.pend(pay("k", "bob"), ledger.Approval{})
		other := always()
		other.Principal.ID = "ben"
		if _, _, err := b.ApproveAlways(b.Context(), a.ID, "boss", "", other); err == nil {
			b.Error("a rule for another principal was saved")
		}
		if _, _, err := b.ApproveAlways(b.Context(), a.ID, "", "", always()); err == nil {
			b.Error("a rule was saved by nobody")
		}
		if _, err := b.Deny(b.Context(), a.ID, "boss", ""); err != nil {
			b.Fatal(err)
		}
		_, _, err := b.ApproveAlways(b.Context(), a.ID, "boss", "", always())
		b.wantDecided("always after a no", err, ledger.Denied)
		if list, err := b.Rules(b.Context(), ledger.Filter{}); len(list) != 0 || err != nil {
			b.Errorf("Rules() = %+v, %v, want none", list, err)
		}
	}},
	{"a rule that was widened, put in or removed behind the ledger's back is found", func(b *bench) {
		save := func(key, to string) string {
			_, a := b.pend(pay(key, to), ledger.Approval{})
			_, saved, err := b.ApproveAlways(b.Context(), a.ID, "boss", "", always())
			if err != nil {
				b.Fatal(err)
			}
			return saved.ID
		}
		first, second := save("1", "bob"), save("2", "cyd")
		b.wantIntact()
		b.tamper("rules", first, `"op":"=="`, `"op":"!="`)
		b.wantFault("rule " + first + " is not as")
		update(b.T, b.store.Store, func(tx ledger.Tx) error {
			if err := tx.Put(ledger.Row{Table: "rules", ID: "forged", Body: []byte(`{"id":"forged","tool":"pay"}`)}); err != nil {
				return err
			}
			return tx.Delete("rules", second)
		})
		b.wantFault("rule forged stands in no event")
		b.wantFault("rule " + second + " is missing")
	}},
}
