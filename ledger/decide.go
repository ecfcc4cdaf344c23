package ledger

import (
	"context"
	"fmt"

	"github.com/holdfast-go/holdfast"
)

// Approve says yes for a person, once. Only deciding: whoever resumes the run
// starts the call. The same decision again changes nothing; another one, or one
// on an approval that ended, is a *DecidedError.
func (l *Ledger) Approve(ctx context.Context, id, by, reason string) (Approval, error) {
	return l.decide(ctx, id, Approved, by, reason)
}

// Deny says no for a person, with a reason that the model sees. The entry stays
// pending until the gate records its rejection.
func (l *Ledger) Deny(ctx context.Context, id, by, reason string) (Approval, error) {
	return l.decide(ctx, id, Denied, by, reason)
}

func (l *Ledger) decide(ctx context.Context, id string, decision ApprovalState, by, reason string) (Approval, error) {
	if by == "" {
		return Approval{}, fmt.Errorf("deciding approval %s: nobody says who decides", id)
	}
	var (
		out     Approval
		refused bool
	)
	err := l.update(ctx, func(t *txn) error {
		refused = false
		a, err := t.loadApproval(id)
		if err != nil {
			return err
		}
		if a.State != string(Waiting) {
			refused = !a.decidedAs(decision)
			out = a.approval()
			return t.place(&out)
		}
		decided := *a
		decided.State, decided.Denied = string(decision), decision == Denied
		decided.DecidedBy, decided.Decided, decided.Reason = by, t.now, reason
		out = decided.approval()
		if err := t.place(&out); err != nil {
			return err
		}
		return t.changeApproval(&decided, by)
	})
	if err != nil {
		return Approval{}, fmt.Errorf("deciding approval %s: %w", id, err)
	}
	if refused {
		return out, &DecidedError{Approval: out}
	}
	return out, nil
}

// decidedAs reports whether this decision is the one that stands.
func (s *storedApproval) decidedAs(decision ApprovalState) bool {
	switch ApprovalState(s.State) {
	case Approved, Consumed:
		return decision == Approved
	case Denied:
		return decision == Denied
	}
	return false
}

// DecidedError says that an approval was decided, or ended, before.
type DecidedError struct{ Approval Approval }

func (e *DecidedError) Error() string {
	return fmt.Sprintf("approval %s is already %s", e.Approval.ID, e.Approval.State)
}

// Withdraw closes an approval that nobody waits for any more: it ends withdrawn
// and its entry rejected with the outcome o. One whose call was started is a
// *DecidedError; one that ended otherwise stays as it is.
func (l *Ledger) Withdraw(ctx context.Context, id string, o holdfast.Outcome) error {
	if o.Status != holdfast.Rejected {
		return fmt.Errorf("withdrawing approval %s: %q is not a rejection", id, o.Status)
	}
	var consumed *storedApproval
	err := l.update(ctx, func(t *txn) error {
		consumed = nil
		a, err := t.loadApproval(id)
		if err != nil {
			return err
		}
		if a.State == string(Consumed) {
			consumed = a
			return nil
		}
		if err := t.withdraw(id); err != nil {
			return err
		}
		e, err := t.mustEntry(a.Entry)
		if err != nil || e.State != string(StatePending) || e.Approval != id {
			return err
		}
		end := *e
		end.State, end.Stage, end.End, end.Sealed = string(StateRejected), "approve", t.now, nil
		end.Outcome = storeOutcome(&o)
		return t.putEntry(&end, end.State, l.owner, nil)
	})
	if err != nil {
		return fmt.Errorf("withdrawing approval %s: %w", id, err)
	}
	if consumed != nil {
		return &DecidedError{Approval: consumed.approval()}
	}
	return nil
}

// withdraw ends an approval that is still live.
func (t *txn) withdraw(id string) error {
	a, err := get[storedApproval](t, approvals, id)
	if err != nil || a == nil || !a.live() {
		return err
	}
	w := *a
	w.State = string(Withdrawn)
	return t.changeApproval(&w, "")
}
