package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast/ledger"
)

func (a *app) ledgerResolveCommand() *cobra.Command {
	where := ledgerFlag{looks: true}
	var happened, didNot bool
	var evidence, result string
	cmd := &cobra.Command{
		Use:   "resolve ID --happened|--did-not-happen --evidence TEXT [--result JSON]",
		Short: "Say what became of an uncertain write",
		Long: `Resolve is a person's word on a write whose effect is not known, with what they
saw. It runs nothing. A write that happened is ok from then on, and the same call
is answered from the record. One that did not happen is failed: its key is free,
and it may be called again.

The model may need what the write answered, such as a number to go on with: where
it is known, --result gives it, and it is told as the write's own.

Only an uncertain write can be resolved, and only once.`,
		Example: `  holdfast ledger list --state uncertain
  holdfast ledger resolve ID --happened --evidence "receipt 4711 of the bank"
  holdfast ledger resolve ID --happened --evidence "receipt 4711 of the bank" --result '{"receipt":4711}'
  holdfast ledger resolve ID --did-not-happen --evidence "not on the statement of 30 May"`,
		Args: oneID,
		RunE: a.do(func(cmd *cobra.Command, args []string) error {
			if happened == didNot {
				return misused(errors.New("resolving needs one of --happened and --did-not-happen"))
			}
			if strings.TrimSpace(evidence) == "" {
				return misused(errors.New("resolving needs --evidence: what was seen, for the record"))
			}
			told, err := a.resultFlag(result)
			if err != nil {
				return err
			}
			if told != nil && didNot {
				return misused(errors.New("a write that did not happen has no --result"))
			}
			return a.withLedger(cmd.Context(), where, func(ctx context.Context, l *ledger.Ledger) error {
				return a.resolve(ctx, l, args[0], happened, told, evidence)
			})
		}),
	}
	where.add(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&happened, "happened", false, "the effect is there: the write is ok")
	flags.BoolVar(&didNot, "did-not-happen", false, "nothing happened: the write is failed, and its key free")
	flags.StringVar(&evidence, "evidence", "", "what was seen, and where")
	flags.StringVar(&result, "result", "", "what the write answered, as JSON; - reads it from standard input")
	return cmd
}

// resultFlag is the JSON of --result, or nil where it was not given.
func (a *app) resultFlag(text string) (json.RawMessage, error) {
	if text == "" {
		return nil, nil
	}
	told := []byte(text)
	if text == "-" {
		var err error
		if told, err = a.readFile("-"); err != nil {
			return nil, err
		}
	}
	if !json.Valid(told) || !utf8.Valid(told) {
		return nil, misused(errors.New("--result is not one JSON value"))
	}
	return bytes.TrimSpace(told), nil
}

func (a *app) resolve(ctx context.Context, l *ledger.Ledger, id string, happened bool, told json.RawMessage, evidence string) error {
	entry, err := l.Entry(ctx, id)
	if err != nil {
		return a.notFound("call", id, err, "ledger", "list", "--state", "uncertain")
	}
	if entry.State != ledger.StateUncertain {
		return errors.Join(a.showWhole(ctx, l, entry), fmt.Errorf("call %s is %s; only an uncertain one can be resolved", id, entry.State))
	}
	if entry, err = l.TakeWord(ctx, id, happened, told, a.localUser(), evidence); err != nil {
		return err
	}
	return a.showWhole(ctx, l, entry)
}
