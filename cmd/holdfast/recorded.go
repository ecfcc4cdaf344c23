package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/wire"
)

const recordedName = "recorded"

// errNoMoreReplies ends the asking when the files are used up.
var errNoMoreReplies = errors.New("no further reply is there")

// recordedModel is a model whose replies were recorded. It is used by one turn.
type recordedModel struct {
	codec wire.Codec
	texts [][]byte

	asked  int
	rounds []*recordedRound
	// resumed is the open round that the turn went on from, if any; its reply was
	// played before.
	resumed recordedRound
	items   int // of the conversation, when it was last asked
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
	} else if n := lastReply(r.Items); n >= 0 {
		m.resumed.items = slices.Clone(r.Items[n:])
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

// lastReply is the place of a conversation's last reply, or -1.
func lastReply(items []wire.Item) int {
	for i := len(items) - 1; i >= 0; i-- {
		if items[i].Reply != nil {
			return i
		}
	}
	return -1
}

func (m *recordedModel) watch(e agent.Event) {
	if e.Verdict == nil {
		return
	}
	round := &m.resumed
	if n := len(m.rounds); n > 0 {
		round = m.rounds[n-1]
	}
	if round.verdicts == nil {
		round.verdicts = map[int]gate.Verdict{}
	}
	round.verdicts[e.Position] = *e.Verdict
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
	if out.Resumed, err = m.viewResumed(set.Names, run); err != nil {
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

// viewResumed is the round that the turn went on from, with the calls of it that
// were dealt with only now, or nil. Where it waits again nothing is sent.
func (m *recordedModel) viewResumed(names wire.Names, run string) (*replayedRound, error) {
	r := &m.resumed
	if len(r.verdicts) == 0 {
		return nil, nil
	}
	v := &replayedRound{Calls: []callView{}, Next: []json.RawMessage{}}
	for _, position := range slices.Sorted(maps.Keys(r.verdicts)) {
		v.Calls = append(v.Calls, viewCall(run, r.verdicts[position]))
	}
	if len(r.items) == 0 {
		return v, nil
	}
	next, err := m.codec.History(r.items, names)
	v.Next = list(next)
	return v, err
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
			verdict = gate.Verdict{Position: i, CallID: c.ID, Tool: qualifiedName(names, c.Name), Skipped: c.ProviderExecuted, Waiting: !c.ProviderExecuted}
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

// qualifiedName is what people know a sent name by.
func qualifiedName(names wire.Names, sent string) string {
	if name, ok := names[sent]; ok {
		return name
	}
	return sent
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
