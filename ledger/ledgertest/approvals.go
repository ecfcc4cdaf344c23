package ledgertest

import (
	"errors"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

// pend opens an approval for a claim's entry, bound to the digest "bound".
func (b *bench) pend(c ledger.Claim, a ledger.Approval) (ledger.Entry, ledger.Approval) {
	b.Helper()
	c.Entry.Sealed = []byte(`{"to": "the real bytes"}`)
	a.Digest = "bound"
	e, opened, err := b.OpenApproval(b.Context(), c.Entry, a)
	if err != nil || e.State != ledger.StatePending || opened.State != ledger.Waiting || e.ApprovalID != opened.ID {
		b.Fatalf("OpenApproval() = %s, %s, %v, want pending and waiting", e.State, opened.State, err)
	}
	return e, opened
}

// approved is c as it may start after a person agreed.
func (b *bench) approved(c ledger.Claim, a ledger.Approval) ledger.Claim {
	b.Helper()
	e, opened := b.pend(c, a)
	if _, err := b.Approve(b.Context(), opened.ID, "boss", "fine"); err != nil {
		b.Fatalf("Approve() = %v, want no error", err)
	}
	c.Entry, c.ApprovalID, c.Digest = e, opened.ID, "bound"
	return c
}

func (b *bench) approval(id string) ledger.Approval {
	b.Helper()
	a, err := b.Approval(b.Context(), id)
	if err != nil {
		b.Fatalf("Approval(%s) = %v, want no error", id, err)
	}
	return a
}

func (b *bench) wantDecided(what string, err error, state ledger.ApprovalState) {
	b.Helper()
	var decided *ledger.DecidedError
	if !errors.As(err, &decided) || decided.Approval.State != state {
		b.Errorf("%s error = %v, want a DecidedError that shows %s", what, err, state)
	}
}

var approvalCases = []ledgerCase{
	{"an approved call starts once, with its approval", func(b *bench) {
		c := b.approved(pay("k", "bob"), ledger.Approval{})
		e := b.start(b.Ledger, c)
		if e.ID != c.Entry.ID {
			b.Errorf("started entry = %s, want the pending one", e.ID)
		}
		a := b.approval(c.ApprovalID)
		if a.State != ledger.Consumed || a.DecidedBy != "boss" || !a.Decided.Equal(b.clock.Now()) {
			b.Errorf("approval = %s by %q at %v, want consumed, decided by the boss now", a.State, a.DecidedBy, a.Decided)
		}
		b.wantStanding(b.Ledger, c, holdfast.InProgress, e.ID)
		b.settle(b.Ledger, e, ok(""))
		b.wantStanding(b.Ledger, c, "", e.ID)
	}},
	{"a pending call without its approval does not start", func(b *bench) {
		e, a := b.pend(pay("k", "bob"), ledger.Approval{})
		own := pay("k", "bob")
		own.Entry.ID = e.ID
		b.wantStart(own, holdfast.ApprovalPending)
		own.ApprovalID, own.Digest = a.ID, "bound"
		b.wantStart(own, holdfast.ApprovalPending)
		b.wantStanding(b.Ledger, pay("k", "bob"), holdfast.ApprovalPending, e.ID)
	}},
	{"an approval bound to something else starts nothing and stays", func(b *bench) {
		c := b.approved(pay("k", "bob"), ledger.Approval{})
		changed := c
		changed.Digest = "changed"
		b.wantStart(changed, holdfast.ApprovalVoid)
		other := b.approved(pay("k2", "carol"), ledger.Approval{})
		other.ApprovalID = c.ApprovalID
		b.wantStart(other, holdfast.ApprovalVoid)
		unknown := c
		unknown.ApprovalID = "unknown"
		if _, _, err := b.Start(b.Context(), unknown); !errors.Is(err, ledger.ErrNotFound) {
			b.Errorf("Start with an unknown approval = %v, want ErrNotFound", err)
		}
		b.start(b.Ledger, c)
	}},
	{"it is decided once", func(b *bench) {
		_, a := b.pend(pay("k", "bob"), ledger.Approval{})
		_, err := b.Deny(b.Context(), a.ID, "boss", "too much")
		if err != nil {
			b.Fatalf("Deny() = %v, want no error", err)
		}
		if got, err := b.Deny(b.Context(), a.ID, "other", "me too"); err != nil || got.DecidedBy != "boss" || got.Reason != "too much" {
			b.Errorf("the same decision again = %+v, %v, want the first unchanged", got, err)
		}
		_, err = b.Approve(b.Context(), a.ID, "other", "")
		b.wantDecided("Approve after Deny", err, ledger.Denied)
		c := pay("k", "bob")
		c.Entry.ID, c.ApprovalID, c.Digest = a.EntryID, a.ID, "bound"
		b.wantStart(c, holdfast.ApprovalDenied)
		if _, err := b.Approve(b.Context(), a.ID, "", ""); err == nil {
			b.Error("Approve by nobody = no error, want one")
		}
	}},
	{"a yes cannot be followed by a no", func(b *bench) {
		c := b.approved(pay("k", "bob"), ledger.Approval{})
		_, err := b.Deny(b.Context(), c.ApprovalID, "boss", "")
		b.wantDecided("Deny after Approve", err, ledger.Approved)
		b.start(b.Ledger, c)
		_, err = b.Deny(b.Context(), c.ApprovalID, "boss", "")
		b.wantDecided("Deny after the start", err, ledger.Consumed)
		if _, err := b.Approve(b.Context(), c.ApprovalID, "boss", ""); err != nil {
			b.Errorf("the same yes again = %v, want no error", err)
		}
	}},
	{"a denied call frees its key and ends with its record", func(b *bench) {
		e, a := b.pend(pay("k", "bob"), ledger.Approval{})
		if _, err := b.Deny(b.Context(), a.ID, "boss", "no"); err != nil {
			b.Fatalf("Deny() = %v, want no error", err)
		}
		b.wantFree(b.Ledger, pay("k", "bob"))
		no := holdfast.Reject(holdfast.ApprovalDenied, "a person said no", "")
		end := e
		end.Outcome, end.Stage = &no, "approve"
		if _, err := b.Record(b.Context(), end); err != nil {
			b.Fatalf("Record() = %v, want no error", err)
		}
		if got := b.entry(e.ID); got.State != ledger.StateRejected || got.Outcome.Code != holdfast.ApprovalDenied || got.Sealed != nil {
			b.Errorf("entry = %s %+v, want rejected, approval_denied, nothing sealed", got.State, got.Outcome)
		}
		if _, err := b.Record(b.Context(), end); err != nil {
			b.Errorf("the same end again = %v, want no error", err)
		}
	}},
	{"it expires by the store's clock, decided or not", func(b *bench) {
		_, a := b.pend(pay("k", "bob"), ledger.Approval{Wait: time.Minute})
		c := b.approved(pay("k2", "carol"), ledger.Approval{Wait: time.Minute})
		b.clock.pass(time.Minute - time.Nanosecond)
		if got := b.approval(a.ID).State; got != ledger.Waiting {
			b.Errorf("before its time = %s, want waiting", got)
		}
		b.clock.pass(time.Nanosecond)
		if got, _ := b.Approvals(b.Context(), ledger.Filter{State: string(ledger.Waiting)}); len(got) != 0 {
			b.Errorf("Approvals(waiting) = %d after its time, want none", len(got))
		}
		if got, _ := b.Approvals(b.Context(), ledger.Filter{State: string(ledger.Expired)}); len(got) != 2 {
			b.Errorf("Approvals(expired) = %d, want 2", len(got))
		}
		_, err := b.Approve(b.Context(), a.ID, "boss", "")
		b.wantDecided("Approve after its time", err, ledger.Expired)
		b.wantStart(c, holdfast.ApprovalExpired)
		b.wantFree(b.Ledger, pay("k", "bob"))
		if got := b.story(a.EntryID); !slices.Contains(got, "approval_expired/0") {
			b.Errorf("story = %v, want it to tell the expiry", got)
		}
	}},
	{"without a Wait it waits a day", func(b *bench) {
		_, a := b.pend(pay("k", "bob"), ledger.Approval{Expires: b.clock.Now()})
		if got, want := a.Expires, b.clock.Now().Add(24*time.Hour); !got.Equal(want) {
			b.Errorf("Expires = %v, want %v", got, want)
		}
	}},
	{"a pending duplicate joins the first", func(b *bench) {
		e, a := b.pend(pay("k", "bob"), ledger.Approval{})
		again, joined := b.pend(pay("k", "bob"), ledger.Approval{})
		if again.ID != e.ID || joined.ID != a.ID {
			b.Errorf("second = entry %s approval %s, want the first's", again.ID, joined.ID)
		}
		if got, _ := b.Approvals(b.Context(), ledger.Filter{}); len(got) != 1 {
			b.Errorf("Approvals() = %d, want 1", len(got))
		}
		other, apart := b.pend(pay("k", "carol"), ledger.Approval{})
		if other.ID == e.ID || apart.ID == a.ID {
			b.Error("a call with other arguments joined the approval")
		}
	}},
	{"one that replaces makes the old one void and takes its entry", func(b *bench) {
		c := b.approved(pay("k", "bob"), ledger.Approval{})
		e, a := b.pend(pay("k", "bob"), ledger.Approval{Replaces: c.ApprovalID, Changed: []string{"the tool's definition"}})
		if e.ID != c.Entry.ID || a.ID == c.ApprovalID {
			b.Errorf("replaced = entry %s approval %s, want the entry kept and a new approval", e.ID, a.ID)
		}
		if got := b.approval(c.ApprovalID).State; got != ledger.Void {
			b.Errorf("old approval = %s, want void", got)
		}
		b.wantStart(c, holdfast.ApprovalVoid)
		_, err := b.Approve(b.Context(), c.ApprovalID, "boss", "")
		b.wantDecided("Approve of a void one", err, ledger.Void)
		if diff := cmp.Diff([]string{"the tool's definition"}, b.approval(a.ID).Changed); diff != "" {
			b.Errorf("Changed differs (-want +got):\n%s", diff)
		}
		if _, err := b.Approve(b.Context(), a.ID, "boss", ""); err != nil {
			b.Fatalf("Approve of the new one = %v, want no error", err)
		}
		c.ApprovalID = a.ID
		b.start(b.Ledger, c)
		_, _, err = b.OpenApproval(b.Context(), c.Entry, ledger.Approval{Replaces: a.ID})
		b.wantDecided("replacing a consumed one", err, ledger.Consumed)
	}},
	{"an entry has one live approval", func(b *bench) {
		e, a := b.pend(pay("k", "bob"), ledger.Approval{})
		again := pay("k", "bob")
		again.Entry.ID = e.ID
		if _, same := b.pend(again, ledger.Approval{}); same.ID != a.ID {
			b.Errorf("asking again for the same = approval %s, want %s", same.ID, a.ID)
		}
		_, other, err := b.OpenApproval(b.Context(), again.Entry, ledger.Approval{Digest: "something else"})
		if err != nil || other.ID == a.ID || b.approval(a.ID).State != ledger.Void {
			b.Errorf("asking for something else = %s, %v, first is %s, want another and the first void", other.ID, err, b.approval(a.ID).State)
		}
		_, raced, err := b.OpenApproval(b.Context(), again.Entry, ledger.Approval{Digest: "something else", Replaces: a.ID})
		if err != nil || raced.ID != other.ID {
			b.Errorf("replacing what another has replaced = %s, %v, want %s", raced.ID, err, other.ID)
		}
	}},
	{"withdrawing ends the call", func(b *bench) {
		c := b.approved(pay("k", "bob"), ledger.Approval{})
		no := holdfast.Reject(holdfast.Cancelled, "the turn was cancelled", "")
		for range 2 {
			if err := b.Withdraw(b.Context(), c.ApprovalID, no); err != nil {
				b.Fatalf("Withdraw() = %v, want no error", err)
			}
		}
		if got := b.approval(c.ApprovalID).State; got != ledger.Withdrawn {
			b.Errorf("approval = %s, want withdrawn", got)
		}
		if got := b.entry(c.Entry.ID); got.State != ledger.StateRejected || got.Outcome.Code != holdfast.Cancelled || got.Sealed != nil {
			b.Errorf("entry = %s %+v, want rejected, cancelled, nothing sealed", got.State, got.Outcome)
		}
		b.wantFree(b.Ledger, pay("k", "bob"))
		used := b.approved(pay("k2", "carol"), ledger.Approval{})
		b.start(b.Ledger, used)
		b.wantDecided("Withdraw after the start", b.Withdraw(b.Context(), used.ApprovalID, no), ledger.Consumed)
	}},
	{"what is sealed is exact, shown by Entry alone, and gone with the start", func(b *bench) {
		c := b.approved(pay("k", "bob"), ledger.Approval{})
		if got := string(b.entry(c.Entry.ID).Sealed); got != `{"to": "the real bytes"}` {
			b.Errorf("Sealed of a pending entry = %q, want the bytes as given", got)
		}
		list, _ := b.Entries(b.Context(), ledger.Filter{})
		for _, e := range list {
			if e.Sealed != nil {
				b.Error("Entries shows what is sealed")
			}
		}
		b.start(b.Ledger, c)
		if got := b.entry(c.Entry.ID).Sealed; got != nil {
			b.Errorf("Sealed of a started entry = %q, want nothing", got)
		}
		denied, a := b.pend(pay("k2", "carol"), ledger.Approval{})
		if _, err := b.Deny(b.Context(), a.ID, "boss", "no"); err != nil {
			b.Fatalf("Deny() = %v, want no error", err)
		}
		late, a := b.pend(pay("k3", "dave"), ledger.Approval{Wait: time.Minute})
		b.clock.pass(time.Minute)
		b.approval(a.ID) // which keeps it as expired
		for _, id := range []string{denied.ID, late.ID} {
			if e := b.entry(id); e.Sealed != nil || e.State != ledger.StatePending {
				b.Errorf("entry = %s, sealed %q, want it pending with nothing sealed", e.State, e.Sealed)
			}
		}
		b.wantIntact()
	}},
	{"a call that waited while others failed under its key takes it whole", func(b *bench) {
		first := b.start(b.Ledger, pay("k", "a"))
		other := pay("k", "b")
		other.TellsApart = true
		waited := b.approved(other, ledger.Approval{})
		b.settle(b.Ledger, first, failed())
		later := pay("k", "c")
		b.settle(b.Ledger, b.start(b.Ledger, later), failed())
		e := b.start(b.Ledger, waited)
		b.wantStanding(b.Ledger, pay("k", "b"), holdfast.InProgress, e.ID)
		b.wantStanding(b.Ledger, later, holdfast.KeyConflict, "")
		b.settle(b.Ledger, e, ok("paid"))
		b.wantStanding(b.Ledger, pay("k", "b"), "", e.ID)
	}},
	{"it outlives the process that asked", func(b *bench) {
		_, a := b.pend(pay("k", "bob"), ledger.Approval{})
		_, second := b.pend(pay("k2", "carol"), ledger.Approval{})
		asked := b.Ledger
		b.Ledger = b.another()
		b.kill(asked)
		list, err := b.Approvals(b.Context(), ledger.Filter{Run: "r", State: string(ledger.Waiting), InOrder: true})
		if err != nil || len(list) != 2 || list[0].ID != a.ID {
			b.Fatalf("Approvals() = %d, %v, want both in order", len(list), err)
		}
		if _, err := b.Approve(b.Context(), second.ID, "boss", ""); err != nil {
			b.Fatalf("Approve() = %v, want no error", err)
		}
		if got := b.approval(a.ID).State; got != ledger.Waiting {
			b.Errorf("first approval = %s after the second was decided, want waiting", got)
		}
		c := pay("k2", "carol")
		c.Entry.ID, c.ApprovalID, c.Digest = second.EntryID, second.ID, "bound"
		b.start(b.Ledger, c)
	}},
	{"a read that needs a person is started by its approval alone", func(b *bench) {
		c := pay("", "bob")
		c.Entry.Effect, c.Entry.ArgumentsDigest = holdfast.Read, ""
		c = b.approved(c, ledger.Approval{})
		e := b.start(b.Ledger, c)
		b.settle(b.Ledger, e, ok("seen"))
		if got := b.approval(c.ApprovalID).State; got != ledger.Consumed {
			b.Errorf("approval = %s, want consumed", got)
		}
	}},
}

func (b *bench) wantStart(c ledger.Claim, code holdfast.Code) {
	b.Helper()
	_, s, err := b.Start(b.Context(), c)
	if err != nil || s.Code != code || s.Free() {
		b.Errorf("Start() = %+v, %v, want %s", s, err, code)
	}
}
