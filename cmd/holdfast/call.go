package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
)

// callFlags are what call was asked.
type callFlags struct {
	ledger                    ledgerFlag
	model                     modelFlag
	args, key, run, principal string
	turn                      int
	approve                   bool
}

func (a *app) callCommand() *cobra.Command {
	var f callFlags
	cmd := &cobra.Command{
		Use:   "call CATALOG NAME --args JSON",
		Short: "Put one call through the gate",
		Long: `Call proposes one call as a model would and shows what became of it. It passes
every stage of the gate and is recorded. CATALOG is a YAML or JSON file, or coach.

Each invocation is a run of its own unless --run names one: the same write again
in the same run and turn is the same write, and is answered from the record. A
call that a person must agree to is told as pending; holdfast approvals decides
it and holdfast resume runs it, or --approve does both. --model is whom the agents
of the catalog ask, where their file names none.`,
		Example: `  holdfast call coach search_foods --args '{"query":"arroz"}'
  holdfast call examples/travel.yaml flight_status --args '{"flight":"HF 204"}'
  holdfast call examples/travel.yaml cancel_booking --args '{"booking":"R7K2PD"}' --approve
  holdfast call examples/parcels.yaml track_parcel --args '{"number":"GOOD1"}'
  holdfast call coach add_meal_food --key lunch-1 \
    --args '{"date":"2026-05-30","meal":"Comida","food_id":1,"grams":200}'`,
		Args: words(2, 2),
		RunE: a.do(func(cmd *cobra.Command, args []string) error {
			return interruptible(cmd.Context(), func(ctx context.Context) error { return a.call(ctx, f, args[0], args[1]) })
		}),
	}
	f.ledger.add(cmd)
	a.addPolicy(cmd)
	f.model.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.args, "args", "", "the arguments, exactly as a model would send them; - reads them from standard input; left out: {}")
	flags.StringVar(&f.key, "key", "", "the idempotency key of a write (default: the tool's, else by run, turn and arguments)")
	flags.StringVar(&f.run, "run", "", "the run that the call belongs to (default: a new one)")
	flags.IntVar(&f.turn, "turn", 1, "the turn of the run")
	flags.StringVar(&f.principal, "principal", "", "on whose behalf: P or TENANT/P (default: the local user)")
	flags.BoolVar(&f.approve, "approve", false, "agree, as the local user, if a person must")
	return cmd
}

// arguments are those that a flag gives; - stands for standard input.
func (a *app) arguments(flag string) (string, error) {
	if flag != "-" {
		return flag, nil
	}
	text, err := a.readFile("-")
	return string(text), err
}

func (a *app) call(ctx context.Context, f callFlags, catalogName, tool string) error {
	principal, err := a.principal(f.principal)
	if err != nil {
		return err
	}
	if f.turn < 1 {
		return misused(fmt.Errorf("turn %d: turns count from 1", f.turn))
	}
	args, err := a.arguments(f.args)
	if err != nil {
		return err
	}
	return a.withGate(ctx, f.ledger, catalogName, func(ctx context.Context, h *house) error {
		h.staff.useModel(f.model)
		round := ledger.Round{
			Run: f.run, Turn: f.turn, API: "call", Complete: true, Ending: "ended", Principal: principal, Names: map[string]string{},
			Calls: []holdfast.Call{{Name: tool, Kind: holdfast.FunctionCall, Arguments: args, Complete: true}},
		}
		if t, ok := h.catalog.Lookup(tool); ok {
			round.Names[tool] = h.catalog.Qualify(t)
		}
		if f.key != "" {
			round.Keys = map[int]string{0: f.key}
		}
		if err := h.place(ctx, &round); err != nil {
			return err
		}
		v, err := h.callOnce(ctx, round, f.approve, a.localUser())
		if err != nil {
			return err
		}
		return a.showCalls(round.Run, v)
	})
}

// callOnce puts the round's one call through the gate. With approve, an approval
// that it needs is given; one that became void meanwhile is asked for again, but
// not for ever.
func (h *house) callOnce(ctx context.Context, round ledger.Round, approve bool, by string) (gate.Verdict, error) {
	verdicts, err := h.gate.Round(ctx, round, &gate.RoundOptions{NoWait: true})
	if err != nil {
		return gate.Verdict{}, misused(err)
	}
	for range 3 {
		if err != nil || !approve || verdicts[0].Outcome.Status != holdfast.Pending {
			break
		}
		if _, err := h.ledger.Approve(ctx, verdicts[0].ApprovalID, by, "--approve"); err != nil {
			return gate.Verdict{}, about("approval", verdicts[0].ApprovalID, err)
		}
		verdicts, err = h.gate.Round(ctx, round, &gate.RoundOptions{NoWait: true, Resume: true})
	}
	if err != nil {
		return gate.Verdict{}, err
	}
	return verdicts[0], nil
}

// place saves a round as the next of its run and turn; without a run it makes
// one. Two processes may want the same place: then one takes the next.
func (h *house) place(ctx context.Context, round *ledger.Round) error {
	if err := h.enterRun(ctx, round); err != nil {
		return err
	}
	const tries = 100
	for try := 1; ; try++ {
		before, err := h.ledger.Rounds(ctx, round.Run, round.Turn)
		if err != nil {
			return about("run", round.Run, err)
		}
		round.Number = len(before) + 1
		if err = h.ledger.SaveRound(ctx, *round); err == nil || try == tries {
			return err
		}
	}
}

func (h *house) enterRun(ctx context.Context, round *ledger.Round) error {
	if round.Run == "" {
		round.Run = newRunID()
	}
	_, err := h.ledger.LookupRun(ctx, round.Run)
	if errors.Is(err, ledger.ErrNotFound) {
		_, err = h.ledger.CreateRun(ctx, ledger.Run{ID: round.Run, Catalog: h.label, Principal: round.Principal})
	}
	if err != nil {
		return about("run", round.Run, err)
	}
	turns, err := h.ledger.Turns(ctx, round.Run)
	if err != nil {
		return about("run", round.Run, err)
	}
	if len(turns) > 0 {
		return misused(fmt.Errorf("run %q is a conversation: a call from outside would stand between its rounds", round.Run))
	}
	return nil
}

func newRunID() string { return "run-" + rand.Text() }
