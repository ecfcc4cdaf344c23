package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// guarded lets through what may be answered at all: a name and an address of
// this machine or the token, no page of another site, and no body that is too
// large. What goes out may run no foreign script and stand in no frame.
func (s *Server) guarded(next http.Handler) http.Handler {
	sameSite := http.NewCrossOriginProtection()
	sameSite.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, problem{http.StatusForbidden, "cross_origin", "Another site's page may not do this.", nil})
	}))
	inner := sameSite.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		harden(w.Header())
		r.Body = http.MaxBytesReader(w, r.Body, s.options.MaxBody)
		deadline := time.Now().Add(time.Minute)
		_ = http.NewResponseController(w).SetWriteDeadline(deadline)
		switch {
		case s.options.Token == "" && !(loopback(r.Host) && loopback(r.RemoteAddr)):
			refuse(w, problem{http.StatusForbidden, "foreign_host", "Without a token, only this machine is answered, under localhost or a loopback address.", nil})
		case strings.HasPrefix(r.URL.Path, "/v1/") && r.URL.Path != signInPath && !s.knows(r):
			w.Header().Set("WWW-Authenticate", `Bearer realm="holdfast"`)
			refuse(w, problem{http.StatusUnauthorized, "token_needed", "Bring the token: Authorization: Bearer TOKEN.", nil})
		case strings.HasPrefix(r.URL.Path, "/v1/") && r.Header.Get("Sec-Fetch-Site") == "cross-site":
			refuse(w, problem{http.StatusForbidden, "cross_origin", "Another site's page may not read this.", nil})
		case r.Method == http.MethodPost && !isJSON(r):
			refuse(w, problem{http.StatusUnsupportedMediaType, "json_needed", "The body must be application/json.", nil})
		default:
			inner.ServeHTTP(w, r)
		}
	})
}

func isJSON(r *http.Request) bool {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(kind), "application/json")
}

// harden sets what every answer says about itself.
func harden(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
		"form-action 'none'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// loopback reports whether a host, with a port or without, is this machine's
// own. Of names only localhost is: any other can be made to point here.
func loopback(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

const (
	signInPath = "/v1/session"
	cookieName = "holdfast"
)

// cookieFor is what a browser shows in the token's stead, so that the token
// itself is nowhere stored.
func cookieFor(token string) string {
	if token == "" {
		return ""
	}
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("holdfast: a browser that is signed in"))
	return hex.EncodeToString(mac.Sum(nil))
}

// knows reports whether a request may be answered.
func (s *Server) knows(r *http.Request) bool {
	if s.options.Token == "" {
		return true
	}
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return same(bearer, s.options.Token)
	}
	c, err := r.Cookie(cookieName)
	return err == nil && same(c.Value, s.cookie)
}

// same compares in a time that tells nothing of where two secrets differ.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// signIn gives a browser that knows the token its cookie.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Token string `json:"token"`
	}
	if err := readBody(r, &in); err != nil {
		return err
	}
	if s.options.Token != "" && !same(in.Token, s.options.Token) {
		return problem{http.StatusUnauthorized, "token_wrong", "That is not the token.", nil}
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: s.cookie, Path: "/", HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
	})
	w.WriteHeader(http.StatusNoContent)
	return nil
}
