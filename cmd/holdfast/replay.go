package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
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
		Args:    cobra.MinimumNArgs(2),
		RunE: a.do(func(cmd *cobra.Command, args []string) error {
			return interruptible(cmd.Context(), func(ctx context.Context) error { return a.replay(ctx, f, args[0], args[1:]) })
		}),
	}
	f.ledger.add(cmd)
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

const recordedName = "recorded"

// errNoMoreReplies ends the asking when the files are used up.
var errNoMoreReplies = errors.New("no further reply is there")

// recordedModel is a model whose replies were recorded. It is used by one turn.
type recordedModel struct {
	codec wire.Codec
	texts [][]byte

	asked  int
	rounds []*recordedRound
	items  int // of the conversation, when it was last asked
}

// recordedRound is what happened to one reply.
type recordedRound struct {
	reply    *wire.Reply
	verdicts map[int]gate.Verdict
	items    []wire.Item // what it added to the conversation
}

// Codec is the recordings' format.
func (m *recordedModel) Codec() wire.Codec { return m.codec }

// Reply decodes the next recording.
func (m *recordedModel) Reply(_ context.Context, r *wire.Request, show func(wire.Event)) (*wire.Reply, error) {
	if n := len(m.rounds); n > 0 {
		m.rounds[n-1].items = slices.Clone(r.Items[m.items:])
	}
	m.items = len(r.Items)
	if m.asked == len(m.texts) {
		return nil, errNoMoreReplies
	}
	d := m.codec.NewDecoder()
	for _, e := range d.Feed(m.texts[m.asked]) {
		show(e)
	}
	m.asked++
	reply := d.Close()
	m.rounds = append(m.rounds, &recordedRound{reply: reply, verdicts: map[int]gate.Verdict{}})
	return reply, nil
}

func (m *recordedModel) watch(e agent.Event) {
	if e.Verdict != nil && len(m.rounds) > 0 {
		m.rounds[len(m.rounds)-1].verdicts[e.Position] = *e.Verdict
	}
}

// openHistory leaves a turn open that ended only because there are no more
// recordings: it may be gone on with.
type openHistory struct {
	*ledger.Ledger
	model *recordedModel
}

// EndTurn ends the turn unless it is to stay open.
func (h openHistory) EndTurn(ctx context.Context, t ledger.Turn) error {
	if t.End == string(agent.Failed) && h.model.asked == len(h.model.texts) && h.model.lastWhole() {
		return nil
	}
	return h.Ledger.EndTurn(ctx, t)
}

// lastWhole reports whether the last recording came to its end.
func (m *recordedModel) lastWhole() bool {
	n := len(m.rounds)
	return n > 0 && m.rounds[n-1].reply.Ending != wire.Broken
}

// play puts the replies through the loop.
func (m *recordedModel) play(ctx context.Context, h *house, run string, rounds int) (*replayed, error) {
	loop, err := agent.New(m, h.gate, openHistory{h.ledger, m}, &agent.Options{MaxRounds: rounds, Watch: m.watch})
	if err != nil {
		return nil, err
	}
	open, err := h.openTurn(ctx, run)
	if err != nil {
		return nil, err
	}
	turn := func() (agent.Result, error) { return loop.Turn(ctx, run, "(recorded replies)") }
	if open {
		turn = func() (agent.Result, error) { return loop.Resume(ctx, run) }
	}
	r, err := turn()
	if err != nil {
		return nil, err
	}
	out := &replayed{Rounds: []replayedRound{}, End: r.End, Run: r.Run, Turn: r.Turn, ApprovalID: known(r.ApprovalID), Message: known(endMessage(r))}
	if errors.Is(r.Err, errNoMoreReplies) {
		out.End, out.Message = endOpen, nil
	}
	set, err := m.codec.Tools(h.catalog, nil)
	if err != nil {
		return nil, err
	}
	for _, round := range m.rounds {
		view, err := round.view(m.codec, set.Names, run, r.End)
		if err != nil {
			return nil, err
		}
		out.Rounds = append(out.Rounds, view)
	}
	return out, nil
}

// view is a round as it is shown. end is how the turn ended: what a round that
// nothing followed adds to the conversation hangs on it.
func (r *recordedRound) view(codec wire.Codec, names wire.Names, run string, end agent.End) (replayedRound, error) {
	v := replayedRound{Calls: []callView{}, Next: []json.RawMessage{}}
	if r.reply.Ending == wire.Broken {
		return v, nil
	}
	parked := false
	for i, c := range r.reply.Calls {
		verdict, ok := r.verdicts[i]
		if !ok {
			verdict = gate.Verdict{Position: i, CallID: c.ID, Tool: c.Name, Skipped: c.ProviderExecuted, Waiting: !c.ProviderExecuted}
		}
		parked = parked || verdict.Waiting || verdict.Outcome.Status == holdfast.Pending
		v.Calls = append(v.Calls, viewCall(run, verdict))
	}
	items := r.items
	if items == nil && !parked && end != agent.Failed {
		items = []wire.Item{{Reply: r.reply}}
		if results := r.results(); len(results) > 0 {
			items = append(items, wire.Item{Results: results})
		}
	}
	if len(items) == 0 {
		return v, nil
	}
	next, err := codec.History(items, names)
	if err != nil {
		return v, fmt.Errorf("encoding what is sent back: %w", err)
	}
	v.Next = list(next)
	return v, nil
}

// results are the observations of a round that no request followed.
func (r *recordedRound) results() []holdfast.Observation {
	var all []holdfast.Observation
	for i := range r.reply.Calls {
		if v, ok := r.verdicts[i]; ok && v.Answer {
			all = append(all, v.Observation)
		}
	}
	return all
}

func (a *app) showReplayed(r *replayed) error {
	if a.wantsJSON() {
		return writeJSON(a.stdout, r)
	}
	for i, round := range r.Rounds {
		fmt.Fprintf(a.stdout, "round %d\n", i+1)
		for _, c := range round.Calls {
			fmt.Fprintf(a.stdout, "  %s: %s\n", visible.Line(c.Tool), shownOutcome(c))
		}
		for _, message := range round.Next {
			fmt.Fprintf(a.stdout, "  next %s\n", visible.JSON(message))
		}
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
