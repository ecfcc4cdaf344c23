package agent_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
	"github.com/holdfast-go/holdfast/model"
	"github.com/holdfast-go/holdfast/model/scripted"
	"github.com/holdfast-go/holdfast/wire/anthropic"
)

const household = `
scenario: household
rules:
  - when: {system: butler, message: 'Pay ana (?P<euros>\d+)'}
    calls: [{name: ask_banker, arguments: {task: "Pay ana {{.Group.euros}}"}}]
  - when: {system: butler, after: ask_banker, outcome: ok}
    say: "The banker says: {{.Result.result}}"
  - when: {system: butler, message: 'doctor'}
    calls: [{name: call_doctor, arguments: {}}]
  - when: {system: banker, message: 'Pay ana (?P<euros>\d+)'}
    calls: [{name: pay, arguments: '{"to":"ana","euros":{{.Group.euros}}}'}]
  - when: {system: banker, after: pay, outcome: ok}
    say: Paid.
  - when: {system: doctor, after: call_doctor}
    say: The doctor. What is it?
  - when: {system: doctor, message: 'well'}
    calls: [{name: leave, arguments: {}}]
  - when: {system: butler, after: leave}
    say: The butler again.
`

// hire makes an agent over some tools.
func hire(book *ledger.Ledger, o agent.Options, prompt string, tools ...*holdfast.Tool) *agent.Agent {
	catalog, err := holdfast.NewCatalog(o.Name, tools...)
	must(err)
	g, err := gate.New(catalog, book, nil)
	must(err)
	scenario, err := scripted.Parse([]byte(household))
	must(err)
	provider := &http.Client{Transport: scripted.New(scenario, nil)}
	client, err := model.New(anthropic.Messages{}, "scripted", &model.Options{BaseURL: "http://scripted", HTTPClient: provider})
	must(err)
	o.System = func() string { return prompt }
	a, err := agent.New(client, g, book, &o)
	must(err)
	return a
}

// An agent as a tool: the banker's call needs a person, and the turn of the butler
// waits for it.
func ExampleTool() {
	ctx := context.Background()
	book, err := ledger.New(ctx, memory.New(nil), nil)
	must(err)

	pay, err := payTool()
	must(err)
	banker := hire(book, agent.Options{Name: "bank", MaxRounds: 4}, "You are a banker.", pay)
	ask, err := agent.Tool("ask_banker", "Have the banker do something with money.", banker, time.Minute, nil)
	must(err)
	butler := hire(book, agent.Options{Name: "house"}, "You are a butler.", ask)

	run, err := book.CreateRun(ctx, ledger.Run{Principal: holdfast.Principal{ID: "ana"}})
	must(err)
	result, err := butler.Turn(ctx, run.ID, "Pay ana 500")
	must(err)
	p, err := book.Approval(ctx, result.ApprovalID)
	must(err)
	fmt.Println(result.End, "for", p.Tool, "within", p.WithinTool)

	_, err = book.Approve(ctx, p.ID, "bea", "")
	must(err)
	result, err = butler.Resume(ctx, run.ID) // in this process or another
	must(err)
	fmt.Println(result.End, result.Answer)
	// Output:
	// pending for bank.pay within house.ask_banker
	// paid 500
	// answer The banker says: Paid.
}

// A handoff: from the doctor's round on, the conversation is the doctor's, until it
// is given back.
func ExampleHandoff() {
	ctx := context.Background()
	book, err := ledger.New(ctx, memory.New(nil), nil)
	must(err)

	leave, err := agent.Handoff("leave", "Give the conversation back to the butler.", "butler", nil)
	must(err)
	doctor := hire(book, agent.Options{Name: "doctor"}, "You are a doctor.", leave)
	call, err := agent.Handoff("call_doctor", "Give the conversation to the doctor.", "doctor", nil)
	must(err)
	butler := hire(book, agent.Options{Name: "butler", Team: []*agent.Agent{doctor}}, "You are a butler.", call)

	run, err := book.CreateRun(ctx, ledger.Run{Principal: holdfast.Principal{ID: "ana"}})
	must(err)
	for _, message := range []string{"I need a doctor", "I am well again"} {
		result, err := butler.Turn(ctx, run.ID, message)
		must(err)
		fmt.Println(result.Agent+":", result.Answer)
	}
	// Output:
	// doctor: The doctor. What is it?
	// butler: The butler again.
}
