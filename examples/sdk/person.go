package sdk

import (
	"context"
	"encoding/json"

	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
)

// AskPerson has a person decide on each call of a reply that waits, and returns
// what to send once none does. decide approves or denies, by the ledger.
func AskPerson(ctx context.Context, guard *agent.Guard, reply []byte, parked *gate.Verdict, decide func(approvalID string) error) ([]json.RawMessage, error) {
	var messages []json.RawMessage
	for parked != nil {
		if err := decide(parked.ApprovalID); err != nil {
			return nil, err
		}
		var err error
		messages, parked, err = guard.Resume(ctx, reply)
		if err != nil {
			return nil, err
		}
	}
	return messages, nil
}
