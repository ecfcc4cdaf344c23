package ledgertest

import (
	"fmt"
	"slices"
	"sync"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

var keyCases = []ledgerCase{
	{"a key that is settled ok is replayed", func(b *bench) {
		c := pay("k", "bob")
		b.wantFree(b.Ledger, c)
		e := b.settle(b.Ledger, b.start(b.Ledger, c), ok("paid"))
		b.wantStanding(b.Ledger, c, "", e.ID)
		s, _ := b.Look(b.Context(), c)
		if got := s.Held.Outcome; got == nil || got.Result == nil || got.Result.Text != "paid" {
			b.Errorf("replayed outcome = %+v, want the recorded result", got)
		}
	}},
	{"a key that runs is in progress, here and elsewhere", func(b *bench) {
		other := b.another()
		e := b.start(b.Ledger, pay("k", "bob"))
		b.wantStanding(b.Ledger, pay("k", "bob"), holdfast.InProgress, e.ID)
		b.wantStanding(other, pay("k", "bob"), holdfast.InProgress, e.ID)
	}},
	{"other arguments under a key conflict in every state and show nothing", func(b *bench) {
		e := b.start(b.Ledger, pay("started", "a"))
		b.wantStanding(b.Ledger, pay("started", "z"), holdfast.KeyConflict, "")
		b.settle(b.Ledger, e, ok(""))
		b.wantStanding(b.Ledger, pay("started", "z"), holdfast.KeyConflict, "")
		b.settle(b.Ledger, b.start(b.Ledger, pay("uncertain", "b")), uncertain())
		b.wantStanding(b.Ledger, pay("uncertain", "z"), holdfast.KeyConflict, "")
		b.pend(pay("pending", "c"), ledger.Approval{})
		b.wantStanding(b.Ledger, pay("pending", "z"), holdfast.KeyConflict, "")
	}},
	{"another principal's key conflicts, even after it failed", func(b *bench) {
		eve := pay("k", "bob")
		eve.Entry.Principal.ID = "eve"
		e := b.start(b.Ledger, pay("k", "bob"))
		b.wantStanding(b.Ledger, eve, holdfast.KeyConflict, "")
		b.settle(b.Ledger, e, failed())
		b.wantStanding(b.Ledger, eve, holdfast.KeyConflict, "")
	}},
	{"a key is its tenant's and its tool's alone", func(b *bench) {
		b.start(b.Ledger, pay("k", "bob"))
		tenant, tool := pay("k", "bob"), pay("k", "bob")
		tenant.Entry.Principal.Tenant = "other"
		tool.Entry.Tool = "bank.refund"
		b.wantFree(b.Ledger, tenant)
		b.wantFree(b.Ledger, tool)
	}},
	{"a failed write frees its key for any arguments and the fence goes up", func(b *bench) {
		first := b.start(b.Ledger, pay("k", "bob"))
		b.settle(b.Ledger, first, failed())
		b.wantFree(b.Ledger, pay("k", "bob"))
		second := b.start(b.Ledger, pay("k", "carol"))
		if second.ID == first.ID || second.Fence <= first.Fence {
			b.Errorf("second start = entry %s fence %d, want another entry and a fence above %d", second.ID, second.Fence, first.Fence)
		}
		if got := b.entry(first.ID).State; got != ledger.StateFailed {
			b.Errorf("first entry = %s, want it kept as failed", got)
		}
	}},
	{"an uncertain write stays unresolved under its key", func(b *bench) {
		e := b.settle(b.Ledger, b.start(b.Ledger, pay("k", "bob")), uncertain())
		b.wantStanding(b.Ledger, pay("k", "bob"), holdfast.UnresolvedWrite, e.ID)
	}},
	{"the same write under another key is held back, in any run, until it is resolved", func(b *bench) {
		elsewhere := pay("other", "bob")
		elsewhere.Entry.Run = "r2"
		e := b.start(b.Ledger, pay("k", "bob"))
		b.wantStanding(b.Ledger, elsewhere, holdfast.InProgress, e.ID)
		e = b.settle(b.Ledger, e, uncertain())
		b.wantStanding(b.Ledger, elsewhere, holdfast.UnresolvedWrite, e.ID)
		if _, err := b.Resolve(b.Context(), e.ID, e.Fence, ok("seen"), "ana", "bank statement"); err != nil {
			b.Fatalf("Resolve() = %v, want no error", err)
		}
		b.wantFree(b.Ledger, elsewhere)
	}},
	{"the same write of another principal is not held back", func(b *bench) {
		b.settle(b.Ledger, b.start(b.Ledger, pay("k", "bob")), uncertain())
		eve := pay("other", "bob")
		eve.Entry.Principal.ID, eve.Entry.Run = "eve", "r2"
		b.wantFree(b.Ledger, eve)
	}},
	{"another write of the tool in the run waits for a person", func(b *bench) {
		e := b.settle(b.Ledger, b.start(b.Ledger, pay("k", "bob")), uncertain())
		c := pay("other", "carol")
		s, err := b.Look(b.Context(), c)
		if err != nil || s.Code != "" || s.Unresolved == nil || s.Unresolved.ID != e.ID || s.Free() {
			b.Fatalf("Look() = %+v, %v, want it to name the unresolved write", s, err)
		}
		if _, s, err = b.Start(b.Context(), c); err != nil || s.Free() || s.Unresolved == nil {
			b.Errorf("Start() = %+v, %v, want it not started", s, err)
		}
		elsewhere, apart := c, c
		elsewhere.Entry.Run, apart.TellsApart = "r2", true
		b.wantFree(b.Ledger, elsewhere)
		b.wantFree(b.Ledger, apart)

		unnamed := b.approved(c, ledger.Approval{})
		if _, s, err = b.Start(b.Context(), unnamed); err != nil || s.Unresolved == nil {
			b.Errorf("Start with an approval that does not name it = %+v, %v, want it not started", s, err)
		}
		named := b.approved(pay("third", "dave"), ledger.Approval{Unresolved: e.ID})
		b.start(b.Ledger, named)
	}},
	{"a late result under a lost fence is evidence and no more", func(b *bench) {
		e := b.settle(b.Ledger, b.start(b.Ledger, pay("k", "bob")), uncertain())
		got, err := b.Settle(b.Context(), e.ID, e.Fence, ok("late"), "execute", "it answered after all")
		wantErr(b, "Settle", err, ledger.ErrLost)
		if got.State != ledger.StateUncertain || b.entry(e.ID).State != ledger.StateUncertain {
			b.Errorf("entry after a late result = %s, want uncertain", got.State)
		}
		if diff := cmp.Diff([]string{"started/1", "uncertain/1", "evidence/1"}, b.story(e.ID)); diff != "" {
			b.Errorf("story differs (-want +got):\n%s", diff)
		}
		if _, err := b.Settle(b.Context(), e.ID, e.Fence+1, ok("wrong fence"), "execute", ""); err == nil {
			b.Error("Settle under a fence that never was = no error, want one")
		}
	}},
	{"the same outcome again changes nothing", func(b *bench) {
		e := b.start(b.Ledger, pay("k", "bob"))
		b.settle(b.Ledger, e, ok("paid"))
		b.settle(b.Ledger, e, ok("paid"))
		if diff := cmp.Diff([]string{"started/1", "ok/1"}, b.story(e.ID)); diff != "" {
			b.Errorf("story differs (-want +got):\n%s", diff)
		}
		_, err := b.Settle(b.Context(), e.ID, e.Fence, ok("other"), "execute", "")
		wantErr(b, "Settle with another outcome", err, ledger.ErrLost)
	}},
	{"a start whose handler was not entered is taken back", func(b *bench) {
		e := b.start(b.Ledger, pay("k", "bob"))
		b.settle(b.Ledger, e, holdfast.Reject(holdfast.Cancelled, "not entered", ""))
		b.wantFree(b.Ledger, pay("k", "bob"))
	}},
	{"resolving takes evidence, a name and the fence, and only from uncertain", func(b *bench) {
		e := b.start(b.Ledger, pay("k", "bob"))
		_, err := b.Resolve(b.Context(), e.ID, e.Fence, ok(""), "ana", "seen")
		wantErr(b, "Resolve of a started write", err, ledger.ErrLost)
		e = b.settle(b.Ledger, e, uncertain())
		for what, refused := range map[string]func() error{
			"without evidence": func() error { _, err := b.Resolve(b.Context(), e.ID, e.Fence, ok(""), "ana", " "); return err },
			"without a name":   func() error { _, err := b.Resolve(b.Context(), e.ID, e.Fence, ok(""), "", "seen"); return err },
			"under a lost fence": func() error {
				_, err := b.Resolve(b.Context(), e.ID, e.Fence-1, ok(""), "ana", "seen")
				return err
			},
			"to uncertain": func() error {
				_, err := b.Resolve(b.Context(), e.ID, e.Fence, uncertain(), "ana", "seen")
				return err
			},
		} {
			if refused() == nil {
				b.Errorf("Resolve %s = no error, want one", what)
			}
		}
		got, err := b.Resolve(b.Context(), e.ID, e.Fence, failed(), "ana", "no such payment")
		if err != nil || got.State != ledger.StateFailed {
			b.Fatalf("Resolve() = %s, %v, want failed", got.State, err)
		}
		next := b.start(b.Ledger, pay("k", "bob"))
		if next.Fence <= got.Fence {
			b.Errorf("fence after a resolved write = %d, want more than %d", next.Fence, got.Fence)
		}
		if got := b.story(e.ID); !slices.Contains(got, "resolved_failed/2") {
			b.Errorf("story = %v, want it to tell who resolved it", got)
		}
	}},
	{"of many that race for a key one wins", func(b *bench) { race(b, 16, 8, false) }},
	{"of many that race with other arguments one wins", func(b *bench) { race(b, 16, 8, true) }},
	{"a write without a key is refused", func(b *bench) {
		if _, err := b.Look(b.Context(), pay("", "bob")); err == nil {
			b.Error("Look without a key = no error, want one")
		}
		if _, _, err := b.Start(b.Context(), pay("", "bob")); err == nil {
			b.Error("Start without a key = no error, want one")
		}
	}},
}

// race lets racers claim each of keys, half of them through another ledger.
func race(b *bench, racers, keys int, others bool) {
	ledgers := []*ledger.Ledger{b.Ledger, b.another()}
	for k := range keys {
		var (
			wg   sync.WaitGroup
			mu   sync.Mutex
			wins int
		)
		for i := range racers {
			wg.Go(func() {
				to := fmt.Sprint("key ", k)
				if others {
					to = fmt.Sprint("key ", k, " racer ", i)
				}
				c := pay(fmt.Sprint("k", k), to)
				c.TellsApart = true
				_, s, err := ledgers[i%2].Start(b.Context(), c)
				if err != nil {
					b.Errorf("Start() = %v, want no error", err)
				}
				if want := holdfast.KeyConflict; others && !s.Free() && (s.Code != want || s.Held != nil) {
					b.Errorf("a loser with other arguments sees %+v, want %s and nothing of the winner", s, want)
				}
				if s.Free() {
					mu.Lock()
					wins++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if wins != 1 {
			b.Errorf("key %d was won %d times, want once", k, wins)
		}
	}
}
