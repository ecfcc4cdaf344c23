package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
)

func (a *app) ledgerCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ledger",
		Short: "Look at the record of what was called and what came of it, and keep it",
		Long: `The ledger holds every call that was proposed, and what became of it: also those
that were rejected. A write whose effect is not known stands there as uncertain
until somebody resolves it.`,
		Example: "  holdfast ledger list\n  holdfast ledger show ID\n  holdfast ledger list --state uncertain",
		Args:    cobra.NoArgs,
		RunE:    a.do(needsSubcommand),
	}
	cmd.AddCommand(
		a.ledgerListCommand(), a.ledgerShowCommand(), a.ledgerResolveCommand(), a.ledgerConfirmCommand(),
		a.ledgerVerifyCommand(), a.ledgerPruneCommand(), a.ledgerEraseCommand(), a.ledgerExportCommand(),
	)
	return cmd
}

// entryStates are the words of --state.
var entryStates = []string{"pending", "parked", "claimed", "started", "ok", "failed", "uncertain", "rejected"}

func (a *app) ledgerListCommand() *cobra.Command {
	where := ledgerFlag{looks: true}
	var filter ledger.Filter
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List calls, newest first",
		Example: "  holdfast ledger list --state uncertain\n  holdfast ledger list --run R --json",
		Args:    cobra.NoArgs,
		RunE: a.do(func(cmd *cobra.Command, _ []string) error {
			if filter.State != "" && !slices.Contains(entryStates, filter.State) {
				return misused(fmt.Errorf("state %q is none of %s", filter.State, strings.Join(entryStates, ", ")))
			}
			return a.withLedger(cmd.Context(), where, func(ctx context.Context, l *ledger.Ledger) error {
				entries, err := l.Entries(ctx, filter)
				if err != nil {
					return err
				}
				return a.showEntries(entries, filter != ledger.Filter{Limit: filter.Limit, InOrder: filter.InOrder})
			})
		}),
	}
	where.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&filter.Run, "run", "", "only of this run")
	flags.IntVar(&filter.Turn, "turn", 0, "only of this turn of the run")
	flags.StringVar(&filter.Tool, "tool", "", "only of this tool, by the name that the list shows")
	flags.StringVar(&filter.State, "state", "", "only in this state: "+strings.Join(entryStates, ", "))
	flags.IntVar(&filter.Limit, "limit", 100, "how many at most")
	flags.BoolVar(&filter.InOrder, "in-order", false, "oldest first")
	fixedCompletion(cmd, "state", entryStates...)
	return cmd
}

// showEntries lists calls; filtered says that some may be left out.
func (a *app) showEntries(entries []ledger.Entry, filtered bool) error {
	if a.json {
		views := make([]entryView, 0, len(entries))
		for _, e := range entries {
			views = append(views, viewEntry(e))
		}
		return writeJSON(a.stdout, map[string]any{"entries": views})
	}
	switch {
	case len(entries) == 0 && filtered:
		fmt.Fprintf(a.stderr, "No such call is recorded here. All of them: %s\n", a.hint("ledger", "list"))
	case len(entries) == 0:
		fmt.Fprintln(a.stderr, "No call is recorded here.")
	}
	for _, e := range entries {
		fmt.Fprintf(a.stdout, "%s  %s  %-29s  %s  %s\n", e.ID, shownTime(e.Proposed), shownState(e), visible.Line(e.Tool), shownArguments(e))
	}
	return nil
}

// shownState is an entry's state, and the code that says why.
func shownState(e ledger.Entry) string {
	shown := string(e.State)
	if o := e.Outcome; o != nil {
		if o.Replayed {
			shown += " replayed"
		}
		if o.Code != "" {
			shown += " " + string(o.Code)
		}
	}
	return shown
}

func shownArguments(e ledger.Entry) string {
	if e.Arguments != nil {
		return visible.JSON(e.Arguments)
	}
	return visible.Line(e.Text)
}

func (a *app) ledgerShowCommand() *cobra.Command {
	where := ledgerFlag{looks: true}
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show one call and its whole story",
		Example: "  holdfast ledger show ID --json",
		Args:    oneID,
		RunE: a.do(func(cmd *cobra.Command, args []string) error {
			return a.withLedger(cmd.Context(), where, func(ctx context.Context, l *ledger.Ledger) error {
				entry, err := l.Entry(ctx, args[0])
				if err != nil {
					return a.notFound("call", args[0], err, "ledger", "list")
				}
				if err := a.showWhole(ctx, l, entry); err != nil {
					return err
				}
				if entry.State == ledger.StateUncertain {
					fmt.Fprintf(a.stderr, "Whether it happened is not known. Once somebody has looked: %s\n",
						a.hint("ledger", "resolve", entry.ID, "--happened", "--evidence", "what was seen"))
					fmt.Fprintln(a.stderr, "or the same with --did-not-happen.")
				}
				return nil
			})
		}),
	}
	where.add(cmd)
	return cmd
}

// showWhole shows a call with its story.
func (a *app) showWhole(ctx context.Context, l *ledger.Ledger, e ledger.Entry) error {
	events, err := l.Events(ctx, e.ID)
	if err != nil {
		return about("call", e.ID, err)
	}
	around, err := l.Outermost(ctx, e)
	if err != nil {
		return about("call", e.ID, err)
	}
	var within *withinView
	if around.ID != e.ID {
		within = &withinView{LedgerID: around.ID, Run: around.Run, Tool: around.Tool}
	}
	return a.showEntry(e, events, within)
}

func (a *app) showEntry(e ledger.Entry, events []ledger.Event, within *withinView) error {
	if a.json {
		return writeJSON(a.stdout, struct {
			entryView
			Within *withinView `json:"within"`
			Events []eventView `json:"events"`
		}{viewEntry(e), within, viewEvents(events)})
	}
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(a.stdout, "%-12s%s\n", name, value)
		}
	}
	row("call", e.ID)
	row("tool", visible.Line(e.Tool))
	row("arguments", shownArguments(e))
	row("state", shownState(e))
	row("stage", e.Stage)
	if o := e.Outcome; o != nil {
		row("message", visible.Line(o.Message))
		row("result", shownResult(o.Result))
	}
	row("key", visible.Line(e.Key))
	row("rule", visible.Line(e.Rule))
	row("held", visible.Line(labelsShown(e.Labels)))
	row("approval", e.ApprovalID)
	row("run", fmt.Sprintf("%s turn %d round %d, call %d", visible.Line(e.Run), e.Turn, e.Round, e.Position+1))
	if within != nil {
		row("within", fmt.Sprintf("%s, call %s of run %s", visible.Line(within.Tool), within.LedgerID, visible.Line(within.Run)))
	}
	row("for", shownPrincipal(e.Principal))
	if o := e.Outcome; o != nil {
		for _, in := range o.Inner {
			row("made", strings.TrimSpace(fmt.Sprintf("%s  %s: %s %s", in.LedgerID, visible.Line(in.Tool), in.Status, in.Code)))
		}
	}
	for _, event := range events {
		fmt.Fprintf(a.stdout, "  %s  %-23s  %s\n", shownTime(event.At), event.What, visible.Line(event.Who))
		if seen := evidenceOf(event); seen != "" {
			fmt.Fprintf(a.stdout, "      %s\n", visible.Line(seen))
		}
	}
	return nil
}

// evidenceOf is what somebody saw, as an event tells it.
func evidenceOf(e ledger.Event) string {
	var details struct {
		Evidence string `json:"evidence"`
	}
	if json.Unmarshal(e.Details, &details) != nil {
		return ""
	}
	return details.Evidence
}
