package main

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/internal/visible"
)

func (a *app) ledgerConfirmCommand() *cobra.Command {
	var where ledgerFlag
	cmd := &cobra.Command{
		Use:   "confirm CATALOG [ID…]",
		Short: "Ask the tools whether their uncertain writes happened",
		Long: `Confirm asks the confirm functions of the catalog's tools about writes whose
effect is not known: what a crash, a timeout or a broken connection left behind.
What happened is ok from then on, what did not is failed and may be called again.
It runs no write.

Without ID it asks about those whose turn it is; with ID about these, at once. A
"no" counts only once what was sent can no longer arrive, so ask again later where
one stays uncertain. holdfast serve and run ask by themselves. A tool without a
confirm function is asked nothing: holdfast ledger resolve is for a person.`,
		Example: `  holdfast ledger confirm examples/parcels.yaml
  holdfast ledger confirm coach ID --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: a.do(func(cmd *cobra.Command, args []string) error {
			return interruptible(cmd.Context(), func(ctx context.Context) error {
				return a.withGate(ctx, where, args[0], func(ctx context.Context, h *house) error {
					return a.confirm(ctx, h, args[1:])
				})
			})
		}),
	}
	where.add(cmd)
	return cmd
}

func (a *app) confirm(ctx context.Context, h *house, ids []string) error {
	gates, err := h.gates()
	if err != nil {
		return err
	}
	var asked []gate.Verdict
	if len(ids) == 0 {
		for _, g := range gates {
			found, err := g.Reconfirm(ctx)
			if err != nil {
				return err
			}
			asked = append(asked, found...)
		}
	}
	for _, id := range ids {
		entry, err := h.ledger.Entry(ctx, id)
		if err != nil {
			return a.notFound("call", id, err, "ledger", "list", "--state", "uncertain")
		}
		found, err := gateOfTool(gates, entry.Tool).Reconfirm(ctx, id)
		if err != nil {
			return err
		}
		asked = append(asked, found...)
	}
	if err := a.writeAsked(ctx, h, asked); err != nil {
		return err
	}
	if slices.ContainsFunc(asked, func(v gate.Verdict) bool { return v.Outcome.Status == holdfast.Uncertain }) {
		return errFindings
	}
	return nil
}

// gates are the house's own and those of the agents in its catalog.
func (h *house) gates() ([]*gate.Gate, error) {
	others, err := h.staff.allGates()
	return append([]*gate.Gate{h.gate}, others...), err
}

// gateOfTool is the gate whose catalog has the tool, or the first.
func gateOfTool(gates []*gate.Gate, tool string) *gate.Gate {
	for _, g := range gates {
		if _, ok := g.Catalog().Lookup(tool); ok {
			return g
		}
	}
	return gates[0]
}

func (a *app) writeAsked(ctx context.Context, h *house, asked []gate.Verdict) error {
	views := make([]callView, 0, len(asked))
	for _, v := range asked {
		entry, err := h.ledger.Entry(ctx, v.LedgerID)
		if err != nil {
			return about("call", v.LedgerID, err)
		}
		views = append(views, viewCall(entry.Run, v))
	}
	if a.wantsJSON() {
		return writeJSON(a.stdout, map[string]any{"asked": views})
	}
	if len(asked) == 0 {
		fmt.Fprintf(a.stderr, "It is no write's turn to be asked about. Those that are uncertain: %s\n", a.hint("ledger", "list", "--state", "uncertain"))
	}
	for _, v := range asked {
		fmt.Fprintf(a.stdout, "%s  %s  %s\n", v.LedgerID, v.Outcome.Status, visible.Line(v.Tool))
		if v.Outcome.Message != "" {
			fmt.Fprintf(a.stdout, "  %s\n", visible.Line(v.Outcome.Message))
		}
	}
	return nil
}

// confirming asks about uncertain writes beside what goes on, until stop is called.
func (h *house) confirming(ctx context.Context) (stop func(), err error) {
	gates, err := h.gates()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, g := range gates {
		running.Go(func() { _ = g.Run(ctx) }) // its end is ours: stop
	}
	return func() {
		cancel()
		running.Wait()
	}, nil
}
