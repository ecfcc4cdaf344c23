package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
)

// personWatcher shows a turn on the screen: the text as it comes, and each call
// on one line, which says what became of it.
type personWatcher struct {
	screen *screen
	masker *masker
	calls  map[place]*seenCall // of this turn
}

// place is where a call stands in its turn.
type place struct {
	run             string
	round, position int
}

// seenCall is what a person has seen of a call.
type seenCall struct {
	name      string
	arguments string
	told      holdfast.Status // the outcome that has its line, "" before
}

func newPersonWatcher(s *screen, m *masker) *personWatcher {
	return &personWatcher{screen: s, masker: m, calls: map[place]*seenCall{}}
}

// inner watches the runs within calls: their calls, further to the right. Their text
// is for whoever asked.
func (w *personWatcher) inner(m *masker) func(agent.Event) {
	in := newPersonWatcher(w.screen, m)
	return func(e agent.Event) {
		if e.Kind != agent.TextEvent {
			in.watch(e)
		}
	}
}

func (w *personWatcher) watch(e agent.Event) {
	switch e.Kind {
	case agent.TextEvent:
		w.screen.say(e.Text)
	case agent.ReasoningEvent:
		w.screen.pass("  thinking …")
	case agent.RestartEvent:
		w.screen.note(dim, "  (the reply broke off and begins anew)")
	case agent.CallingEvent, agent.ArgumentsEvent:
		c := w.call(e)
		if w.masker.of(e.Agent).secretive(c.name) == nil {
			c.arguments += e.Text
		}
		w.screen.pass("  · " + c.shown() + " …")
	case agent.CallEvent:
		c := w.call(e)
		c.name, c.arguments = e.Call.Name, w.masker.of(e.Agent).arguments(e.Call.Name, e.Call.Arguments)
	case agent.StageEvent:
		if takesTime(e.Stage) {
			w.screen.pass(fmt.Sprintf("  · %s … %s", w.call(e).shown(), e.Stage))
		}
	case agent.OutcomeEvent, agent.ApprovalEvent:
		w.outcome(e)
	case agent.HandoffEvent:
		w.screen.note(bold, "  The conversation goes on with %s.", visible.Line(e.Agent))
	case agent.EndEvent:
		w.screen.pass("")
		if e.Result.End != agent.Pending {
			clear(w.calls)
		}
	}
}

// recall makes a call of the record known. One that waits is told again: its
// question follows.
func (w *personWatcher) recall(e ledger.Entry) {
	at := place{e.Run, e.Round, e.Position}
	if w.calls[at] != nil {
		return
	}
	c := &seenCall{name: e.Tool, arguments: e.Text}
	if e.Arguments != nil {
		c.arguments = string(e.Arguments)
	}
	if e.Outcome != nil && e.Outcome.Status != holdfast.Pending {
		c.told = e.Outcome.Status
	}
	w.calls[at] = c
}

func (w *personWatcher) call(e agent.Event) *seenCall {
	at := place{e.Run, e.Round, e.Position}
	c := w.calls[at]
	if c == nil {
		c = &seenCall{name: e.Name}
		w.calls[at] = c
	}
	if c.name == "" {
		c.name = e.Name
	}
	return c
}

// outcome gives a call its line, once: a round that goes on after a person's
// decision tells again what was told.
func (w *personWatcher) outcome(e agent.Event) {
	c, v := w.call(e), *e.Verdict
	if c.told == v.Outcome.Status {
		return
	}
	c.told = v.Outcome.Status
	mark, look := verdictMark(v)
	w.screen.note(look, "%s%s %s → %s", strings.Repeat("  ", 1+e.Depth), mark, c.shown(), fate(v))
}

// takesTime tells the stages that a person may see a call stand at.
func takesTime(s gate.Stage) bool {
	return s == gate.Approve || s == gate.Execute || s == gate.Confirm
}

// shown is the proposed call on one line, its arguments whole.
func (c *seenCall) shown() string {
	return strings.TrimSpace(visible.Line(c.name) + " " + shownText(c.arguments))
}

func verdictMark(v gate.Verdict) (string, style) {
	switch {
	case v.Waiting, v.Skipped:
		return "·", dim
	case v.Outcome.Status == holdfast.OK:
		return "✓", green
	case v.Outcome.Status == holdfast.Pending:
		return "…", yellow
	case v.Outcome.Status == holdfast.Uncertain:
		return "?", yellow
	}
	return "✗", red
}

// jsonWatcher writes a turn as one JSON object a line.
type jsonWatcher struct {
	out      io.Writer
	masker   *masker
	approval func(id string) (ledger.Approval, error)
	err      error // the first thing that went wrong

	around *jsonWatcher // of a run within a call: the conversation's
	within agent.Event  // what is written of it just now
}

// innerEvent is something that happened in a run within a call.
type innerEvent struct {
	Within string          `json:"within"` // ledger id of the call
	Depth  int             `json:"depth"`
	Run    string          `json:"run"`
	Of     json.RawMessage `json:"of"` // the event
}

// handoffEvent tells who had the conversation, and who has it now.
type handoffEvent struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// inner watches the runs within calls. What happens there stands in events of its
// own, so that it cannot be taken for the conversation's.
func (w *jsonWatcher) inner(m *masker) func(agent.Event) {
	in := &jsonWatcher{out: w.out, masker: m, approval: w.approval, around: w}
	return func(e agent.Event) {
		in.within = e
		in.watch(e)
	}
}

// runEvent is the first: which run it is, and whom it asks.
type runEvent struct {
	Run      string `json:"run"`
	Model    string `json:"model"`
	Scripted bool   `json:"scripted"`
}

type textEvent struct {
	Text string `json:"text"`
}

// callEvent is a call as the model proposed it.
type callEvent struct {
	CallID    *string `json:"call_id"` // null if none was sent
	Tool      string  `json:"tool"`    // as sent
	Position  int     `json:"position"`
	Arguments string  `json:"arguments_text"` // secrets masked
}

// endEvent is how a turn ended.
type endEvent struct {
	End        agent.End `json:"end"`
	Run        string    `json:"run"`
	Turn       int       `json:"turn"`
	ApprovalID *string   `json:"approval_id"`
	Message    *string   `json:"message"`
}

func (w *jsonWatcher) watch(e agent.Event) {
	switch e.Kind {
	case agent.TextEvent:
		w.write("text", textEvent{e.Text})
	case agent.ReasoningEvent:
		w.write("reasoning", textEvent{e.Text})
	case agent.RestartEvent:
		w.write("restart", struct{}{})
	case agent.CallEvent:
		w.write("call", callEvent{known(e.Call.ID), e.Call.Name, e.Position, w.masker.of(e.Agent).arguments(e.Call.Name, e.Call.Arguments)})
	case agent.OutcomeEvent:
		w.write("outcome", viewCall(e.Run, *e.Verdict))
	case agent.ApprovalEvent:
		w.write("outcome", viewCall(e.Run, *e.Verdict))
		p, err := w.approval(e.Verdict.ApprovalID)
		if err != nil {
			w.fail(err)
			return
		}
		w.write("approval", viewApproval(p))
	case agent.UsageEvent:
		w.write("usage", e.Usage)
	case agent.HandoffEvent:
		w.write("handoff", handoffEvent{e.Text, e.Agent})
	case agent.EndEvent:
		r := e.Result
		w.write("end", endEvent{r.End, r.Run, r.Turn, known(r.ApprovalID), known(endMessage(*r))})
	}
}

// write writes one event, its name first.
func (w *jsonWatcher) write(event string, fields any) {
	rest, err := encode(fields)
	if err != nil {
		w.fail(err)
		return
	}
	head := fmt.Appendf(nil, `{"event":%q`, event)
	if len(rest) > len("{}") {
		head = append(head, ',')
	}
	whole := json.RawMessage(append(head, rest[1:]...))
	if w.around != nil {
		w.around.write("inner", innerEvent{w.within.Parent, w.within.Depth, w.within.Run, whole})
		return
	}
	w.fail(writeJSON(w.out, whole))
}

func (w *jsonWatcher) fail(err error) {
	if w.around != nil {
		w.around.fail(err)
		return
	}
	if w.err == nil {
		w.err = err
	}
}

// endMessage says why a turn ended where its text does not.
func endMessage(r agent.Result) string {
	if r.Err == nil {
		return r.Message
	}
	return strings.TrimSuffix(r.Message, ".") + ": " + r.Err.Error()
}
