package server

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
)

// listCalls is a page of the ledger, newest first.
func (s *Server) listCalls(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	limit, err := number(r, "limit", 50, 200)
	if err != nil {
		return err
	}
	f := ledger.Filter{Run: q.Get("run"), Tool: q.Get("tool"), State: q.Get("outcome"), Before: q.Get("before")}
	if f.Since, err = instant(q.Get("since")); err != nil {
		return err
	}
	if f.Until, err = instant(q.Get("until")); err != nil {
		return err
	}
	who, of := callerOf(r.Context()), q.Get("principal")
	entries, next, err := collect(limit, f.Before, func(page ledger.Filter) ([]ledger.Entry, error) {
		f.Before, f.Limit = page.Before, page.Limit
		return s.ledger.Entries(r.Context(), f)
	}, func(e ledger.Entry) string { return e.ID }, func(e ledger.Entry) (bool, error) {
		return who.sees(e.Principal) && (of == "" || of == e.Principal.ID || of == e.Principal.Tenant+"/"+e.Principal.ID), nil
	})
	if err != nil {
		return err
	}
	rows := []callView{}
	for _, e := range entries {
		rows = append(rows, viewEntry(e, maxRow))
	}
	return write(w, http.StatusOK, map[string]any{"calls": rows, "next": known(next)})
}

func instant(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, badRequest("A time must be as in 2026-04-11T13:00:00Z.")
	}
	return t, nil
}

// storyView is one call whole.
type storyView struct {
	callView
	Key         *string       `json:"key"`
	Digest      *string       `json:"arguments_digest"`
	Observation *string       `json:"observation"` // as the model read it; null: it has read nothing yet
	Coerced     []coercedView `json:"coerced"`
	Warnings    any           `json:"warnings"`
	Events      []eventView   `json:"events"`
}

type coercedView struct {
	Path string `json:"path"`
	Rule string `json:"rule"`
	From string `json:"from"`
	To   string `json:"to"`
}

type eventView struct {
	Number  int64     `json:"number"` // in the chain of all events
	At      time.Time `json:"at"`
	What    string    `json:"what"`
	Who     *string   `json:"who"`
	Fence   int64     `json:"fence"`
	Details *string   `json:"details"`
	Hash    string    `json:"hash"` // of the chain up to here
}

func (s *Server) showCall(w http.ResponseWriter, r *http.Request) error {
	ctx, id := r.Context(), r.PathValue("id")
	e, err := s.entry(ctx, id)
	if err != nil {
		return err
	}
	events, err := s.ledger.Events(ctx, id)
	if err != nil {
		return err
	}
	call, err := s.entryInRun(ctx, e)
	if err != nil {
		return err
	}
	call.Arguments, call.Cut = shownArguments(e), false
	v := storyView{
		callView: call, Key: known(visible.Line(e.Key)), Digest: known(e.ArgumentsDigest), Observation: s.observation(e),
		Coerced: []coercedView{}, Warnings: shownProblems(e.Warnings), Events: []eventView{},
	}
	for _, c := range e.Coerced {
		v.Coerced = append(v.Coerced, coercedView{visible.Line(c.Path), c.Rule, visible.JSON(c.From), visible.JSON(c.To)})
	}
	for _, ev := range events {
		v.Events = append(v.Events, eventView{ev.Seq, ev.At, ev.What, known(visible.Line(ev.Who)), ev.Fence, shownJSON(ev.Details), ev.Hash})
	}
	return write(w, http.StatusOK, v)
}

// resultBytes is what a model reads of a result where the tool does not say.
const resultBytes = 64 << 10

// observation is an outcome as the model read it.
func (s *Server) observation(e ledger.Entry) *string {
	if e.Outcome == nil || e.Outcome.Status == holdfast.Pending {
		return nil
	}
	limit := resultBytes
	if t := s.tool(e.Tool); t != nil {
		limit = t.Options().ResultBytes
	}
	obs := holdfast.Observe(*e.Outcome, limit)
	if obs.JSON != nil {
		return shownJSON(obs.JSON)
	}
	text := visible.Text(obs.Text)
	return &text
}

func shownJSON(j json.RawMessage) *string {
	if j == nil {
		return nil
	}
	text := visible.JSON(j)
	return &text
}
