package ledgertest

import (
	"slices"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

var crashCases = []ledgerCase{
	{"a started write of a killed process is uncertain at once for who looks", func(b *bench) {
		other := b.another()
		e := b.start(other, pay("k", "bob"))
		b.wantStanding(b.Ledger, pay("k", "bob"), holdfast.InProgress, e.ID)
		b.kill(other)
		s, err := b.Look(b.Context(), pay("k", "bob"))
		if err != nil || s.Code != holdfast.UnresolvedWrite || s.Held == nil || s.Held.State != ledger.StateUncertain {
			b.Errorf("Look() = %+v, %v, want it unresolved", s, err)
		}
		if got := b.entry(e.ID); got.State != ledger.StateUncertain || got.Outcome.Code != holdfast.Unrecorded {
			b.Errorf("Entry() = %s %+v, want uncertain, unrecorded", got.State, got.Outcome)
		}
		if list, _ := b.Entries(b.Context(), ledger.Filter{State: string(ledger.StateUncertain)}); len(list) != 1 {
			b.Errorf("Entries(uncertain) = %d, want the lost one", len(list))
		}
		b.wantStanding(b.Ledger, pay("k", "bob"), holdfast.UnresolvedWrite, e.ID)
		b.wantStanding(b.Ledger, pay("other", "bob"), holdfast.UnresolvedWrite, e.ID)
	}},
	{"a new ledger settles what killed ones left", func(b *bench) {
		other := b.another()
		e := b.start(other, pay("k", "bob"))
		b.kill(other)
		fresh := b.another()
		if diff := cmp.Diff([]string{"started/1", "uncertain/2"}, b.story(e.ID)); diff != "" {
			b.Errorf("story after New differs (-want +got):\n%s", diff)
		}
		got, _ := fresh.Entry(b.Context(), e.ID)
		if _, err := fresh.Resolve(b.Context(), e.ID, got.Fence, failed(), "ana", "not on the statement"); err != nil {
			b.Errorf("Resolve() = %v, want no error", err)
		}
		b.wantFree(fresh, pay("k", "bob"))
	}},
	{"a killed owner's late commit is refused and kept as evidence", func(b *bench) {
		other := b.another()
		e := b.start(other, pay("k", "bob"))
		b.kill(other)
		b.another()
		got, err := other.Settle(b.Context(), e.ID, e.Fence, ok("I was only stopped"), "execute", "")
		wantErr(b, "Settle", err, ledger.ErrLost)
		if got.State != ledger.StateUncertain {
			b.Errorf("entry = %s, want uncertain", got.State)
		}
		if got := b.story(e.ID); !slices.Contains(got, "evidence/2") {
			b.Errorf("story = %v, want the late result kept", got)
		}
	}},
	{"a claimed key of a killed process is handed on and the fence goes up", func(b *bench) {
		other := b.another()
		c := pay("k", "bob")
		c.KeepClaimed = true
		e := b.start(other, c)
		if e.State != ledger.StateClaimed {
			b.Fatalf("Start(KeepClaimed) = %s, want claimed", e.State)
		}
		b.wantStanding(b.Ledger, pay("k", "bob"), holdfast.InProgress, e.ID)
		b.kill(other)
		b.wantFree(b.Ledger, pay("k", "bob"))
		mine := b.start(b.Ledger, pay("k", "bob"))
		if mine.Fence <= e.Fence {
			b.Errorf("fence = %d, want more than %d", mine.Fence, e.Fence)
		}
		again := pay("k", "bob")
		again.Entry.ID = e.ID
		b.wantStanding(other, again, holdfast.InProgress, mine.ID)
	}},
	{"a claimed entry is started by its owner", func(b *bench) {
		c := pay("k", "bob")
		c.KeepClaimed = true
		e := b.start(b.Ledger, c)
		c.KeepClaimed, c.Entry.ID = false, e.ID
		if got := b.start(b.Ledger, c); got.ID != e.ID || got.State != ledger.StateStarted {
			b.Errorf("Start of a claimed entry = %s %s, want the same, started", got.ID, got.State)
		}
	}},
	{"closing gives up what still runs", func(b *bench) {
		other := b.another()
		e := b.start(other, pay("k", "bob"))
		if err := other.Close(); err != nil {
			b.Fatalf("Close() = %v, want no error", err)
		}
		if got := b.entry(e.ID); got.State != ledger.StateUncertain {
			b.Errorf("entry after Close = %s, want uncertain", got.State)
		}
		_, _, err := other.Start(b.Context(), pay("k2", "carol"))
		wantErr(b, "Start after Close", err, ledger.ErrUnavailable)
		if err := other.Close(); err != nil {
			b.Errorf("second Close() = %v, want no error", err)
		}
	}},
	{"an agent call of a killed process is resumed as the same entry", func(b *bench) {
		other := b.another()
		c := pay("k", "bob")
		c.Entry.Effect = holdfast.Agent
		e := b.start(other, c)
		b.wantStanding(b.Ledger, c, holdfast.InProgress, e.ID)
		b.kill(other)
		got := b.start(b.another(), c)
		if got.ID != e.ID || got.Fence <= e.Fence {
			b.Errorf("resumed = %s fence %d, want %s above fence %d", got.ID, got.Fence, e.ID, e.Fence)
		}
		_, err := other.Settle(b.Context(), e.ID, e.Fence, ok(""), "execute", "")
		wantErr(b, "Settle by the first owner", err, ledger.ErrLost)
	}},
	{"a parked agent call is owned by nobody and goes on as the same entry", func(b *bench) {
		c := pay("k", "bob")
		c.Entry.Effect = holdfast.Agent
		e := b.start(b.Ledger, c)
		parked := holdfast.Outcome{Status: holdfast.Pending, Code: holdfast.ApprovalPending, Parked: true, ApprovalID: "a1"}
		got, err := b.Settle(b.Context(), e.ID, e.Fence, parked, "execute", "")
		if err != nil || got.State != ledger.StateParked || got.Owner != "" || !got.End.IsZero() || got.Outcome.ApprovalID != "a1" {
			b.Fatalf("Settle(parked) = %+v, %v, want it parked without an owner", got, err)
		}
		if again, err := b.Settle(b.Context(), e.ID, e.Fence, parked, "execute", ""); err != nil || again.Ran != got.Ran {
			b.Errorf("Settle(parked) again = %+v, %v, want no change", again, err)
		}
		other := b.another()
		next := b.start(other, c)
		if next.ID != e.ID || next.Fence <= e.Fence || next.State != ledger.StateStarted || next.Outcome != nil {
			b.Errorf("resumed = %+v, want %s started above fence %d", next, e.ID, e.Fence)
		}
		b.wantStanding(b.Ledger, c, holdfast.InProgress, e.ID)
		_, err = b.Settle(b.Context(), e.ID, e.Fence, ok(""), "execute", "")
		wantErr(b, "Settle under the fence before", err, ledger.ErrLost)
		waits := holdfast.Outcome{Status: holdfast.Pending}
		if _, err := other.Settle(b.Context(), e.ID, next.Fence, waits, "execute", ""); err == nil {
			b.Error("Settle of a pending outcome that is not parked = nil, want an error")
		}
	}},
	{"a run within an agent call names it, and is listed under it", func(b *bench) {
		top, err := b.CreateRun(b.Context(), ledger.Run{ID: "top"})
		if err != nil {
			b.Fatal(err)
		}
		c := pay("k", "bob")
		c.Entry.Run, c.Entry.Effect = top.ID, holdfast.Agent
		around := b.start(b.Ledger, c)
		within, err := b.CreateRun(b.Context(), ledger.Run{ID: "within", Parent: around.ID})
		if err != nil {
			b.Fatal(err)
		}
		c.Entry.Run, c.Entry.Key, c.Entry.Effect = within.ID, "k2", holdfast.Write
		inner := b.start(b.Ledger, c)
		for _, e := range []ledger.Entry{inner, around} {
			if got, err := b.Outermost(b.Context(), e); err != nil || got.ID != around.ID || got.Run != top.ID {
				b.Errorf("Outermost(%s) = %s of run %s, %v, want %s", e.ID, got.ID, got.Run, err, around.ID)
			}
		}
		got, err := b.Runs(b.Context(), ledger.Filter{Parent: around.ID})
		if err != nil || len(got) != 1 || got[0].ID != within.ID || got[0].Parent != around.ID {
			b.Errorf("Runs(parent %s) = %+v, %v, want the one within", around.ID, got, err)
		}
	}},
}
