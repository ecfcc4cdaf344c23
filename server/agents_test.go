package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
)

const household = `
rules:
  - when: {system: butler, message: pay}
    calls: [{name: ask_banker, arguments: {task: pay}}]
  - when: {system: butler, after: ask_banker}
    say: "The banker says: {{.Result.result}}"
  - when: {system: butler, message: doctor}
    calls: [{name: call_doctor, arguments: {}}]
  - when: {system: doctor, after: call_doctor}
    say: The doctor.
  - when: {system: banker, message: pay}
    calls: [{name: pay, arguments: {}}]
  - when: {system: banker, after: pay}
    say: "{{.Result}}"
`

// serveHousehold serves a butler, who may ask a banker and hand over to a doctor.
// Paying is what pay does.
func serveHousehold(t *testing.T, pays func()) *served {
	t.Helper()
	var s *Server
	l, err := ledger.New(t.Context(), memory.New(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := scriptedModel(t, household)
	over := func(namespace string, tools ...*holdfast.Tool) *gate.Gate {
		c, err := holdfast.NewCatalog(namespace, tools...)
		if err != nil {
			t.Fatal(err)
		}
		g, err := gate.New(c, l, nil)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	hire := func(name string, g *gate.Gate) *agent.Agent {
		a, err := agent.New(m, g, l, &agent.Options{
			Name: name, System: func() string { return "You are the " + name + "." }, Watch: func(e agent.Event) { s.WatchWithin(e) },
		})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	made := func(tool *holdfast.Tool, err error) *holdfast.Tool {
		if err != nil {
			t.Fatal(err)
		}
		return tool
	}
	pay := made(holdfast.Func("pay", "Pay.", holdfast.Write, time.Second, func(context.Context, struct{}) (string, error) {
		pays()
		return "paid", nil
	},
		&holdfast.ToolOptions{Approval: &holdfast.ApprovalRule{}}))
	banker, doctor := hire("banker", over("bank", pay)), hire("doctor", over("clinic", made(agent.Handoff("leave", "Back.", "butler", nil))))
	g := over("house", made(agent.Tool("ask_banker", "Ask.", banker, time.Minute, nil)), made(agent.Handoff("call_doctor", "Call.", "doctor", nil)))
	s, err = New(g, l, m, &Options{
		Agent:   agent.Options{Name: "butler", Team: []*agent.Agent{doctor}, System: func() string { return "You are the butler." }},
		Catalog: "house", Model: "scripted", Scripted: true, Principal: ana, Grace: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Close()
		web.Close()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return &served{t: t, server: s, ledger: l, base: web.URL, header: http.Header{}}
}

// An approval that an agent needs within a call is asked at the top, and answering
// it goes on with the conversation.
func TestAnApprovalWithinAnAgentsCallIsDecidedAtTheTop(t *testing.T) {
	v := serveHousehold(t, func() {})
	run := v.newRun()
	v.say(run, "pay")
	id := v.waitParked(run)
	var p approvalView
	v.want(http.StatusOK, "GET", "/v1/approvals/"+id, "").into(t, &p)
	if p.Tool != "bank.pay" || p.Within == nil || p.Within.Run != run || p.Within.Tool != "house.ask_banker" {
		t.Errorf("approval = %+v within %+v, want bank.pay within house.ask_banker of run %s", p, p.Within, run)
	}
	for path, body := range map[string]string{"/turns": `{"message":"x"}`, "/resume": `{}`, "/cancel": `{}`} {
		if a := v.want(http.StatusConflict, "POST", "/v1/runs/"+p.Run+path, body); a.field(t, "code") != "within_call" {
			t.Errorf("POST %s of the inner run = %s, want within_call", path, a.body)
		}
	}
	if a := v.want(http.StatusConflict, "POST", "/v1/approvals/"+id+"/edit", `{"arguments":"{}"}`); a.field(t, "code") != "within_call" {
		t.Errorf("edit = %s, want it refused", a.body)
	}
	if a := v.want(http.StatusOK, "GET", "/v1/runs", ""); strings.Contains(string(a.body), p.Run) {
		t.Errorf("runs = %s, want no run within a call among the conversations", a.body)
	}
	v.want(http.StatusOK, "POST", "/v1/approvals/"+id+"/approve", `{}`)
	var view runView
	for view.Turns == nil || view.Turns[0].End == nil {
		time.Sleep(5 * time.Millisecond)
		v.want(http.StatusOK, "GET", "/v1/runs/"+run, "").into(t, &view)
	}
	rounds := view.Turns[0].Rounds
	if *view.Turns[0].End != "answer" || rounds[len(rounds)-1].Text != "The banker says: paid" {
		t.Errorf("turn = %+v, want the banker's answer", view.Turns[0])
	}
	if call := rounds[0].Calls[0]; len(call.Inner) != 1 || call.Inner[0].Tool != "bank.pay" || call.Inner[0].Outcome != "ok" || call.Inner[0].LedgerID == nil {
		t.Errorf("the agent's call lists %+v, want its one call", call.Inner)
	}
}

// What an agent does within its call is told while the call goes on.
func TestTheCallsOfAnAgentAreToldAsTheyCome(t *testing.T) {
	paying, paid := make(chan struct{}), make(chan struct{})
	v := serveHousehold(t, func() { close(paying); <-paid })
	run := v.newRun()
	s := v.listen(run, "")
	v.say(run, "pay")
	before := s.until("end") // it waits
	id := v.waitParked(run)
	v.want(http.StatusOK, "POST", "/v1/approvals/"+id+"/approve", `{}`)
	<-paying
	var view runView
	v.want(http.StatusOK, "GET", "/v1/runs/"+run, "").into(t, &view)
	if call := view.Turns[0].Rounds[0].Calls[0]; len(call.Inner) != 1 || call.Inner[0].Tool != "bank.pay" || call.Inner[0].Outcome != "running" {
		t.Errorf("while the banker pays, the call lists %+v, want its one call, running", call.Inner)
	}
	close(paid)
	if got := innerOutcomes(before); got != "bank.pay pending" {
		t.Errorf("before the call waits, told are %q, want that the banker's waits", got)
	}
	if got := innerOutcomes(s.until("end")); !strings.HasSuffix(got, "bank.pay running, bank.pay ok") {
		t.Errorf("as the call goes on, told are %q, want that the banker's runs, and is ok", got)
	}
}

// innerOutcomes are those of the first inner call, each time that they are told.
func innerOutcomes(events []told) string {
	var all []string
	for _, e := range events {
		var in innerEvent
		if e.name == "inner" && json.Unmarshal([]byte(e.data), &in) == nil && len(in.Inner) == 1 {
			all = append(all, in.Inner[0].Tool+" "+in.Inner[0].Outcome)
		}
	}
	return strings.Join(all, ", ")
}

// A handoff is told as it happens, and each round says whose it is.
func TestAHandoffIsTold(t *testing.T) {
	v := serveHousehold(t, func() {})
	run := v.newRun()
	events := v.listen(run, "")
	v.say(run, "doctor")
	var handed string
	for _, e := range events.until("end") {
		if e.name == "handoff" {
			handed = e.data
		}
	}
	if handed != `{"turn":1,"round":1,"from":"butler","to":"doctor"}` {
		t.Errorf("handoff = %s, want it told", handed)
	}
	var view runView
	v.want(http.StatusOK, "GET", "/v1/runs/"+run, "").into(t, &view)
	rounds := view.Turns[0].Rounds
	if len(rounds) != 2 || rounds[0].Agent == nil || *rounds[0].Agent != "butler" || rounds[1].Agent == nil || *rounds[1].Agent != "doctor" {
		t.Errorf("rounds = %+v, want one of the butler and one of the doctor", rounds)
	}
}
