package server

import (
	_ "embed"
	"net/http"
)

// openAPI describes the HTTP API. It is written by hand; tests hold it against
// the routes, and against every answer that they get.
//
//go:embed openapi.json
var openAPI []byte

func (s *Server) showOpenAPI(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(openAPI)
	return nil
}
