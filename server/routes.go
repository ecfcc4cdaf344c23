package server

import (
	"net/http"
	"strings"

	"github.com/holdfast-go/holdfast/server/token"
)

// route is one address of the API with one method, and who may ask for it.
type route struct {
	method, path string
	// scope that a token needs; "": any token will do.
	scope  token.Scope
	open   bool // nobody needs a token
	handle func(http.ResponseWriter, *http.Request) error
}

const metricsPath = "/metrics"

// table lists the routes. docs/serve.md and openapi.json show the same.
func (s *Server) table() []route {
	return []route{
		{"POST", signInPath, "", true, s.signIn},
		{"DELETE", signInPath, "", true, s.signOut},
		{"GET", "/v1/openapi.json", "", true, s.showOpenAPI},
		{"GET", "/v1/info", "", false, s.info},
		{"GET", "/v1/runs", token.Read, false, s.listRuns},
		{"POST", "/v1/runs", token.Propose, false, s.createRun},
		{"GET", "/v1/runs/{run}", token.Read, false, s.showRun},
		{"GET", "/v1/runs/{run}/events", token.Read, false, s.stream},
		{"POST", "/v1/runs/{run}/turns", token.Propose, false, s.beginTurn},
		{"POST", "/v1/runs/{run}/resume", token.Propose, false, s.resumeTurn},
		{"POST", "/v1/runs/{run}/cancel", token.Propose, false, s.cancelTurn},
		{"GET", "/v1/approvals", token.Read, false, s.listApprovals},
		{"GET", "/v1/approvals/{id}", token.Read, false, s.showApproval},
		{"POST", "/v1/approvals/{id}/approve", token.Approve, false, s.approve},
		{"POST", "/v1/approvals/{id}/deny", token.Approve, false, s.deny},
		{"POST", "/v1/approvals/{id}/edit", token.Approve, false, s.edit},
		{"POST", "/v1/approvals/{id}/rule", token.Approve, false, s.previewRule},
		{"POST", "/v1/approvals/{id}/always", token.Approve, false, s.approveAlways},
		{"GET", "/v1/rules", token.Read, false, s.listRules},
		{"POST", "/v1/rules/{id}/revoke", token.Approve, false, s.revokeRule},
		{"GET", "/v1/calls", token.Read, false, s.listCalls},
		{"GET", "/v1/events", token.Read, false, s.feed},
		{"GET", "/v1/calls/{id}", token.Read, false, s.showCall},
		{"POST", "/v1/calls/{id}/resolve", token.Approve, false, s.resolve},
		{"GET", metricsPath, token.Admin, false, s.metrics},
		{"GET", "/healthz", "", true, s.healthy},
	}
}

// routes answers the table's addresses; what is not of the API is the page's.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.table() {
		mux.Handle(r.method+" "+r.path, named(r.path, s.answering(s.admitted(r, r.handle))))
	}
	mux.Handle("/v1/", s.answering(s.admitted(route{}, func(w http.ResponseWriter, r *http.Request) error {
		if others := allowed(mux, r); others != "" {
			w.Header().Set("Allow", others)
			return problem{http.StatusMethodNotAllowed, "method_not_allowed", "This address answers " + others + ".", nil}
		}
		return problem{http.StatusNotFound, "not_found", "There is nothing at this address.", nil}
	})))
	if s.options.Page != nil {
		mux.Handle("/", s.options.Page)
	}
	return mux
}

// allowed are the methods that the request's address has.
func allowed(mux *http.ServeMux, r *http.Request) string {
	var methods []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		probe := r.Clone(r.Context())
		probe.Method = method
		if _, pattern := mux.Handler(probe); method != r.Method && strings.HasPrefix(pattern, method+" /v1/") {
			methods = append(methods, method)
		}
	}
	return strings.Join(methods, ", ")
}

// metrics tells what was counted, in the words of whoever counts.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) error {
	if s.options.Metrics == nil {
		return problem{http.StatusNotFound, "not_found", "This server counts nothing.", nil}
	}
	s.options.Metrics.ServeHTTP(w, r)
	return nil
}

// healthy says that the record can be read.
func (s *Server) healthy(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.ledger.Runs(r.Context(), oneRun); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n"))
	return nil
}

// toolView is a tool as people see it.
type toolView struct {
	Name        string `json:"name"`
	Effect      string `json:"effect"`
	Description string `json:"description"`
}

// info is what the page needs to know of this server.
func (s *Server) info(w http.ResponseWriter, r *http.Request) error {
	who, c := callerOf(r.Context()), s.gate.Catalog()
	tools := []toolView{}
	for _, t := range c.Tools() {
		tools = append(tools, toolView{c.Qualify(t), string(t.Effect()), t.Description()})
	}
	o := s.options
	return write(w, http.StatusOK, map[string]any{
		"catalog": o.Catalog, "model": o.Model, "scripted": o.Scripted, "hints": list(o.Hints), "tools": tools,
		"principal": who.Principal, "scopes": who.scopes, "token": !who.whole,
	})
}
