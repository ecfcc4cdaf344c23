package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/holdfast-go/holdfast/ledger"
)

// maxEvidence bounds what a person says that they saw.
const maxEvidence = 4000

// resolve takes a person's word on a write of which it is not known whether it
// happened.
func (s *Server) resolve(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Happened *bool  `json:"happened"`
		Evidence string `json:"evidence"`
		Result   string `json:"result"`
	}
	if err := readBody(r, &in); err != nil {
		return err
	}
	if in.Happened == nil || strings.TrimSpace(in.Evidence) == "" {
		return badRequest("Say whether it happened, and what you saw: happened and evidence.")
	}
	if len(in.Evidence) > maxEvidence {
		return badRequest("The evidence is longer than %d bytes.", maxEvidence)
	}
	var result json.RawMessage
	if in.Result != "" {
		if result = bytes.TrimSpace([]byte(in.Result)); !json.Valid(result) || !*in.Happened {
			return badRequest("The result is one JSON value, of a write that happened.")
		}
	}
	e, err := s.entry(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	_, err = s.ledger.TakeWord(r.Context(), e.ID, *in.Happened, result, callerOf(r.Context()).ID, strings.TrimSpace(in.Evidence))
	if errors.Is(err, ledger.ErrLost) {
		return problem{http.StatusConflict, "not_uncertain", "This call is no longer uncertain; nothing was changed.", nil}
	}
	if err != nil {
		return err
	}
	return s.showCall(w, r)
}
