package server

import (
	"context"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
)

// innerEvent tells which calls an agent's call has made so far.
type innerEvent struct {
	place
	Inner []innerView `json:"inner"`
}

// WatchWithin is for the Watch of agents that answer calls, as [agent.Tool] makes
// them: who listens to a conversation is told of their calls as they come. Without
// it they are told with the end of the call.
func (s *Server) WatchWithin(e agent.Event) {
	if e.Parent == "" || e.Kind != agent.OutcomeEvent && e.Kind != agent.ApprovalEvent && (e.Kind != agent.StageEvent || e.Stage != gate.Execute) {
		return
	}
	around, err := s.ledger.Entry(s.root, e.Parent)
	if err != nil {
		return // the end of the call tells
	}
	calls, err := s.within(s.root, around.ID)
	if err != nil || len(calls) == 0 {
		return
	}
	s.session(around.Run).tell("inner", innerEvent{place{around.Turn, around.Round, &around.Position}, calls})
}

// within lists the calls that an agent's call has made so far.
func (s *Server) within(ctx context.Context, call string) ([]innerView, error) {
	entries, err := s.ledger.Entries(ctx, ledger.Filter{Run: agent.RunWithin(call), InOrder: true, Limit: maxInner})
	views := []innerView{}
	for _, e := range entries {
		v := innerView{Tool: visible.Line(e.Tool), Outcome: "running", LedgerID: known(e.ID)}
		switch {
		case e.Outcome != nil:
			v.Outcome, v.Code = string(e.Outcome.Status), known(string(e.Outcome.Code))
		case e.State == ledger.StatePending:
			v.Outcome = string(holdfast.Pending)
		}
		views = append(views, v)
	}
	return views, err
}

// maxInner bounds the calls that are told of an agent's call that still runs.
const maxInner = 200

// runsWithin reports whether e is an agent's call that is under way.
func runsWithin(e ledger.Entry) bool {
	return e.Effect == holdfast.Agent && e.State == ledger.StateStarted && e.Outcome == nil
}
