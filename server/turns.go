package server

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
)

// here says why a run cannot go on in this server, or nil.
func (s *Server) here(run ledger.Run) error {
	if run.Parent != "" {
		return problem{http.StatusConflict, "within_call", "This run is within a call of another; it goes on with that one.", map[string]any{"call": run.Parent}}
	}
	if run.Catalog != s.options.Catalog {
		return problem{http.StatusConflict, "other_catalog", "This conversation is over another catalog.", map[string]any{"catalog": run.Catalog}}
	}
	return nil
}

// mine says why whoever asks cannot speak in a run, or nil. Nobody speaks for
// another, however much they see.
func (s *Server) mine(ctx context.Context, run ledger.Run) error {
	if run.Principal != callerOf(ctx).Principal {
		return problem{http.StatusForbidden, "other_principal", "This conversation acts for somebody else.", nil}
	}
	return s.here(run)
}

var (
	errTurnOpen = problem{http.StatusConflict, "turn_open", "A turn of this conversation is under way; its end comes first.", nil}
	errClosing  = problem{http.StatusServiceUnavailable, "closing", "The server is ending and begins nothing new.", nil}
	errStopped  = errors.New("a person stopped it")
)

// beginTurn takes a message and answers as soon as the turn is in the record;
// what comes of it is told as events.
func (s *Server) beginTurn(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Message string `json:"message"`
	}
	if err := readBody(r, &in); err != nil {
		return err
	}
	if strings.TrimSpace(in.Message) == "" {
		return badRequest("The message is empty.")
	}
	run, err := s.run(r.Context(), r.PathValue("run"))
	if err != nil {
		return err
	}
	if err := s.mine(r.Context(), run); err != nil {
		return err
	}
	began := make(chan ledger.Turn, 1)
	failed, err := s.drive(r.Context(), run.ID, began, func(ctx context.Context) (agent.Result, error) {
		return s.agent.Turn(ctx, run.ID, in.Message)
	})
	if err != nil {
		return err
	}
	select {
	case t := <-began:
		return write(w, http.StatusAccepted, map[string]any{"run": run.ID, "turn": t.Number})
	case err := <-failed:
		select {
		case t := <-began: // it began, and was over at once
			return write(w, http.StatusAccepted, map[string]any{"run": run.ID, "turn": t.Number})
		default:
			return err
		}
	}
}

// drive lets the run's turn go on beyond the request of ctx. failed is told how it
// went once it stops.
func (s *Server) drive(ctx context.Context, run string, began chan<- ledger.Turn, step func(context.Context) (agent.Result, error)) (failed <-chan error, err error) {
	n := s.session(run)
	ended := make(chan error, 1)
	under, cancel := s.beyond(ctx)
	if !n.take(cancel, began) {
		cancel(nil)
		return nil, errTurnOpen
	}
	started := s.work(func() {
		defer cancel(nil)
		_, err := step(under)
		n.free()
		if err != nil {
			s.fault(n, err)
		}
		ended <- err
	})
	if !started {
		n.free()
		cancel(nil)
		return nil, errClosing
	}
	return ended, nil
}

// fault tells that a turn could not go on; it stays open in the record.
func (s *Server) fault(n *session, err error) {
	if open := (*ledger.OpenTurnError)(nil); errors.As(err, &open) {
		return // who asked is told
	}
	p := problemOf(err)
	if errors.Is(err, errInterrupted) {
		p = problem{http.StatusServiceUnavailable, "closing", "The server ended; the turn is kept and can go on.", nil}
	} else if p.status >= http.StatusInternalServerError {
		s.options.Log.Error("a turn could not go on", "run", n.run, "error", err)
	}
	n.tell("fault", p)
}

// resumeTurn goes on with an open turn.
func (s *Server) resumeTurn(w http.ResponseWriter, r *http.Request) error {
	run, err := s.run(r.Context(), r.PathValue("run"))
	if err != nil {
		return err
	}
	if err := s.here(run); err != nil {
		return err
	}
	turns, err := s.ledger.Turns(r.Context(), run.ID)
	if err != nil {
		return err
	}
	if len(turns) == 0 || turns[len(turns)-1].End != "" {
		return problem{http.StatusConflict, "no_open_turn", "This conversation has no open turn.", nil}
	}
	if err := s.goOn(r.Context(), run.ID); err != nil {
		return err
	}
	return write(w, http.StatusAccepted, map[string]any{"run": run.ID, "turn": turns[len(turns)-1].Number})
}

func (s *Server) goOn(ctx context.Context, run string) error {
	_, err := s.drive(ctx, run, nil, func(ctx context.Context) (agent.Result, error) { return s.agent.Resume(ctx, run) })
	return err
}

// cancelTurn ends the open turn: what has an outcome keeps it.
func (s *Server) cancelTurn(w http.ResponseWriter, r *http.Request) error {
	run, err := s.run(r.Context(), r.PathValue("run"))
	if err != nil {
		return err
	}
	if err := s.here(run); err != nil {
		return err
	}
	if !s.session(run.ID).interrupt(errStopped) {
		failed, err := s.drive(r.Context(), run.ID, nil, func(ctx context.Context) (agent.Result, error) { return s.agent.Cancel(ctx, run.ID) })
		if err != nil {
			return err
		}
		if err := <-failed; errors.Is(err, agent.ErrNoOpenTurn) {
			return problem{http.StatusConflict, "no_open_turn", "This conversation has no open turn.", nil}
		} else if err != nil {
			return err
		}
	}
	return write(w, http.StatusAccepted, map[string]any{"run": run.ID})
}

// resumeDecided goes on with what waited for an approval: the conversation, or
// the one call that was made from outside. It reports whether it does.
func (s *Server) resumeDecided(ctx context.Context, p ledger.Approval) bool {
	e, err := s.ledger.Entry(ctx, p.EntryID)
	if err != nil {
		return false
	}
	if e, err = s.ledger.Outermost(ctx, e); err != nil {
		return false
	}
	run, err := s.ledger.LookupRun(ctx, e.Run)
	if err != nil || s.here(run) != nil {
		return false
	}
	turns, err := s.ledger.Turns(ctx, e.Run)
	if err != nil {
		return false
	}
	if n := len(turns); n > 0 {
		return turns[n-1].Number == e.Turn && turns[n-1].End == "" && s.goOn(ctx, e.Run) == nil
	}
	_, err = s.resumeCall(ctx, e)
	return err == nil
}

// resumeCall runs a single call that was decided.
func (s *Server) resumeCall(ctx context.Context, e ledger.Entry) (gate.Verdict, error) {
	rounds, err := s.ledger.Rounds(ctx, e.Run, e.Turn)
	if err != nil {
		return gate.Verdict{}, err
	}
	for _, round := range rounds {
		if round.Number != e.Round {
			continue
		}
		verdicts, err := s.put(ctx, round, true)
		if err != nil {
			return gate.Verdict{}, err
		}
		for _, v := range verdicts {
			if v.Position == e.Position {
				return v, nil
			}
		}
	}
	return gate.Verdict{}, ledger.ErrNotFound
}

// put puts a round through the gate. Once a call may have begun it does not end
// with the request.
func (s *Server) put(ctx context.Context, round ledger.Round, again bool) ([]gate.Verdict, error) {
	type answer struct {
		verdicts []gate.Verdict
		err      error
	}
	done := make(chan answer, 1)
	under, cancel := s.beyond(ctx)
	started := s.work(func() {
		defer cancel(nil)
		verdicts, err := s.gate.Round(under, round, &gate.RoundOptions{NoWait: true, Resume: again})
		done <- answer{verdicts, err}
	})
	if !started {
		cancel(nil)
		return nil, errClosing
	}
	select {
	case a := <-done:
		return a.verdicts, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(writeTimeout):
		return nil, problem{http.StatusAccepted, "still_running", "It runs still; the ledger tells what becomes of it.", nil}
	}
}
