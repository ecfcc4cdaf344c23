package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/internal/digest"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

// listApprovals lists questions to a person, newest first: those that wait,
// unless state says otherwise ("all": every one).
func (s *Server) listApprovals(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	limit, err := number(r, "limit", 50, 200)
	if err != nil {
		return err
	}
	f := ledger.Filter{Run: q.Get("run"), State: q.Get("state"), Before: q.Get("before")}
	switch f.State {
	case "":
		f.State = string(ledger.Waiting)
	case "all":
		f.State = ""
	}
	who := callerOf(r.Context())
	found, next, err := collect(limit, f.Before, func(page ledger.Filter) ([]ledger.Approval, error) {
		f.Before, f.Limit = page.Before, page.Limit
		return s.ledger.Approvals(r.Context(), f)
	}, func(p ledger.Approval) string { return p.ID }, func(p ledger.Approval) (bool, error) { return who.sees(p.Principal), nil })
	if err != nil {
		return err
	}
	views := []approvalView{}
	for _, p := range found {
		views = append(views, viewApproval(p))
	}
	return write(w, http.StatusOK, map[string]any{"approvals": views, "next": known(next)})
}

func (s *Server) showApproval(w http.ResponseWriter, r *http.Request) error {
	v, err := s.approvalView(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, v)
}

// approvalView is a question, and the call that a person made in its stead.
func (s *Server) approvalView(ctx context.Context, id string) (approvalView, error) {
	p, err := s.approval(ctx, id)
	if err != nil {
		return approvalView{}, err
	}
	v := viewApproval(p)
	if p.State != ledger.Denied {
		return v, nil
	}
	made, err := s.ledger.Entries(ctx, ledger.Filter{Run: editRun(id), Limit: 1})
	if err != nil {
		return v, err
	}
	if len(made) > 0 {
		v.Edited = &made[0].ID
	}
	return v, nil
}

func (s *Server) approve(w http.ResponseWriter, r *http.Request) error {
	return s.decide(w, r, s.ledger.Approve)
}

func (s *Server) deny(w http.ResponseWriter, r *http.Request) error {
	return s.decide(w, r, s.ledger.Deny)
}

// maxReason bounds why a person decided so: the model reads it.
const maxReason = 2000

// decide takes a person's decision, once, and goes on with what waited for it.
func (s *Server) decide(w http.ResponseWriter, r *http.Request, how func(ctx context.Context, id, by, reason string) (ledger.Approval, error)) error {
	var in struct {
		Reason string `json:"reason"`
	}
	if err := readBody(r, &in); err != nil {
		return err
	}
	if len(in.Reason) > maxReason {
		return badRequest("The reason is longer than %d bytes.", maxReason)
	}
	p, err := s.approval(r.Context(), r.PathValue("id"))
	if err == nil {
		p, err = how(r.Context(), p.ID, callerOf(r.Context()).ID, strings.TrimSpace(in.Reason))
	}
	if err != nil {
		return err
	}
	resumed := s.resumeDecided(r.Context(), p)
	v, err := s.approvalView(r.Context(), p.ID)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, map[string]any{"approval": v, "resumed": resumed})
}

// edit answers a question with a call of the person's own: the call that was
// asked about is denied, and the same tool is called with the arguments that the
// person gave, as a run of its own. It passes the whole gate. The person agreed
// to exactly these arguments; where the precondition finds something else for
// them than was shown, that is a question of its own.
func (s *Server) edit(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Arguments string `json:"arguments"`
		Reason    string `json:"reason"`
	}
	if err := readBody(r, &in); err != nil {
		return err
	}
	p, err := s.approval(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	if p.State != ledger.Waiting {
		return &ledger.DecidedError{Approval: p}
	}
	if err := s.checkEdit(p, in.Arguments); err != nil {
		return err
	}
	reason := "a person made this call with other arguments instead: " + cutAt(in.Arguments, maxReason/2)
	if in.Reason != "" {
		reason = cutAt(strings.TrimSpace(in.Reason), maxReason/2) + "; " + reason
	}
	denied, err := s.ledger.Deny(r.Context(), p.ID, callerOf(r.Context()).ID, reason)
	if err != nil {
		return err
	}
	verdict, err := s.callInstead(context.WithoutCancel(r.Context()), p, in.Arguments)
	resumed := s.resumeDecided(r.Context(), denied)
	if err != nil {
		return err
	}
	v, err := s.approvalView(r.Context(), p.ID)
	if err != nil {
		return err
	}
	at := 0
	return write(w, http.StatusOK, map[string]any{"approval": v, "resumed": resumed, "call": s.viewVerdict(place{1, 1, &at}, verdict)})
}

// checkEdit refuses arguments that the gate would, before anything is decided.
func (s *Server) checkEdit(p ledger.Approval, arguments string) error {
	run, err := s.ledger.LookupRun(s.root, p.Run)
	if err != nil {
		return err
	}
	if err := s.here(run); err != nil {
		return err
	}
	tool := s.tool(p.Tool)
	if tool == nil || tool.Digest() != p.ToolDigest {
		return problem{http.StatusConflict, "tool_changed", "The tool is no longer what it was when this was asked.", nil}
	}
	if asked, err := s.ledger.Entry(s.root, p.EntryID); err != nil || masked(asked) {
		return cmp.Or(err, error(problem{http.StatusConflict, "secret_arguments", "Its arguments hold a secret that is not shown, so they cannot be edited here.", nil}))
	}
	v, err := schema.Read([]byte(arguments), nil)
	if err != nil {
		return problem{http.StatusUnprocessableEntity, "unreadable_arguments", "The arguments are not one JSON object: " + visible.Line(err.Error()) + ".", nil}
	}
	if report := tool.Input().Validate(v); !report.Valid() {
		return problem{http.StatusUnprocessableEntity, "invalid_arguments", "The arguments do not fit the tool.", map[string]any{"problems": shownProblems(report.Problems)}}
	}
	return nil
}

// masked reports whether what is shown of a call's arguments is not what runs.
func masked(e ledger.Entry) bool {
	v, err := schema.Read(e.Arguments, nil)
	if err != nil {
		return true
	}
	return digest.Of(v.Canonical()) != e.ArgumentsDigest
}

func (s *Server) tool(qualified string) *holdfast.Tool {
	c := s.gate.Catalog()
	tools := c.Tools()
	i := slices.IndexFunc(tools, func(t *holdfast.Tool) bool { return c.Qualify(t) == qualified })
	if i < 0 {
		return nil
	}
	return tools[i]
}

// editRun is the run of the call that was made in an approval's stead: there is
// one at most.
func editRun(approval string) string { return "edit-" + approval }

func (s *Server) callInstead(ctx context.Context, p ledger.Approval, arguments string) (gate.Verdict, error) {
	tool := s.tool(p.Tool)
	_, err := s.ledger.CreateRun(ctx, ledger.Run{ID: editRun(p.ID), Catalog: s.options.Catalog, Principal: p.Principal, Root: p.Run})
	if err != nil {
		return gate.Verdict{}, err
	}
	round := ledger.Round{
		Run: editRun(p.ID), Turn: 1, Number: 1, API: "call", Complete: true, Ending: "ended", Principal: p.Principal,
		Names: map[string]string{tool.Name(): p.Tool},
		Calls: []holdfast.Call{{Name: tool.Name(), Kind: holdfast.FunctionCall, Arguments: arguments, Complete: true}},
	}
	if err := s.ledger.SaveRound(ctx, round); err != nil {
		return gate.Verdict{}, err
	}
	verdicts, err := s.put(ctx, round, false)
	if err != nil {
		return gate.Verdict{}, err
	}
	if verdicts[0].Outcome.Status != holdfast.Pending {
		return verdicts[0], nil
	}
	asked, err := s.ledger.Approval(ctx, verdicts[0].ApprovalID)
	if err != nil {
		return gate.Verdict{}, err
	}
	newLabel := slices.ContainsFunc(asked.Labels, func(l holdfast.Label) bool { return !slices.Contains(p.Labels, l) })
	if asked.Unresolved != p.Unresolved || newLabel || !sameThere(p.Finding, asked.Finding) {
		return verdicts[0], nil
	}
	agreed, err := s.ledger.Approve(ctx, asked.ID, callerOf(ctx).ID, "made by the same person")
	if err != nil {
		return gate.Verdict{}, err
	}
	e, err := s.ledger.Entry(ctx, agreed.EntryID)
	if err != nil {
		return gate.Verdict{}, err
	}
	return s.resumeCall(ctx, e)
}

// sameThere reports whether two findings, for other arguments, saw the same:
// each value that is found now was shown before.
func sameThere(before, now holdfast.Finding) bool {
	was, ok := findChanges(before)
	is, listed := findChanges(now)
	if !ok || !listed {
		return bytes.Equal(before.Shown, now.Shown)
	}
	for _, c := range is {
		if !slices.ContainsFunc(was, func(w foundChange) bool { return bytes.Equal(w.what, c.what) && bytes.Equal(w.old, c.old) }) {
			return false
		}
	}
	return true
}

// foundChange is a value that was found, and would be replaced.
type foundChange struct {
	what     json.RawMessage // whatever else the finding says of it: it names the value
	names    []string        // the texts of that
	old, new json.RawMessage
}

// findChanges reads a finding that lists changes as objects with "old" and
// "new". Of any other it knows nothing.
func findChanges(f holdfast.Finding) (list []foundChange, ok bool) {
	var changes []map[string]json.RawMessage
	if json.Unmarshal(f.Shown, &changes) != nil {
		return nil, false
	}
	for _, c := range changes {
		change := foundChange{old: c["old"], new: c["new"]}
		if change.old == nil || change.new == nil {
			return nil, false
		}
		delete(c, "old")
		delete(c, "new")
		for _, v := range c {
			if s := ""; json.Unmarshal(v, &s) == nil {
				change.names = append(change.names, s)
			}
		}
		what, err := json.Marshal(c)
		if err != nil {
			return nil, false
		}
		change.what = what
		list = append(list, change)
	}
	return list, true
}
