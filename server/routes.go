package server

import (
	"net/http"
	"strings"
)

// routes are the addresses of the API; what is not under /v1 is the page's.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range map[string]func(http.ResponseWriter, *http.Request) error{
		"POST " + signInPath:              s.signIn,
		"GET /v1/info":                    s.info,
		"GET /v1/runs":                    s.listRuns,
		"POST /v1/runs":                   s.createRun,
		"GET /v1/runs/{run}":              s.showRun,
		"GET /v1/runs/{run}/events":       s.stream,
		"POST /v1/runs/{run}/turns":       s.beginTurn,
		"POST /v1/runs/{run}/resume":      s.resumeTurn,
		"POST /v1/runs/{run}/cancel":      s.cancelTurn,
		"GET /v1/approvals":               s.listApprovals,
		"GET /v1/approvals/{id}":          s.showApproval,
		"POST /v1/approvals/{id}/approve": s.approve,
		"POST /v1/approvals/{id}/deny":    s.deny,
		"POST /v1/approvals/{id}/edit":    s.edit,
		"GET /v1/calls":                   s.listCalls,
		"GET /v1/calls/{id}":              s.showCall,
		"POST /v1/calls/{id}/resolve":     s.resolve,
		"GET /healthz":                    s.healthy,
	} {
		mux.Handle(pattern, s.answering(h))
	}
	mux.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) {
		if others := allowed(mux, r); others != "" {
			w.Header().Set("Allow", others)
			refuse(w, problem{http.StatusMethodNotAllowed, "method_not_allowed", "This address answers " + others + ".", nil})
			return
		}
		refuse(w, problem{http.StatusNotFound, "not_found", "There is nothing at this address.", nil})
	})
	if s.options.Page != nil {
		mux.Handle("/", s.options.Page)
	}
	return mux
}

// allowed are the methods that the request's address has.
func allowed(mux *http.ServeMux, r *http.Request) string {
	var methods []string
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		probe := r.Clone(r.Context())
		probe.Method = method
		if _, pattern := mux.Handler(probe); method != r.Method && strings.HasPrefix(pattern, method+" /v1/") {
			methods = append(methods, method)
		}
	}
	return strings.Join(methods, ", ")
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
func (s *Server) info(w http.ResponseWriter, _ *http.Request) error {
	c := s.gate.Catalog()
	tools := []toolView{}
	for _, t := range c.Tools() {
		tools = append(tools, toolView{c.Qualify(t), string(t.Effect()), t.Description()})
	}
	o := s.options
	return write(w, http.StatusOK, map[string]any{
		"catalog": o.Catalog, "model": o.Model, "scripted": o.Scripted, "hints": list(o.Hints), "tools": tools,
		"principal": o.Principal, "token": o.Token != "",
	})
}
