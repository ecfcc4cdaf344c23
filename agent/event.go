package agent

import (
	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/wire"
)

// EventKind says what an [Event] tells.
type EventKind string

// The kinds of events, in the order in which a round tells them.
const (
	TextEvent      EventKind = "text"      // Text adds to the reply's text
	ReasoningEvent EventKind = "reasoning" // Text adds to the reasoning that may be shown
	CallingEvent   EventKind = "calling"   // a call begins to come: Position, Name
	ArgumentsEvent EventKind = "arguments" // Text adds to that call's argument text
	RestartEvent   EventKind = "restart"   // what was told of this reply is void: the stream began anew
	UsageEvent     EventKind = "usage"     // the reply came whole: Usage of it
	CallEvent      EventKind = "call"      // a call as the gate gets it: Call
	StageEvent     EventKind = "stage"     // a call entered Stage
	OutcomeEvent   EventKind = "outcome"   // Verdict of a call
	ApprovalEvent  EventKind = "approval"  // a call waits for a person: Verdict names the approval
	// CorrectionEvent tells that an answer did not fit its schema and went back:
	// Text says why.
	CorrectionEvent EventKind = "correction"
	// HandoffEvent tells that the conversation goes on with Agent; Text names who
	// had it.
	HandoffEvent EventKind = "handoff"
	EndEvent     EventKind = "end" // Result of the turn
)

// Event is something that happened in a turn. Kind, Run, Turn and Round are always
// set; of the rest, what the kind says. What is pointed to is not to be changed. A
// call's arguments are as they came, secrets included.
type Event struct {
	Kind     EventKind
	Run      string
	Parent   string         // ledger id of the agent call that the run is within; "": none
	Depth    int            // how many agents' calls the run is within
	Agent    string         // the name of who has the conversation, where it has one
	Turn     int            // from 1
	Round    int            // from 1; 0 at the end of a turn that had none
	Position int            // of the call in its reply, from 0
	Name     string         // of the call's tool, as the provider was sent it
	Tool     string         // qualified, once it is known
	Text     string         // a piece of what streams
	Stage    gate.Stage     // that the call entered, or that gave its outcome
	Call     *holdfast.Call // of a call, stage, outcome or approval
	Verdict  *gate.Verdict  // of an outcome or approval
	Usage    *wire.Usage
	Result   *Result // of the end
}

// tell tells the watcher e of the turn's current round.
func (t *turn) tell(round int, e Event) {
	e.Run, e.Parent, e.Depth, e.Turn, e.Round = t.run.ID, t.run.Parent, t.depth, t.record.Number, round
	e.Agent = t.agent.options.Name
	t.home.options.Watch(e)
}

// preview tells what streams.
func (t *turn) preview(round int, e wire.Event) {
	kind := map[wire.EventKind]EventKind{
		wire.TextDelta: TextEvent, wire.ReasoningDelta: ReasoningEvent, wire.CallStart: CallingEvent,
		wire.ArgumentsDelta: ArgumentsEvent, wire.Restart: RestartEvent,
	}[e.Kind]
	if kind != "" {
		t.tell(round, Event{Kind: kind, Position: e.Call, Name: e.Name, Text: e.Text})
	}
}

// progress tells what the gate does with one of the round's calls.
func (t *turn) progress(round gate.Round, p gate.Progress) {
	e := Event{Kind: StageEvent, Call: &round.Calls[p.Position], Position: p.Position, Name: p.Name, Tool: p.Tool, Stage: p.Stage, Verdict: p.Verdict}
	if p.Verdict != nil {
		e.Kind = OutcomeEvent
		if p.Verdict.ApprovalID != "" {
			e.Kind = ApprovalEvent
		}
	}
	t.tell(round.Number, e)
}
