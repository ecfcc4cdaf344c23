package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/wire"
)

// replayFlags are what replay was asked.
type replayFlags struct {
	ledger              ledgerFlag
	api, run, principal string
	rounds              int
}

func (a *app) replayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay CATALOG --api API FILE…",
		Short: "Put recorded replies through the whole path",
		Long: `Replay takes the FILEs as a model's replies in consecutive rounds of one turn:
each is decoded, its calls pass the gate and run, and what would be appended to
the conversation and sent is shown. It ends as a turn does, or open: the results
are ready and no further FILE is there. An open turn of --run is gone on with.

The calls are real: try a catalog of static tools first.`,
		Example: "  holdfast replay coach --api anthropic --ledger memory first.sse second.sse",
		Args:    words(2, math.MaxInt),
		RunE: a.do(func(cmd *cobra.Command, args []string) error {
			return interruptible(cmd.Context(), func(ctx context.Context) error { return a.replay(ctx, f, args[0], args[1:]) })
		}),
	}
	f.ledger.add(cmd)
	a.addPolicy(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.api, "api", autoAPI, "the format of the replies: "+strings.Join(apiNames(), ", ")+", or auto to guess it by the first")
	flags.StringVar(&f.run, "run", "", "the run that the turn belongs to (default: a new one)")
	flags.StringVar(&f.principal, "principal", "", "on whose behalf: P or TENANT/P (default: the local user)")
	flags.IntVar(&f.rounds, "max-rounds", 16, "replies in one turn")
	fixedCompletion(cmd, "api", append(apiNames(), autoAPI)...)
	return cmd
}

// endOpen says that results are ready and no further reply is there.
const endOpen agent.End = "open"

// replayed is the result of replay. The names are fixed.
type replayed struct {
	// Resumed is the open round of an earlier replay that this one went on from.
	Resumed    *replayedRound  `json:"resumed,omitempty"`
	Rounds     []replayedRound `json:"rounds"`
	End        agent.End       `json:"end"`
	Run        string          `json:"run"`
	Turn       int             `json:"turn"`
	ApprovalID *string         `json:"approval_id"`
	Message    *string         `json:"message"`
}

// replayedRound is one reply with what became of its calls, and what it adds to
// the conversation that is sent.
type replayedRound struct {
	Calls []callView        `json:"calls"`
	Next  []json.RawMessage `json:"next"`
}

func (a *app) replay(ctx context.Context, f replayFlags, catalogName string, files []string) error {
	if f.rounds < 1 {
		return misused(fmt.Errorf("%d rounds: a turn has at least one", f.rounds))
	}
	principal, err := a.principal(f.principal)
	if err != nil {
		return err
	}
	recorded, err := a.readReplies(f.api, files)
	if err != nil {
		return err
	}
	return a.withGate(ctx, f.ledger, catalogName, func(ctx context.Context, h *house) error {
		run, err := h.replayRun(ctx, f.run, principal)
		if err != nil {
			return err
		}
		result, err := recorded.play(ctx, h, run, f.rounds)
		if err != nil {
			return err
		}
		if err := a.showReplayed(result); err != nil {
			return err
		}
		if result.End != agent.Answer {
			return errFindings
		}
		return nil
	})
}

func (a *app) readReplies(api string, files []string) (*recordedModel, error) {
	m := &recordedModel{}
	for _, file := range files {
		text, err := a.readFile(file)
		if err != nil {
			return nil, err
		}
		if m.codec == nil {
			if api == autoAPI {
				if api = wire.Detect(text); api == "" {
					return nil, fmt.Errorf("%s: %w", shownName(file), errUnknownReply)
				}
			}
			if m.codec, err = codecOf(api); err != nil {
				return nil, err
			}
		}
		m.texts = append(m.texts, text)
	}
	return m, nil
}

func (h *house) replayRun(ctx context.Context, id string, principal holdfast.Principal) (string, error) {
	if id == "" {
		id = newRunID()
	}
	_, err := h.ledger.LookupRun(ctx, id)
	if errors.Is(err, ledger.ErrNotFound) {
		_, err = h.ledger.CreateRun(ctx, ledger.Run{ID: id, Catalog: h.label, Model: recordedName, Principal: principal})
	}
	if err != nil {
		return id, about("run", id, err)
	}
	return id, nil
}

func (a *app) showReplayed(r *replayed) error {
	if a.wantsJSON() {
		return writeJSON(a.stdout, r)
	}
	show := func(head string, round replayedRound) {
		fmt.Fprintln(a.stdout, head)
		for _, c := range round.Calls {
			fmt.Fprintf(a.stdout, "  %s: %s\n", visible.Line(c.Tool), shownOutcome(c))
		}
		for _, message := range round.Next {
			fmt.Fprintf(a.stdout, "  next %s\n", visible.JSON(message))
		}
	}
	if r.Resumed != nil {
		show("resumed", *r.Resumed)
	}
	for i, round := range r.Rounds {
		show(fmt.Sprintf("round %d", i+1), round)
	}
	fmt.Fprintf(a.stdout, "end: %s\n", r.End)
	if r.Message != nil {
		fmt.Fprintln(a.stderr, visible.Line(*r.Message))
	}
	return nil
}

// shownOutcome is a call's outcome in a word or two.
func shownOutcome(c callView) string {
	switch {
	case c.Skipped:
		return "run by the provider"
	case c.Outcome == nil:
		return "waits"
	case c.Code != nil:
		return *c.Outcome + " " + *c.Code
	}
	return *c.Outcome
}
