package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
)

func (a *app) approvalsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "See and decide what waits for a person",
		Long: `Approvals are calls that a person must agree to before they run. Each is bound
to exactly what it shows and is decided once. Deciding runs nothing of it: holdfast
resume does, or continuing the conversation with holdfast run.`,
		Example: "  holdfast approvals list\n  holdfast approvals approve ID",
		Args:    cobra.NoArgs,
		RunE:    a.do(needsSubcommand),
	}
	cmd.AddCommand(a.approvalsListCommand(), a.approvalsShowCommand(), a.decideCommand(true), a.decideCommand(false), a.editCommand(),
		a.rulesCommand(), a.revokeCommand())
	return cmd
}

// catalogWord stands in a hint for a catalog that is not known.
const catalogWord = "CATALOG"

// needsSubcommand is the work of a command that only groups others.
func needsSubcommand(cmd *cobra.Command, _ []string) error {
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return misused(fmt.Errorf("%s needs one of %s", cmd.CommandPath(), strings.Join(names, ", ")))
}

func (a *app) approvalsListCommand() *cobra.Command {
	where := ledgerFlag{looks: true}
	var all bool
	var limit int
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List what waits, newest first",
		Example: "  holdfast approvals list --all --json",
		Args:    cobra.NoArgs,
		RunE: a.do(func(cmd *cobra.Command, _ []string) error {
			return a.withLedger(cmd.Context(), where, func(ctx context.Context, l *ledger.Ledger) error {
				filter := ledger.Filter{Limit: limit}
				if !all {
					filter.State = string(ledger.Waiting)
				}
				found, err := l.Approvals(ctx, filter)
				if err != nil {
					return err
				}
				return a.showApprovals(found, all)
			})
		}),
	}
	where.add(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "also those that were decided or ended")
	cmd.Flags().IntVar(&limit, "limit", 100, "how many at most")
	return cmd
}

func (a *app) showApprovals(found []ledger.Approval, all bool) error {
	if a.json {
		views := make([]approvalView, 0, len(found))
		for _, p := range found {
			views = append(views, viewApproval(p))
		}
		return writeJSON(a.stdout, map[string]any{"approvals": views})
	}
	if len(found) == 0 && !all {
		fmt.Fprintln(a.stderr, "Nothing waits for a person.")
	}
	for _, p := range found {
		fmt.Fprintf(a.stdout, "%s  %-9s  %s  %s  %s\n", p.ID, p.State, shownTime(p.Requested), shownTool(p), visible.JSON(p.Arguments))
	}
	return nil
}

// shownTool is an approval's tool, and the call that it is made in.
func shownTool(p ledger.Approval) string {
	if p.Within == "" {
		return visible.Line(p.Tool)
	}
	return visible.Line(p.Tool) + " (within " + visible.Line(p.WithinTool) + ")"
}

func (a *app) approvalsShowCommand() *cobra.Command {
	where := ledgerFlag{looks: true}
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show one approval whole",
		Example: "  holdfast approvals show ID",
		Args:    oneID,
		RunE: a.do(func(cmd *cobra.Command, args []string) error {
			return a.withLedger(cmd.Context(), where, func(ctx context.Context, l *ledger.Ledger) error {
				p, err := l.Approval(ctx, args[0])
				if err != nil {
					return a.notFound("approval", args[0], err, "approvals", "list")
				}
				if p.State == ledger.Waiting {
					fmt.Fprintf(a.stderr, "It waits for you: %s, or deny.\n", a.hint("approvals", "approve", p.ID))
				}
				return a.showApproval(p)
			})
		}),
	}
	where.add(cmd)
	return cmd
}

func (a *app) showApproval(p ledger.Approval) error {
	if a.json {
		return writeJSON(a.stdout, viewApproval(p))
	}
	writeApproval(a.stdout, p)
	return nil
}

// writeApproval shows a person everything that an approval is bound to.
func writeApproval(w io.Writer, p ledger.Approval) {
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%-12s%s\n", name, value)
		}
	}
	row("approval", p.ID)
	row("state", string(p.State))
	row("tool", visible.Line(p.Tool))
	row("arguments", visible.JSON(p.Arguments))
	row("why", visible.Line(whyAsked(p)))
	if p.Finding.Shown != nil {
		row("found", visible.JSON(p.Finding.Shown))
	}
	row("rule", visible.Line(p.Rule))
	row("holds", visible.Line(labelsShown(p.Labels)))
	row("unresolved", visible.Line(p.Unresolved))
	row("for", shownPrincipal(p.Principal))
	row("run", fmt.Sprintf("%s turn %d", visible.Line(p.Run), p.Turn))
	row("call", p.EntryID)
	if p.Within != "" {
		row("within", fmt.Sprintf("%s, call %s of run %s", visible.Line(p.WithinTool), p.Within, visible.Line(p.WithinRun)))
	}
	row("requested", shownTime(p.Requested))
	row("expires", shownTime(p.Expires))
	row("decided", shownTime(p.Decided))
	row("by", visible.Line(p.DecidedBy))
	row("reason", visible.Line(p.Reason))
	row("saved", p.Saved)
	row("replaces", p.Replaces)
	row("changed", visible.Line(strings.Join(p.Changed, ", ")))
}

// labelsShown lists what a run holds.
func labelsShown(labels []holdfast.Label) string {
	words := make([]string, len(labels))
	for i, l := range labels {
		words[i] = string(l)
	}
	return strings.Join(words, ", ")
}

// whyAsked is the reason for the question, the tool's and the precondition's.
func whyAsked(p ledger.Approval) string {
	if p.Why == "" || p.Why == p.Finding.Why {
		return p.Finding.Why
	}
	if p.Finding.Why == "" {
		return p.Why
	}
	return p.Why + "; " + p.Finding.Why
}

const alwaysHelp = `Approve says yes to one call, which holdfast resume then runs.

With --always it also saves a rule, by which calls like it run without asking. The
rule is shown whole before it is saved. It names the tool as it is defined now, the
principal, a time, and every argument: exactly what this call has, unless --free or
--when widen it. It never allows what a policy denies, and it does not answer what
is found out later: a precondition, another write of which nobody knows, text of
strangers that was not in the conversation then.`

func (a *app) decideCommand(approve bool) *cobra.Command {
	where := ledgerFlag{looks: true}
	var reason string
	var always alwaysFlags
	name, short, why := "deny", "Say no, with a reason that the model sees", "not before Friday"
	if approve {
		name, short, why = "approve", "Say yes; holdfast resume then runs the call", "checked with Ana"
	}
	cmd := &cobra.Command{
		Use:     name + " ID",
		Short:   short,
		Example: "  holdfast approvals " + name + " ID --reason \"" + why + "\"",
		Args:    oneID,
		RunE: a.do(func(cmd *cobra.Command, args []string) error {
			if err := always.check(); err != nil {
				return err
			}
			return a.withLedger(cmd.Context(), where, func(ctx context.Context, l *ledger.Ledger) error {
				decide := l.Deny
				switch {
				case always.always:
					decide = func(ctx context.Context, id, _, reason string) (ledger.Approval, error) {
						return a.approveAlways(ctx, l, id, reason, always)
					}
				case approve:
					decide = l.Approve
				}
				p, err := decide(ctx, args[0], a.localUser(), reason)
				if decided := (*ledger.DecidedError)(nil); errors.As(err, &decided) {
					return errors.Join(a.showApproval(decided.Approval), err)
				}
				if err != nil {
					return a.notFound("approval", args[0], err, "approvals", "list")
				}
				if approve {
					fmt.Fprintf(a.stderr, "Approved. To run it: %s\n", a.hint("resume", catalogWord, p.ID))
				}
				return a.showApproval(p)
			})
		}),
	}
	where.add(cmd)
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the record; with deny the model sees it")
	if approve {
		always.add(cmd)
		cmd.Long = alwaysHelp
		cmd.Example += "\n  holdfast approvals approve ID --always --free text --when '/amount_cents <= 5000'"
	}
	return cmd
}

// oneID is the arguments of a command on one thing of the record.
func oneID(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%s needs one ID, not %d; %s list shows them", cmd.CommandPath(), len(args), cmd.Parent().CommandPath())
	}
	return nil
}

// notFound is about, with the command that lists what there is.
func (a *app) notFound(kind, id string, err error, list ...string) error {
	if errors.Is(err, ledger.ErrNotFound) {
		return fmt.Errorf("%s %q: not found; %s shows which there are", kind, id, a.hint(list...))
	}
	return about(kind, id, err)
}

// about names the thing that an error of the ledger is about.
func about(kind, id string, err error) error {
	return fmt.Errorf("%s %q: %w", kind, id, err)
}

func shownTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format(time.DateTime)
}
