package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/gate/edit"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
)

// editFlags are what edit was asked.
type editFlags struct {
	ledger       ledgerFlag
	model        modelFlag
	args, reason string
}

func (a *app) editCommand() *cobra.Command {
	f := editFlags{ledger: ledgerFlag{looks: true}}
	cmd := &cobra.Command{
		Use:   "edit CATALOG ID --args JSON",
		Short: "Say no, and make the call with other arguments instead",
		Long: `Edit denies the call that was asked about and makes one of your own: the same
tool, on behalf of the same principal, with the arguments that you give. It is a
new call, in a run of its own, and passes the whole gate. You agree to exactly
these arguments; where the tool's check finds something else for them than was
shown, that is a new question. Arguments that do not fit decide nothing.

The model reads that its call was denied, and what was called instead, once
holdfast resume goes on with it.`,
		Example: "  holdfast approvals edit coach ID --args '{\"date\":\"2026-05-30\",\"data\":{\"weight_kg\":76}}'",
		Args:    words(2, 2),
		RunE: a.do(func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("args") {
				return misused(errors.New("--args says what is called instead"))
			}
			return interruptible(cmd.Context(), func(ctx context.Context) error { return a.edit(ctx, f, args[0], args[1]) })
		}),
	}
	f.ledger.add(cmd)
	a.addPolicy(cmd)
	f.model.add(cmd)
	cmd.Flags().StringVar(&f.args, "args", "", "the arguments of the call that is made instead; - reads them from standard input")
	cmd.Flags().StringVar(&f.reason, "reason", "", "why, for the record; the model sees it")
	return cmd
}

func (a *app) edit(ctx context.Context, f editFlags, catalogName, id string) error {
	args, err := a.arguments(f.args)
	if err != nil {
		return err
	}
	return a.withGate(ctx, f.ledger, catalogName, func(ctx context.Context, h *house) error {
		h.staff.useModel(f.model)
		p, err := h.ledger.Approval(ctx, id)
		if err != nil {
			return a.notFound("approval", id, err, "approvals", "list")
		}
		editor := edit.Editor{Gate: h.gate, Ledger: h.ledger, Catalog: h.label}
		denied, v, err := editor.Instead(ctx, p, args, a.localUser(), f.reason)
		if denied.ID != "" {
			fmt.Fprintf(a.stderr, "Denied. To go on with what waited: %s\n", a.hint("resume", catalogName, denied.ID))
		}
		if decided := (*ledger.DecidedError)(nil); errors.As(err, &decided) {
			return errors.Join(a.showApproval(decided.Approval), err)
		}
		if err != nil {
			return about("approval", id, explained(err))
		}
		return a.showEdit(denied, v)
	})
}

// explained puts what is wrong with the arguments behind the words of a refusal.
func explained(err error) error {
	if r := (*edit.Refusal)(nil); errors.As(err, &r) {
		for _, p := range r.Problems {
			err = fmt.Errorf("%w\n  %s %s", err, shownPath(p.Path), visible.Line(p.Message))
		}
	}
	return err
}

func (a *app) showEdit(denied ledger.Approval, v gate.Verdict) error {
	run := edit.Run(denied.ID)
	if !a.wantsJSON() {
		return a.showCalls(run, v)
	}
	err := writeJSON(a.stdout, map[string]any{"approval": viewApproval(denied), "call": viewCall(run, v)})
	if err == nil && v.Outcome.Status != holdfast.OK {
		return errFindings
	}
	return err
}
