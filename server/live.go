package server

import (
	"slices"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/internal/visible"
)

// live is the round that is under way, as far as it was told: the record knows
// of it only once the reply came whole.
type live struct {
	turn, round     int
	text, reasoning []byte // as shown
	textStream      visible.Stream
	reasonStream    visible.Stream
	calls           []liveCall
}

// liveCall is a call of it, by position.
type liveCall struct {
	name, stage string
	arguments   []byte // as shown
	stream      visible.Stream
}

// maxLive bounds what is kept of a reply's text; the record has it whole.
const maxLive = 1 << 20

func (l *live) copy() live {
	c := *l
	c.text, c.reasoning, c.calls = slices.Clone(l.text), slices.Clone(l.reasoning), slices.Clone(l.calls)
	return c
}

// enter makes it the round of e.
func (l *live) enter(e agent.Event) {
	if e.Turn != l.turn || e.Round != l.round || e.Kind == agent.RestartEvent {
		*l = live{turn: e.Turn, round: e.Round}
	}
}

func (l *live) call(position int) *liveCall {
	const most = 4096
	position = min(max(position, 0), most)
	for len(l.calls) <= position {
		l.calls = append(l.calls, liveCall{})
	}
	return &l.calls[position]
}

// place is where in the run an event belongs.
type place struct {
	Turn     int  `json:"turn"`
	Round    int  `json:"round"`
	Position *int `json:"position,omitempty"`
}

// piece is a piece of text that streams. Shown is what a person's eyes get,
// where that differs.
type piece struct {
	place
	Text  string  `json:"text"`
	Shown *string `json:"shown,omitempty"`
}

func pieceOf(p place, stream *visible.Stream, text string, kept *[]byte) piece {
	s := stream.Text(text)
	if len(*kept)+len(s) <= maxLive {
		*kept = append(*kept, s...)
	}
	out := piece{place: p, Text: text}
	if s != text {
		out.Shown = &s
	}
	return out
}

// watch is told what happens in a turn, and tells who listens to the run.
func (s *Server) watch(e agent.Event) {
	n := s.session(e.Run)
	n.mu.Lock()
	data := s.note(n, e)
	var text []byte
	if data != nil {
		text, _ = encode(data)
	}
	if text != nil && e.Kind != agent.ApprovalEvent {
		n.push(string(e.Kind), text)
	}
	n.mu.Unlock()
	if e.Kind == agent.ApprovalEvent {
		s.tellApproval(n, e)
	}
}

// note keeps e in what is under way and gives what is told of it. The session is
// locked.
func (s *Server) note(n *session, e agent.Event) any {
	l := &n.live
	l.enter(e)
	at := place{Turn: e.Turn, Round: e.Round}
	ofCall := place{Turn: e.Turn, Round: e.Round, Position: &e.Position}
	switch e.Kind {
	case agent.TextEvent:
		return pieceOf(at, &l.textStream, e.Text, &l.text)
	case agent.ReasoningEvent:
		return pieceOf(at, &l.reasonStream, e.Text, &l.reasoning)
	case agent.CallingEvent:
		l.call(e.Position).name = e.Name
		return proposed{place: ofCall, Tool: visible.Line(e.Name)}
	case agent.ArgumentsEvent:
		c := l.call(e.Position)
		return pieceOf(ofCall, &c.stream, e.Text, &c.arguments)
	case agent.CallEvent:
		c := l.call(e.Position)
		shown := shownText(e.Call.Arguments)
		c.name, c.arguments = e.Call.Name, []byte(cutShown(shown))
		return proposed{ofCall, visible.Line(e.Call.Name), known(cutShown(shown)), known(visible.Line(e.Call.ID)), len(shown) > maxShown}
	case agent.StageEvent:
		l.call(e.Position).stage = string(e.Stage)
		return stageView{ofCall, visible.Line(e.Tool), string(e.Stage)}
	case agent.OutcomeEvent:
		return s.viewVerdict(ofCall, *e.Verdict)
	case agent.UsageEvent:
		return map[string]any{"turn": e.Turn, "round": e.Round, "usage": e.Usage}
	case agent.RestartEvent:
		return at
	case agent.CorrectionEvent:
		return piece{place: at, Text: e.Text}
	case agent.HandoffEvent:
		return handoffView{at, visible.Line(e.Text), visible.Line(e.Agent)}
	case agent.EndEvent:
		r := e.Result
		return endView{r.Turn, string(r.End), known(endMessage(*r)), known(r.ApprovalID)}
	}
	return nil
}

// proposed is a call that begins to come, or came whole.
type proposed struct {
	place
	Tool      string  `json:"tool"`
	Arguments *string `json:"arguments,omitempty"`
	CallID    *string `json:"call_id,omitempty"`
	Cut       bool    `json:"cut,omitempty"`
}

type stageView struct {
	place
	Tool  string `json:"tool"`
	Stage string `json:"stage"`
}

// handoffView says who had the conversation, and who has it now.
type handoffView struct {
	place
	From string `json:"from"`
	To   string `json:"to"`
}

type endView struct {
	Turn       int     `json:"turn"`
	End        string  `json:"end"`
	Message    *string `json:"message"` // where the text does not say it
	ApprovalID *string `json:"approval_id"`
}

// endMessage says why a turn ended where its text does not.
func endMessage(r agent.Result) string {
	if r.Err == nil {
		return r.Message
	}
	return visible.Line(r.Message + " " + r.Err.Error())
}

// tellApproval tells of a call that waits for a person, with all that the
// person decides on.
func (s *Server) tellApproval(n *session, e agent.Event) {
	v := approvalEvent{verdictView: s.viewVerdict(place{Turn: e.Turn, Round: e.Round, Position: &e.Position}, *e.Verdict)}
	if e.Verdict.Outcome.Status == holdfast.Pending {
		if p, err := s.ledger.Approval(s.root, e.Verdict.ApprovalID); err == nil {
			view := viewApproval(p)
			v.Approval = &view
		}
	}
	n.tell("approval", v)
}

type approvalEvent struct {
	verdictView
	Approval *approvalView `json:"approval"`
}
