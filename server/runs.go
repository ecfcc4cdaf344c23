package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
)

var oneRun = ledger.Filter{Limit: 1}

// runRow is a conversation in the list.
type runRow struct {
	Run     string             `json:"run"`
	Catalog string             `json:"catalog"`
	Model   string             `json:"model"`
	For     holdfast.Principal `json:"principal"`
	Created time.Time          `json:"created"`
	Turns   int                `json:"turns"`
	Title   string             `json:"title"` // its first message
	Last    *time.Time         `json:"last"`
	End     *string            `json:"end"` // of the last turn; null: it is open
	Running bool               `json:"running"`
}

// listRuns lists conversations, newest first; single calls are runs too, and
// left to the ledger.
func (s *Server) listRuns(w http.ResponseWriter, r *http.Request) error {
	limit, err := number(r, "limit", 30, 200)
	if err != nil {
		return err
	}
	ctx, rows := r.Context(), []runRow{}
	_, next, err := collect(limit, r.URL.Query().Get("before"), func(f ledger.Filter) ([]ledger.Run, error) {
		return s.ledger.Runs(ctx, f)
	}, func(run ledger.Run) string { return run.ID }, func(run ledger.Run) (bool, error) {
		if !callerOf(ctx).sees(run.Principal) {
			return false, nil
		}
		row, spoken, err := s.runRow(ctx, run)
		if spoken {
			rows = append(rows, row)
		}
		return spoken, err
	})
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, map[string]any{"runs": rows, "next": known(next)})
}

func (s *Server) runRow(ctx context.Context, run ledger.Run) (row runRow, spoken bool, err error) {
	turns, err := s.ledger.Turns(ctx, run.ID)
	if err != nil || len(turns) == 0 || run.Parent != "" { // a single call, or within one
		return row, false, err
	}
	last := turns[len(turns)-1]
	const titleBytes = 200
	return runRow{
		Run: run.ID, Catalog: run.Catalog, Model: run.Model, For: run.Principal, Created: run.Created, Turns: len(turns),
		Title: cutAt(visible.Line(turns[0].Message), titleBytes), Last: knownTime(last.Started), End: known(last.End),
		Running: s.session(run.ID).running(),
	}, true, nil
}

// createRun makes an empty conversation.
func (s *Server) createRun(w http.ResponseWriter, r *http.Request) error {
	var in struct{}
	if err := readBody(r, &in); err != nil {
		return err
	}
	o := s.options
	run, err := s.ledger.CreateRun(r.Context(), ledger.Run{Catalog: o.Catalog, Model: o.Model, Principal: callerOf(r.Context()).Principal})
	if err != nil {
		return err
	}
	return write(w, http.StatusCreated, map[string]any{"run": run.ID})
}

// runView is a conversation as it stands.
type runView struct {
	Run        string             `json:"run"`
	Catalog    string             `json:"catalog"`
	Model      string             `json:"model"`
	Principal  holdfast.Principal `json:"principal"`
	Created    time.Time          `json:"created"`
	Running    bool               `json:"running"`     // a turn goes on here
	Open       bool               `json:"open"`        // the last turn has not ended
	ApprovalID *string            `json:"approval_id"` // that it waits for
	Mine       bool               `json:"mine"`        // it can go on here
	Turns      []turnView         `json:"turns"`
	Earlier    int                `json:"earlier"` // turns before those
}

type turnView struct {
	Turn    int         `json:"turn"`
	Message string      `json:"message"` // as shown
	End     *string     `json:"end"`
	Answer  *string     `json:"answer"` // where no round says it
	Started *time.Time  `json:"started"`
	Ended   *time.Time  `json:"ended"`
	Rounds  []roundView `json:"rounds"`
}

type roundView struct {
	Round     int        `json:"round"`
	Saved     bool       `json:"saved"` // it came whole; else it streams
	Ending    string     `json:"ending"`
	Agent     *string    `json:"agent"` // whose reply it is, where the conversation may be handed over
	Text      string     `json:"text"`
	Reasoning string     `json:"reasoning"`
	Calls     []callView `json:"calls"`
}

func (s *Server) showRun(w http.ResponseWriter, r *http.Request) error {
	view, _, err := s.runView(r.Context(), r.PathValue("run"))
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, view)
}

// maxTurns is how many turns of a conversation are told at once, the last ones.
const maxTurns = 100

// runView rebuilds a conversation from the record, and adds what is under way.
// seq is the event that it is at least as new as: events behind it may repeat
// what it holds.
func (s *Server) runView(ctx context.Context, id string) (view runView, seq int64, err error) {
	seq, busy, under := s.session(id).now()
	run, err := s.run(ctx, id)
	if err != nil {
		return view, seq, err
	}
	turns, err := s.ledger.Turns(ctx, id)
	if err != nil {
		return view, seq, err
	}
	view = runView{
		Run: run.ID, Catalog: run.Catalog, Model: run.Model, Principal: run.Principal, Created: run.Created,
		Running: busy, Mine: s.mine(ctx, run) == nil, Turns: []turnView{},
	}
	if n := len(turns) - maxTurns; n > 0 {
		view.Earlier, turns = n, turns[n:]
	}
	for _, t := range turns {
		v, err := s.turnView(ctx, t)
		if err != nil {
			return view, seq, err
		}
		view.Turns = append(view.Turns, v)
	}
	if n := len(view.Turns); n > 0 && view.Turns[n-1].End == nil {
		last := &view.Turns[n-1]
		view.Open = true
		last.addLive(under)
		view.ApprovalID = last.waitsFor()
	}
	return view, seq, nil
}

func (s *Server) turnView(ctx context.Context, t ledger.Turn) (turnView, error) {
	v := turnView{
		Turn: t.Number, Message: visible.Text(t.Message), End: known(t.End), Started: knownTime(t.Started), Ended: knownTime(t.Ended),
		Rounds: []roundView{},
	}
	rounds, err := s.ledger.Rounds(ctx, t.Run, t.Number)
	if err != nil {
		return v, err
	}
	for _, round := range rounds {
		view, err := s.roundView(ctx, round)
		if err != nil {
			return v, err
		}
		v.Rounds = append(v.Rounds, view)
	}
	if n := len(rounds); n == 0 || v.Rounds[n-1].Text != visible.Text(t.Answer) {
		v.Answer = known(visible.Text(t.Answer))
	}
	return v, nil
}

func (s *Server) roundView(ctx context.Context, round ledger.Round) (roundView, error) {
	v := roundView{Round: round.Number, Saved: true, Ending: round.Ending, Agent: known(visible.Line(round.Agent)), Calls: []callView{}}
	reply, err := agent.SavedReply(round)
	if err != nil {
		return v, err
	}
	v.Text, v.Reasoning = visible.Text(reply.Text), visible.Text(reply.Reasoning)
	for i, c := range round.Calls {
		at := i
		view := unrecorded(place{round.Turn, round.Number, &at}, c.Name)
		view.CallID, view.Skipped = known(visible.Line(c.ID)), c.ProviderExecuted
		view.For = &round.Principal
		view.Run, view.Arguments, view.Cut = round.Run, cutShown(shownText(c.Arguments)), len(c.Arguments) > maxShown
		v.Calls = append(v.Calls, view)
	}
	entries, err := s.ledger.Entries(ctx, ledger.Filter{Run: round.Run, Turn: round.Turn, Round: round.Number, InOrder: true, Limit: 10_000})
	if err != nil {
		return v, err
	}
	for _, e := range entries {
		if e.Position < 0 || e.Position >= len(v.Calls) {
			continue
		}
		if old := &v.Calls[e.Position]; old.LedgerID != nil && e.Outcome != nil && e.Outcome.Replayed {
			continue // a replay never stands over the outcome that it repeats
		}
		if v.Calls[e.Position], err = s.entryInRun(ctx, e); err != nil {
			return v, err
		}
	}
	return v, nil
}

// entryInRun is a call's record with the question that it asks a person, and with
// what it has made so far.
func (s *Server) entryInRun(ctx context.Context, e ledger.Entry) (callView, error) {
	v := viewEntry(e, maxShown)
	if runsWithin(e) {
		var err error
		if v.Inner, err = s.within(ctx, e.ID); err != nil {
			return v, err
		}
	}
	if v.ApprovalID == nil {
		return v, nil
	}
	p, err := s.approvalView(ctx, *v.ApprovalID)
	if err != nil {
		return v, err
	}
	v.Approval = &p
	return v, nil
}

// addLive adds the round that is under way, and where its calls stand.
func (t *turnView) addLive(under live) {
	if under.turn != t.Turn || under.round == 0 {
		return
	}
	for i := range t.Rounds {
		if r := &t.Rounds[i]; r.Round == under.round {
			for j := range min(len(r.Calls), len(under.calls)) {
				if r.Calls[j].Outcome == nil && r.Calls[j].Stage == nil {
					r.Calls[j].Stage = known(under.calls[j].stage)
				}
			}
			return
		}
	}
	r := roundView{Round: under.round, Text: string(under.text), Reasoning: string(under.reasoning), Calls: []callView{}}
	for i, c := range under.calls {
		at := i
		view := unrecorded(place{t.Turn, under.round, &at}, c.name)
		view.Arguments, view.Cut = cutShown(string(c.arguments)), len(c.arguments) > maxShown
		r.Calls = append(r.Calls, view)
	}
	t.Rounds = append(t.Rounds, r)
}

// waitsFor is the approval that an open turn waits for.
func (t *turnView) waitsFor() *string {
	for i := range t.Rounds {
		for j := range t.Rounds[i].Calls {
			if p := t.Rounds[i].Calls[j].Approval; p != nil && p.State == string(ledger.Waiting) {
				return &p.ApprovalID
			}
		}
	}
	return nil
}

// number reads a number from the query.
func number(r *http.Request, name string, otherwise, most int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, badRequest("%s must be a number from 1 to %d.", name, most)
	}
	return n, nil
}
