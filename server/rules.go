package server

import (
	"net/http"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/policy"
	"github.com/holdfast-go/holdfast/rule"
	"github.com/holdfast-go/holdfast/server/token"
)

// wish is what a person wants a rule for calls to come to say.
type wish struct {
	Free      []string         `json:"free"`      // arguments that may be anything
	When      []rule.Condition `json:"when"`      // in the place of "exactly this"
	Everybody bool             `json:"everybody"` // of the tenant
	Days      float64          `json:"days"`      // 0: 30
}

// suggested is the rule that an answer to an approval would save.
func (s *Server) suggested(r *http.Request, p ledger.Approval, w wish) (rule.Saved, error) {
	if w.Everybody && !callerOf(r.Context()).may(token.Admin) {
		return rule.Saved{}, problem{http.StatusForbidden, "scope_needed", "A rule for everybody needs a token with the scope admin.", map[string]any{"scope": token.Admin}}
	}
	if w.Days < 0 || w.Days > 366 {
		return rule.Saved{}, badRequest("A rule lasts from 1 to 366 days.")
	}
	e, err := s.ledger.Entry(r.Context(), p.EntryID)
	if err != nil {
		return rule.Saved{}, err
	}
	o := &policy.SuggestOptions{Free: w.Free, When: w.When, Tenant: w.Everybody, Lasts: time.Duration(w.Days * 24 * float64(time.Hour))}
	saved, err := policy.Suggest(p, e, o)
	if err != nil {
		return rule.Saved{}, problem{http.StatusUnprocessableEntity, "no_rule", visible.Line(sentence(err.Error())), nil}
	}
	return saved, nil
}

// sentence is an error's text as one.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }

// previewRule shows the rule that an answer would save, and saves nothing.
func (s *Server) previewRule(w http.ResponseWriter, r *http.Request) error {
	var in wish
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
	saved, err := s.suggested(r, p, in)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, map[string]any{
		"words": policy.Describe(saved), "arguments": shownNames(saved.Arguments), "fingerprint": policy.Fingerprint(saved),
	})
}

// approveAlways agrees to a call and saves the rule that was shown: no other.
func (s *Server) approveAlways(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		wish
		Reason      string `json:"reason"`
		Fingerprint string `json:"fingerprint"`
	}
	if err := readBody(r, &in); err != nil {
		return err
	}
	if len(in.Reason) > maxReason {
		return badRequest("The reason is longer than %d bytes.", maxReason)
	}
	p, err := s.approval(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	saved, err := s.suggested(r, p, in.wish)
	if err != nil {
		return err
	}
	if in.Fingerprint != policy.Fingerprint(saved) {
		return problem{http.StatusConflict, "rule_not_shown", "This is not the rule that was shown, so nothing was saved or decided.", nil}
	}
	decided, kept, err := s.ledger.ApproveAlways(r.Context(), p.ID, callerOf(r.Context()).ID, strings.TrimSpace(in.Reason), saved)
	if err != nil {
		return err
	}
	resumed := s.resumeDecided(r.Context(), decided)
	v, err := s.approvalView(r.Context(), decided.ID)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, map[string]any{"approval": v, "resumed": resumed, "rule": viewRule(kept)})
}

// listRules lists what people agreed to for calls to come, newest first.
func (s *Server) listRules(w http.ResponseWriter, r *http.Request) error {
	limit, err := number(r, "limit", 50, 200)
	if err != nil {
		return err
	}
	who := callerOf(r.Context())
	found, next, err := collect(limit, r.URL.Query().Get("before"), func(page ledger.Filter) ([]rule.Saved, error) {
		return s.ledger.Rules(r.Context(), page)
	}, func(k rule.Saved) string { return k.ID }, func(k rule.Saved) (bool, error) { return who.concerned(k), nil })
	if err != nil {
		return err
	}
	views := []ruleView{}
	for _, k := range found {
		views = append(views, viewRule(k))
	}
	return write(w, http.StatusOK, map[string]any{"rules": views, "next": known(next)})
}

// concerned reports whether a rule is shown to c: one for everybody of its tenant
// is.
func (c *caller) concerned(k rule.Saved) bool {
	return c.sees(k.Principal) || k.Principal.ID == "" && k.Principal.Tenant == c.Tenant
}

// revokeRule ends a rule; one for everybody is an admin's to end.
func (s *Server) revokeRule(w http.ResponseWriter, r *http.Request) error {
	k, err := s.ledger.Rule(r.Context(), r.PathValue("id"))
	if err == nil && !callerOf(r.Context()).sees(k.Principal) {
		err = ledger.ErrNotFound
	}
	if err == nil {
		k, err = s.ledger.RevokeRule(r.Context(), k.ID, callerOf(r.Context()).ID)
	}
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, viewRule(k))
}

// ruleView is a saved rule.
type ruleView struct {
	ID         string             `json:"rule_id"`
	Tool       string             `json:"tool"`
	Words      []string           `json:"words"` // all that it says
	Principal  holdfast.Principal `json:"principal"`
	ApprovalID string             `json:"approval_id"`
	SavedBy    string             `json:"saved_by"`
	Saved      *time.Time         `json:"saved"`
	Expires    *time.Time         `json:"expires"`
	RevokedBy  *string            `json:"revoked_by"`
	Revoked    *time.Time         `json:"revoked"`
}

func viewRule(k rule.Saved) ruleView {
	return ruleView{
		ID: k.ID, Tool: visible.Line(k.Tool), Words: policy.Describe(k), Principal: k.Principal, ApprovalID: k.Approval,
		SavedBy: visible.Line(k.SavedBy), Saved: knownTime(k.Saved), Expires: knownTime(k.Expires),
		RevokedBy: known(visible.Line(k.RevokedBy)), Revoked: knownTime(k.Revoked),
	}
}

// shownNames are names of arguments. What a client sends back must be what it was
// shown, so a name that would not show itself is not among them.
func shownNames(names []string) []string {
	plain := []string{}
	for _, n := range names {
		if visible.Line(n) == n {
			plain = append(plain, n)
		}
	}
	return plain
}
