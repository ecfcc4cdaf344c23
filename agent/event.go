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
	EndEvent        EventKind = "end" // Result of the turn
)

// Event is something that happened in a turn.
type Event struct {
	Kind     EventKind
	Run      string
	Turn     int
	Round    int
	Position int    // of the call in its reply
	Name     string // of the call's tool, as the provider was sent it
	Tool     string // qualified, once it is known
	Text     string
	Stage    gate.Stage
	Call     *holdfast.Call
	Verdict  *gate.Verdict
	Usage    *wire.Usage
	Result   *Result
}

// tell tells the watcher e of the turn's current round.
func (t *turn) tell(round int, e Event) {
	e.Run, e.Turn, e.Round = t.run.ID, t.record.Number, round
	t.agent.options.Watch(e)
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

// progress tells what the gate does with a call.
func (t *turn) progress(round int, p gate.Progress) {
	e := Event{Kind: StageEvent, Position: p.Position, Name: p.Name, Tool: p.Tool, Stage: p.Stage, Verdict: p.Verdict}
	if p.Verdict != nil {
		e.Kind = OutcomeEvent
		if p.Verdict.Outcome.Status == holdfast.Pending {
			e.Kind = ApprovalEvent
		}
	}
	t.tell(round, e)
}
