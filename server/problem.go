package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate/edit"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
)

// problem is an error that a client is told, as RFC 9457 has it. More members
// stand beside the others.
type problem struct {
	status int
	code   string
	detail string
	more   map[string]any
}

func (p problem) Error() string { return p.detail }

// MarshalJSON writes the problem document.
func (p problem) MarshalJSON() ([]byte, error) {
	doc := map[string]any{}
	maps.Copy(doc, p.more)
	doc["type"] = "urn:holdfast:problem:" + p.code
	doc["title"] = http.StatusText(p.status)
	doc["status"], doc["code"], doc["detail"] = p.status, p.code, p.detail
	return json.Marshal(doc)
}

func refuse(w http.ResponseWriter, p problem) {
	w.Header().Set("Content-Type", "application/problem+json")
	if p.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="holdfast"`)
	}
	w.WriteHeader(p.status)
	_ = json.NewEncoder(w).Encode(p)
}

// problemOf says what went wrong in words that a client may read.
func problemOf(err error) problem {
	var (
		p       problem
		large   *http.MaxBytesError
		decided *ledger.DecidedError
		open    *ledger.OpenTurnError
		refusal *edit.Refusal
	)
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &large):
		return problem{http.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("The body is larger than %d bytes.", large.Limit), nil}
	case errors.As(err, &decided):
		return problem{http.StatusConflict, "already_decided", "This was decided, or ended, before; nothing was changed.", map[string]any{"approval": viewApproval(decided.Approval)}}
	case errors.As(err, &refusal):
		return refusedEdit(refusal)
	case errors.As(err, &open):
		p := problem{http.StatusConflict, "turn_open", "A turn of this conversation is open; its end comes first.", map[string]any{"turn": open.Turn.Number}}
		if open.Approval != "" {
			p.detail = "This conversation waits for a person to decide."
			p.more["approval_id"] = open.Approval
		}
		return p
	case errors.Is(err, ledger.ErrNotFound):
		return problem{http.StatusNotFound, "not_found", "There is no such thing in the record.", nil}
	case errors.Is(err, ledger.ErrUnavailable):
		return problem{http.StatusServiceUnavailable, "ledger_unavailable", "The record cannot be read or written just now.", nil}
	}
	return problem{http.StatusInternalServerError, "fault", "The server failed at this; its log says more.", nil}
}

// refusedEdit says what is wrong with a person's own call.
func refusedEdit(r *edit.Refusal) problem {
	switch holdfast.Code(r.Code) {
	case holdfast.UnreadableArguments:
		return problem{http.StatusUnprocessableEntity, r.Code, r.Message, nil}
	case holdfast.InvalidArguments:
		return problem{http.StatusUnprocessableEntity, r.Code, r.Message, map[string]any{"problems": shownProblems(r.Problems)}}
	}
	return problem{http.StatusConflict, r.Code, r.Message, nil}
}

// answering is a handler whose error becomes a problem document.
func (s *Server) answering(h func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if err == nil || r.Context().Err() != nil {
			return
		}
		p := problemOf(err)
		if p.status >= http.StatusInternalServerError {
			s.options.Log.Error("answering a request", "method", r.Method, "path", r.URL.Path, "error", err)
		}
		refuse(w, p)
	}
}

func badRequest(form string, args ...any) problem {
	return problem{http.StatusBadRequest, "bad_request", fmt.Sprintf(form, args...), nil}
}

// readBody reads the one JSON object of a request. None is an empty one.
func readBody(r *http.Request, into any) error {
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something stands after the object")
		}
	}
	if large := (*http.MaxBytesError)(nil); err != nil && !errors.As(err, &large) {
		return badRequest("The body is not the JSON object that is expected: %s.", visible.Line(err.Error()))
	}
	return err
}

// write writes v as JSON. Characters that would act instead of showing
// themselves stand as escapes, which leaves the value as it is.
func write(w http.ResponseWriter, status int, v any) error {
	text, err := encode(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
	return nil
}
