package ledgertest

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

func look(run string, round, position int) ledger.Entry {
	found := ok("found")
	return ledger.Entry{
		Run: run, Turn: 1, Round: round, Position: position, Tool: "bank.look", Effect: holdfast.Read, Principal: ana, Outcome: &found,
	}
}

func (b *bench) record(e ledger.Entry) ledger.Entry {
	b.Helper()
	got, err := b.Record(b.Context(), e)
	if err != nil || got.ID == "" {
		b.Fatalf("Record() = %q, %v, want an id", got.ID, err)
	}
	return got
}

func (b *bench) list(f ledger.Filter) (ids []string) {
	b.Helper()
	list, err := b.Entries(b.Context(), f)
	if err != nil {
		b.Fatalf("Entries(%+v) = %v, want no error", f, err)
	}
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	return ids
}

var recordCases = []ledgerCase{
	{"an entry reads back whole", func(b *bench) {
		e := ledger.Entry{
			ID: "mine", Run: "r", Turn: 2, Round: 3, Position: 4, CallID: "call", Tool: "bank.look", ToolDigest: "tool",
			Effect: holdfast.Read, Principal: ana, Arguments: []byte(`{"n":9007199254740993,"s":"<é>"}`), ArgumentsDigest: "d",
			Coerced: []schema.Coercion{{Path: "/n", Rule: "string to integer", From: []byte(`"5"`), To: []byte(`5`)}},
			Stage:   "execute", Proposed: b.clock.Now().Add(-time.Second), Started: b.clock.Now(),
			Outcome: &holdfast.Outcome{
				Status: holdfast.Failed, Code: holdfast.OutputInvalid, Message: "m", Next: "n", Replayed: true, Parked: true, ApprovalID: "a",
				Problems: []schema.Problem{{Path: "/x", Keyword: "type", Expected: "number", Got: "string", Message: "must"}},
				Result:   &holdfast.Result{JSON: []byte(`{"a":1.0}`), Text: "t", Images: []holdfast.Image{{MediaType: "image/png", Data: []byte{0, 255}}}},
				Inner:    []holdfast.Inner{{Tool: "t", Status: holdfast.OK, Code: "c", LedgerID: "l"}},
				Also:     []holdfast.Outcome{holdfast.Reject(holdfast.DuplicateCallID, "again", "")},
			},
		}
		b.record(e)
		e.State, e.End = ledger.StateFailed, b.clock.Now()
		if diff := cmp.Diff(e, b.entry("mine")); diff != "" {
			b.Errorf("entry differs (-want +got):\n%s", diff)
		}
	}},
	{"a rejection keeps the text as it came", func(b *bench) {
		no := holdfast.Reject(holdfast.UnreadableArguments, "not JSON", "")
		e := look("r", 1, 0)
		e.Outcome, e.Text = &no, `{"a":`
		got := b.entry(b.record(e).ID)
		if got.State != ledger.StateRejected || got.Text != e.Text {
			b.Errorf("entry = %s %q, want rejected and its text", got.State, got.Text)
		}
	}},
	{"what is not UTF-8 or not JSON is recorded all the same", func(b *bench) {
		e := look("r", 1, 0)
		e.Text, e.CallID = "\xff", "\xfe"
		e.Outcome = &holdfast.Outcome{Status: holdfast.OK, Message: "\xff", Result: &holdfast.Result{Text: "a\xffb"}}
		if got := b.entry(b.record(e).ID); got.Outcome.Result.Text != "a\uFFFDb" {
			b.Errorf("result = %q, want it readable", got.Outcome.Result.Text)
		}
		bad := b.start(b.Ledger, pay("k", "bob"))
		b.settle(b.Ledger, bad, holdfast.Outcome{Status: holdfast.OK, Result: &holdfast.Result{JSON: []byte(`{"a":`)}})
		if got := b.entry(bad.ID); got.State != ledger.StateOK {
			b.Errorf("entry = %s, want ok", got.State)
		}
		late := holdfast.Outcome{Status: holdfast.OK, Result: &holdfast.Result{JSON: []byte(`{"b":`)}}
		late.Also = []holdfast.Outcome{late}
		_, err := b.Settle(b.Context(), bad.ID, bad.Fence, late, "record", "")
		wantErr(b, "Settle of what is settled", err, ledger.ErrLost)
		story, err := b.Events(b.Context(), bad.ID)
		if err != nil || len(story) != 3 || !strings.Contains(string(story[2].Details), `"text":"{\"b\":"`) {
			b.Errorf("Events() = %+v, %v, want the late result kept as text", story, err)
		}
	}},
	{"only what is settled is recorded, and no write that was not started", func(b *bench) {
		for what, e := range map[string]ledger.Entry{
			"without an outcome": {Tool: "t", Effect: holdfast.Read},
			"that is pending":    {Tool: "t", Effect: holdfast.Read, Outcome: &holdfast.Outcome{Status: holdfast.Pending}},
			"of a write":         {Tool: "t", Effect: holdfast.Write, Outcome: &holdfast.Outcome{Status: holdfast.OK}},
		} {
			if _, err := b.Record(b.Context(), e); err == nil {
				b.Errorf("Record %s = no error, want one", what)
			}
		}
		b.record(ledger.Entry{Tool: "t", Effect: holdfast.Write, Outcome: &holdfast.Outcome{Status: holdfast.OK, Replayed: true}})
	}},
	{"a record never changes a call that was started or settled", func(b *bench) {
		e := b.start(b.Ledger, pay("k", "bob"))
		no := holdfast.Reject(holdfast.Cancelled, "no", "")
		over := e
		over.Outcome = &no
		_, err := b.Record(b.Context(), over)
		wantErr(b, "Record over a started write", err, ledger.ErrLost)
		b.settle(b.Ledger, e, ok("paid"))
		_, err = b.Record(b.Context(), over)
		wantErr(b, "Record over a settled write", err, ledger.ErrLost)
		if got := b.entry(e.ID); got.State != ledger.StateOK {
			b.Errorf("entry = %s, want ok", got.State)
		}
	}},
	{"entries are found by run, turn, round, tool and state, in either order", func(b *bench) {
		first := b.record(look("r", 1, 0)).ID
		second := b.record(look("r", 1, 1)).ID
		later := b.record(look("r", 2, 0)).ID
		elsewhere := b.record(look("r2", 1, 0)).ID
		write := b.start(b.Ledger, pay("k", "bob")).ID
		for _, c := range []struct {
			rule string
			f    ledger.Filter
			want []string
		}{
			{"all", ledger.Filter{}, []string{write, elsewhere, later, second, first}},
			{"in order", ledger.Filter{InOrder: true}, []string{first, second, later, elsewhere, write}},
			{"a run", ledger.Filter{Run: "r", Tool: "bank.look", InOrder: true}, []string{first, second, later}},
			{"a round", ledger.Filter{Run: "r", Turn: 1, Round: 1, InOrder: true}, []string{first, second, write}},
			{"a round of any turn", ledger.Filter{Run: "r", Round: 2}, []string{later}},
			{"no such turn", ledger.Filter{Run: "r", Turn: 2}, nil},
			{"a tool", ledger.Filter{Tool: "bank.pay"}, []string{write}},
			{"a state", ledger.Filter{State: "started"}, []string{write}},
			{"ok", ledger.Filter{State: "ok", Limit: 2}, []string{elsewhere, later}},
			{"a page", ledger.Filter{Before: later}, []string{second, first}},
			{"a page in order", ledger.Filter{Before: later, InOrder: true}, []string{elsewhere, write}},
		} {
			if diff := cmp.Diff(c.want, b.list(c.f)); diff != "" {
				b.Errorf("%s differs (-want +got):\n%s", c.rule, diff)
			}
		}
		_, err := b.Entry(b.Context(), "unknown")
		wantErr(b, "Entry", err, ledger.ErrNotFound)
	}},
	{"a filter that fits few finds them among many", func(b *bench) {
		rare := look("r", 1, 0)
		no := holdfast.Reject(holdfast.UnknownTool, "no", "")
		rare.Outcome = &no
		want := b.record(rare).ID
		for i := range 250 {
			b.record(look("r", 1, i))
		}
		if diff := cmp.Diff([]string{want}, b.list(ledger.Filter{Run: "r", State: "rejected"})); diff != "" {
			b.Errorf("rejected differ (-want +got):\n%s", diff)
		}
		if got := b.list(ledger.Filter{Run: "r"}); len(got) != 100 {
			b.Errorf("a page without a limit = %d, want 100", len(got))
		}
		if got := b.list(ledger.Filter{Run: "r", Limit: 230}); len(got) != 230 {
			b.Errorf("a page of 230 = %d", len(got))
		}
	}},
	{"a call's story is told in order", func(b *bench) {
		c := b.approved(pay("k", "bob"), ledger.Approval{})
		b.record(look("r", 1, 1))
		b.settle(b.Ledger, b.start(b.Ledger, c), ok("paid"))
		want := []string{"approval_waiting/0", "approval_approved/0", "started/1", "ok/1"}
		if diff := cmp.Diff(want, b.story(c.Entry.ID)); diff != "" {
			b.Errorf("story differs (-want +got):\n%s", diff)
		}
		list, _ := b.Events(b.Context(), c.Entry.ID)
		if list[1].Who != "boss" || list[2].Who != b.Owner() || !list[1].At.Equal(b.clock.Now()) {
			b.Errorf("who = %q, %q at %v, want the boss and the owner, now", list[1].Who, list[2].Who, list[1].At)
		}
	}},
}

var errBroken = errors.New("broken")

var faultCases = []ledgerCase{
	{"a store that cannot be reached starts nothing", func(b *bench) {
		b.store.fail(fmt.Errorf("%w: gone", ledger.ErrUnavailable), nil)
		_, _, err := b.Start(b.Context(), pay("k", "bob"))
		wantErr(b, "Start", err, ledger.ErrUnavailable)
		b.store.fail(nil, nil)
		b.wantFree(b.Ledger, pay("k", "bob"))
	}},
	{"a start whose fate is not known is taken back by its owner", func(b *bench) {
		b.store.fail(nil, errBroken)
		_, _, err := b.Start(b.Context(), pay("k", "bob"))
		wantErr(b, "Start", err, errBroken)
		b.store.fail(nil, nil)
		e := b.start(b.Ledger, pay("k", "bob"))
		list, _ := b.Entries(b.Context(), ledger.Filter{State: "rejected"})
		if len(list) != 1 || list[0].ID == e.ID || list[0].Outcome.Code != holdfast.LedgerUnavailable {
			b.Errorf("rejected entries = %+v, want the first start taken back", list)
		}
	}},
	{"an approval whose fate is not known is taken back by who asked", func(b *bench) {
		b.store.fail(nil, errBroken)
		_, _, err := b.OpenApproval(b.Context(), pay("k", "bob").Entry, ledger.Approval{Digest: "bound"})
		wantErr(b, "OpenApproval", err, errBroken)
		b.store.fail(nil, nil)
		b.wantFree(b.Ledger, pay("k", "bob"))
		list, err := b.Approvals(b.Context(), ledger.Filter{})
		if err != nil || len(list) != 1 || list[0].State != ledger.Withdrawn {
			b.Errorf("Approvals() = %+v, %v, want the one withdrawn", list, err)
		}
		b.wantIntact()
	}},
	{"a start whose fate is not known is uncertain if its process ends", func(b *bench) {
		other := b.another()
		b.store.fail(nil, errBroken)
		_, _, err := other.Start(b.Context(), pay("k", "bob"))
		wantErr(b, "Start", err, errBroken)
		b.store.fail(nil, nil)
		b.kill(other)
		if s, _ := b.Look(b.Context(), pay("k", "bob")); s.Code != holdfast.UnresolvedWrite {
			b.Errorf("Look() = %+v, want unresolved", s)
		}
	}},
	{"until its outcome is recorded a write is told as uncertain", func(b *bench) {
		e := b.start(b.Ledger, pay("k", "bob"))
		b.store.fail(fmt.Errorf("%w: gone", ledger.ErrUnavailable), nil)
		_, err := b.Settle(b.Context(), e.ID, e.Fence, ok("paid"), "record", "")
		wantErr(b, "Settle", err, ledger.ErrUnavailable)
		b.store.fail(nil, nil)
		b.wantStanding(b.Ledger, pay("k", "bob"), holdfast.UnresolvedWrite, e.ID)
		b.wantStanding(b.Ledger, pay("k2", "bob"), holdfast.UnresolvedWrite, e.ID)
		if got := b.entry(e.ID); got.State != ledger.StateUncertain {
			b.Errorf("entry = %s, want uncertain", got.State)
		}
		b.settle(b.Ledger, e, ok("paid"))
		b.wantStanding(b.Ledger, pay("k", "bob"), "", e.ID)
	}},
	{"a commit whose fate is not known may be tried again", func(b *bench) {
		e := b.start(b.Ledger, pay("k", "bob"))
		b.store.fail(nil, errBroken)
		_, err := b.Settle(b.Context(), e.ID, e.Fence, ok("paid"), "record", "")
		wantErr(b, "Settle", err, errBroken)
		b.store.fail(nil, nil)
		b.settle(b.Ledger, e, ok("paid"))
		if diff := cmp.Diff([]string{"started/1", "ok/1"}, b.story(e.ID)); diff != "" {
			b.Errorf("story differs (-want +got):\n%s", diff)
		}
	}},
	{"a store that only reads still opens and tells what was lost", func(b *bench) {
		other := b.another()
		e := b.start(other, pay("k", "bob"))
		b.kill(other)
		b.store.fail(fmt.Errorf("%w: read only", ledger.ErrUnavailable), nil)
		reader := b.another()
		got, err := reader.Entry(b.Context(), e.ID)
		if err != nil || got.State != ledger.StateUncertain {
			b.Errorf("Entry() = %s, %v, want uncertain", got.State, err)
		}
	}},
}
