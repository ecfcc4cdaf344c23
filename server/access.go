package server

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/server/token"
)

// caller is on whose behalf a request acts, what it may do, and how far it sees.
type caller struct {
	holdfast.Principal
	scopes []token.Scope
	whole  bool // without tokens: whoever sits at this machine sees the whole record
}

// sees reports whether what belongs to p is shown to c.
func (c *caller) sees(p holdfast.Principal) bool {
	return c.whole || c.Tenant == p.Tenant && (c.may(token.Admin) || c.ID == p.ID)
}

func (c *caller) may(s token.Scope) bool { return s == "" || token.Token{Scopes: c.scopes}.May(s) }

type callerKey struct{}

// callerOf is who asks, inside a route.
func callerOf(ctx context.Context) *caller {
	c, _ := ctx.Value(callerKey{}).(*caller)
	return c
}

var (
	errTokenNeeded = problem{http.StatusUnauthorized, "token_needed", "Bring a token: Authorization: Bearer TOKEN.", nil}
	errTokenWrong  = problem{http.StatusUnauthorized, "token_wrong", "That token is not known, or no longer good.", nil}
)

// identify says who asks. Who brings a token is its principal, whatever else the
// request says.
func (s *Server) identify(r *http.Request) (*caller, error) {
	ring := s.options.Tokens
	if ring.Empty() {
		return &caller{s.options.Principal, token.Scopes(), true}, nil
	}
	var (
		t   token.Token
		err error
	)
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		t, err = ring.Check(bearer)
	} else if c, no := r.Cookie(cookieName); no == nil {
		t, err = ring.CheckProof(c.Value)
	} else {
		return nil, errTokenNeeded
	}
	if err != nil {
		return nil, s.tokenProblem(err)
	}
	return &caller{t.Principal, t.Scopes, false}, nil
}

// tokenProblem tells a wrong token from a file that cannot be read.
func (s *Server) tokenProblem(err error) error {
	for _, wrong := range []error{token.ErrUnknown, token.ErrExpired, token.ErrRevoked} {
		if errors.Is(err, wrong) {
			return errTokenWrong
		}
	}
	s.options.Log.Error("tokens cannot be read", "error", err)
	return problem{http.StatusServiceUnavailable, "tokens_unavailable", "The tokens cannot be read, so nobody is let in.", nil}
}

// admitted lets a request through that may be made: who asks is known, has not
// asked too often, and may do this.
func (s *Server) admitted(r route, next func(http.ResponseWriter, *http.Request) error) func(http.ResponseWriter, *http.Request) error {
	if r.open {
		return next
	}
	return func(w http.ResponseWriter, q *http.Request) error {
		who, err := s.identify(q)
		if err != nil {
			return err
		}
		if wait := s.rates.take(who.Principal); wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
			return problem{http.StatusTooManyRequests, "rate_limited", "Too many requests in a short time; try again later.", nil}
		}
		if !who.may(r.scope) {
			return problem{http.StatusForbidden, "scope_needed", "This needs a token with the scope " + string(r.scope) + ".", map[string]any{"scope": r.scope}}
		}
		return next(w, q.WithContext(context.WithValue(q.Context(), callerKey{}, who)))
	}
}

// What a caller does not see is not there for it.

func (s *Server) run(ctx context.Context, id string) (ledger.Run, error) {
	run, err := s.ledger.LookupRun(ctx, id)
	if err == nil && !callerOf(ctx).sees(run.Principal) {
		return ledger.Run{}, ledger.ErrNotFound
	}
	return run, err
}

func (s *Server) entry(ctx context.Context, id string) (ledger.Entry, error) {
	e, err := s.ledger.Entry(ctx, id)
	if err == nil && !callerOf(ctx).sees(e.Principal) {
		return ledger.Entry{}, ledger.ErrNotFound
	}
	return e, err
}

func (s *Server) approval(ctx context.Context, id string) (ledger.Approval, error) {
	p, err := s.ledger.Approval(ctx, id)
	if err == nil && !callerOf(ctx).sees(p.Principal) {
		return ledger.Approval{}, ledger.ErrNotFound
	}
	return p, err
}

// maxLook bounds the rows that are looked at for one page: behind it, next goes
// on.
const maxLook = 5000

// collect lists what keep keeps, newest first, at most limit of it. next is where
// the page behind begins, "" after the last.
func collect[T any](limit int, before string, list func(ledger.Filter) ([]T, error), id func(T) string, keep func(T) (bool, error)) (kept []T, next string, err error) {
	for looked := 0; looked < maxLook; {
		ask := max(limit, 50)
		found, err := list(ledger.Filter{Before: before, Limit: ask})
		if err != nil {
			return nil, "", err
		}
		for _, v := range found {
			before = id(v)
			ok, err := keep(v)
			if err != nil {
				return nil, "", err
			}
			if ok {
				kept = append(kept, v)
			}
			if len(kept) == limit {
				return kept, before, nil
			}
		}
		if len(found) < ask {
			return kept, "", nil
		}
		looked += len(found)
	}
	return kept, before, nil
}

const (
	signInPath = "/v1/session"
	cookieName = "holdfast"
)

// signIn gives a browser that has a token its cookie, from which the token
// cannot be had.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Token string `json:"token"`
	}
	if err := readBody(r, &in); err != nil {
		return err
	}
	if s.options.Tokens.Empty() {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	t, err := s.options.Tokens.Check(strings.TrimSpace(in.Token))
	if err != nil {
		return s.tokenProblem(err)
	}
	s.setCookie(w, r, token.Proof(strings.TrimSpace(in.Token)), t.Expires)
	return nil
}

// signOut takes the cookie away.
func (s *Server) signOut(w http.ResponseWriter, r *http.Request) error {
	s.setCookie(w, r, "", time.Unix(1, 0))
	return nil
}

func (s *Server) setCookie(w http.ResponseWriter, r *http.Request, value string, expires time.Time) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: value, Path: "/", Expires: expires, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https"),
	})
	w.WriteHeader(http.StatusNoContent)
}
