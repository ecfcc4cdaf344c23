package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/wire"
)

// Guard gates the calls of a loop that somebody else wrote, with a provider's own
// client: that loop asks the model, the guard takes each reply's bytes and says
// what to append. It keeps the replies of one turn, so that ids and names stay in
// order, and saves none: a loop that must outlive its process keeps its own
// messages and the bytes of the last reply. It is used by one goroutine.
type Guard struct {
	gate  *gate.Gate
	codec wire.Codec
	tools wire.ToolSet
	turn  gate.Round  // run, turn and principal of every round; the last number
	items []wire.Item // the turn's replies and results so far
	sent  int         // messages of items that were handed out
}

// NewGuard makes a guard for one turn. turn names its run, its number (1 if it is
// left out), the principal, and in Number how many rounds it had. o is how the
// catalog is offered.
func NewGuard(g *gate.Gate, codec wire.Codec, turn gate.Round, o *wire.ToolOptions) (*Guard, error) {
	if g == nil || codec == nil || turn.Run == "" {
		return nil, errors.New("a guard needs a gate, a codec and the name of a run")
	}
	tools, err := codec.Tools(g.Catalog(), o)
	if err != nil {
		return nil, fmt.Errorf("encoding the catalog: %w", err)
	}
	turn.Turn, turn.API, turn.Names = max(turn.Turn, 1), codec.API(), tools.Names
	return &Guard{gate: g, codec: codec, tools: tools, turn: turn}, nil
}

// Tools is the catalog as the provider takes it, for the request's tools.
func (g *Guard) Tools() []json.RawMessage { return g.tools.Tools }

// Answer puts the calls of the next reply through the gate. reply is its body, or
// the events of its stream one behind the other. messages are what to append and
// send: the model's own, as it came where the provider takes that back, and the
// results of its calls. There are none where the model waits for nothing: the
// turn is over. While a call waits, for a person or for another process that runs
// it, there are none either, and parked is that call: see [Guard.Resume].
//
// A reply that broke off is an error, and nothing of it has run; so is a caller's
// mistake. Whatever becomes of a call is told in its result.
func (g *Guard) Answer(ctx context.Context, reply []byte) (messages []json.RawMessage, parked *gate.Verdict, err error) {
	g.turn.Number++
	messages, parked, err = g.pass(ctx, reply, nil)
	if err != nil {
		g.turn.Number--
	}
	return messages, parked, err
}

// Resume is Answer for the last reply once more, after a call of it waited: what
// ran stays as it is, a call that a person approved is run, and the rest goes on.
// Any process may do that; its guard's turn names in Number the reply's round.
func (g *Guard) Resume(ctx context.Context, reply []byte) (messages []json.RawMessage, parked *gate.Verdict, err error) {
	return g.pass(ctx, reply, &gate.RoundOptions{Resume: true})
}

func (g *Guard) pass(ctx context.Context, text []byte, o *gate.RoundOptions) ([]json.RawMessage, *gate.Verdict, error) {
	d := g.codec.NewDecoder()
	d.Feed(text)
	reply := d.Close()
	if reply.Ending == wire.Broken {
		if reply.Err != nil {
			return nil, nil, fmt.Errorf("round %d: %w", g.turn.Number, reply.Err)
		}
		return nil, nil, fmt.Errorf("round %d: the reply broke off", g.turn.Number)
	}
	round := g.turn
	round.Calls, round.Complete, round.Ending = reply.Calls, reply.Complete, string(reply.Ending)
	verdicts, err := g.gate.Round(ctx, round, o)
	if err != nil {
		return nil, nil, err
	}
	for i := range verdicts {
		if v := &verdicts[i]; v.Waiting || v.Outcome.Status == holdfast.Pending {
			return nil, v, nil
		}
	}
	results := observations(verdicts)
	if reply.Ending == wire.Filtered || len(results) == 0 && reply.Ending != wire.Paused {
		return nil, nil, nil
	}
	messages, err := g.append(reply, results)
	return messages, nil, err
}

// append adds a round to the turn and hands out the messages that it adds.
func (g *Guard) append(reply *wire.Reply, results []holdfast.Observation) ([]json.RawMessage, error) {
	items := append(g.items, wire.Item{Reply: reply})
	if len(results) > 0 {
		items = append(items, wire.Item{Results: results})
	}
	all, err := g.codec.History(items, g.tools.Names)
	if err != nil {
		return nil, fmt.Errorf("encoding round %d: %w", g.turn.Number, err)
	}
	added := all[g.sent:]
	g.items, g.sent = items, len(all)
	return added, nil
}
