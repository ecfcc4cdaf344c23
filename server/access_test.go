package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/server/token"
)

var (
	leo = holdfast.Principal{Tenant: "gym", ID: "leo"}
	bob = holdfast.Principal{Tenant: "pool", ID: "ana"} // of the same name elsewhere
)

// withTokens serves the coach to those who bring a token.
func withTokens(t testing.TB) (*served, *token.Ring) {
	t.Helper()
	ring, err := token.Open(filepath.Join(t.TempDir(), "tokens.jsonl"), nil)
	if err != nil {
		t.Fatalf("token.Open = %v", err)
	}
	return serve(t, "", func(o *Options) { o.Tokens = ring }), ring
}

// as is a client that brings a new token.
func (v *served) as(ring *token.Ring, p holdfast.Principal, scopes ...token.Scope) *served {
	v.t.Helper()
	secret, _, err := ring.Create(token.Token{Principal: p, Scopes: scopes}, "root")
	if err != nil {
		v.t.Fatalf("Create = %v", err)
	}
	c := *v
	c.header = http.Header{"Authorization": {"Bearer " + secret}}
	return &c
}

// scopes is which scope each route needs; "any" token, or "open" to all.
var scopes = map[string]string{
	"POST /v1/session":                "open",
	"DELETE /v1/session":              "open",
	"GET /healthz":                    "open",
	"GET /v1/openapi.json":            "open",
	"GET /v1/info":                    "any",
	"GET /v1/runs":                    "read",
	"GET /v1/runs/{run}":              "read",
	"GET /v1/runs/{run}/events":       "read",
	"GET /v1/approvals":               "read",
	"GET /v1/approvals/{id}":          "read",
	"GET /v1/calls":                   "read",
	"GET /v1/calls/{id}":              "read",
	"GET /v1/events":                  "read",
	"POST /v1/runs":                   "propose",
	"POST /v1/runs/{run}/turns":       "propose",
	"POST /v1/runs/{run}/resume":      "propose",
	"POST /v1/runs/{run}/cancel":      "propose",
	"POST /v1/approvals/{id}/approve": "approve",
	"POST /v1/approvals/{id}/deny":    "approve",
	"POST /v1/approvals/{id}/edit":    "approve",
	"POST /v1/approvals/{id}/rule":    "approve",
	"POST /v1/approvals/{id}/always":  "approve",
	"GET /v1/rules":                   "read",
	"POST /v1/rules/{id}/revoke":      "approve",
	"POST /v1/calls/{id}/resolve":     "approve",
	"GET /metrics":                    "admin",
}

func TestEveryRouteNeedsItsScopeAndNoOther(t *testing.T) {
	v, ring := withTokens(t)
	clients := map[token.Scope]*served{}
	for _, s := range token.Scopes() {
		clients[s] = v.as(ring, ana, s)
		clients[s].header.Set("Last-Event-ID", "none") // no stream begins behind it
	}
	seen := map[string]bool{}
	for _, r := range v.server.table() {
		name := r.method + " " + r.path
		seen[name] = true
		want, ok := scopes[name]
		if !ok {
			t.Errorf("%s is in no row of this test: say who may ask for it", name)
			continue
		}
		path := strings.NewReplacer("{run}", "none", "{id}", "none").Replace(r.path)
		if a := v.ask(r.method, path, "{}"); (a.status == http.StatusUnauthorized) == (want == "open") && !(name == "POST /v1/session" && a.field(t, "code") == "token_wrong") {
			t.Errorf("%s without a token = %d, and it needs %s", name, a.status, want)
		}
		for s, c := range clients {
			a := c.ask(r.method, path, "{}")
			refused := a.status == http.StatusForbidden && a.field(t, "code") == "scope_needed"
			if may := want == "open" || want == "any" || want == string(s); refused == may {
				t.Errorf("%s with the scope %s = %d %s, and it needs %s", name, s, a.status, a.body, want)
			}
			if refused && a.field(t, "scope") != want {
				t.Errorf("%s says that it needs %q, want %s", name, a.field(t, "scope"), want)
			}
		}
	}
	for name := range scopes {
		if !seen[name] {
			t.Errorf("%s is no route any more", name)
		}
	}
}

// list is the values of one member of a list.
func (v *served) list(path, of, member string) []string {
	v.t.Helper()
	var page map[string]json.RawMessage
	v.want(http.StatusOK, "GET", path, "").into(v.t, &page)
	var rows []map[string]any
	if err := json.Unmarshal(page[of], &rows); err != nil {
		v.t.Fatalf("%s = %s", path, page[of])
	}
	got := []string{}
	for _, r := range rows {
		got = append(got, fmt.Sprint(r[member]))
	}
	return got
}

// TestAPrincipalSeesItsOwnAndAnAdminItsTenants looks at everything of ana's with
// the eyes of others.
func TestAPrincipalSeesItsOwnAndAnAdminItsTenants(t *testing.T) {
	v, ring := withTokens(t)
	mine := v.as(ring, ana, token.Propose, token.Approve, token.Read)
	run := mine.newRun()
	mine.say(run, "Hoy peso 75.5")
	mine.listen(run, "").untilEnd(mine, run)
	mine.say(run, "Hoy peso 80")
	approval := mine.waitParked(run)
	calls := mine.list("/v1/calls", "calls", "ledger_id")
	if len(calls) != 2 {
		t.Fatalf("ana's calls = %v, want two", calls)
	}
	all := []token.Scope{token.Propose, token.Approve, token.Read}
	strangers := map[string]*served{
		"a colleague":               v.as(ring, leo, all...),
		"another tenant":            v.as(ring, bob, all...),
		"another tenant's operator": v.as(ring, bob, append(all, token.Admin)...),
	}
	for who, c := range strangers {
		for path, of := range map[string]string{"/v1/runs": "runs", "/v1/approvals": "approvals", "/v1/calls": "calls", "/v1/calls?run=" + run: "calls", "/v1/calls?principal=gym/ana": "calls", "/v1/approvals?state=all&run=" + run: "approvals"} {
			if got := c.list(path, of, "tool"); len(got) != 0 {
				t.Errorf("%s sees %v at %s, want nothing of ana's", who, got, path)
			}
		}
		for _, row := range []struct{ method, path, body string }{
			{"GET", "/v1/runs/" + run, ""},
			{"GET", "/v1/runs/" + run + "/events", ""},
			{"POST", "/v1/runs/" + run + "/turns", `{"message":"x"}`},
			{"POST", "/v1/runs/" + run + "/resume", "{}"},
			{"POST", "/v1/runs/" + run + "/cancel", "{}"},
			{"GET", "/v1/approvals/" + approval, ""},
			{"POST", "/v1/approvals/" + approval + "/approve", "{}"},
			{"POST", "/v1/approvals/" + approval + "/deny", "{}"},
			{"POST", "/v1/approvals/" + approval + "/edit", `{"arguments":"{}"}`},
			{"GET", "/v1/calls/" + calls[0], ""},
			{"POST", "/v1/calls/" + calls[0] + "/resolve", `{"happened":true,"evidence":"x"}`},
		} {
			if a := c.ask(row.method, row.path, row.body); a.status != http.StatusNotFound || strings.Contains(string(a.body), "ana") {
				t.Errorf("%s: %s %s = %d %s, want 404: what one does not see is not there", who, row.method, row.path, a.status, a.body)
			}
		}
	}
	boss := v.as(ring, leo, token.Propose, token.Approve, token.Read, token.Admin)
	for path, of := range map[string]string{"/v1/runs": "runs", "/v1/approvals": "approvals", "/v1/calls?principal=ana": "calls"} {
		if got := boss.list(path, of, "tool"); len(got) == 0 {
			t.Errorf("the tenant's operator sees nothing at %s", path)
		}
	}
	if a := boss.ask("POST", "/v1/runs/"+run+"/turns", `{"message":"x"}`); a.status != http.StatusForbidden || a.field(t, "code") != "other_principal" {
		t.Errorf("the operator speaks for ana: %d %s, want 403", a.status, a.body)
	}
	s := mine.listen(run, "")
	boss.want(http.StatusOK, "POST", "/v1/approvals/"+approval+"/approve", "{}")
	s.untilEnd(mine, run)
	p, err := v.ledger.Approval(t.Context(), approval)
	if err != nil || p.DecidedBy != leo.ID || p.Principal != ana {
		t.Errorf("decided by %q for %v, %v; want by leo, whose token it was, for ana", p.DecidedBy, p.Principal, err)
	}
}

func TestThePrincipalIsTheTokensWhateverTheBodySays(t *testing.T) {
	v, ring := withTokens(t)
	c := v.as(ring, leo, token.Propose, token.Read)
	c.want(http.StatusBadRequest, "POST", "/v1/runs", `{"principal":{"tenant":"gym","id":"ana"}}`)
	run, err := v.ledger.LookupRun(t.Context(), c.newRun())
	if err != nil || run.Principal != leo {
		t.Errorf("the run acts for %v, %v; want leo, whose token it was", run.Principal, err)
	}
	if got := c.want(http.StatusOK, "GET", "/v1/info", ""); !strings.Contains(string(got.body), `"scopes":["propose","read"]`) || !strings.Contains(string(got.body), `"leo"`) {
		t.Errorf("info = %s, want whose token it is, and its scopes", got.body)
	}
}

func TestATokenThatEndsEndsAtOnce(t *testing.T) {
	v, ring := withTokens(t)
	c := v.as(ring, leo, token.Read)
	c.want(http.StatusOK, "GET", "/v1/runs", "")
	list, err := ring.List()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ring.Revoke(list[len(list)-1].ID, "root"); err != nil {
		t.Fatal(err)
	}
	if a := c.want(http.StatusUnauthorized, "GET", "/v1/runs", ""); a.field(t, "code") != "token_wrong" {
		t.Errorf("a revoked token = %s, want token_wrong", a.body)
	}
}

func TestABrowserSignsInAndOut(t *testing.T) {
	v, ring := withTokens(t)
	secret, _, err := ring.Create(token.Token{Principal: ana, Scopes: []token.Scope{token.Read}}, "root")
	if err != nil {
		t.Fatal(err)
	}
	v.want(http.StatusUnauthorized, "POST", "/v1/session", `{"token":"hf_x_y"}`)
	v.header.Set("X-Forwarded-Proto", "https")
	cookie := v.want(http.StatusNoContent, "POST", "/v1/session", `{"token":"`+secret+`"}`).header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Secure"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("Set-Cookie = %q, want %s", cookie, want)
		}
	}
	if strings.Contains(cookie, secret[len(secret)-26:]) {
		t.Errorf("Set-Cookie = %q holds the token", cookie)
	}
	pair, _, _ := strings.Cut(cookie, ";")
	v.header = http.Header{"Cookie": {pair}}
	v.want(http.StatusOK, "GET", "/v1/runs", "")
	_, value, _ := strings.Cut(pair, "=")
	v.header = http.Header{"Authorization": {"Bearer " + value}}
	v.want(http.StatusUnauthorized, "GET", "/v1/runs", "")
	out := v.want(http.StatusNoContent, "DELETE", "/v1/session", "").header.Get("Set-Cookie")
	if !strings.HasPrefix(out, cookieName+"=;") || !strings.Contains(out, "1970") {
		t.Errorf("signing out: Set-Cookie = %q, want one that is over", out)
	}
}

func TestAPrincipalThatAsksTooOftenWaitsAndOthersDoNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRates(10)
		for i := range 10 * burst {
			if wait := r.take(ana); wait != 0 {
				t.Fatalf("request %d waits %v, want %d at once", i, wait, 10*burst)
			}
		}
		if wait := r.take(ana); wait != 100*time.Millisecond {
			t.Errorf("one more waits %v, want 100 ms", wait)
		}
		if wait := r.take(leo); wait != 0 {
			t.Errorf("another principal waits %v, want not at all", wait)
		}
		time.Sleep(100 * time.Millisecond)
		if wait := r.take(ana); wait != 0 {
			t.Errorf("after 100 ms it waits %v, want not at all", wait)
		}
		time.Sleep(time.Hour)
		for i := range 3 * maxBuckets {
			r.take(holdfast.Principal{ID: fmt.Sprint(i)})
			time.Sleep(time.Second)
		}
		if len(r.buckets) > maxBuckets {
			t.Errorf("%d buckets are held, want at most %d", len(r.buckets), maxBuckets)
		}
	})
	ring, err := token.Open(filepath.Join(t.TempDir(), "tokens.jsonl"), nil)
	if err != nil {
		t.Fatal(err)
	}
	v := serve(t, "", func(o *Options) { o.Tokens, o.Rate = ring, 1 })
	c, other := v.as(ring, leo, token.Read), v.as(ring, ana, token.Read)
	statuses := []int{}
	for range burst + 2 {
		statuses = append(statuses, c.ask("GET", "/v1/runs", "").status)
	}
	if !slices.Contains(statuses, http.StatusTooManyRequests) {
		t.Errorf("statuses = %v, want a 429 among them", statuses)
	}
	a := c.ask("GET", "/v1/runs", "")
	if a.status == http.StatusTooManyRequests && a.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After = %q, want 1", a.header.Get("Retry-After"))
	}
	other.want(http.StatusOK, "GET", "/v1/runs", "")
}

// TestAPageEndsAfterSoManyRowsThatAreNotShown keeps one request from reading a
// whole record of others.
func TestAPageEndsAfterSoManyRowsThatAreNotShown(t *testing.T) {
	if testing.Short() {
		t.Skip("6,000 calls take their time to be written")
	}
	ring, err := token.Open(filepath.Join(t.TempDir(), "tokens.jsonl"), nil)
	if err != nil {
		t.Fatal(err)
	}
	v := serveOver(t, manyCalls(t, maxLook+1000), scriptedModel(t, ""), func(o *Options) { o.Tokens = ring })
	c := v.as(ring, leo, token.Read)
	var page struct {
		Calls []callView
		Next  *string
	}
	c.want(http.StatusOK, "GET", "/v1/calls", "").into(t, &page)
	if len(page.Calls) != 0 || page.Next == nil {
		t.Fatalf("the first page = %d calls, next %v; want none yet, and where to go on", len(page.Calls), page.Next)
	}
	before := *page.Next
	page.Next = nil
	c.want(http.StatusOK, "GET", "/v1/calls?before="+before, "").into(t, &page)
	if len(page.Calls) != 0 || page.Next != nil {
		t.Errorf("the last page = %d calls, next %v; want the end", len(page.Calls), page.Next)
	}
}
