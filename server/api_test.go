package server

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/ledger"
)

func TestATurnIsToldAsItHappensAndStandsInTheRecord(t *testing.T) {
	v := serve(t, "", nil)
	run := v.newRun()
	s := v.listen(run, "")
	s.until("snapshot")
	v.say(run, "¿Cuántos carbohidratos tiene el arroz?")
	names := map[string]int{}
	for _, e := range s.until("end") {
		names[e.name]++
	}
	for _, want := range []string{"turn", "reasoning", "calling", "arguments", "usage", "call", "stage", "outcome", "text"} {
		if names[want] == 0 {
			t.Errorf("events = %v, want %q among them", names, want)
		}
	}
	view := v.want(http.StatusOK, "GET", "/v1/runs/"+run, "")
	for _, want := range []string{`"message":"¿Cuántos carbohidratos tiene el arroz?"`, `"end":"answer"`, `28 g de carbohidratos`, `"outcome":"ok"`} {
		if !strings.Contains(string(view.body), want) {
			t.Errorf("the run = %s, want %s in it", view.body, want)
		}
	}
}

func TestEventsGoOnBehindTheLastThatWasSeen(t *testing.T) {
	v := serve(t, "", nil)
	run := v.newRun()
	first := v.listen(run, "")
	v.say(run, "¿Cuántos carbohidratos tiene el arroz?")
	seen := first.until("calling")
	first.cancel() // the client leaves; the turn goes on
	again := v.listen(run, seen[len(seen)-1].id).until("end")
	for _, e := range again {
		if e.name == "snapshot" || e.name == "turn" || e.name == "calling" && e.data == seen[len(seen)-1].data {
			t.Errorf("told again: %v", e)
		}
	}
	whole := v.listen(run, seen[0].id).until("end")
	if got, want := len(whole), len(seen)-1+len(again); got != want {
		t.Errorf("%d events from the first on, want the %d of both halves", got, want)
	}
}

func TestWhoMissedTooMuchIsToldTheRunFromTheRecord(t *testing.T) {
	v := serve(t, "", nil)
	run := v.newRun()
	v.say(run, "¿Cuántos carbohidratos tiene el arroz?")
	v.listen(run, "").until("snapshot")
	n := v.server.session(run)
	for range maxEvents + 10 {
		n.tell("text", piece{place: place{Turn: 1, Round: 1}, Text: "x"})
	}
	for _, last := range []string{n.id(1), "another.7", "nonsense", n.id(1 << 40)} {
		if e := v.listen(run, last).until("snapshot"); len(e) != 1 {
			t.Errorf("behind %q: %d events, want a snapshot first", last, len(e))
		}
	}
}

func TestOneTurnAtATime(t *testing.T) {
	v, run, approval := parked(t)
	a := v.want(http.StatusConflict, "POST", "/v1/runs/"+run+"/turns", `{"message":"otra cosa"}`)
	if a.field(t, "code") != "turn_open" || a.field(t, "approval_id") != approval {
		t.Errorf("a message to a parked run = %s, want turn_open that names approval %s", a.body, approval)
	}
}

// untilEnd waits for the run's turn to be over, whatever was told of it.
func (s *stream) untilEnd(v *served, run string) {
	s.t.Helper()
	for v.server.session(run).running() { // no event says that whoever drove it has let go
		time.Sleep(time.Millisecond)
	}
}

// waitParked waits until the run waits for a person, and gives the approval.
func (v *served) waitParked(run string) string {
	v.t.Helper()
	for {
		var view runView
		v.want(http.StatusOK, "GET", "/v1/runs/"+run, "").into(v.t, &view)
		if view.ApprovalID != nil && !view.Running {
			return *view.ApprovalID
		}
		if !view.Open {
			v.t.Fatalf("the turn ended without waiting: %+v", view)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func parked(t *testing.T) (v *served, run, approval string) {
	t.Helper()
	v = serve(t, "", nil)
	run, approval = v.park()
	return v, run, approval
}

func (v *served) park() (run, approval string) {
	v.t.Helper()
	run = v.newRun()
	v.say(run, "Hoy peso 75.5")
	v.listen(run, "").untilEnd(v, run)
	v.say(run, "Hoy peso 80")
	return run, v.waitParked(run)
}

func TestAnApprovalIsDecidedOnceAndTheRunGoesOn(t *testing.T) {
	v, run, id := parked(t)
	var shown approvalView
	v.want(http.StatusOK, "GET", "/v1/approvals/"+id, "").into(t, &shown)
	if shown.State != "waiting" || shown.Arguments != `{"date":"2024-04-11","data":{"weight_kg":80}}` || len(shown.Changes) != 1 ||
		shown.Changes[0] != (changeView{"weight_kg", "75.5", "80"}) {
		t.Errorf("approval = %+v, want its arguments and 75.5 against 80", shown)
	}
	s := v.listen(run, "")
	v.want(http.StatusOK, "POST", "/v1/approvals/"+id+"/approve", "{}")
	s.untilEnd(v, run)
	a := v.want(http.StatusConflict, "POST", "/v1/approvals/"+id+"/deny", `{"reason":"no"}`)
	if a.field(t, "code") != "already_decided" || !strings.Contains(string(a.body), `"state":"consumed"`) {
		t.Errorf("a second decision = %s, want the first, shown", a.body)
	}
	if got := v.calls(); got != "write_measurement ok, write_measurement ok" {
		t.Errorf("calls = %s, want the write once", got)
	}
}

func (v *served) calls() string {
	v.t.Helper()
	entries, err := v.ledger.Entries(v.t.Context(), ledger.Filter{InOrder: true})
	if err != nil {
		v.t.Fatalf("Entries = %v", err)
	}
	var out []string
	for _, e := range entries {
		line := e.Tool + " " + string(e.State)
		if e.Outcome != nil && e.Outcome.Code != "" {
			line += " " + string(e.Outcome.Code)
		}
		out = append(out, line)
	}
	return strings.Join(out, ", ")
}

func TestADenialEndsThatCallAlone(t *testing.T) {
	v, run, id := parked(t)
	s := v.listen(run, "")
	v.want(http.StatusOK, "POST", "/v1/approvals/"+id+"/deny", `{"reason":"not my weight"}`)
	s.untilEnd(v, run)
	if got, want := v.calls(), "write_measurement ok, write_measurement rejected approval_denied"; got != want {
		t.Errorf("calls = %s, want %s", got, want)
	}
}

func TestAnEditIsANewCallThroughTheGate(t *testing.T) {
	v, run, id := parked(t)
	bad := v.want(http.StatusUnprocessableEntity, "POST", "/v1/approvals/"+id+"/edit", `{"arguments":"{\"date\":\"2024-04-11\",\"data\":{\"weight_kg\":\"76\"}}"}`)
	if bad.field(t, "code") != "invalid_arguments" || !strings.Contains(string(bad.body), "/data/weight_kg") {
		t.Errorf("a wrong edit = %s, want the failing field", bad.body)
	}
	v.want(http.StatusUnprocessableEntity, "POST", "/v1/approvals/"+id+"/edit", `{"arguments":"{"}`)
	s := v.listen(run, "")
	v.want(http.StatusOK, "POST", "/v1/approvals/"+id+"/edit", `{"arguments":"{\"date\":\"2024-04-11\",\"data\":{\"weight_kg\":76}}"}`)
	s.untilEnd(v, run)
	if got, want := v.calls(), "write_measurement ok, write_measurement rejected approval_denied, write_measurement ok"; got != want {
		t.Errorf("calls = %s, want %s", got, want)
	}
	v.want(http.StatusConflict, "POST", "/v1/approvals/"+id+"/edit", `{"arguments":"{\"date\":\"2024-04-11\",\"data\":{\"weight_kg\":77}}"}`)
}

func TestCancellingAParkedTurnWithdrawsItsApproval(t *testing.T) {
	v, run, id := parked(t)
	v.want(http.StatusAccepted, "POST", "/v1/runs/"+run+"/cancel", "{}")
	var p approvalView
	v.want(http.StatusOK, "GET", "/v1/approvals/"+id, "").into(t, &p)
	if p.State != "withdrawn" {
		t.Errorf("approval = %s, want withdrawn", p.State)
	}
	v.want(http.StatusConflict, "POST", "/v1/runs/"+run+"/cancel", "{}")
	v.want(http.StatusConflict, "POST", "/v1/runs/"+run+"/resume", "{}")
}

func TestProblemsAreDocuments(t *testing.T) {
	v := serve(t, "", nil)
	run := v.newRun()
	for name, row := range map[string]struct {
		method, path, body string
		status             int
		code               string
	}{
		"no such address":  {"GET", "/v1/nothing", "", 404, "not_found"},
		"another method":   {"DELETE", "/v1/info", "", 405, "method_not_allowed"},
		"no such run":      {"GET", "/v1/runs/none", "", 404, "not_found"},
		"no such stream":   {"GET", "/v1/runs/none/events", "", 404, "not_found"},
		"no such call":     {"GET", "/v1/calls/none", "", 404, "not_found"},
		"no such page":     {"GET", "/v1/calls?before=none", "", 404, "not_found"},
		"no such approval": {"POST", "/v1/approvals/none/approve", "{}", 404, "not_found"},
		"a bad limit":      {"GET", "/v1/calls?limit=x", "", 400, "bad_request"},
		"a bad time":       {"GET", "/v1/calls?since=yesterday", "", 400, "bad_request"},
		"no JSON":          {"POST", "/v1/runs/" + run + "/turns", "{", 400, "bad_request"},
		"unknown field":    {"POST", "/v1/runs/" + run + "/turns", `{"mesage":"x"}`, 400, "bad_request"},
		"two objects":      {"POST", "/v1/runs/" + run + "/turns", `{"message":"x"}{}`, 400, "bad_request"},
		"empty message":    {"POST", "/v1/runs/" + run + "/turns", `{"message":" "}`, 400, "bad_request"},
		"too large":        {"POST", "/v1/runs/" + run + "/turns", `{"message":"` + strings.Repeat("x", 1<<20) + `"}`, 413, "too_large"},
		"nothing open":     {"POST", "/v1/runs/" + run + "/resume", "{}", 409, "no_open_turn"},
	} {
		a := v.ask(row.method, row.path, row.body)
		if a.status != row.status || a.header.Get("Content-Type") != "application/problem+json" || a.field(t, "code") != row.code {
			t.Errorf("%s: %s %s = %d %s %s, want %d and a problem %q", name, row.method, row.path, a.status, a.header.Get("Content-Type"), a.body, row.status, row.code)
		}
	}
}

func TestATurnThatTheEndInterruptsIsKept(t *testing.T) {
	v := serve(t, "pace: 20ms\nrules:\n  - when: {message: uno}\n    say: \""+strings.Repeat("uno dos tres ", 400)+"\"\n", func(o *Options) { o.Grace = 50 * time.Millisecond })
	run := v.newRun()
	s := v.listen(run, "")
	v.say(run, "uno")
	s.until("text")
	v.server.Close()
	for e, ok := s.next(); ok; e, ok = s.next() {
		if e.name == "end" {
			t.Errorf("the turn ended: %s", e.data)
		}
	}
	turns, err := v.ledger.Turns(t.Context(), run)
	if err != nil || len(turns) != 1 || turns[0].End != "" {
		t.Fatalf("Turns = %+v, %v, want one that is open", turns, err)
	}
	v.want(http.StatusServiceUnavailable, "POST", "/v1/runs/"+run+"/resume", "{}")
	next := serveOver(t, v.ledger, scriptedModel(t, "rules:\n  - when: {message: uno}\n    say: \"y ya\"\n"), nil)
	after := next.listen(run, "")
	after.until("snapshot")
	next.want(http.StatusAccepted, "POST", "/v1/runs/"+run+"/resume", "{}")
	after.until("end")
	turns, err = v.ledger.Turns(t.Context(), run)
	if err != nil || turns[0].End != string(agent.Answer) || turns[0].Answer != "y ya" {
		t.Errorf("Turns = %+v, %v, want the answer after a restart", turns, err)
	}
}

func TestNewNeedsWhatItServes(t *testing.T) {
	if _, err := New(nil, nil, nil, nil); err == nil {
		t.Error("New(nil, nil, nil) = nil, want an error")
	}
	if err := errors.Unwrap(problem{}); err != nil {
		t.Errorf("a problem wraps %v, want nothing", err)
	}
}
