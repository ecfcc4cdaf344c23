package ledger

import (
	"context"
	"encoding/json"

	"github.com/holdfast-go/holdfast"
)

// TakeWord resolves an uncertain write by a person's word: whether it happened,
// its result where that is known, and what they saw. It is [Ledger.Resolve] with
// the outcome that such a word makes, the same at every door.
func (l *Ledger) TakeWord(ctx context.Context, id string, happened bool, result json.RawMessage, by, evidence string) (Entry, error) {
	e, err := l.Entry(ctx, id)
	if err != nil {
		return e, err
	}
	return l.Resolve(ctx, id, e.Fence, wordOf(e.Tool, happened, result), by, evidence)
}

// wordOf is the outcome that a person's word makes of a write. What they saw is
// evidence for the record and not for the model.
func wordOf(tool string, happened bool, result json.RawMessage) holdfast.Outcome {
	switch {
	case happened && result != nil:
		return holdfast.Outcome{Status: holdfast.OK, Result: &holdfast.Result{JSON: result}}
	case happened:
		return holdfast.Outcome{Status: holdfast.OK, Result: &holdfast.Result{
			JSON: json.RawMessage(`{"resolved":true,"message":"It took effect: a person looked and found the effect. Its own result is not known."}`),
		}}
	}
	return holdfast.Outcome{
		Status: holdfast.Failed, Code: holdfast.NoEffect, Message: tool + " did not take effect: a person looked and found nothing.",
		Next: "Call it again if it is still wanted.",
	}
}
