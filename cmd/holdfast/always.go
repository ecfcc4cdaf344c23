package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/policy"
	"github.com/holdfast-go/holdfast/rule"
)

// alwaysFlags are what a person wants a rule for calls to come to say.
type alwaysFlags struct {
	always, yes, everybody bool
	free, when             []string
	lasts                  time.Duration
}

func (f *alwaysFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.always, "always", false, "agree to calls like it too, by a rule that is shown before it is saved")
	flags.StringArrayVar(&f.free, "free", nil, "with --always: an argument that may be anything, or left out (once for each)")
	flags.StringArrayVar(&f.when, "when", nil, "with --always: a condition in the place of \"exactly this\", such as '/amount_cents <= 5000' (once for each)")
	flags.BoolVar(&f.everybody, "everybody", false, "with --always: for every principal of the tenant")
	flags.DurationVar(&f.lasts, "lasts", 0, "with --always: how long the rule holds (default 720h, 30 days)")
	flags.BoolVar(&f.yes, "yes", false, "with --always: save the rule that was shown, without a question")
}

// check refuses what only a rule would need where none is made.
func (f *alwaysFlags) check() error {
	if !f.always && (f.yes || f.everybody || f.lasts != 0 || len(f.free)+len(f.when) > 0) {
		return misused(errors.New("--free, --when, --everybody, --lasts and --yes say what a rule is to be: they need --always"))
	}
	return nil
}

func (f *alwaysFlags) options() (*policy.SuggestOptions, error) {
	o := &policy.SuggestOptions{Free: f.free, Tenant: f.everybody, Lasts: f.lasts}
	for _, text := range f.when {
		c, err := conditionOf(text)
		if err != nil {
			return nil, misused(fmt.Errorf("--when %q: %w", text, err))
		}
		o.When = append(o.When, c)
	}
	return o, nil
}

// conditionOf reads a condition as it is shown: path, operator, value.
func conditionOf(text string) (rule.Condition, error) {
	path, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	for _, op := range []string{"not in", "not like", "in", "like", "exists", "absent", "==", "!=", ">=", "<=", ">", "<"} {
		value, ok := strings.CutPrefix(rest, op)
		if !ok || value != "" && value[0] != ' ' {
			continue
		}
		c := rule.Condition{Path: path, Op: op}
		if value = strings.TrimSpace(value); value != "" {
			c.Value = json.RawMessage(value)
		}
		return c, c.Check()
	}
	return rule.Condition{}, errors.New("is not PATH OPERATOR VALUE, such as '/amount_cents <= 5000'")
}

// approveAlways agrees to a call and saves a rule for those like it. What is saved
// is what was shown: once for the answer, and only after a yes to it.
func (a *app) approveAlways(ctx context.Context, l *ledger.Ledger, id, reason string, f alwaysFlags) (ledger.Approval, error) {
	p, err := l.Approval(ctx, id)
	if err != nil {
		return p, err
	}
	if p.State != ledger.Waiting {
		return p, &ledger.DecidedError{Approval: p}
	}
	e, err := l.Entry(ctx, p.EntryID)
	if err != nil {
		return p, err
	}
	o, err := f.options()
	if err != nil {
		return p, err
	}
	shown, err := policy.Suggest(p, e, o)
	if err != nil {
		return p, err
	}
	for _, line := range policy.Describe(shown) {
		fmt.Fprintln(a.stderr, line)
	}
	if !f.yes && !a.saysYes("Agree, and save this rule? [y/N] ") {
		return p, errors.New("nothing was decided and no rule was saved; --yes saves what is shown")
	}
	agreed, saved, err := l.ApproveAlways(ctx, id, a.localUser(), reason, shown)
	if err == nil {
		fmt.Fprintf(a.stderr, "Saved as rule %s. To end it: %s\n", saved.ID, a.hint("approvals", "revoke", saved.ID))
	}
	return agreed, err
}

// saysYes asks who sits at the terminal; where nobody does, the answer is no.
func (a *app) saysYes(question string) bool {
	if !isTerminal(a.stdin) {
		return false
	}
	fmt.Fprint(a.stderr, question)
	line, err := bufio.NewReader(a.stdin).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return err == nil && (answer == "y" || answer == "yes")
}

// ruleView is a saved rule. The names are fixed.
type ruleView struct {
	ID         string             `json:"rule_id"`
	Tool       string             `json:"tool"`
	Arguments  []string           `json:"arguments"` // that a call may have
	When       []rule.Condition   `json:"when"`
	Principal  holdfast.Principal `json:"principal"` // with no id: everybody of the tenant
	Despite    []holdfast.Label   `json:"despite"`
	ApprovalID string             `json:"approval_id"`
	Holds      bool               `json:"holds"` // neither revoked nor past its time
	SavedBy    string             `json:"saved_by"`
	Saved      *time.Time         `json:"saved"`
	Expires    *time.Time         `json:"expires"`
	RevokedBy  *string            `json:"revoked_by"`
	Revoked    *time.Time         `json:"revoked"`
	Digest     string             `json:"tool_digest"`
}

func viewRule(r rule.Saved) ruleView {
	return ruleView{
		ID: r.ID, Tool: r.Tool, Arguments: list(r.Arguments), When: list(r.When), Principal: r.Principal, Despite: list(r.Despite),
		ApprovalID: r.Approval, Holds: r.Holds(time.Now()), SavedBy: r.SavedBy, Saved: knownTime(r.Saved), Expires: knownTime(r.Expires),
		RevokedBy: known(r.RevokedBy), Revoked: knownTime(r.Revoked), Digest: r.ToolDigest,
	}
}

func (a *app) rulesCommand() *cobra.Command {
	where := ledgerFlag{looks: true}
	var filter ledger.Filter
	cmd := &cobra.Command{
		Use:     "rules",
		Short:   "List the rules that people saved with an answer, newest first",
		Example: "  holdfast approvals rules --tool mail.send_mail --json",
		Args:    cobra.NoArgs,
		RunE: a.do(func(cmd *cobra.Command, _ []string) error {
			return a.withLedger(cmd.Context(), where, func(ctx context.Context, l *ledger.Ledger) error {
				found, err := l.Rules(ctx, filter)
				if err != nil {
					return err
				}
				return a.showRules(found)
			})
		}),
	}
	where.add(cmd)
	cmd.Flags().StringVar(&filter.Tool, "tool", "", "only of this tool")
	cmd.Flags().IntVar(&filter.Limit, "limit", 100, "how many at most")
	return cmd
}

func (a *app) showRules(found []rule.Saved) error {
	if a.json {
		views := make([]ruleView, 0, len(found))
		for _, r := range found {
			views = append(views, viewRule(r))
		}
		return writeJSON(a.stdout, map[string]any{"rules": views})
	}
	if len(found) == 0 {
		fmt.Fprintln(a.stderr, "No rule is saved.")
	}
	for _, r := range found {
		state := "holds"
		switch {
		case !r.Revoked.IsZero():
			state = "revoked by " + visible.Line(r.RevokedBy) + " " + shownTime(r.Revoked)
		case !r.Holds(time.Now()):
			state = "expired"
		}
		fmt.Fprintf(a.stdout, "%s  %s, saved by %s %s\n", r.ID, state, visible.Line(r.SavedBy), shownTime(r.Saved))
		for _, line := range policy.Describe(r) {
			fmt.Fprintln(a.stdout, "  "+line)
		}
	}
	return nil
}

func (a *app) revokeCommand() *cobra.Command {
	where := ledgerFlag{looks: true}
	cmd := &cobra.Command{
		Use:     "revoke RULE",
		Short:   "End a saved rule; calls like that are asked about again",
		Example: "  holdfast approvals revoke RULE",
		Args:    words(1, 1),
		RunE: a.do(func(cmd *cobra.Command, args []string) error {
			return a.withLedger(cmd.Context(), where, func(ctx context.Context, l *ledger.Ledger) error {
				r, err := l.RevokeRule(ctx, args[0], a.localUser())
				if err != nil {
					return a.notFound("rule", args[0], err, "approvals", "rules")
				}
				if a.json {
					return writeJSON(a.stdout, viewRule(r))
				}
				return a.showRules([]rule.Saved{r})
			})
		}),
	}
	where.add(cmd)
	return cmd
}
