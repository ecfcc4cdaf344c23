package server

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate/edit"
	"github.com/holdfast-go/holdfast/ledger"
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
	made, err := s.ledger.Entries(ctx, ledger.Filter{Run: edit.Run(id), Limit: 1})
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

// edit answers a question with a call of the person's own, and goes on with what
// waited for the answer.
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
	run, err := s.ledger.LookupRun(r.Context(), p.Run)
	if err != nil {
		return err
	}
	if err := s.here(run); err != nil {
		return err
	}
	editor := edit.Editor{Gate: s.gate, Ledger: s.ledger, Catalog: s.options.Catalog, Put: s.put}
	denied, verdict, err := editor.Instead(r.Context(), p, in.Arguments, callerOf(r.Context()).ID, in.Reason)
	resumed := denied.ID != "" && s.resumeDecided(r.Context(), denied)
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

func (s *Server) tool(qualified string) *holdfast.Tool {
	c := s.gate.Catalog()
	tools := c.Tools()
	i := slices.IndexFunc(tools, func(t *holdfast.Tool) bool { return c.Qualify(t) == qualified })
	if i < 0 {
		return nil
	}
	return tools[i]
}
