package server

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// guarded lets through what may be answered at all: without tokens a name and an
// address of this machine, no page of another site, and no body that is too
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
		case s.options.Tokens.Empty() && !(loopback(r.Host) && loopback(r.RemoteAddr)):
			refuse(w, problem{http.StatusForbidden, "foreign_host", "Without a token, only this machine is answered, under localhost or a loopback address.", nil})
		case isAPI(r) && r.Header.Get("Sec-Fetch-Site") == "cross-site":
			refuse(w, problem{http.StatusForbidden, "cross_origin", "Another site's page may not read this.", nil})
		case r.Method == http.MethodPost && !isJSON(r):
			refuse(w, problem{http.StatusUnsupportedMediaType, "json_needed", "The body must be application/json.", nil})
		default:
			inner.ServeHTTP(w, r)
		}
	})
}

// isAPI reports whether a request is for anything but the page.
func isAPI(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/v1/") || r.URL.Path == metricsPath
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
