package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/wire"
)

// load builds an open turn from the record: the conversation so far, and the
// last round as one that is still to be dealt with, whatever was done about it.
func (a *Agent) load(ctx context.Context, r gate.Run, record gate.Turn) (*turn, error) {
	t := &turn{home: a, agent: a, run: r, record: record}
	if n := nestingOf(ctx); n != nil {
		t.depth = n.depth
	}
	turns, err := a.history.Turns(ctx, r.ID)
	if err != nil {
		return nil, fmt.Errorf("reading run %s: %w", r.ID, err)
	}
	rounds, err := a.history.Rounds(ctx, r.ID, 0)
	if err != nil {
		return nil, fmt.Errorf("reading run %s: %w", r.ID, err)
	}
	for _, past := range turns {
		if past.Number > record.Number {
			break
		}
		t.items = append(t.items, wire.Item{User: past.Message})
		var own []gate.Round
		for len(rounds) > 0 && rounds[0].Turn <= past.Number {
			own, rounds = append(own, rounds[0]), rounds[1:]
		}
		if err := t.replay(ctx, own, past.Number == record.Number); err != nil {
			return nil, fmt.Errorf("reading turn %d of run %s: %w", past.Number, r.ID, err)
		}
		if past.Number < record.Number {
			t.before, t.usage, t.handed = sum(t.before, t.usage), wire.Usage{}, 0
		}
	}
	return t, nil
}

// replay puts a turn's rounds into the conversation. Of the open turn the last
// is left for deal, which looks up what its calls came to.
func (t *turn) replay(ctx context.Context, rounds []gate.Round, open bool) error {
	for i, round := range rounds {
		reply, err := decodeReply(round)
		if err != nil {
			return err
		}
		if t.agent, err = t.home.member(round.Agent); err != nil {
			return err
		}
		t.next = nil
		s := &saved{round: round, reply: reply, again: true}
		t.add(s)
		if open {
			t.rounds = round.Number
			if i == len(rounds)-1 {
				t.last = s
				return nil
			}
		}
		if !owns(round.Calls) {
			if i < len(rounds)-1 && final(round, reply) {
				t.correct(reply)
			}
			continue
		}
		verdicts, err := t.agent.gate.Recall(ctx, round)
		if err != nil {
			return err
		}
		t.answer(s, verdicts)
		if t.follow(verdicts); t.next != nil {
			t.agent, t.next = t.next, nil
		}
	}
	return nil
}

// speaks reports whether a reply has anything that the model should read again.
func speaks(r *wire.Reply) bool {
	return r.Text != "" || len(r.Calls) > 0 || r.Ending == wire.Paused
}

// owns reports whether a call of the reply is ours to answer.
func owns(calls []holdfast.Call) bool {
	for i := range calls {
		if !calls[i].ProviderExecuted {
			return true
		}
	}
	return false
}

// observations are the results that the provider is owed. A call of which the
// record says nothing is left to the codec, which says so in its place.
func observations(verdicts []gate.Verdict) []holdfast.Observation {
	var out []holdfast.Observation
	for i := range verdicts {
		if verdicts[i].Answer {
			out = append(out, verdicts[i].Observation)
		}
	}
	return out
}

// storedReply is a reply as a round keeps it, but for its calls, which the round
// holds. Fields are only ever added. The provider's message is kept as bytes:
// as JSON in JSON it would be written anew, and its signatures be void.
type storedReply struct {
	API       string     `json:"api,omitempty"`
	ID        string     `json:"id,omitempty"`
	Model     string     `json:"model,omitempty"`
	Stop      string     `json:"stop,omitempty"`
	Ending    string     `json:"ending,omitempty"`
	Complete  bool       `json:"complete,omitempty"`
	Text      string     `json:"text,omitempty"`
	Reasoning string     `json:"reasoning,omitempty"`
	Usage     wire.Usage `json:"usage"`
	Message   []byte     `json:"message,omitempty"`
}

func encodeReply(r *wire.Reply) (json.RawMessage, error) {
	text, err := json.Marshal(storedReply{
		API: r.API, ID: r.ID, Model: r.Model, Stop: r.Stop, Ending: string(r.Ending), Complete: r.Complete,
		Text: r.Text, Reasoning: r.Reasoning, Usage: r.Usage, Message: r.Message,
	})
	if err != nil {
		return nil, fmt.Errorf("encoding a reply: %w", err)
	}
	return text, nil
}

// SavedReply is the reply that a round of the record keeps, for whoever shows a
// run as it was.
func SavedReply(round gate.Round) (*wire.Reply, error) { return decodeReply(round) }

// decodeReply is the reply of a round. One that was saved by a caller without a
// model (a single call) has calls and nothing else.
func decodeReply(round gate.Round) (*wire.Reply, error) {
	var s storedReply
	if len(round.Reply) > 0 {
		if err := json.Unmarshal(round.Reply, &s); err != nil {
			return nil, fmt.Errorf("decoding the reply of round %d: %w", round.Number, err)
		}
	}
	r := &wire.Reply{
		API: s.API, ID: s.ID, Model: s.Model, Stop: s.Stop, Ending: wire.Ending(s.Ending), Complete: s.Complete,
		Text: s.Text, Reasoning: s.Reasoning, Usage: s.Usage, Calls: round.Calls,
	}
	if len(s.Message) > 0 {
		r.Message = s.Message
	}
	if r.Ending == "" {
		r.API, r.Ending, r.Complete = round.API, wire.Ending(round.Ending), round.Complete
	}
	return r, nil
}

// sum adds what providers told; what none told stays unknown.
func sum(a, b wire.Usage) wire.Usage {
	return wire.Usage{
		Input: plus(a.Input, b.Input), Output: plus(a.Output, b.Output),
		Cached: plus(a.Cached, b.Cached), Reasoning: plus(a.Reasoning, b.Reasoning),
	}
}

func plus(a, b *int64) *int64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	n := *a + *b
	return &n
}
