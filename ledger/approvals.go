package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast"
)

const defaultWait = 24 * time.Hour

type storedApproval struct {
	ID         string           `json:"id"`
	Entry      string           `json:"entry"`
	Digest     string           `json:"digest"`
	Run        string           `json:"run,omitempty"`
	Turn       int              `json:"turn,omitempty"`
	Tool       string           `json:"tool"`
	ToolDigest string           `json:"tool_digest,omitempty"`
	Arguments  json.RawMessage  `json:"arguments,omitempty"`
	Finding    *storedFinding   `json:"finding,omitempty"`
	Why        string           `json:"why,omitempty"`
	Unresolved string           `json:"unresolved,omitempty"`
	Labels     []holdfast.Label `json:"labels,omitempty"`
	Rule       string           `json:"rule,omitempty"`
	Tenant     string           `json:"tenant,omitempty"`
	Principal  string           `json:"principal,omitempty"`
	State      string           `json:"state"`
	Wait       time.Duration    `json:"wait"`
	Requested  time.Time        `json:"requested"`
	Expires    time.Time        `json:"expires"`
	DecidedBy  string           `json:"decided_by,omitempty"`
	Decided    time.Time        `json:"decided,omitzero"`
	Denied     bool             `json:"denied,omitempty"` // what was decided, whatever the state became
	Reason     string           `json:"reason,omitempty"`
	Saved      string           `json:"saved,omitempty"`
	Replaces   string           `json:"replaces,omitempty"`
	Changed    []string         `json:"changed,omitempty"`
}

type storedFinding struct {
	NeedsApproval bool            `json:"needs_approval,omitempty"`
	Why           string          `json:"why,omitempty"`
	Shown         json.RawMessage `json:"shown,omitempty"`
}

func storeApproval(a *Approval) *storedApproval {
	s := &storedApproval{
		ID: a.ID, Entry: a.EntryID, Digest: a.Digest, Run: a.Run, Turn: a.Turn, Tool: a.Tool, ToolDigest: a.ToolDigest,
		Arguments: a.Arguments, Why: a.Why, Unresolved: a.Unresolved, Labels: a.Labels, Rule: a.Rule, Tenant: a.Principal.Tenant, Principal: a.Principal.ID,
		State: string(a.State), Wait: a.Wait, Requested: a.Requested, Expires: a.Expires,
		DecidedBy: a.DecidedBy, Decided: a.Decided, Reason: a.Reason, Saved: a.Saved, Replaces: a.Replaces, Changed: a.Changed,
	}
	if f := a.Finding; f.NeedsApproval || f.Why != "" || f.Shown != nil {
		s.Finding = &storedFinding{NeedsApproval: f.NeedsApproval, Why: f.Why, Shown: f.Shown}
	}
	return s
}

func (s *storedApproval) approval() Approval {
	a := Approval{
		ID: s.ID, EntryID: s.Entry, Digest: s.Digest, Run: s.Run, Turn: s.Turn, Tool: s.Tool, ToolDigest: s.ToolDigest,
		Arguments: s.Arguments, Why: s.Why, Unresolved: s.Unresolved, Labels: s.Labels, Rule: s.Rule,
		Principal: holdfast.Principal{Tenant: s.Tenant, ID: s.Principal},
		State:     ApprovalState(s.State), Wait: s.Wait, Requested: s.Requested, Expires: s.Expires,
		DecidedBy: s.DecidedBy, Decided: s.Decided, Reason: s.Reason, Saved: s.Saved, Replaces: s.Replaces, Changed: s.Changed,
	}
	if f := s.Finding; f != nil {
		a.Finding = holdfast.Finding{NeedsApproval: f.NeedsApproval, Why: f.Why, Shown: f.Shown}
	}
	return a
}

// live approvals can still start their call.
func (s *storedApproval) live() bool {
	return s.State == string(Waiting) || s.State == string(Approved)
}

// putApproval writes an approval, and what its event is to say of it.
func (t *txn) putApproval(a *storedApproval) (storedApprovalEvent, error) {
	text, err := appendJSON(nil, a)
	if err != nil {
		return storedApprovalEvent{}, err
	}
	e := storedApprovalEvent{Approval: a.ID, Digest: a.Digest, Row: digest(text)}
	return e, t.Put(Row{Table: approvals, ID: a.ID, Words: [7]string{a.Run, a.State}, Body: text})
}

// loadApproval is an approval as it stands now: past its time it is expired,
// decided or not. In a view that is not written.
func (t *txn) loadApproval(id string) (*storedApproval, error) {
	a, err := must[storedApproval](t, approvals, id)
	if err != nil {
		return nil, err
	}
	return t.expire(a)
}

func (t *txn) expire(a *storedApproval) (*storedApproval, error) {
	if !a.live() || t.now.Before(a.Expires) {
		return a, nil
	}
	expired := *a
	expired.State = string(Expired)
	if !t.writes {
		return &expired, nil
	}
	return &expired, t.changeApproval(&expired, "")
}

// changeApproval writes an approval and says so in its entry's story.
func (t *txn) changeApproval(a *storedApproval, who string) error {
	said, err := t.putApproval(a)
	if err != nil {
		return err
	}
	if who != "" {
		said.Reason = a.Reason
	} else {
		who = t.l.owner
	}
	e, err := t.mustEntry(a.Entry)
	if err != nil {
		return err
	}
	if over := !a.live() && a.State != string(Void) && a.State != string(Consumed); over && e.Approval == a.ID && e.Sealed != nil {
		bare := *e // it will never run, so what would have run is forgotten
		bare.Sealed = nil
		return t.putEntry(&bare, "approval_"+a.State, who, said)
	}
	return t.log("approval_"+a.State, who, e, said)
}

type storedApprovalEvent struct {
	Approval string `json:"approval"`
	Digest   string `json:"digest,omitempty"` // what the approval is bound to
	Reason   string `json:"reason,omitempty"`
	Replaces string `json:"replaces,omitempty"`
	Row      string `json:"row"` // digest of the approval's row
}

// waits reports whether a pending entry can still be started by its approval.
func (t *txn) waits(e *storedEntry) (bool, error) {
	a, err := get[storedApproval](t, approvals, e.Approval)
	if err != nil || a == nil {
		return false, err
	}
	return a.live() && t.now.Before(a.Expires), nil
}

// OpenApproval writes a pending entry and its approval in one durable write.
// Where the entry's key is already pending for the same call, that entry and
// approval are returned instead. An approval with Replaces set makes that one
// void in the same write, and its entry waits for the new one. Expires is the
// ledger's to compute, from Wait and the store's clock.
//
// An error means that nobody is asked. Where the store could not say whether the
// write is durable, it is taken back with the next one that is.
func (l *Ledger) OpenApproval(ctx context.Context, e Entry, a Approval) (Entry, Approval, error) {
	entryID, approvalID := e.ID, l.newID()
	if entryID == "" {
		entryID = l.newID()
	}
	var (
		outEntry    *storedEntry
		outApproval *storedApproval
		decided     *storedApproval
	)
	err := l.update(ctx, func(t *txn) error {
		outEntry, outApproval, decided = nil, nil, nil
		if a.Replaces != "" {
			old, err := t.loadApproval(a.Replaces)
			if err != nil {
				return err
			}
			if decided, err = t.void(old); err != nil || decided != nil {
				return err
			}
			entryID = old.Entry
		} else if joined, with, err := t.joinPending(&e); err != nil || joined != nil {
			outEntry, outApproval = joined, with
			return err
		}
		var err error
		outEntry, outApproval, err = t.openApproval(e, a, entryID, approvalID)
		return err
	})
	switch {
	case err != nil:
		if outEntry != nil && outEntry.Approval == approvalID && !errors.Is(err, ErrUnavailable) {
			l.stray(outEntry)
		}
		return e, a, fmt.Errorf("opening approval of %s: %w", e.Tool, err)
	case decided != nil:
		return e, a, &DecidedError{Approval: decided.approval()}
	}
	return outEntry.entry(), outApproval.approval(), nil
}

func (t *txn) openApproval(e Entry, a Approval, entryID, approvalID string) (*storedEntry, *storedApproval, error) {
	old, err := t.getEntry(entryID)
	if err != nil {
		return nil, nil, err
	}
	if old != nil && old.State != string(StatePending) {
		return nil, nil, fmt.Errorf("entry %s is %s: %w", entryID, old.State, ErrLost)
	}
	if old != nil {
		asks, err := t.asksAlready(old, &a)
		if err != nil || asks != nil {
			return old, asks, err
		}
	}
	s := storeEntry(&e)
	s.ID, s.State, s.Approval = entryID, string(StatePending), approvalID
	s.Outcome, s.Started, s.End, s.Owner = nil, time.Time{}, time.Time{}, ""
	if old != nil {
		s.Fence, s.Event = old.Fence, old.Event
		s.Proposed = old.Proposed
	}
	s.Proposed = firstTime(s.Proposed, t.now)

	w := storeApproval(&a)
	w.ID, w.Entry, w.State = approvalID, entryID, string(Waiting)
	w.Run, w.Turn, w.Tool, w.Tenant, w.Principal = s.Run, s.Turn, s.Tool, s.Tenant, s.Principal
	if w.ToolDigest == "" {
		w.ToolDigest = s.ToolDigest
	}
	if w.Arguments == nil {
		w.Arguments = s.Arguments
	}
	if w.Wait <= 0 {
		w.Wait = defaultWait
	}
	w.Requested, w.Expires = t.now, t.now.Add(w.Wait)
	w.DecidedBy, w.Decided, w.Reason, w.Saved = "", time.Time{}, "", ""

	if err := t.takeIfFree(&s); err != nil {
		return nil, nil, err
	}
	asked, err := t.putApproval(w)
	if err != nil {
		return nil, nil, err
	}
	asked.Replaces = w.Replaces
	return &s, w, t.putEntry(&s, "approval_"+w.State, t.l.owner, asked)
}

// asksAlready is the live approval of a pending entry that asks for the same: the
// caller comes again, or another has come before it. One that asks for
// something else is void from now on.
func (t *txn) asksAlready(e *storedEntry, a *Approval) (*storedApproval, error) {
	now, err := get[storedApproval](t, approvals, e.Approval)
	if err != nil || now == nil {
		return nil, err
	}
	if now, err = t.expire(now); err != nil || !now.live() {
		return nil, err
	}
	if now.Digest == a.Digest {
		return now, nil
	}
	_, err = t.void(now)
	return nil, err
}

// takeIfFree gives a pending entry its key, unless another call has come first:
// then its start will be told so.
func (t *txn) takeIfFree(e *storedEntry) error {
	if e.Key == "" {
		return nil
	}
	st, err := t.standOfKey(e)
	if err != nil || st.Code != "" || st.Held != nil {
		return err
	}
	e.Fence = max(e.Fence, st.fence)
	return t.take(&st, e)
}

// joinPending is the pending entry that already asks for the same call under
// the same key, with its approval, or nil.
func (t *txn) joinPending(e *Entry) (*storedEntry, *storedApproval, error) {
	if e.Key == "" {
		return nil, nil, nil
	}
	s := storeEntry(e)
	st, err := t.standOfKey(&s)
	if err != nil || st.Code != holdfast.ApprovalPending {
		return nil, nil, err
	}
	held, err := t.mustEntry(st.Held.ID)
	if err != nil {
		return nil, nil, err
	}
	a, err := must[storedApproval](t, approvals, held.Approval)
	return held, a, err
}

// void ends an approval that a new one replaces. One that was denied, consumed
// or withdrawn is returned instead.
func (t *txn) void(a *storedApproval) (ended *storedApproval, err error) {
	switch ApprovalState(a.State) {
	case Waiting, Approved:
		v := *a
		v.State = string(Void)
		return nil, t.changeApproval(&v, "")
	case Expired, Void:
		return nil, nil
	}
	return a, nil
}

// Approval of that id; one past its time is told, and kept, as expired.
func (l *Ledger) Approval(ctx context.Context, id string) (Approval, error) {
	var out Approval
	err := l.view(ctx, func(t *txn) error {
		a, err := t.loadApproval(id)
		if err != nil {
			return err
		}
		out = a.approval()
		return t.place(&out)
	})
	if err != nil {
		return Approval{}, err
	}
	if out.State == Expired {
		l.keepExpired(ctx, id)
	}
	return out, nil
}

// keepExpired writes down what the clock has decided. That it may fail changes
// nothing: the clock says it again.
func (l *Ledger) keepExpired(ctx context.Context, ids ...string) {
	_ = l.update(ctx, func(t *txn) error {
		for _, id := range ids {
			if _, err := t.loadApproval(id); err != nil {
				return err
			}
		}
		return nil
	})
}

// Approvals lists approvals.
func (l *Ledger) Approvals(ctx context.Context, f Filter) ([]Approval, error) {
	words := [7]string{f.Run, f.State}
	if f.State == string(Expired) {
		words[1] = "" // those whose time ran out unseen stand as waiting or approved
	}
	var (
		list  []Approval
		stale []string
	)
	err := l.view(ctx, func(t *txn) error {
		list, stale = nil, nil
		return t.page(Query{Table: approvals, Words: words}, f, func(row Row) (bool, error) {
			kept, err := load[storedApproval](row)
			if err != nil {
				return false, err
			}
			a, err := t.expire(kept)
			if err != nil {
				return false, err
			}
			if a != kept {
				stale = append(stale, a.ID)
			}
			if f.State != "" && f.State != a.State || f.Turn > 0 && f.Turn != a.Turn || f.Tool != "" && f.Tool != a.Tool {
				return false, nil
			}
			list = append(list, a.approval())
			return true, t.place(&list[len(list)-1])
		})
	})
	if err == nil && len(stale) > 0 {
		l.keepExpired(ctx, stale...)
	}
	return list, err
}

// consumable is the approval that a claim brings, or why it cannot be used. A
// pending entry is started by its own approval and by nothing else.
func (t *txn) consumable(c *claim, own *storedEntry) (*storedApproval, holdfast.Code, error) {
	pending := own != nil && own.State == string(StatePending)
	if c.approval == "" {
		if pending {
			return nil, holdfast.ApprovalPending, nil
		}
		return nil, "", nil
	}
	a, err := t.loadApproval(c.approval)
	if err != nil {
		return nil, "", err
	}
	if !pending || a.Entry != own.ID || own.Approval != a.ID || a.Digest != c.digest {
		return nil, holdfast.ApprovalVoid, nil
	}
	switch ApprovalState(a.State) {
	case Approved:
		return a, "", nil
	case Waiting:
		return nil, holdfast.ApprovalPending, nil
	case Denied:
		return nil, holdfast.ApprovalDenied, nil
	case Expired:
		return nil, holdfast.ApprovalExpired, nil
	}
	return nil, holdfast.ApprovalVoid, nil
}

func (t *txn) consume(a *storedApproval) (storedApprovalEvent, error) {
	used := *a
	used.State = string(Consumed)
	return t.putApproval(&used)
}

// agreedTo reports whether a person agreed in spite of the unresolved write:
// the approval names it, or one that is newer and was told instead.
func (t *txn) agreedTo(a *storedApproval, unresolved string) (bool, error) {
	if a == nil || a.Unresolved == "" {
		return false, nil
	}
	if a.Unresolved == unresolved {
		return true, nil
	}
	named, err := t.Get(entries, a.Unresolved)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	newest, err := t.Get(entries, unresolved)
	return err == nil && newest.Seq < named.Seq, err
}
