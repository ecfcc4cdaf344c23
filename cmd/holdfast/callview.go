package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/schema"
)

// callView is what became of one call. The names are fixed.
type callView struct {
	CallID      string           `json:"call_id"`
	LedgerID    *string          `json:"ledger_id"`
	Tool        string           `json:"tool"`
	Outcome     *string          `json:"outcome"` // null: it waits for a call before it
	Code        *string          `json:"code"`
	Executed    *bool            `json:"executed"`
	Replayed    bool             `json:"replayed"`
	Key         *string          `json:"key"`
	Problems    []schema.Problem `json:"problems"`
	Observation json.RawMessage  `json:"observation"` // as the model reads it: its JSON, or its text as a string
	ApprovalID  *string          `json:"approval_id"`
	Stage       *string          `json:"stage"` // that gave the outcome
	Run         string           `json:"run"`
	Warnings    []schema.Problem `json:"warnings"`
	Attempts    int              `json:"attempts"`          // how often the handler was entered
	Rule        *string          `json:"rule"`              // of the policy, or saved:ID, that decided about it
	Labels      []holdfast.Label `json:"labels"`            // that the run held
	Waiting     bool             `json:"waiting,omitempty"` // for a call before it in the round
	Skipped     bool             `json:"skipped,omitempty"` // the provider ran it itself
}

func viewCall(run string, v gate.Verdict) callView {
	o := v.Outcome
	view := callView{
		CallID: v.CallID, LedgerID: known(v.LedgerID), Tool: v.Tool, Outcome: known(string(o.Status)), Code: known(string(o.Code)),
		Replayed: o.Replayed, Key: known(v.Key), Problems: list(o.Problems), ApprovalID: known(v.ApprovalID),
		Stage: known(string(v.Stage)), Run: run, Warnings: list(v.Warnings), Attempts: v.Attempts, Rule: known(v.Rule), Labels: list(v.Labels), Waiting: v.Waiting, Skipped: v.Skipped,
	}
	if v.Waiting || v.Skipped {
		no := false
		view.Outcome, view.Executed = nil, &no
		return view
	}
	view.Executed = o.Executed()
	view.Observation = viewObservation(v.Observation)
	return view
}

func viewObservation(o holdfast.Observation) json.RawMessage {
	if o.JSON != nil {
		return o.JSON
	}
	text, err := encode(o.Text)
	if err != nil {
		panic("holdfast: a string does not marshal: " + err.Error())
	}
	return text
}

// showCalls writes what became of a call, and of those that ran with it, and
// ends with exit code 1 where any is not ok.
func (a *app) showCalls(run string, first gate.Verdict, others ...gate.Verdict) error {
	notOK := first.Outcome.Status != holdfast.OK
	var siblings []callView
	for _, v := range others {
		if v.Skipped {
			continue
		}
		notOK = notOK || v.Outcome.Status != holdfast.OK
		siblings = append(siblings, viewCall(run, v))
	}
	err := a.writeCalls(run, first, others, siblings)
	if err == nil && notOK {
		return errFindings
	}
	return err
}

func (a *app) writeCalls(run string, first gate.Verdict, others []gate.Verdict, siblings []callView) error {
	if a.wantsJSON() {
		return writeJSON(a.stdout, struct {
			callView
			Siblings []callView `json:"siblings,omitempty"`
		}{viewCall(run, first), siblings})
	}
	for _, v := range append([]gate.Verdict{first}, others...) {
		fmt.Fprintln(a.stdout, describe(v))
		if text := visible.Text(v.Observation.Text); text != "" {
			fmt.Fprintln(a.stdout, text)
		} else if v.Observation.JSON != nil {
			fmt.Fprintln(a.stdout, visible.JSON(v.Observation.JSON))
		}
		if v.ApprovalID != "" && v.Outcome.Status == holdfast.Pending {
			fmt.Fprintf(a.stderr, "It waits for approval %s: %s\n", v.ApprovalID, a.hint("approvals", "show", v.ApprovalID))
		}
	}
	return nil
}

// describe is a call's fate in a few words on one line.
func describe(v gate.Verdict) string { return visible.Line(v.Tool) + ": " + fate(v) }

// fate is what became of a call, and at which stage of the gate.
func fate(v gate.Verdict) string {
	o := v.Outcome
	switch {
	case v.Waiting:
		return "waits for the call before it"
	case v.Skipped:
		return "run by the provider"
	case o.Replayed:
		return string(o.Status) + ", replayed from the record"
	case o.Status == holdfast.OK && o.Code == "" && v.Stage == gate.Confirm:
		return "passed the gate: ok, its effect was seen"
	case o.Status == holdfast.OK && o.Code == "" && v.Stage == gate.Admit:
		return "passed the gate: ok, from the same read just before"
	case o.Status == holdfast.OK && o.Code == "" && v.Attempts > 1:
		return fmt.Sprintf("passed the gate: ok, at the %d. try", v.Attempts)
	case o.Status == holdfast.OK && o.Code == "":
		return "passed the gate: ok"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s at %s (%s)", o.Status, v.Stage, o.Code)
	if v.Attempts > 1 {
		fmt.Fprintf(&b, " after %d tries", v.Attempts)
	}
	if v.Rule != "" {
		fmt.Fprintf(&b, "; rule %s", visible.Line(v.Rule))
	}
	const shown = 3
	for i, p := range o.Problems {
		if i == shown {
			fmt.Fprintf(&b, "; and %d more", len(o.Problems)-shown)
			break
		}
		fmt.Fprintf(&b, "; %s %s", shownPath(p.Path), visible.Line(p.Message))
	}
	return b.String()
}
