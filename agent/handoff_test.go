package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/anthropic"
	"github.com/holdfast-go/holdfast/wire/google"
	"github.com/holdfast-go/holdfast/wire/openai"
)

// team is an office in which the desk, the till and the store hand a conversation
// to each other. All have the kitchen's tools, under one namespace.
type team struct {
	*office
	speak func(name string) wire.Codec
	names []string
}

func newTeam(t *testing.T, codec wire.Codec, scenario string) *team {
	t.Helper()
	return &team{
		office: newOffice(t, codec, scenario), names: []string{"desk", "till", "shelf"},
		speak: func(string) wire.Codec { return codec },
	}
}

// open makes everything anew over the store, as a new process does.
func (f *team) open(store ledger.Store) *team {
	f.t.Helper()
	var err error
	if f.ledger, err = ledger.New(f.t.Context(), store, nil); err != nil {
		f.t.Fatal(err)
	}
	f.gates = nil
	var others []*agent.Agent
	for _, name := range f.names[1:] {
		others = append(others, f.member(name, nil))
	}
	f.agent = f.member(f.names[0], others)
	if _, err := f.ledger.CreateRun(f.t.Context(), gate.Run{ID: "r", Catalog: "shop", Principal: holdfast.Principal{ID: "ana"}}); err != nil {
		f.t.Fatal(err)
	}
	return f
}

func (f *team) member(name string, others []*agent.Agent) *agent.Agent {
	f.t.Helper()
	tools := f.catalog(f.t).Tools()
	for _, to := range f.names {
		hand, err := agent.Handoff("to_"+to, "Give the conversation to the "+to+".", to, nil)
		if err != nil {
			f.t.Fatal(err)
		}
		if to != name {
			tools = append(tools, hand)
		}
	}
	c, err := holdfast.NewCatalog("shop", tools...)
	if err != nil {
		f.t.Fatal(err)
	}
	g, err := gate.New(c, f.ledger, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	f.gates = append(f.gates, g)
	office := *f.office
	office.codec = f.speak(name)
	o := &agent.Options{
		Name: name, Team: others, System: func() string { return "You are the " + name + "." }, MaxHandoffs: 3, MaxRounds: 12,
	}
	if others != nil {
		o.Watch = func(e agent.Event) { f.events = append(f.events, e) }
	}
	a, err := agent.New(office.model(), g, f.ledger, o)
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}

func (f *team) restart() {
	f.t.Helper()
	f.close()
	f.open(f.store)
}

const handing = `
rules:
  - when: {system: desk, message: pay}
    say: let me see
    reasoning: Not mine.
    calls: [{name: store, arguments: {name: desk, grams: 1}}, {name: to_till, arguments: {reason: money}}, {name: store, arguments: {name: behind, grams: 1}}]
  - when: {system: till, after: to_till}
    calls: [{name: store, arguments: {name: desk, grams: 1}}, {name: buy, arguments: {name: till, grams: 2}}]
  - when: {system: till, after: buy}
    say: "the till took it: {{(index .Results 0).JSON.replayed}}"
  - when: {system: till, message: more}
    say: "still the till"
  - when: {system: till, message: back}
    calls: [{name: to_desk, arguments: {}}]
  - when: {system: desk, after: to_desk}
    say: "the desk again"
  - when: {system: desk, message: more}
    say: "the desk"
`

// formats are those in which conversations are handed over: each to itself, and
// from one to another.
func formats() map[string]func(string) wire.Codec {
	all := map[string]func(string) wire.Codec{}
	for _, c := range codecs() {
		all[c.API()] = func(string) wire.Codec { return c }
	}
	mix := func(desk, till wire.Codec) func(string) wire.Codec {
		return func(name string) wire.Codec {
			if name == "desk" {
				return desk
			}
			return till
		}
	}
	all["openai-chat to anthropic"] = mix(openai.Chat{}, anthropic.Messages{})
	all["anthropic to openai-responses"] = mix(anthropic.Messages{}, openai.Responses{})
	all["openai-responses to gemini"] = mix(openai.Responses{}, google.Gemini{})
	all["gemini to interactions"] = mix(google.Gemini{}, google.Interactions{})
	all["interactions to openai-chat"] = mix(google.Interactions{}, openai.Chat{})
	return all
}

// Whoever was given the conversation has it from then on, after a restart as well,
// until it is handed on or back. Keys are those of the run, whoever proposes.
func TestHandoff_gives_the_conversation_away(t *testing.T) {
	for name, speak := range formats() {
		t.Run(name, func(t *testing.T) {
			f := newTeam(t, openai.Chat{}, handing)
			f.speak = speak
			f.open(f.store)
			r := f.say("pay")
			p := f.wantWaits(r, "shop.buy")
			if r.Agent != "till" {
				t.Errorf("the turn waits with %q, want the till", r.Agent)
			}
			f.restart()
			f.approve(p.ID)
			r = f.resume()
			f.wantAnswer(r, "the till took it: true")
			f.restart()
			r = f.say("more")
			f.wantAnswer(r, "still the till")
			f.restart()
			r = f.say("back")
			f.wantAnswer(r, "the desk again")
			f.restart()
			r = f.say("more")
			f.wantAnswer(r, "the desk")
			if r.Agent != "desk" {
				t.Errorf("the conversation is with %q, want the desk", r.Agent)
			}
			f.wantRan(`store {"name": "desk", "grams": 1}`, `store {"name": "behind", "grams": 1}`, `store {"name": "till", "grams": 2}`)
			rounds, err := f.ledger.Rounds(t.Context(), "r", 0)
			if err != nil {
				t.Fatal(err)
			}
			var by []string
			for _, round := range rounds {
				by = append(by, round.Agent)
				if _, has := round.Names["to_"+round.Agent]; has || len(round.Names) == 0 {
					t.Errorf("names of round %d, of the %s = %v, want the table that its own provider was sent", round.Number, round.Agent, round.Names)
				}
			}
			if want := []string{"desk", "till", "till", "till", "till", "desk", "desk"}; !slices.Equal(by, want) {
				t.Errorf("rounds by %q, want %q", by, want)
			}
			var told []string
			for _, e := range f.events {
				if e.Kind == agent.HandoffEvent {
					told = append(told, e.Text+">"+e.Agent)
				}
			}
			if want := []string{"desk>till", "till>desk"}; !slices.Equal(told, want) {
				t.Errorf("handoffs told = %q, want %q", told, want)
			}
			f.close()
		})
	}
}

func TestHandoff_is_bounded(t *testing.T) {
	f := newTeam(t, openai.Chat{}, `
rules:
  - when: {system: desk, message: loop, after: "*", outcome: failed}
    say: "{{.Result.code}}: {{.Result.message}}"
  - when: {system: till, message: loop, after: "*", outcome: failed}
    say: "{{.Result.code}}: {{.Result.message}}"
  - when: {system: desk, message: loop}
    calls: [{name: to_till, arguments: {}}]
  - when: {system: desk, after: to_desk}
    calls: [{name: to_till, arguments: {}}]
  - when: {system: till, after: to_till}
    calls: [{name: to_desk, arguments: {}}]
`)
	f.open(f.store)
	r := f.say("loop")
	if r.End != agent.Answer || !strings.HasPrefix(r.Answer, "limit_exceeded: to_desk gave no answer: the conversation was handed over 3 times") || r.Agent != "till" {
		t.Errorf("turn = %s %q of %s, want the fourth handoff refused", r.End, r.Answer, r.Agent)
	}
	r = f.say("loop")
	if r.End != agent.Answer {
		t.Errorf("the next turn = %s %q, want it to count anew", r.End, r.Answer)
	}
	f.close()
}

// Alone, or to nobody who is there, nothing is handed over.
func TestHandoff_needs_a_conversation_and_somebody_in_it(t *testing.T) {
	hand, err := agent.Handoff("to_till", "Give it to the till.", "till", nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := holdfast.NewCatalog("shop", hand)
	if err != nil {
		t.Fatal(err)
	}
	f := newTeam(t, openai.Chat{}, handing)
	f.open(f.store)
	defer f.close()
	g, err := gate.New(c, f.ledger, nil)
	if err != nil {
		t.Fatal(err)
	}
	vs, err := g.Round(t.Context(), gate.Round{Run: "x", Turn: 1, Number: 1, Complete: true, Ending: "ended", Calls: []holdfast.Call{
		{Name: "to_till", Kind: holdfast.FunctionCall, Complete: true},
	}}, nil)
	if err != nil || vs[0].Outcome.Status != holdfast.Failed || !strings.Contains(vs[0].Outcome.Message, "no conversation") {
		t.Errorf("verdicts = %+v, %v, want the call failed", vs, err)
	}
	named := func(name string, team ...*agent.Agent) error {
		_, err := agent.New(f.model(), g, f.ledger, &agent.Options{Name: name, Team: team})
		return err
	}
	till, err := agent.New(f.model(), g, f.ledger, &agent.Options{Name: "till"})
	if err != nil {
		t.Fatal(err)
	}
	nobody, err := agent.New(f.model(), g, f.ledger, nil)
	if err != nil {
		t.Fatal(err)
	}
	for why, err := range map[string]error{
		"has a name": named("desk", nobody), "named": named("till", till), "is nil": named("desk", nil), "not in the team": named("desk", must2(agent.New(f.model(), g, f.ledger, &agent.Options{Name: "shelf"}))),
	} {
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("New = %v, want an error that says %q", err, why)
		}
	}
	if err := named("desk", till); err != nil {
		t.Errorf("New with the till = %v, want no error", err)
	}
}

func must2[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A program that lacks the agent who has the conversation does not go on in its
// place.
func TestHandoff_to_one_who_is_gone_is_an_error(t *testing.T) {
	f := newTeam(t, openai.Chat{}, handing)
	f.open(f.store)
	f.wantWaits(f.say("pay"), "shop.buy")
	f.close()
	f.names = []string{"desk", "shelf"}
	f.open(f.store)
	_, err := f.agent.Resume(t.Context(), "r")
	if err == nil || !strings.Contains(err.Error(), `agent "till"`) {
		t.Errorf("Resume = %v, want an error that names the till", err)
	}
	f.close()
}

// The process ends at each of its writes in turn: the conversation goes on with
// whoever the record says has it.
func TestHandoff_survives_the_end_of_its_process_at_every_write(t *testing.T) {
	for _, after := range []bool{false, true} {
		for n := 2; ; n++ {
			f := newTeam(t, openai.Responses{}, handing)
			store := &dying{Store: f.store, left: n, after: after}
			f.open(store)
			if _, err := f.payAndBack(); err != nil && !store.dead {
				t.Fatal(err)
			}
			if !store.dead {
				if n < 15 {
					t.Errorf("the conversation made only %d writes; want more to die at", n)
				}
				f.close()
				break
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			for _, g := range f.gates {
				_ = g.Close(ended)
			}
			_ = f.ledger.Close()

			f.open(f.store)
			answers, err := f.payAndBack()
			if err != nil || len(answers) != 2 || !strings.HasPrefix(answers[0], "the till took it") || answers[1] != "the desk again" {
				t.Errorf("died at write %d (after: %t), then: %q, %v", n, after, answers, err)
			}
			ran := f.ran()
			slices.Sort(ran)
			if len(slices.Compact(slices.Clone(ran))) != len(ran) {
				t.Errorf("died at write %d (after: %t): writes ran twice: %q", n, after, ran)
			}
			f.close()
		}
	}
}

// payAndBack drives the conversation on to the end of its second turn.
func (f *team) payAndBack() ([]string, error) {
	for {
		turns, err := f.ledger.Turns(f.t.Context(), "r")
		if err != nil {
			return nil, err
		}
		var r agent.Result
		switch n := len(turns); {
		case n == 0:
			r, err = f.agent.Turn(f.t.Context(), "r", "pay")
		case turns[n-1].End == "":
			r, err = f.agent.Resume(f.t.Context(), "r")
		case n == 1:
			r, err = f.agent.Turn(f.t.Context(), "r", "back")
		default:
			return []string{turns[0].Answer, turns[1].Answer}, nil
		}
		if err != nil && !errors.Is(err, agent.ErrNoOpenTurn) {
			return nil, err
		}
		if r.End == agent.Pending && r.ApprovalID != "" {
			if _, err := f.ledger.Approve(f.t.Context(), r.ApprovalID, "bea", ""); err != nil {
				return nil, err
			}
		} else if r.End != agent.Answer {
			return nil, fmt.Errorf("turn = %+v", r)
		}
	}
}
