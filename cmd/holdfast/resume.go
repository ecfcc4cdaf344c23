package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
)

func (a *app) resumeCommand() *cobra.Command {
	var (
		where ledgerFlag
		model modelFlag
	)
	cmd := &cobra.Command{
		Use:   "resume CATALOG ID",
		Short: "Run an approved call and what waits with it",
		Long: `Resume runs the call of approval ID once a person has agreed, then each call
that waited behind it. A call that was denied, or whose approval has expired,
ends here. It prints as call does. A call that an agent made goes on with the call
of the agent, which is what is printed; --model is whom it asks, where the catalog
file names none.`,
		Example: "  holdfast approvals approve ID && holdfast resume coach ID",
		Args:    words(2, 2),
		RunE: a.do(func(cmd *cobra.Command, args []string) error {
			return interruptible(cmd.Context(), func(ctx context.Context) error {
				return a.withGate(ctx, where, args[0], func(ctx context.Context, h *house) error {
					h.staff.useModel(model)
					return a.resume(ctx, h, args[0], args[1])
				})
			})
		}),
	}
	where.add(cmd)
	a.addPolicy(cmd)
	model.add(cmd)
	return cmd
}

func (a *app) resume(ctx context.Context, h *house, catalogName, id string) error {
	approval, err := h.ledger.Approval(ctx, id)
	if err != nil {
		return a.notFound("approval", id, err, "approvals", "list")
	}
	entry, err := h.ledger.Entry(ctx, approval.EntryID)
	if err != nil {
		return about("call", approval.EntryID, err)
	}
	if entry, err = h.outermost(ctx, entry); err != nil {
		return err
	}
	if err := h.knows(ctx, entry); err != nil {
		return err
	}
	rounds, err := h.ledger.Rounds(ctx, entry.Run, entry.Turn)
	if err != nil {
		return about("run", entry.Run, err)
	}
	at := slices.IndexFunc(rounds, func(r ledger.Round) bool { return r.Number == entry.Round })
	if at < 0 {
		return fmt.Errorf("run %q turn %d has no round %d", entry.Run, entry.Turn, entry.Round)
	}
	verdicts, err := h.gate.Round(ctx, rounds[at], &gate.RoundOptions{Resume: true})
	if err != nil {
		return err
	}
	mine := slices.IndexFunc(verdicts, func(v gate.Verdict) bool { return v.Position == entry.Position })
	if mine < 0 {
		return fmt.Errorf("call %q has no place in its round", entry.ID)
	}
	turns, err := h.ledger.Turns(ctx, entry.Run)
	if err != nil {
		return about("run", entry.Run, err)
	}
	if len(turns) > 0 && turns[len(turns)-1].End == "" {
		fmt.Fprintf(a.stderr, "The conversation goes on with: %s\n", a.hint("run", catalogName, "--run", entry.Run))
	}
	var others []gate.Verdict
	for i, v := range verdicts {
		if i != mine && v.Position > entry.Position {
			others = append(others, v)
		}
	}
	return a.showCalls(entry.Run, verdicts[mine], others...)
}

// knows refuses a catalog that is another than the call's and does not have its
// tool: going on would end the call, and a person's yes with it, over a slip.
func (h *house) knows(ctx context.Context, e ledger.Entry) error {
	if _, ok := h.catalog.Lookup(e.Tool); ok {
		return nil
	}
	run, err := h.ledger.LookupRun(ctx, e.Run)
	if err != nil {
		return about("run", e.Run, err)
	}
	if run.Catalog != h.label {
		return misused(fmt.Errorf("the call is of catalog %q, not %q, which has no tool %s; nothing ran, and the approval stands", run.Catalog, h.label, e.Tool))
	}
	return nil
}
