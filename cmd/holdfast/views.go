package main

import (
	"encoding/json"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

// The structs of this file are what --json writes of the ledger. Their field
// names are fixed; fields may be added. null stands for what is not known or
// not there.

// entryView is the record of one call.
type entryView struct {
	LedgerID   string             `json:"ledger_id"`
	Run        string             `json:"run"`
	Turn       int                `json:"turn"`
	Round      int                `json:"round"`
	Position   int                `json:"position"`
	CallID     string             `json:"call_id"`
	Tool       string             `json:"tool"`
	Effect     *string            `json:"effect"`
	Principal  holdfast.Principal `json:"principal"`
	State      ledger.State       `json:"state"`
	Stage      *string            `json:"stage"`
	Outcome    *string            `json:"outcome"`
	Code       *string            `json:"code"`
	Executed   *bool              `json:"executed"`
	Replayed   bool               `json:"replayed"`
	Message    *string            `json:"message"`
	Problems   []schema.Problem   `json:"problems"`
	Result     *holdfast.Result   `json:"result"`
	Inner      []holdfast.Inner   `json:"inner"` // an agent call's own calls
	Key        *string            `json:"key"`
	Arguments  json.RawMessage    `json:"arguments"`
	Text       *string            `json:"arguments_text"` // where it was not validated
	Coerced    []schema.Coercion  `json:"coerced"`
	Rule       *string            `json:"rule"`   // of the policy, or saved:ID, that decided about it
	Labels     []holdfast.Label   `json:"labels"` // that the run held when it was judged
	ApprovalID *string            `json:"approval_id"`
	Proposed   *time.Time         `json:"proposed"`
	Started    *time.Time         `json:"started"`
	Ended      *time.Time         `json:"ended"`
}

func viewEntry(e ledger.Entry) entryView {
	v := entryView{
		LedgerID: e.ID, Run: e.Run, Turn: e.Turn, Round: e.Round, Position: e.Position, CallID: e.CallID, Tool: e.Tool,
		Effect: known(string(e.Effect)), Principal: e.Principal, State: e.State, Stage: known(e.Stage), Problems: []schema.Problem{}, Inner: []holdfast.Inner{},
		Key: known(e.Key), Arguments: e.Arguments, Text: known(e.Text), Coerced: list(e.Coerced), Rule: known(e.Rule), Labels: list(e.Labels), ApprovalID: known(e.ApprovalID),
		Proposed: knownTime(e.Proposed), Started: knownTime(e.Started), Ended: knownTime(e.End),
	}
	if o := e.Outcome; o != nil {
		v.Outcome, v.Code, v.Executed, v.Message = known(string(o.Status)), known(string(o.Code)), o.Executed(), known(o.Message)
		v.Replayed, v.Problems, v.Result, v.Inner = o.Replayed, list(o.Problems), o.Result, list(o.Inner)
		if v.ApprovalID == nil || o.Parked { // what it waits for now, not what it began with
			v.ApprovalID = known(o.ApprovalID)
		}
	}
	return v
}

// eventView is one line of an entry's story.
type eventView struct {
	At      time.Time       `json:"at"`
	What    string          `json:"what"`
	Who     *string         `json:"who"`
	Fence   int64           `json:"fence"`
	Details json.RawMessage `json:"details"`
}

func viewEvents(events []ledger.Event) []eventView {
	views := make([]eventView, 0, len(events))
	for _, e := range events {
		views = append(views, eventView{At: e.At, What: e.What, Who: known(e.Who), Fence: e.Fence, Details: e.Details})
	}
	return views
}

// approvalView is one question to a person.
type approvalView struct {
	ApprovalID string               `json:"approval_id"`
	LedgerID   string               `json:"ledger_id"`
	Run        string               `json:"run"`
	Turn       int                  `json:"turn"`
	Tool       string               `json:"tool"`
	Arguments  json.RawMessage      `json:"arguments"` // exactly what runs, secrets masked
	Finding    holdfast.Finding     `json:"finding"`   // the precondition's answer
	Why        *string              `json:"why"`
	Unresolved *string              `json:"unresolved"` // ledger id of a write whose effect is not known
	Rule       *string              `json:"rule"`       // of the policy, that asked
	Labels     []holdfast.Label     `json:"labels"`     // of the run, because of which it is asked
	Principal  holdfast.Principal   `json:"principal"`
	State      ledger.ApprovalState `json:"state"`
	Requested  *time.Time           `json:"requested"`
	Expires    *time.Time           `json:"expires"`
	DecidedBy  *string              `json:"decided_by"`
	Decided    *time.Time           `json:"decided"`
	Reason     *string              `json:"reason"`
	Saved      *string              `json:"saved"` // the rule that the answer saved
	Replaces   *string              `json:"replaces"`
	Changed    []string             `json:"changed"`
	Digest     string               `json:"digest"`
	Within     *withinView          `json:"within"`
}

// withinView is the outermost agent call that another call is made in.
type withinView struct {
	LedgerID string `json:"ledger_id"`
	Run      string `json:"run"`
	Tool     string `json:"tool"`
}

func viewWithin(p ledger.Approval) *withinView {
	if p.Within == "" {
		return nil
	}
	return &withinView{LedgerID: p.Within, Run: p.WithinRun, Tool: p.WithinTool}
}

func viewApproval(p ledger.Approval) approvalView {
	return approvalView{
		ApprovalID: p.ID, LedgerID: p.EntryID, Run: p.Run, Turn: p.Turn, Tool: p.Tool, Arguments: p.Arguments, Finding: p.Finding,
		Why: known(p.Why), Unresolved: known(p.Unresolved), Rule: known(p.Rule), Labels: list(p.Labels), Principal: p.Principal, State: p.State,
		Requested: knownTime(p.Requested), Expires: knownTime(p.Expires), DecidedBy: known(p.DecidedBy), Decided: knownTime(p.Decided),
		Reason: known(p.Reason), Saved: known(p.Saved), Replaces: known(p.Replaces), Changed: list(p.Changed), Digest: p.Digest, Within: viewWithin(p),
	}
}

// known is s, or null where it is empty.
func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func knownTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
