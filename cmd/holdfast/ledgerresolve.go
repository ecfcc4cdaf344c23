package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

func (a *app) ledgerResolveCommand() *cobra.Command {
	where := ledgerFlag{looks: true}
	var happened, didNot bool
	var evidence string
	cmd := &cobra.Command{
		Use:   "resolve ID --happened|--did-not-happen --evidence TEXT",
		Short: "Say what became of an uncertain write",
		Long: `Resolve is a person's word on a write whose effect is not known, with what they
saw. It runs nothing. A write that happened is ok from then on, and the same call
is answered from the record. One that did not happen is failed: its key is free,
and it may be called again.

Only an uncertain write can be resolved, and only once.`,
		Example: `  holdfast ledger list --state uncertain
  holdfast ledger resolve ID --happened --evidence "receipt 4711 of the bank"
  holdfast ledger resolve ID --did-not-happen --evidence "not on the statement of 30 May"`,
		Args: oneID,
		RunE: a.do(func(cmd *cobra.Command, args []string) error {
			if happened == didNot {
				return misused(errors.New("resolving needs one of --happened and --did-not-happen"))
			}
			if strings.TrimSpace(evidence) == "" {
				return misused(errors.New("resolving needs --evidence: what was seen, for the record"))
			}
			return a.withLedger(cmd.Context(), where, func(ctx context.Context, l *ledger.Ledger) error {
				return a.resolve(ctx, l, args[0], happened, evidence)
			})
		}),
	}
	where.add(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&happened, "happened", false, "the effect is there: the write is ok")
	flags.BoolVar(&didNot, "did-not-happen", false, "nothing happened: the write is failed, and its key free")
	flags.StringVar(&evidence, "evidence", "", "what was seen, and where")
	return cmd
}

func (a *app) resolve(ctx context.Context, l *ledger.Ledger, id string, happened bool, evidence string) error {
	entry, err := l.Entry(ctx, id)
	if err != nil {
		return a.notFound("call", id, err, "ledger", "list", "--state", "uncertain")
	}
	if entry.State != ledger.StateUncertain {
		return errors.Join(a.showWhole(ctx, l, entry), fmt.Errorf("call %s is %s; only an uncertain one can be resolved", id, entry.State))
	}
	if entry, err = l.Resolve(ctx, id, entry.Fence, resolution(entry.Tool, happened), a.localUser(), evidence); err != nil {
		return err
	}
	return a.showWhole(ctx, l, entry)
}

// resolution is the outcome that a person's word makes of a write. What they saw
// is evidence for the record and not for the model.
func resolution(tool string, happened bool) holdfast.Outcome {
	if happened {
		return holdfast.Outcome{Status: holdfast.OK, Result: &holdfast.Result{
			JSON: json.RawMessage(`{"resolved":true,"message":"It took effect: a person looked and found the effect. Its own result is not known."}`),
		}}
	}
	return holdfast.Outcome{
		Status: holdfast.Failed, Code: holdfast.NoEffect, Message: tool + " did not take effect: a person looked and found nothing.",
		Next: "Call it again if it is still wanted.",
	}
}
