package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/schema"
)

// Handler is a as the handler of a tool with effect agent; message makes the
// message of its turn from a call's arguments.
//
// The turn is that of a run of its own, found by the call's ledger id. So the same
// call gone on with, after a crash or a person's decision, goes on with the same
// turn from its saved rounds: what ran in it is not run again. Where the turn waits,
// the call is parked ([gate.NoAnswer]), and entering it again goes on. A context that
// has ended before it is entered cancels the turn.
func (a *Agent) Handler(message func(args schema.Value) (string, error)) holdfast.Handler {
	return func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
		call := holdfast.CallInfoFrom(ctx)
		if call.LedgerID == "" {
			return holdfast.Result{}, unanswered(holdfast.ToolError, "it is not within a recorded call: an agent's tool runs through a gate")
		}
		nested, err := a.enter(ctx)
		if err != nil {
			return holdfast.Result{}, unanswered(holdfast.LimitExceeded, err.Error())
		}
		w := &within{agent: a, call: call, run: RunWithin(call.LedgerID)}
		answer, err := w.drive(nested, args, message)
		w.report(ctx)
		return answer, err
	}
}

// RunWithin is the id of the run that an agent's tool makes for the call of that
// ledger id.
func RunWithin(call string) string { return "in-" + call }

// within is the run inside of one call.
type within struct {
	agent *Agent
	call  holdfast.CallInfo
	run   string
}

func unanswered(code holdfast.Code, message string) *gate.NoAnswer {
	return &gate.NoAnswer{Code: code, Message: message}
}

// drive takes the run's one turn to its end, or as far as it goes now.
func (w *within) drive(ctx context.Context, args schema.Value, message func(schema.Value) (string, error)) (holdfast.Result, error) {
	if ctx.Err() != nil {
		return holdfast.Result{}, w.cancel(ctx)
	}
	r, err := w.turn(ctx, args, message)
	if err == nil {
		return answered(r)
	}
	if no := (*gate.NoAnswer)(nil); errors.As(err, &no) {
		return holdfast.Result{}, no
	}
	if ctx.Err() != nil {
		return holdfast.Result{}, w.cancel(ctx)
	}
	return holdfast.Result{}, stuck(err)
}

// stuck parks a call whose record could not be read or written: its turn is open
// still, and goes on with the call.
func stuck(err error) error {
	return unanswered(holdfast.LedgerUnavailable, "its record could not be read or written, and it goes on from there: "+err.Error())
}

// turn begins the run's turn, goes on with it, or finds how it ended.
func (w *within) turn(ctx context.Context, args schema.Value, message func(schema.Value) (string, error)) (Result, error) {
	a := w.agent
	if _, err := a.history.LookupRun(ctx, w.run); err != nil {
		run := gate.Run{
			ID: w.run, Catalog: a.gate.Catalog().Namespace(), Principal: w.call.Principal,
			Parent: w.call.LedgerID, Root: w.call.Run, // labels and budgets are the caller's
		}
		if _, err := a.history.CreateRun(ctx, run); err != nil {
			return Result{}, err
		}
	}
	turns, err := a.history.Turns(ctx, w.run)
	switch {
	case err != nil:
		return Result{}, err
	case len(turns) == 0:
		text, err := message(args)
		if err == nil && strings.TrimSpace(text) == "" {
			err = errors.New("it is empty")
		}
		if err != nil {
			return Result{}, unanswered(holdfast.ToolError, "its task cannot be made of the arguments: "+err.Error())
		}
		return a.Turn(ctx, w.run, text)
	case turns[0].End == "":
		return a.Resume(ctx, w.run)
	}
	return a.recorded(turns[0]), nil
}

// recorded is the result of a turn that ended before.
func (a *Agent) recorded(t gate.Turn) Result {
	r := Result{Run: t.Run, Turn: t.Number, End: End(t.End), Message: t.Answer}
	if r.End == Answer {
		r.Answer = t.Answer
		if a.options.Output != nil {
			r.JSON = json.RawMessage(strings.TrimSpace(t.Answer))
		}
	}
	return r
}

// cancel ends the run's turn, if it is open, with what waits in it.
func (w *within) cancel(ctx context.Context) error {
	ctx, done := w.agent.detached(ctx)
	defer done()
	turns, err := w.agent.history.Turns(ctx, w.run)
	if err == nil && len(turns) > 0 && turns[0].End == "" {
		_, err = w.agent.Cancel(ctx, w.run)
	}
	if err != nil {
		return stuck(err)
	}
	return unanswered(holdfast.Cancelled, "it was cancelled")
}

// answered is a turn's result as the handler's.
func answered(r Result) (holdfast.Result, error) {
	switch r.End {
	case Answer:
		if r.JSON != nil {
			return holdfast.Result{JSON: r.JSON}, nil
		}
		return holdfast.Result{Text: r.Answer}, nil
	case Pending:
		no := unanswered(holdfast.InProgress, r.Message)
		if no.ApprovalID = r.ApprovalID; r.ApprovalID != "" {
			no.Code = holdfast.ApprovalPending
		}
		return holdfast.Result{}, no
	case RoundLimit:
		return holdfast.Result{}, unanswered(holdfast.LimitExceeded, r.Message)
	case Cancelled:
		return holdfast.Result{}, unanswered(holdfast.Cancelled, r.Message)
	}
	message := r.Message
	if r.Err != nil {
		message = strings.TrimSuffix(message, ".") + ": " + r.Err.Error()
	}
	return holdfast.Result{}, unanswered(holdfast.ToolError, message)
}

// report tells the gate what became of the run's own calls, from the record alone:
// those of an earlier process too.
func (w *within) report(ctx context.Context) {
	kept, done := w.agent.detached(ctx)
	defer done()
	calls, err := w.agent.calls(kept, w.run)
	if err != nil {
		// What is not known must not pass for nothing.
		calls = append(calls, holdfast.Inner{Tool: w.call.Tool, Status: holdfast.Uncertain, Code: holdfast.LedgerUnavailable})
	}
	for _, c := range calls {
		gate.ReportInner(ctx, c)
	}
}

// calls are those of a run that have an outcome, in order.
func (a *Agent) calls(ctx context.Context, run string) ([]holdfast.Inner, error) {
	rounds, err := a.history.Rounds(ctx, run, 0)
	if err != nil {
		return nil, fmt.Errorf("reading run %s: %w", run, err)
	}
	var calls []holdfast.Inner
	for _, round := range rounds {
		by, err := a.member(round.Agent)
		if err != nil {
			return calls, err
		}
		verdicts, err := by.gate.Recall(ctx, round)
		if err != nil {
			return calls, err
		}
		for _, v := range verdicts {
			if !v.Waiting && !v.Skipped {
				calls = append(calls, holdfast.Inner{Tool: v.Tool, Status: v.Outcome.Status, Code: v.Outcome.Code, LedgerID: v.LedgerID})
			}
		}
	}
	return calls, nil
}
