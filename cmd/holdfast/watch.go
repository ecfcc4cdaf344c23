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
type place struct{ round, position int }

// seenCall is what a person has seen of a call.
type seenCall struct {
	name      string
	arguments string
	told      holdfast.Status // the outcome that has its line, "" before
}

func newPersonWatcher(s *screen, m *masker) *personWatcher {
	return &personWatcher{screen: s, masker: m, calls: map[place]*seenCall{}}
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
		if w.masker.secretive(c.name) == nil {
			c.arguments += e.Text
		}
		w.screen.pass("  · " + c.shown() + " …")
	case agent.CallEvent:
		c := w.call(e)
		c.name, c.arguments = e.Call.Name, w.masker.arguments(e.Call.Name, e.Call.Arguments)
	case agent.StageEvent:
		if takesTime(e.Stage) {
			w.screen.pass(fmt.Sprintf("  · %s … %s", w.call(e).shown(), e.Stage))
		}
	case agent.OutcomeEvent, agent.ApprovalEvent:
		w.outcome(e)
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
	at := place{e.Round, e.Position}
	if w.calls[at] != nil {
		return
	}
	c := &seenCall{name: e.Tool, arguments: e.Text}
	if e.Arguments != nil {
		c.arguments = string(e.Arguments)
	}
	if e.State != ledger.StatePending && e.Outcome != nil {
		c.told = e.Outcome.Status
	}
	w.calls[at] = c
}

func (w *personWatcher) call(e agent.Event) *seenCall {
	at := place{e.Round, e.Position}
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
	w.screen.note(look, "  %s %s → %s", mark, c.shown(), fate(v))
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
		w.write("call", callEvent{known(e.Call.ID), e.Call.Name, e.Position, w.masker.arguments(e.Call.Name, e.Call.Arguments)})
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
	w.fail(writeJSON(w.out, json.RawMessage(append(head, rest[1:]...))))
}

func (w *jsonWatcher) fail(err error) {
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
