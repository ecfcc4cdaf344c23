package agent

import (
	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/wire"
)

// system is the prompt of a request. An answer's schema stands in it too: not
// every provider's own mode for it can be used, and none is relied on.
func (a *Agent) system() string {
	text := ""
	if a.options.System != nil {
		text = a.options.System()
	}
	if a.options.Output == nil {
		return text
	}
	if text != "" {
		text += "\n\n"
	}
	return text + "Your final answer is one JSON value and nothing else, without a code fence. It satisfies this JSON Schema: " +
		string(a.options.Output.Source())
}

// answers checks what would be the turn's final answer. One that does not fit
// goes back with its problems, and the turn goes on: nil.
func (t *turn) answers(r *wire.Reply) *Result {
	ended := &Result{End: Answer, Answer: r.Text}
	if t.agent.options.Output == nil {
		return ended
	}
	checked := t.agent.gate.CheckAnswer(t.agent.options.Output, r.Text)
	if checked.Status == holdfast.OK {
		ended.JSON = checked.Result.JSON
		return ended
	}
	t.unfit = checked.Message
	t.tell(t.rounds, Event{Kind: CorrectionEvent, Text: checked.Message})
	t.items = append(t.items, wire.Item{User: correction(checked)})
	return nil
}

// correct puts back into the conversation what a final answer that was not taken
// was told: the record holds that the turn went on after it, and the rest
// follows from its text.
func (t *turn) correct(r *wire.Reply) {
	checked := holdfast.Reject(holdfast.OutputInvalid, "The answer was not taken.", "Send the whole answer again.")
	if t.agent.options.Output != nil {
		if again := t.agent.gate.CheckAnswer(t.agent.options.Output, r.Text); again.Status != holdfast.OK {
			checked = again
		}
	}
	t.items = append(t.items, wire.Item{User: correction(checked)})
}

// correction is a rejection as the model reads any other.
func correction(o holdfast.Outcome) string { return holdfast.Observe(o, 0).Content() }

// final reports whether a reply would be the turn's answer.
func final(round gate.Round, r *wire.Reply) bool {
	return !owns(round.Calls) && r.Ending == wire.Ended && r.Text != ""
}
