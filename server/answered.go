package server

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"
)

// Answered is a request and how it was answered.
type Answered struct {
	Method string
	Route  string // the address as the API's table has it; "page" or "other" for what is not in it
	Status int
	Took   time.Duration
}

// recorder notes the answer on its way out.
type recorder struct {
	http.ResponseWriter
	route  string
	status int
}

func (r *recorder) WriteHeader(status int) {
	r.status = cmp.Or(r.status, status)
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	r.status = cmp.Or(r.status, http.StatusOK)
	return r.ResponseWriter.Write(b)
}

// Unwrap is how http.ResponseController finds what can be flushed.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// methods are those that are told by name; whatever else a client writes there
// is one.
var methods = map[string]string{"GET": "GET", "HEAD": "HEAD", "POST": "POST", "DELETE": "DELETE"}

// observed tells how each request was answered, once it was.
func (s *Server) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.options.Trace != nil {
			r = r.WithContext(s.options.Trace(r.Context(), r.Header))
		}
		rec, began := &recorder{ResponseWriter: w, route: "page"}, time.Now()
		if isAPI(r) {
			rec.route = "other"
		}
		defer func() {
			a := Answered{cmp.Or(methods[r.Method], "other"), rec.route, cmp.Or(rec.status, http.StatusOK), time.Since(began)}
			if s.options.Answered != nil {
				s.options.Answered(a)
			}
			s.options.Log.LogAttrs(r.Context(), slog.LevelDebug, "answered a request",
				slog.String("method", a.Method), slog.String("route", a.Route), slog.Int("status", a.Status), slog.Duration("took", a.Took))
		}()
		next.ServeHTTP(rec, r)
	})
}

// named tells the recorder which route answers.
func named(path string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if rec, ok := w.(*recorder); ok {
			rec.route = path
		}
		next(w, r)
	}
}
