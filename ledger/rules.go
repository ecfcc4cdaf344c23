package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/rule"
)

const defaultLasts = 30 * 24 * time.Hour

type storedRule struct {
	ID         string           `json:"id"`
	Tool       string           `json:"tool"`
	ToolDigest string           `json:"tool_digest"`
	Arguments  []string         `json:"arguments,omitempty"`
	When       []rule.Condition `json:"when,omitempty"`
	Tenant     string           `json:"tenant,omitempty"`
	Principal  string           `json:"principal,omitempty"`
	Despite    []holdfast.Label `json:"despite,omitempty"`
	Approval   string           `json:"approval"`
	SavedBy    string           `json:"saved_by"`
	Saved      time.Time        `json:"saved"`
	Lasts      time.Duration    `json:"lasts"`
	Expires    time.Time        `json:"expires"`
	RevokedBy  string           `json:"revoked_by,omitempty"`
	Revoked    time.Time        `json:"revoked,omitzero"`
}

func storeRule(r *rule.Saved) *storedRule {
	return &storedRule{
		ID: r.ID, Tool: r.Tool, ToolDigest: r.ToolDigest, Arguments: r.Arguments, When: r.When,
		Tenant: r.Principal.Tenant, Principal: r.Principal.ID, Despite: r.Despite, Approval: r.Approval,
		SavedBy: r.SavedBy, Saved: r.Saved, Lasts: r.Lasts, Expires: r.Expires, RevokedBy: r.RevokedBy, Revoked: r.Revoked,
	}
}

func (s *storedRule) rule() rule.Saved {
	return rule.Saved{
		ID: s.ID, Tool: s.Tool, ToolDigest: s.ToolDigest, Arguments: s.Arguments, When: s.When,
		Principal: holdfast.Principal{Tenant: s.Tenant, ID: s.Principal}, Despite: s.Despite, Approval: s.Approval,
		SavedBy: s.SavedBy, Saved: s.Saved, Lasts: s.Lasts, Expires: s.Expires, RevokedBy: s.RevokedBy, Revoked: s.Revoked,
	}
}

// ApproveAlways is Approve, and saves a rule for calls like it in the same durable
// write. The rule is of the approval's tool, definition and tenant, and of its
// principal unless it names none. An answer saves one rule: the same again changes
// nothing, another is a *DecidedError.
func (l *Ledger) ApproveAlways(ctx context.Context, id, by, reason string, wanted rule.Saved) (Approval, rule.Saved, error) {
	if by == "" {
		return Approval{}, rule.Saved{}, fmt.Errorf("deciding approval %s: nobody says who decides", id)
	}
	for _, c := range wanted.When {
		if err := c.Check(); err != nil {
			return Approval{}, rule.Saved{}, fmt.Errorf("saving a rule: %w", err)
		}
	}
	wanted.ID = l.newID()
	var (
		out     *storedApproval
		saved   *storedRule
		refused bool
	)
	err := l.update(ctx, func(t *txn) error {
		refused = false
		a, err := t.loadApproval(id)
		if err != nil {
			return err
		}
		out, saved = a, ruleOf(a, wanted, by, t.now)
		if a.State != string(Waiting) {
			refused, err = t.savedOther(a, &saved)
			return err
		}
		if a.Principal != saved.Principal && saved.Principal != "" {
			return errors.New("the rule is for somebody else")
		}
		decided := *a
		decided.State, decided.Saved = string(Approved), saved.ID
		decided.DecidedBy, decided.Decided, decided.Reason = by, t.now, reason
		out = &decided
		if err := t.changeApproval(out, by); err != nil {
			return err
		}
		return t.putRule(saved, "rule_saved", by)
	})
	if err != nil {
		return Approval{}, rule.Saved{}, fmt.Errorf("deciding approval %s: %w", id, err)
	}
	if refused {
		return out.approval(), rule.Saved{}, &DecidedError{Approval: out.approval()}
	}
	return out.approval(), saved.rule(), nil
}

// ruleOf is wanted as the answer to an approval.
func ruleOf(a *storedApproval, wanted rule.Saved, by string, now time.Time) *storedRule {
	s := storeRule(&wanted)
	s.Tool, s.ToolDigest, s.Tenant, s.Approval, s.SavedBy = a.Tool, a.ToolDigest, a.Tenant, a.ID, by
	if s.Lasts <= 0 {
		s.Lasts = defaultLasts
	}
	s.Saved, s.Expires, s.RevokedBy, s.Revoked = now, now.Add(s.Lasts), "", time.Time{}
	return s
}

// savedOther reports whether an approval that is not waiting any more was answered
// otherwise; else saved becomes the rule that was saved with it.
func (t *txn) savedOther(a *storedApproval, saved **storedRule) (bool, error) {
	if !a.decidedAs(Approved) || a.Saved == "" {
		return true, nil
	}
	before, err := must[storedRule](t, rules, a.Saved)
	if err != nil {
		return true, err
	}
	again := **saved
	again.ID, again.SavedBy, again.Saved, again.Expires = before.ID, before.SavedBy, before.Saved, before.Expires
	again.RevokedBy, again.Revoked = before.RevokedBy, before.Revoked
	*saved = before
	same, err := sameRows(&again, before)
	return !same, err
}

func sameRows(a, b any) (bool, error) {
	x, err := appendJSON(nil, a)
	if err != nil {
		return false, err
	}
	y, err := appendJSON(nil, b)
	return bytes.Equal(x, y), err
}

// putRule writes a rule and says so in the story of the call that it came from.
func (t *txn) putRule(s *storedRule, what, who string) error {
	text, err := appendJSON(nil, s)
	if err != nil {
		return err
	}
	if err := t.Put(Row{Table: rules, ID: s.ID, Words: [7]string{joined(s.Tenant, s.Tool)}, Body: text}); err != nil {
		return err
	}
	e := &storedEntry{}
	a, err := get[storedApproval](t, approvals, s.Approval)
	if err != nil {
		return err
	}
	if a != nil {
		e.ID = a.Entry
	}
	return t.log(what, who, e, storedRuleEvent{Rule: s.ID, Row: digest(text)})
}

type storedRuleEvent struct {
	Rule string `json:"rule"`
	Row  string `json:"row"` // digest of the rule's row
}

// Rules lists saved rules, newest first. Of the filter, Tool, Before, Limit and
// InOrder count.
func (l *Ledger) Rules(ctx context.Context, f Filter) ([]rule.Saved, error) {
	var list []rule.Saved
	err := l.view(ctx, func(t *txn) error {
		list = nil
		return t.page(Query{Table: rules}, f, func(row Row) (bool, error) {
			s, err := load[storedRule](row)
			if err != nil || f.Tool != "" && f.Tool != s.Tool {
				return false, err
			}
			list = append(list, s.rule())
			return true, nil
		})
	})
	return list, err
}

// RulesFor are the saved rules of a tool that hold now for a principal.
func (l *Ledger) RulesFor(ctx context.Context, p holdfast.Principal, tool string) ([]rule.Saved, error) {
	var list []rule.Saved
	err := l.view(ctx, func(t *txn) error {
		list = nil
		rows, err := t.Find(Query{Table: rules, Words: [7]string{joined(p.Tenant, tool)}})
		if err != nil {
			return err
		}
		for _, row := range rows {
			s, err := load[storedRule](row)
			if err != nil {
				return err
			}
			if r := s.rule(); r.Holds(t.now) && (s.Principal == "" || s.Principal == p.ID) {
				list = append(list, r)
			}
		}
		return nil
	})
	return list, err
}

// Rule is the saved rule of that id.
func (l *Ledger) Rule(ctx context.Context, id string) (rule.Saved, error) {
	var out rule.Saved
	err := l.view(ctx, func(t *txn) error {
		s, err := must[storedRule](t, rules, id)
		if err == nil {
			out = s.rule()
		}
		return err
	})
	return out, err
}

// RevokeRule ends a saved rule. Revoking it again changes nothing.
func (l *Ledger) RevokeRule(ctx context.Context, id, by string) (rule.Saved, error) {
	if by == "" {
		return rule.Saved{}, fmt.Errorf("revoking rule %s: nobody says who revokes it", id)
	}
	var out *storedRule
	err := l.update(ctx, func(t *txn) error {
		s, err := must[storedRule](t, rules, id)
		if err != nil {
			return err
		}
		out = s
		if !s.Revoked.IsZero() {
			return nil
		}
		ended := *s
		ended.RevokedBy, ended.Revoked = by, t.now
		out = &ended
		return t.putRule(out, "rule_revoked", by)
	})
	if err != nil {
		return rule.Saved{}, fmt.Errorf("revoking rule %s: %w", id, err)
	}
	return out.rule(), nil
}

// ruleHolds reports whether the rule that a claim relies on still holds for it.
func (t *txn) ruleHolds(c *claim) (bool, error) {
	s, err := get[storedRule](t, rules, c.rule)
	if err != nil || s == nil {
		return false, err
	}
	r, e := s.rule(), c.body
	return r.Holds(t.now) && s.Tool == e.Tool && s.ToolDigest == e.ToolDigest &&
		s.Tenant == e.Tenant && (s.Principal == "" || s.Principal == e.Principal), nil
}

// eraseRules forgets what the rules of a principal say, and ends them.
func (l *Ledger) eraseRules(ctx context.Context, p holdfast.Principal) error {
	return l.inBatches(ctx, rules, func(t *txn, row Row) (bool, error) {
		s, err := load[storedRule](row)
		if err != nil || s.rule().Principal != p || s.When == nil && s.Arguments == nil {
			return false, err
		}
		bare := *s
		bare.When, bare.Arguments = nil, nil
		if bare.Revoked.IsZero() {
			bare.RevokedBy, bare.Revoked = t.l.owner, t.now
		}
		return true, t.putRule(&bare, "rule_"+eventErased, t.l.owner)
	}, new(int))
}
