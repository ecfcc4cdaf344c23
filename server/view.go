package server

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/internal/changes"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

// What the API says. Arguments and observations come as text that is safe to
// show: exactly what stands in the record, with what would act instead of
// showing itself as escapes. Numbers keep their digits that way.

// verdictView is what became of a call.
type verdictView struct {
	place
	CallID     *string          `json:"call_id"`
	LedgerID   *string          `json:"ledger_id"`
	Tool       string           `json:"tool"`
	Effect     *string          `json:"effect"`
	Stage      *string          `json:"stage"`   // that gave the outcome
	Outcome    *string          `json:"outcome"` // null: there is none yet
	Code       *string          `json:"code"`
	Executed   *bool            `json:"executed"`
	Replayed   bool             `json:"replayed"`
	Message    *string          `json:"message"`
	Next       *string          `json:"next"`
	Problems   []schema.Problem `json:"problems"`
	ApprovalID *string          `json:"approval_id"`
	Inner      []innerView      `json:"inner"`             // an agent call's own calls
	Rule       *string          `json:"rule"`              // of the policy, or saved:ID, that decided about it
	Labels     []holdfast.Label `json:"labels"`            // that the run held
	Waiting    bool             `json:"waiting,omitempty"` // for a call before it
	Skipped    bool             `json:"skipped,omitempty"` // the provider ran it itself
}

func (s *Server) viewVerdict(at place, v gate.Verdict) verdictView {
	view := verdictView{
		place: at, CallID: known(visible.Line(v.CallID)), LedgerID: known(v.LedgerID), Tool: visible.Line(v.Tool), Effect: s.effects[v.Tool],
		Stage: known(string(v.Stage)), ApprovalID: known(v.ApprovalID), Rule: known(visible.Line(v.Rule)), Labels: list(v.Labels), Waiting: v.Waiting, Skipped: v.Skipped, Problems: []schema.Problem{}, Inner: []innerView{},
	}
	if !v.Waiting && !v.Skipped {
		view.outcome(&v.Outcome)
	}
	return view
}

func (v *verdictView) outcome(o *holdfast.Outcome) {
	v.Outcome, v.Code, v.Executed, v.Replayed = known(string(o.Status)), known(string(o.Code)), o.Executed(), o.Replayed
	v.Message, v.Next, v.Problems = known(visible.Text(o.Message)), known(visible.Text(o.Next)), shownProblems(o.Problems)
	v.Inner = viewInner(o.Inner)
}

// maxProblems bounds the failing fields of one call that are told.
const maxProblems = 100

func shownProblems(all []schema.Problem) []schema.Problem {
	out := make([]schema.Problem, 0, min(len(all), maxProblems))
	for _, p := range all[:min(len(all), maxProblems)] {
		out = append(out, schema.Problem{
			Path: visible.Line(p.Path), Keyword: p.Keyword, Expected: visible.Line(p.Expected), Got: visible.Line(p.Got), Message: visible.Line(p.Message),
		})
	}
	return out
}

// callView is one call of a run, or a row of the ledger.
type callView struct {
	verdictView
	Run       string  `json:"run"`
	State     *string `json:"state"`
	Arguments string  `json:"arguments"` // as shown; cut where Cut says so
	Cut       bool    `json:"cut"`
	// For is on whose behalf; null where the record does not say it yet.
	For      *holdfast.Principal `json:"principal"`
	Proposed *time.Time          `json:"proposed"`
	Started  *time.Time          `json:"started"`
	Ended    *time.Time          `json:"ended"`
	// Approval is the question that it waits for, or that a call of its own does.
	Approval *approvalView `json:"approval"`
}

// innerView is a call that an agent call made.
type innerView struct {
	Tool     string  `json:"tool"`
	Outcome  string  `json:"outcome"`
	Code     *string `json:"code"`
	LedgerID *string `json:"ledger_id"`
}

func viewInner(all []holdfast.Inner) []innerView {
	views := []innerView{}
	for _, in := range all {
		views = append(views, innerView{visible.Line(in.Tool), string(in.Status), known(string(in.Code)), known(in.LedgerID)})
	}
	return views
}

// unrecorded is a call of which the record says nothing yet.
func unrecorded(at place, name string) callView {
	return callView{verdictView: verdictView{place: at, Tool: visible.Line(name), Problems: []schema.Problem{}, Labels: []holdfast.Label{}, Inner: []innerView{}}}
}

func viewEntry(e ledger.Entry, most int) callView {
	position := e.Position
	v := callView{
		verdictView: verdictView{
			place: place{e.Turn, e.Round, &position}, CallID: known(visible.Line(e.CallID)), LedgerID: known(e.ID), Tool: visible.Line(e.Tool),
			Effect: known(string(e.Effect)), Stage: known(e.Stage), ApprovalID: known(e.ApprovalID), Problems: []schema.Problem{}, Inner: []innerView{}, Rule: known(visible.Line(e.Rule)), Labels: list(e.Labels),
		},
		Run: e.Run, State: known(string(e.State)), Arguments: shownArguments(e), For: &e.Principal,
		Proposed: knownTime(e.Proposed), Started: knownTime(e.Started), Ended: knownTime(e.End),
	}
	if len(v.Arguments) > most {
		v.Arguments, v.Cut = cutAt(v.Arguments, most), true
	}
	if e.Outcome != nil {
		v.outcome(e.Outcome)
		if e.Outcome.Parked {
			v.ApprovalID = known(e.Outcome.ApprovalID)
		}
	}
	return v
}

func shownArguments(e ledger.Entry) string {
	if e.Arguments != nil {
		return visible.JSON(e.Arguments)
	}
	return visible.Text(e.Text)
}

// shownText is an argument text as it came: as JSON where it is that.
func shownText(s string) string {
	if json.Valid([]byte(s)) {
		return visible.JSON([]byte(s))
	}
	return visible.Text(s)
}

// How much of an argument text is told where the whole is a request away.
const (
	maxShown = 16 << 10
	maxRow   = 300
)

func cutShown(s string) string { return cutAt(s, maxShown) }

// cutAt keeps at most n bytes, on a character's boundary.
func cutAt(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// approvalView is one question to a person, whole.
type approvalView struct {
	ApprovalID string             `json:"approval_id"`
	LedgerID   string             `json:"ledger_id"`
	Run        string             `json:"run"`
	Turn       int                `json:"turn"`
	Tool       string             `json:"tool"`
	Arguments  string             `json:"arguments"` // exactly what runs, secrets masked
	Shown      *string            `json:"shown"`     // what the precondition found: old against new
	Changes    []changeView       `json:"changes"`   // the same, where it lists what would be replaced
	Why        *string            `json:"why"`
	Unresolved *string            `json:"unresolved"`
	Rule       *string            `json:"rule"`   // of the policy, that asked
	Labels     []holdfast.Label   `json:"labels"` // of the run, because of which it is asked
	Principal  holdfast.Principal `json:"principal"`
	State      string             `json:"state"`
	Requested  *time.Time         `json:"requested"`
	Expires    *time.Time         `json:"expires"`
	DecidedBy  *string            `json:"decided_by"`
	Decided    *time.Time         `json:"decided"`
	Reason     *string            `json:"reason"`
	Saved      *string            `json:"saved"` // the rule that the answer saved
	Replaces   *string            `json:"replaces"`
	Changed    []string           `json:"changed"`
	// Edited is the ledger id of the call that a person made in its stead.
	Edited *string `json:"edited"`
	// Within is the outermost agent call that the call is made in.
	Within *withinView `json:"within"`
}

type withinView struct {
	LedgerID string `json:"ledger_id"`
	Run      string `json:"run"`
	Tool     string `json:"tool"`
}

func viewApproval(p ledger.Approval) approvalView {
	v := approvalView{
		ApprovalID: p.ID, LedgerID: p.EntryID, Run: p.Run, Turn: p.Turn, Tool: visible.Line(p.Tool), Arguments: visible.JSON(p.Arguments),
		Why: known(visible.Text(whyAsked(p))), Unresolved: known(p.Unresolved), Rule: known(visible.Line(p.Rule)), Labels: list(p.Labels), Principal: p.Principal, State: string(p.State),
		Requested: knownTime(p.Requested), Expires: knownTime(p.Expires), DecidedBy: known(visible.Line(p.DecidedBy)), Decided: knownTime(p.Decided),
		Reason: known(visible.Text(p.Reason)), Saved: known(p.Saved), Replaces: known(p.Replaces), Changed: list(p.Changed),
	}
	if p.Finding.Shown != nil {
		v.Shown = known(visible.JSON(p.Finding.Shown))
	}
	if p.Within != "" {
		v.Within = &withinView{p.Within, p.WithinRun, visible.Line(p.WithinTool)}
	}
	v.Changes = viewChanges(p.Finding)
	return v
}

// changeView is a value that would be replaced.
type changeView struct {
	What string `json:"what"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// viewChanges lists what a precondition found, where it tells it as a list of
// objects with "old" and "new" values.
func viewChanges(f holdfast.Finding) []changeView {
	found, _ := changes.Of(f.Shown)
	views := []changeView{}
	for _, c := range found {
		what := string(c.What)
		if len(c.Names) == 1 {
			what = c.Names[0]
		}
		views = append(views, changeView{visible.Line(what), shownValue(c.Old), shownValue(c.New)})
	}
	return views
}

// shownValue is a JSON value; a string stands for itself.
func shownValue(j json.RawMessage) string {
	if s := ""; json.Unmarshal(j, &s) == nil {
		return visible.Line(s)
	}
	return visible.JSON(j)
}

// whyAsked is the reason for the question, the tool's and the precondition's.
func whyAsked(p ledger.Approval) string {
	switch {
	case p.Finding.Why == "":
		return p.Why
	case p.Why == "" || p.Why == p.Finding.Why:
		return p.Finding.Why
	}
	return p.Why + "; " + p.Finding.Why
}

// shown is s for a person's eyes, or nil where that is s itself.
func shown(s string) *string {
	if v := visible.Text(s); v != s {
		return &v
	}
	return nil
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

// list is l, or an empty one for null.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

// encode is JSON on one line in which no character acts.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return []byte(visible.JSON(bytes.TrimSuffix(b.Bytes(), []byte("\n")))), nil
}
