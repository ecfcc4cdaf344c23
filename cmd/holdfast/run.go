package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/wire"
)

// runFlags are what run was asked.
type runFlags struct {
	ledger         ledgerFlag
	model          modelFlag
	run, principal string
	rounds         int
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run CATALOG [MESSAGE]",
		Short: "Talk to a model that may call the catalog's tools",
		Long: `Run is a conversation: the model's text as it comes, each call on one line with
what became of it, and a question where a person must agree. With MESSAGE it is
one turn; what it waits for is then told and not asked. CATALOG is a YAML or JSON
file, or coach, whose model is scripted unless --model names a real one.

Ctrl-C cancels the turn, a second one ends. A conversation that was left open,
also by a crash, is offered again, or named with --run. The keys of providers are
taken from the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY.`,
		Example: `  holdfast run coach
  holdfast run coach "¿Cuántos carbohidratos tiene el arroz?"
  holdfast run examples/travel.yaml --model anthropic/claude-sonnet-4-5 --json "Find me a flight"`,
		Args: words(1, 2),
		RunE: a.do(func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), f, args[0], args[1:]) }),
	}
	f.ledger.add(cmd)
	a.addPolicy(cmd)
	f.model.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.run, "run", "", "the conversation to go on with (default: a new one)")
	flags.StringVar(&f.principal, "principal", "", "on whose behalf: P or TENANT/P (default: the local user)")
	flags.IntVar(&f.rounds, "max-rounds", 16, "replies of the model in one turn")
	return cmd
}

func (a *app) run(ctx context.Context, f runFlags, catalogName string, message []string) error {
	if f.rounds < 1 {
		return misused(fmt.Errorf("%d rounds: a turn has at least one", f.rounds))
	}
	if len(message) == 1 && strings.TrimSpace(message[0]) == "" {
		return misused(errors.New("the message is empty"))
	}
	interrupts, stop := listen(ctx)
	defer stop()
	return a.withGate(ctx, f.ledger, catalogName, func(ctx context.Context, h *house) error {
		chosen, err := f.model.choose(a, h.preset)
		if err != nil {
			return err
		}
		stopAsking, err := h.confirming(ctx)
		if err != nil {
			return err
		}
		defer stopAsking()
		c := &conversation{
			app: a, house: h, screen: a.newScreen(), lines: newLines(a.stdin), interrupts: interrupts, catalog: catalogName,
			quiet: a.json || len(message) == 1, prompts: isTerminal(a.stdin) && !a.json,
		}
		if err := c.begin(ctx, f, chosen); err != nil {
			return err
		}
		end, err := c.goOn(ctx, message)
		c.tellRefused(err)
		if c.events != nil {
			err = errors.Join(err, c.events.err)
		}
		if err == nil && end != agent.Answer {
			return errFindings
		}
		return err
	})
}

// begin greets, finds or makes the run, and sets the loop over it.
func (c *conversation) begin(ctx context.Context, f runFlags, chosen *chosenModel) error {
	principal, err := c.app.principal(f.principal)
	if err != nil {
		return err
	}
	switch {
	case !c.quiet:
		c.greet(f, chosen)
	case chosen.script != nil && !c.app.json:
		c.screen.note(dim, "(The model is scripted: it plays prepared replies.)")
	}
	if f.run == "" && !c.quiet {
		if f.run, err = c.pickUp(ctx, principal); err != nil {
			return err
		}
	}
	r, err := c.enter(ctx, f, principal, chosen)
	if err != nil {
		return err
	}
	c.runID = r.ID
	set, err := chosen.client.Codec().Tools(c.house.catalog, nil)
	if err != nil {
		return err
	}
	mask := &masker{catalog: c.house.catalog, names: set.Names}
	c.person = newPersonWatcher(c.screen, mask)
	watch, inner := c.person.watch, c.person.inner
	if c.app.json {
		c.person = nil
		c.events = &jsonWatcher{out: c.app.stdout, masker: mask, approval: func(id string) (ledger.Approval, error) {
			return c.house.ledger.Approval(context.WithoutCancel(ctx), id)
		}}
		c.events.write("run", runEvent{r.ID, chosen.client.Name(), chosen.script != nil})
		watch, inner = c.events.watch, c.events.inner
	}
	o := agent.Options{
		System: func() string { return c.house.system(time.Now()) }, MaxRounds: f.rounds, Watch: watch,
		Tools: wire.ToolOptions{Quirks: f.model.quirks},
	}
	if mask.team, err = c.house.staffed(&o, f.model, chosen, inner); err != nil {
		return err
	}
	c.agent, err = agent.New(chosen.client, c.house.gate, c.house.ledger, &o)
	return err
}

// enter looks the run up, or makes it.
func (c *conversation) enter(ctx context.Context, f runFlags, principal holdfast.Principal, chosen *chosenModel) (ledger.Run, error) {
	if f.run == "" {
		f.run = newRunID()
	}
	r, err := c.house.ledger.LookupRun(ctx, f.run)
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return c.house.ledger.CreateRun(ctx, ledger.Run{ID: f.run, Catalog: c.house.label, Model: chosen.client.Name(), Principal: principal})
	case err != nil:
		return r, about("run", f.run, err)
	case r.Parent != "":
		return r, c.house.withinCall(ctx, r)
	case r.Catalog != c.house.label:
		return r, misused(fmt.Errorf("run %q is over catalog %q, not %q", f.run, r.Catalog, c.house.label))
	case f.principal != "" && r.Principal != principal:
		return r, misused(fmt.Errorf("run %q acts for %s/%s", f.run, r.Principal.Tenant, r.Principal.ID))
	}
	return r, nil
}

// goOn is the conversation from where it stands: the one message, or an open
// turn first and then all messages that come.
func (c *conversation) goOn(ctx context.Context, message []string) (agent.End, error) {
	if len(message) == 1 {
		return c.turn(c.says(message[0]))
	}
	if err := c.showPast(ctx); err != nil {
		return "", err
	}
	open, err := c.house.openTurn(ctx, c.runID)
	if err != nil {
		return "", err
	}
	end := agent.Answer
	if open {
		if end, err = c.turn(c.resumes); err != nil || end == agent.Pending {
			return end, err
		}
	}
	return c.converse(end)
}

// pastShown is how many turns of a conversation are shown when it is gone on with.
const pastShown = 3

// showPast shows the end of a conversation that is gone on with.
func (c *conversation) showPast(ctx context.Context) error {
	if c.quiet {
		return nil
	}
	turns, err := c.house.ledger.Turns(ctx, c.runID)
	if err != nil || len(turns) == 0 {
		return err
	}
	if n := len(turns) - pastShown; n > 0 {
		c.screen.note(dim, "(%s before)", count(n, "turn"))
		turns = turns[n:]
	}
	for _, t := range turns {
		c.screen.note(dim, "> %s", visible.Text(t.Message))
		if t.End != "" {
			c.screen.note(dim, "%s", visible.Text(t.Answer))
		}
	}
	return nil
}

// greet says in the first lines whom one talks to, what to try, and where it is
// recorded.
func (c *conversation) greet(f runFlags, chosen *chosenModel) {
	s := c.screen
	if chosen.script != nil {
		s.note(bold, "%s, with a scripted model: it plays prepared replies and understands only what its script holds.", visible.Line(c.house.label))
		lead := "Try:  "
		for _, hint := range chosen.script.Hints() {
			s.note(plain, "%s%s", lead, visible.Line(hint))
			lead = "      "
		}
	} else {
		s.note(bold, "%s, with %s.", visible.Line(c.house.label), visible.Line(chosen.client.Name()))
	}
	s.note(dim, "Each call passes the gate: complete, lookup, parse, validate, authorise, approve, admit, claim, execute, confirm, record.")
	s.note(dim, "Recorded in %s; look back with %s.", visible.Line(c.app.ledgerPlace(f.ledger)), c.app.hint("ledger", "list"))
	s.note(dim, "Ctrl-C cancels a turn, a second one ends; so does Ctrl-D.")
}
