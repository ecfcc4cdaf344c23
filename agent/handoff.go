package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/schema"
)

// Handoff makes a tool whose call gives the conversation to the agent of that name:
// from the next round on it is asked, with its own prompt, tools and model. The call
// passes the gate like any other, so a policy may forbid it and a person be asked. o
// is what the tool states beyond that; nil: nothing.
//
// The agents that a conversation may be given to are in the Team of the one that its
// turns are begun with. Any of them may hand it on, or back.
func Handoff(name, description, to string, o *holdfast.ToolOptions) (*holdfast.Tool, error) {
	if to == "" {
		return nil, fmt.Errorf("tool %q: names no agent to hand over to", name)
	}
	input, err := schema.Compile([]byte(`{"type":"object","properties":{"reason":{"type":"string","description":"Why, in one sentence."}},"additionalProperties":false}`), nil)
	if err != nil {
		return nil, err
	}
	var stated holdfast.ToolOptions
	if o != nil {
		stated = *o
	}
	if stated.Declared, err = json.Marshal(handoffDeclared{to}); err != nil {
		return nil, err
	}
	return holdfast.NewTool(name, description, input, holdfast.Agent, handoffTimeout, HandoffHandler(to), &stated)
}

const handoffTimeout = 10 * time.Second

// handoffDeclared is what a tool that hands over declares, so that whoever sees the
// tool knows it. A catalog file's `run` says the same.
type handoffDeclared struct {
	To string `json:"handoff"`
}

// handoffOf is the agent that a tool hands over to, or "".
func handoffOf(t *holdfast.Tool) string {
	var d handoffDeclared
	if t.Effect() != holdfast.Agent || json.Unmarshal(t.Options().Declared, &d) != nil {
		return ""
	}
	return d.To
}

// HandoffHandler is the handler of a tool that hands over to that agent, for a tool
// that is not made by [Handoff]: its Declared must be {"handoff": to}.
func HandoffHandler(to string) holdfast.Handler {
	return func(ctx context.Context, _ schema.Value) (holdfast.Result, error) {
		d, ok := ctx.Value(desksKey{}).(*desks)
		if !ok {
			return holdfast.Result{}, unanswered(holdfast.ToolError, "there is no conversation that could be handed over")
		}
		if no := d.handOver(to); no != nil {
			return holdfast.Result{}, no
		}
		text, err := json.Marshal(handedTo{to, "The conversation goes on with " + to + "."})
		return holdfast.Result{JSON: text}, err
	}
}

type handedTo struct {
	To      string `json:"handed_to"`
	Message string `json:"message"`
}

// desks is what a handoff must know of the turn that it is made in.
type desks struct {
	team map[string]*Agent
	most int // handoffs a turn

	mu   sync.Mutex
	at   string // who has the conversation
	made int    // handoffs of the turn so far
}

type desksKey struct{}

func (d *desks) handOver(to string) *gate.NoAnswer {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.team[to] == nil:
		return unanswered(holdfast.ToolError, fmt.Sprintf("no agent named %q takes part in this conversation", to))
	case d.at == to:
		return unanswered(holdfast.ToolError, "the conversation is with "+to+" already")
	case d.made >= d.most:
		return unanswered(holdfast.LimitExceeded, fmt.Sprintf("the conversation was handed over %d times in this turn, and that is the limit", d.made))
	}
	d.at, d.made = to, d.made+1
	return nil
}

// join makes the agent's team: itself, and those that its conversations may be
// handed to.
func (a *Agent) join() error {
	a.handoffs = map[string]string{}
	c := a.gate.Catalog()
	for _, t := range c.Tools() {
		if to := handoffOf(t); to != "" {
			a.handoffs[c.Qualify(t)] = to
		}
	}
	if len(a.options.Team) == 0 {
		return nil
	}
	a.team = map[string]*Agent{}
	all := append([]*Agent{a}, a.options.Team...)
	for _, m := range all {
		switch {
		case m == nil:
			return fmt.Errorf("agent: one of the team is nil")
		case m.options.Name == "":
			return fmt.Errorf("agent: everybody in a team has a name; set Options.Name")
		case a.team[m.options.Name] != nil:
			return fmt.Errorf("agent: two of the team are named %q", m.options.Name)
		}
		a.team[m.options.Name] = m
	}
	for _, m := range all {
		for tool, to := range m.handoffs {
			if a.team[to] == nil {
				return fmt.Errorf("agent: tool %s hands over to %q, who is not in the team", tool, to)
			}
		}
	}
	return nil
}

// member is who made a round, or an error where this program has no such agent:
// another must not go on in its place.
func (a *Agent) member(name string) (*Agent, error) {
	if name == "" {
		return a, nil
	}
	if m := a.team[name]; m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("the conversation was with agent %q, which is not in the team", name)
}

// desks are those of the turn, as a handler finds them in its context.
func (t *turn) desks(ctx context.Context) context.Context {
	if len(t.home.team) == 0 {
		return ctx
	}
	return context.WithValue(ctx, desksKey{}, &desks{
		team: t.home.team, most: t.home.options.MaxHandoffs, at: t.agent.options.Name, made: t.handed,
	})
}

// goOver is the moment from which on another has the conversation.
func (t *turn) goOver() {
	if t.next == nil {
		return
	}
	from := t.agent.options.Name
	t.agent, t.next = t.next, nil
	t.tell(t.rounds, Event{Kind: HandoffEvent, Text: from})
}

// follow goes to whom the calls of a round gave the conversation: from the next
// round on, it is asked. Of several the last stands, as they were made in order.
func (t *turn) follow(verdicts []gate.Verdict) {
	for i := range verdicts {
		v := &verdicts[i]
		to := t.agent.handoffs[v.Tool]
		if to == "" || v.Waiting || v.Outcome.Status != holdfast.OK {
			continue
		}
		t.handed++
		if next := t.home.team[to]; next != nil {
			t.next = next
		}
	}
}
