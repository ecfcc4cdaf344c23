// Package edit answers a question to a person with a call of the person's own: the
// call that was asked about is denied, and the same tool is called with the
// arguments that the person gave. It is a new call, in a run of its own, and passes
// the whole gate.
//
//	e := edit.Editor{Gate: g, Ledger: l, Catalog: "coach"}
//	denied, verdict, err := e.Instead(ctx, approval, `{"weight_kg":76}`, "bea", "a slip")
//
// It does not change a call that waits: what a model proposed and what a person
// made stay apart in the record.
package edit

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/internal/changes"
	"github.com/holdfast-go/holdfast/internal/digest"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

// Editor makes calls in the place of those that wait. Gate and Ledger are needed.
type Editor struct {
	Gate    *gate.Gate
	Ledger  *ledger.Ledger
	Catalog string // as the record names it
	// Put puts a round through the gate, again where again says so; nil: as
	// [gate.Gate.Round] does, without waiting for a person.
	Put func(ctx context.Context, r ledger.Round, again bool) ([]gate.Verdict, error)
}

// Refusal says why a call cannot be made in another's place. Nothing was decided.
type Refusal struct {
	// Code is tool_changed, secret_arguments, within_call, or one of the gate's for
	// arguments.
	Code     string
	Message  string
	Problems []schema.Problem // of the arguments
}

func (r *Refusal) Error() string { return r.Message }

// Run of the call that was made in an approval's stead: there is one at most.
func Run(approval string) string { return "edit-" + approval }

// Instead denies what a asks about, and calls its tool with other arguments on
// behalf of the same principal. By agrees to exactly these arguments; where the
// precondition finds something else for them than was shown, that is a question of
// its own. It gives the approval as it denied it, also where the call then failed.
// A [*Refusal] or a [*ledger.DecidedError] has changed nothing.
func (e *Editor) Instead(ctx context.Context, a ledger.Approval, arguments, by, reason string) (ledger.Approval, gate.Verdict, error) {
	if a.State != ledger.Waiting {
		return ledger.Approval{}, gate.Verdict{}, &ledger.DecidedError{Approval: a}
	}
	tool, err := e.check(ctx, a, arguments)
	if err != nil {
		return ledger.Approval{}, gate.Verdict{}, err
	}
	reason = why(arguments, reason)
	denied, err := e.Ledger.Deny(ctx, a.ID, by, reason)
	if err == nil && (denied.DecidedBy != by || denied.Reason != reason) {
		err = &ledger.DecidedError{Approval: denied} // meanwhile, or with other arguments
	}
	if err != nil {
		return ledger.Approval{}, gate.Verdict{}, err
	}
	v, err := e.call(context.WithoutCancel(ctx), a, tool, arguments, by)
	return denied, v, err
}

// check refuses what the gate would, before anything is decided.
func (e *Editor) check(ctx context.Context, a ledger.Approval, arguments string) (*holdfast.Tool, error) {
	if a.Within != "" {
		return nil, &Refusal{Code: "within_call", Message: "It is asked within a call of an agent, whose model reads the answer; deny it and say why."}
	}
	c := e.Gate.Catalog()
	tool, ok := c.Lookup(a.Tool)
	if !ok || c.Qualify(tool) != a.Tool || tool.Digest() != a.ToolDigest {
		return nil, &Refusal{Code: "tool_changed", Message: "The tool is no longer what it was when this was asked."}
	}
	asked, err := e.Ledger.Entry(ctx, a.EntryID)
	if err != nil {
		return nil, err
	}
	if masked(asked) {
		return nil, &Refusal{Code: "secret_arguments", Message: "Its arguments hold a secret that is not shown, so they cannot be edited here."}
	}
	v, err := schema.Read([]byte(arguments), nil)
	if err != nil {
		return nil, &Refusal{Code: string(holdfast.UnreadableArguments), Message: "The arguments are not one JSON object: " + visible.Line(err.Error()) + "."}
	}
	if report := tool.Input().Validate(v); !report.Valid() {
		return nil, &Refusal{Code: string(holdfast.InvalidArguments), Message: "The arguments do not fit the tool.", Problems: report.Problems}
	}
	return tool, nil
}

// masked reports whether what is shown of a call's arguments is not what runs.
func masked(e ledger.Entry) bool {
	v, err := schema.Read(e.Arguments, nil)
	return err != nil || digest.Of(v.Canonical()) != e.ArgumentsDigest
}

// maxReason bounds each half of why: the model reads it.
const maxReason = 1000

func why(arguments, reason string) string {
	made := "a person made this call with other arguments instead: " + cut(arguments)
	if reason = strings.TrimSpace(reason); reason == "" {
		return made
	}
	return cut(reason) + "; " + made
}

// cut keeps what fits, on a character's boundary.
func cut(s string) string {
	if len(s) <= maxReason {
		return s
	}
	return strings.ToValidUTF8(s[:maxReason], "")
}

func (e *Editor) call(ctx context.Context, a ledger.Approval, tool *holdfast.Tool, arguments, by string) (gate.Verdict, error) {
	_, err := e.Ledger.CreateRun(ctx, ledger.Run{ID: Run(a.ID), Catalog: e.Catalog, Principal: a.Principal, Root: a.Run})
	if err != nil {
		return gate.Verdict{}, err
	}
	round := ledger.Round{
		Run: Run(a.ID), Turn: 1, Number: 1, API: "call", Complete: true, Ending: "ended", Principal: a.Principal,
		Names: map[string]string{tool.Name(): a.Tool},
		Calls: []holdfast.Call{{Name: tool.Name(), Kind: holdfast.FunctionCall, Arguments: arguments, Complete: true}},
	}
	if err := e.Ledger.SaveRound(ctx, round); err != nil {
		return gate.Verdict{}, err
	}
	v, err := e.put(ctx, round, false)
	if err != nil || v.Outcome.Status != holdfast.Pending {
		return v, err
	}
	asked, err := e.Ledger.Approval(ctx, v.ApprovalID)
	if err != nil {
		return gate.Verdict{}, err
	}
	if !answered(a, asked) {
		return v, nil
	}
	if _, err := e.Ledger.Approve(ctx, asked.ID, by, "made by the same person"); err != nil {
		return gate.Verdict{}, err
	}
	return e.put(ctx, round, true)
}

// put puts the one call of a round through the gate.
func (e *Editor) put(ctx context.Context, r ledger.Round, again bool) (gate.Verdict, error) {
	put := e.Put
	if put == nil {
		put = func(ctx context.Context, r ledger.Round, again bool) ([]gate.Verdict, error) {
			return e.Gate.Round(ctx, r, &gate.RoundOptions{NoWait: true, Resume: again})
		}
	}
	verdicts, err := put(ctx, r, again)
	if err != nil {
		return gate.Verdict{}, err
	}
	return verdicts[0], nil
}

// answered reports whether whoever gave the arguments saw all that now is asked.
func answered(before, now ledger.Approval) bool {
	newLabel := slices.ContainsFunc(now.Labels, func(l holdfast.Label) bool { return !slices.Contains(before.Labels, l) })
	return now.Unresolved == before.Unresolved && !newLabel && sameThere(before.Finding, now.Finding)
}

// sameThere reports whether two findings, for other arguments, saw the same:
// each value that is found now was shown before.
func sameThere(before, now holdfast.Finding) bool {
	was, ok := changes.Of(before.Shown)
	is, listed := changes.Of(now.Shown)
	if !ok || !listed {
		return bytes.Equal(before.Shown, now.Shown)
	}
	for _, c := range is {
		if !slices.ContainsFunc(was, func(w changes.Change) bool { return bytes.Equal(w.What, c.What) && bytes.Equal(w.Old, c.Old) }) {
			return false
		}
	}
	return true
}
