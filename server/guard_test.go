package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-go/holdfast/server/token"
)

func TestWithoutATokenOnlyThisMachineIsAnswered(t *testing.T) {
	v := serve(t, "", nil)
	for host, want := range map[string]int{
		"localhost:8484": 200, "127.0.0.1": 200, "[::1]:8484": 200, "LOCALHOST": 200,
		"evil.example": 403, "localhost.evil.example:80": 403, "127.0.0.1.evil.example": 403, "192.168.1.7": 403, "0.0.0.0": 403, "": 403,
	} {
		r := httptest.NewRequest(http.MethodGet, "/v1/info", nil)
		r.Host, r.RemoteAddr = host, "127.0.0.1:50000"
		w := httptest.NewRecorder()
		v.server.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("Host %q = %d, want %d", host, w.Code, want)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/v1/info", nil)
	r.Host, r.RemoteAddr = "localhost", "203.0.113.9:50000"
	w := httptest.NewRecorder()
	v.server.ServeHTTP(w, r)
	if w.Code != http.StatusForbidden {
		t.Errorf("another machine = %d, want 403", w.Code)
	}
}

func TestAnAddressThatOthersReachNeedsAToken(t *testing.T) {
	v := serve(t, "", nil)
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Skipf("no such address here: %v", err)
	}
	if err := v.server.Serve(context.Background(), l); err == nil || !strings.Contains(err.Error(), "token") {
		t.Errorf("Serve(%s) = %v, want an error that asks for a token", l.Addr(), err)
	}
}

func TestATokenIsAskedOfEveryRequest(t *testing.T) {
	ring, err := token.Open("", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := ring.Give("open sesame", token.Token{Principal: ana, Scopes: token.Scopes()}); err != nil {
		t.Fatal(err)
	}
	v := serve(t, "", func(o *Options) { o.Tokens = ring })
	for _, path := range []string{"/v1/info", "/v1/runs", "/v1/calls", "/v1/approvals", "/v1/runs/x/events", "/v1/nothing", "/metrics"} {
		if a := v.want(http.StatusUnauthorized, "GET", path, ""); a.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s does not say how to authenticate", path)
		}
	}
	v.want(http.StatusUnauthorized, "POST", "/v1/session", `{"token":"open"}`)
	v.header.Set("Authorization", "Bearer open sesam")
	v.want(http.StatusUnauthorized, "GET", "/v1/info", "")
	v.header.Set("Authorization", "Bearer open sesame")
	v.want(http.StatusOK, "GET", "/v1/info", "")
	v.header.Del("Authorization")
	cookie := v.want(http.StatusNoContent, "POST", "/v1/session", `{"token":"open sesame"}`).header.Get("Set-Cookie")
	if strings.Contains(cookie, "sesame") {
		t.Errorf("Set-Cookie = %q holds the token", cookie)
	}
	name, _, _ := strings.Cut(cookie, ";")
	v.header.Set("Cookie", name)
	v.want(http.StatusOK, "GET", "/v1/info", "")
}

func TestEachRequestIsToldOnceItWasAnswered(t *testing.T) {
	var mu sync.Mutex
	told := map[string]int{}
	v := serve(t, "", func(o *Options) {
		o.Answered = func(a Answered) {
			mu.Lock()
			defer mu.Unlock()
			told[fmt.Sprint(a.Method, " ", a.Route, " ", a.Status)]++
		}
		o.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("counted 1")) })
	})
	v.want(http.StatusOK, "GET", "/v1/runs?limit=3", "")
	v.want(http.StatusNotFound, "GET", "/v1/runs/none", "")
	v.want(http.StatusNotFound, "GET", "/v1/made/up", "")
	v.want(http.StatusOK, "GET", "/", "")
	v.ask("BREW", "/v1/info", "")
	if a := v.want(http.StatusOK, "GET", "/metrics", ""); string(a.body) != "counted 1" {
		t.Errorf("/metrics = %s, want what counts", a.body)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, want := range []string{"GET /v1/runs 200", "GET /v1/runs/{run} 404", "GET other 404", "GET page 200", "other other 405", "GET /metrics 200"} {
		if told[want] != 1 {
			t.Errorf("told of %v, want one %s", told, want)
		}
	}
}

func TestAnotherSitesPageCanDoNothing(t *testing.T) {
	v := serve(t, "", nil)
	for name, header := range map[string][2]string{
		"its origin":       {"Origin", "https://evil.example"},
		"another port":     {"Origin", "http://127.0.0.1:1"},
		"its fetch":        {"Sec-Fetch-Site", "cross-site"},
		"of the same site": {"Sec-Fetch-Site", "same-site"},
	} {
		v.header = http.Header{header[0]: {header[1]}}
		if a := v.ask("POST", "/v1/runs", "{}"); a.status != http.StatusForbidden {
			t.Errorf("%s: POST = %d %s, want 403", name, a.status, a.body)
		}
	}
	v.header = http.Header{"Sec-Fetch-Site": {"cross-site"}}
	v.want(http.StatusForbidden, "GET", "/v1/info", "")
	v.header = http.Header{"Content-Type": {"text/plain"}}
	v.want(http.StatusUnsupportedMediaType, "POST", "/v1/runs", "{}")
}

func TestWhatGoesOutRunsNothingForeignAndStandsInNoFrame(t *testing.T) {
	v := serve(t, "", nil)
	for _, path := range []string{"/", "/assets/app.js", "/v1/info", "/v1/nothing"} {
		h := v.ask("GET", path, "").header
		csp := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} {
			if !strings.Contains(csp, want) || strings.Contains(csp, "unsafe") {
				t.Errorf("%s: Content-Security-Policy = %q, want %s and nothing unsafe", path, csp, want)
			}
		}
		if h.Get("X-Frame-Options") != "DENY" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s may be framed or sniffed: %v", path, h)
		}
	}
}

func TestThePageIsLightAndComesInFewRequests(t *testing.T) {
	v := serve(t, "", nil)
	page := v.want(http.StatusOK, "GET", "/", "")
	total, requests := len(page.body), 1
	for _, path := range []string{"/assets/style.css", "/assets/app.js", "/assets/icon.svg"} {
		total += len(v.want(http.StatusOK, "GET", path, "").body)
		requests++
		if !strings.Contains(string(page.body), path) {
			t.Errorf("the page does not name %s", path)
		}
	}
	for _, api := range []string{"/v1/info", "/v1/approvals"} {
		total += len(v.want(http.StatusOK, "GET", api, "").body)
		requests++
	}
	t.Logf("%d bytes in %d requests", total, requests)
	if total > 100_000 || requests > 9 {
		t.Errorf("the page = %d bytes in %d requests, want under 100 KB and under 10", total, requests)
	}
	for _, foreign := range []string{"http://", "https://", "<script>", " style=", "onclick="} {
		if strings.Contains(string(page.body), foreign) {
			t.Errorf("the page holds %q", foreign)
		}
	}
}
