package postgres_test

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/rule"
)

var (
	storyDay    = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	storyTell   = holdfast.Principal{Tenant: "acme", ID: "ana"}
	storyBudget = []rule.Budget{{Name: "payments", Scope: "acme", PerRun: big.NewRat(1, 1)}}
)

const storyWait = 1000 * 24 * time.Hour

func storyClaim(key string) ledger.Claim {
	return ledger.Claim{TellsApart: true, Entry: ledger.Entry{
		ID: "entry-" + key, Run: "run", Turn: 1, Round: 1, CallID: "call", Tool: "bank.pay", ToolDigest: "tool", Effect: holdfast.Write,
		Principal: storyTell, Key: key, Arguments: []byte(`{"to":"` + key + `"}`), ArgumentsDigest: "digest of " + key,
	}}
}

type story struct {
	*testing.T
	*ledger.Ledger
}

func (s story) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s story) call(key string, o holdfast.Outcome) {
	s.Helper()
	e, _, err := s.Start(s.Context(), storyClaim(key))
	s.must(err)
	_, err = s.Settle(s.Context(), e.ID, e.Fence, o, "record", "")
	s.must(err)
}

func (s story) ask(key string) string {
	s.Helper()
	e := storyClaim(key).Entry
	e.Sealed = []byte(`{"to": "sealed"}`)
	_, a, err := s.OpenApproval(s.Context(), e, ledger.Approval{Digest: "bound", Why: "it is much", Wait: storyWait})
	s.must(err)
	return a.ID
}

// tellStory writes rows of each kind, with calls in the states that matter, on
// storyDay and the days before it: clock sets the time.
func tellStory(t *testing.T, store ledger.Store, clock func(time.Time)) {
	t.Helper()
	id := 0
	l, err := ledger.New(t.Context(), store, &ledger.Options{Owner: "owner", NewID: func() string { id++; return fmt.Sprintf("id-%d", id) }})
	s := story{t, l}
	s.must(err)
	clock(storyDay.Add(-48 * time.Hour))
	_, err = s.CreateRun(t.Context(), ledger.Run{ID: "run", Catalog: "bank", Principal: storyTell})
	s.must(err)
	_, err = s.BeginTurn(t.Context(), "run", "pay them")
	s.must(err)
	s.must(s.SaveRound(t.Context(), ledger.Round{
		Run: "run", Turn: 1, Number: 1, API: "openai-chat", Reply: []byte("{\"a\": \"\xff\"}"), Complete: true,
		Calls: []holdfast.Call{{ID: "call", Name: "pay", Kind: holdfast.FunctionCall, Arguments: `{"to": 1.0}`, Complete: true}},
	}))
	s.call("old", holdfast.Outcome{Status: holdfast.OK})
	clock(storyDay)
	if n, err := s.Prune(t.Context(), 24*time.Hour); err != nil || n != 1 {
		t.Fatalf("Prune() = %d, %v, want the old call", n, err)
	}
	s.call("paid", holdfast.Outcome{Status: holdfast.OK, Result: &holdfast.Result{JSON: []byte(`{"receipt":9007199254740993}`)}})
	s.call("refused", holdfast.Outcome{Status: holdfast.Failed, Code: holdfast.NoEffect})
	s.call("unknown", holdfast.Outcome{Status: holdfast.Uncertain, Code: holdfast.Timeout})
	rejected := storyClaim("rejected").Entry
	rejected.Outcome = &holdfast.Outcome{Status: holdfast.Rejected, Code: holdfast.InvalidArguments, Message: "it's \\ not \"so\""}
	_, err = s.Record(t.Context(), rejected)
	s.must(err)
	s.ask("waits")
	_, _, err = s.ApproveAlways(t.Context(), s.ask("granted"), "boss", "as ever", rule.Saved{Arguments: []string{"to"}, Lasts: storyWait})
	s.must(err)
	s.must(s.Mark(t.Context(), "run", holdfast.Untrusted))
	_, err = s.Spend(t.Context(), "run", storyBudget)
	s.must(err)
	_, _, err = s.Start(t.Context(), storyClaim("lost"))
	s.must(err)
}

// wantStory asserts that what tellStory wrote in a version means what it meant,
// and that it goes on from there.
func wantStory(t *testing.T, store ledger.Store, version int) {
	t.Helper()
	l, err := ledger.New(t.Context(), store, nil)
	s := story{t, l}
	s.must(err)
	s.wantSound()
	s.wantKeys()
	s.wantRows()
	if version >= 2 {
		s.wantPolicy()
	}
	a, err := s.Approvals(t.Context(), ledger.Filter{State: string(ledger.Waiting)})
	if err != nil || len(a) != 1 || a[0].EntryID != "entry-waits" {
		t.Fatalf("Approvals(waiting) = %+v, %v, want the one that waits", a, err)
	}
	if yes, err := s.Approve(t.Context(), a[0].ID, "boss", "fine"); err != nil || yes.State != ledger.Approved {
		t.Errorf("Approve() = %+v, %v, want it approved", yes, err)
	}
	for _, key := range []string{"waits", "granted"} {
		e := s.approved(key)
		if e, err := s.Settle(t.Context(), e.ID, e.Fence, holdfast.Outcome{Status: holdfast.OK}, "record", ""); err != nil || e.State != ledger.StateOK {
			t.Errorf("Settle(%s) = %s, %v, want ok", key, e.State, err)
		}
	}
	s.call("new", holdfast.Outcome{Status: holdfast.OK})
	s.wantSound()
}

// approved starts a call that a person said yes to.
func (s story) approved(key string) ledger.Entry {
	s.Helper()
	waits, err := s.Entry(s.Context(), "entry-"+key)
	s.must(err)
	c := storyClaim(key)
	c.ApprovalID, c.Digest = waits.ApprovalID, "bound"
	e, standing, err := s.Start(s.Context(), c)
	if err != nil || !standing.Free() {
		s.Fatalf("Start(%s) by its approval = %+v, %v, want it free", key, standing, err)
	}
	return e
}

func (s story) wantSound() {
	s.Helper()
	if n, _, faults, err := s.Verify(s.Context()); err != nil || len(faults) > 0 || n < 10 {
		s.Errorf("Verify() = %d events, faults %q, %v, want none", n, faults, err)
	}
}

func (s story) wantKeys() {
	s.Helper()
	want := map[string]holdfast.Code{
		"old": holdfast.KeyPruned, "paid": "", "refused": "free", "unknown": holdfast.UnresolvedWrite, "rejected": "free",
		"waits": holdfast.ApprovalPending, "granted": holdfast.ApprovalPending, "lost": holdfast.UnresolvedWrite, "new": "free",
	}
	got := map[string]holdfast.Code{}
	for key := range want {
		c := storyClaim(key)
		c.Entry.ID = ""
		standing, err := s.Look(s.Context(), c)
		s.must(err)
		got[key] = standing.Code
		if standing.Free() {
			got[key] = "free"
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("keys differ (-want +got):\n%s", diff)
	}
	again := storyClaim("old")
	again.Entry.ID = ""
	if _, standing, err := s.Start(s.Context(), again); err != nil || standing.Code != holdfast.KeyPruned {
		s.Errorf("Start(old) = %+v, %v, want key_pruned: it would be done twice", standing, err)
	}
}

func (s story) wantRows() {
	s.Helper()
	list, err := s.Entries(s.Context(), ledger.Filter{InOrder: true})
	s.must(err)
	got := map[string]ledger.State{}
	for _, e := range list {
		got[e.ID] = e.State
	}
	want := map[string]ledger.State{
		"entry-paid": ledger.StateOK, "entry-refused": ledger.StateFailed, "entry-unknown": ledger.StateUncertain,
		"entry-rejected": ledger.StateRejected, "entry-waits": ledger.StatePending, "entry-granted": ledger.StatePending, "entry-lost": ledger.StateUncertain,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("entries differ (-want +got):\n%s", diff)
	}
	if _, err := s.Entry(s.Context(), "entry-old"); !errors.Is(err, ledger.ErrNotFound) || !strings.Contains(err.Error(), "pruned on 2026-11-30") {
		s.Errorf("Entry(old) = %v, want it pruned on its day", err)
	}
	paid, err := s.Entry(s.Context(), "entry-paid")
	if err != nil || string(paid.Outcome.Result.JSON) != `{"receipt":9007199254740993}` || paid.Principal != storyTell {
		s.Errorf("Entry(paid) = %+v, %v, want its result and principal", paid, err)
	}
	rejected, err := s.Entry(s.Context(), "entry-rejected")
	if err != nil || rejected.Outcome.Message != "it's \\ not \"so\"" {
		s.Errorf("Entry(rejected).Outcome.Message = %q, %v, want it to the byte", rejected.Outcome.Message, err)
	}
	waits, err := s.Entry(s.Context(), "entry-waits")
	if err != nil || string(waits.Sealed) != `{"to": "sealed"}` {
		s.Errorf("Entry(waits).Sealed = %q, %v, want the sealed bytes", waits.Sealed, err)
	}
	turns, err := s.Turns(s.Context(), "run")
	if err != nil || len(turns) != 1 || turns[0].Message != "pay them" || turns[0].End != "" {
		s.Errorf("Turns() = %+v, %v, want the open one", turns, err)
	}
	rounds, err := s.Rounds(s.Context(), "run", 1)
	if err != nil || len(rounds) != 1 || string(rounds[0].Reply) != "{\"a\": \"\xff\"}" || rounds[0].Calls[0].Arguments != `{"to": 1.0}` {
		s.Errorf("Rounds() = %+v, %v, want the reply to the byte", rounds, err)
	}
}

// wantPolicy asserts what came with version 2.
func (s story) wantPolicy() {
	s.Helper()
	if list, err := s.Labels(s.Context(), "run"); err != nil || len(list) != 1 || list[0] != holdfast.Untrusted {
		s.Errorf("Labels() = %q, %v, want untrusted", list, err)
	}
	if list, err := s.RulesFor(s.Context(), storyTell, "bank.pay"); err != nil || len(list) != 1 || list[0].SavedBy != "boss" {
		s.Errorf("RulesFor() = %+v, %v, want the one that was saved", list, err)
	}
	if over, err := s.Spend(s.Context(), "run", storyBudget); err != nil || over != "payments" {
		s.Errorf("Spend() = %q, %v, want the budget used up", over, err)
	}
}
