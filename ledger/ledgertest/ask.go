package ledgertest

import (
	"slices"
	"time"

	"github.com/holdfast-go/holdfast/ledger"
)

// lostWrite is a write whose owner was killed, as others see it.
func (b *bench) lostWrite(key string) ledger.Entry {
	b.Helper()
	other := b.another()
	e := b.start(other, pay(key, key))
	b.kill(other)
	return b.entry(e.ID)
}

// wantTurn asks and demands that the turn is or is not the caller's.
func (b *bench) wantTurn(l *ledger.Ledger, e ledger.Entry, want bool) ledger.Entry {
	b.Helper()
	got, mine, err := l.Ask(b.Context(), e.ID, e.Fence, time.Minute, false)
	if err != nil || mine != want {
		b.Fatalf("Ask() = %t, %v, want %t", mine, err, want)
	}
	return got
}

var askCases = []ledgerCase{
	{"one of several asks, and nobody until the pause is over", func(b *bench) {
		e, other := b.lostWrite("k"), b.another()
		first := b.wantTurn(b.Ledger, e, true)
		if first.Asked != 1 || !first.AskAfter.Equal(b.clock.Now().Add(time.Minute)) || first.State != ledger.StateUncertain {
			b.Errorf("Ask() = asked %d, again after %v, %s; want once, a minute later, uncertain", first.Asked, first.AskAfter, first.State)
		}
		b.wantTurn(other, e, false)
		b.wantTurn(b.Ledger, e, false)
		b.clock.pass(time.Minute - time.Nanosecond)
		b.wantTurn(other, e, false)
		b.clock.pass(time.Nanosecond)
		if again := b.wantTurn(other, e, true); again.Asked != 2 {
			b.Errorf("asked %d times, want 2", again.Asked)
		}
		b.wantTurn(b.Ledger, e, false)
		if _, mine, err := b.Ask(b.Context(), e.ID, e.Fence, time.Minute, true); !mine || err != nil {
			b.Errorf("Ask() early = %t, %v, want the turn before its time", mine, err)
		}
		if got := b.story(e.ID); !slices.Equal(got, []string{"started/1", "uncertain/2", "asked/2", "asked/2", "asked/2"}) {
			b.Errorf("story = %v, want each turn in it", got)
		}
		if got := b.entry(e.ID); got.Asked != 3 {
			b.Errorf("the entry says %d, want 3: who comes later must know", got.Asked)
		}
	}},
	{"what its living owner left uncertain is the owner's to ask about", func(b *bench) {
		owner := b.another()
		e := b.start(owner, pay("k", "bob"))
		e, err := owner.Settle(b.Context(), e.ID, e.Fence, uncertain(), "execute", "")
		if err != nil {
			b.Fatalf("Settle() = %v", err)
		}
		b.wantTurn(b.Ledger, e, false)
		b.wantTurn(owner, e, true)
		b.clock.pass(time.Minute)
		b.kill(owner)
		b.wantTurn(b.Ledger, e, true)
	}},
	{"what still runs is not for others to ask about", func(b *bench) {
		other := b.another()
		e := b.start(other, pay("k", "bob"))
		_, _, err := b.Ask(b.Context(), e.ID, e.Fence, time.Minute, false)
		wantErr(b, "Ask about a running write", err, ledger.ErrLost)
		_, mine, err := other.Ask(b.Context(), e.ID, e.Fence, time.Minute, false)
		if mine || err != nil {
			b.Errorf("Ask about one's own running write = %t, %v, want that it is not the time", mine, err)
		}
	}},
	{"what moved on is lost to who asks", func(b *bench) {
		lost := b.lostWrite("k")
		if _, err := b.Resolve(b.Context(), lost.ID, lost.Fence, ok("seen"), "ana", "receipt"); err != nil {
			b.Fatalf("Resolve() = %v", err)
		}
		got, _, err := b.Ask(b.Context(), lost.ID, lost.Fence, time.Minute, false)
		wantErr(b, "Ask about a resolved write", err, ledger.ErrLost)
		if got.State != ledger.StateOK {
			b.Errorf("Ask() shows it as %s, want ok", got.State)
		}
	}},
	{"asking keeps the fence, so that the answer can be resolved", func(b *bench) {
		e := b.wantTurn(b.Ledger, b.lostWrite("k"), true)
		if _, err := b.Resolve(b.Context(), e.ID, e.Fence, failed(), "confirm", "not there"); err != nil {
			b.Errorf("Resolve() after Ask = %v, want no error", err)
		}
		b.wantFree(b.Ledger, pay("k", "k"))
	}},
}
