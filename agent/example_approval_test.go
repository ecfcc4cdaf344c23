package agent_test

import (
	"context"
	"encoding/json"
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
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire/openai"
)

const paying = `
scenario: bank
rules:
  - when: {message: 'Pay ana (?P<euros>\d+)'}
    calls: [{name: pay, arguments: '{"to":"ana","euros":{{.Group.euros}}}'}]
  - when: {after: pay, outcome: ok}
    say: Done.
  - when: {after: pay, code: approval_denied}
    say: "I did not: {{.Result.message}}"
`

// A payment waits for a person, and the turn with it. Whoever decided, the turn
// goes on from the record.
func ExampleAgent_Resume() {
	ctx := context.Background()
	book, err := ledger.New(ctx, memory.New(nil), nil)
	must(err)
	a := payer(book)
	run, err := book.CreateRun(ctx, ledger.Run{Catalog: "bank", Principal: holdfast.Principal{ID: "ana"}})
	must(err)

	for _, message := range []string{"Pay ana 20", "Pay ana 500", "Pay ana 900"} {
		result, err := a.Turn(ctx, run.ID, message)
		must(err)
		for result.End == agent.Pending {
			p, err := book.Approval(ctx, result.ApprovalID)
			must(err)
			fmt.Println("asked:", p.Tool, string(p.Arguments), "because", p.Why, p.Finding.Why)
			if message == "Pay ana 500" {
				_, err = book.Approve(ctx, p.ID, "bea", "")
			} else {
				_, err = book.Deny(ctx, p.ID, "bea", "too much for one day")
			}
			must(err)
			result, err = a.Resume(ctx, run.ID)
			must(err)
		}
		fmt.Println(result.End, result.Answer)
	}
	// Output:
	// paid 20
	// answer Done.
	// asked: bank.pay {"to":"ana","euros":500} because this tool needs it when euros > 100 ana has 1000 left
	// paid 500
	// answer Done.
	// asked: bank.pay {"to":"ana","euros":900} because this tool needs it when euros > 100 ana has 500 left
	// answer I did not: pay did not run: a person said no: too much for one day.
}

// payTool asks a person above 100 euros, and shows them what would be left.
func payTool() (*holdfast.Tool, error) {
	left := 1020
	type payment struct {
		To    string `json:"to"`
		Euros int    `json:"euros" min:"1"`
	}
	return holdfast.Func("pay", "Pay somebody some euros.", holdfast.Write, time.Second,
		func(_ context.Context, in payment) (string, error) {
			left -= in.Euros
			fmt.Println("paid", in.Euros)
			return "paid", nil
		}, &holdfast.ToolOptions{
			Approval: &holdfast.ApprovalRule{
				Needs: func(args schema.Value) bool {
					var in payment
					return schema.Decode(args, &in) != nil || in.Euros > 100
				},
				Rule:    "euros > 100",
				Expires: time.Hour,
			},
			Precondition: func(context.Context, schema.Value) (holdfast.Finding, error) {
				shown, err := json.Marshal(map[string]int{"left": left})
				return holdfast.Finding{Why: fmt.Sprintf("ana has %d left", left), Shown: shown}, err
			},
		})
}

func payer(book *ledger.Ledger) *agent.Agent {
	pay, err := payTool()
	must(err)
	catalog, err := holdfast.NewCatalog("bank", pay)
	must(err)
	g, err := gate.New(catalog, book, nil)
	must(err)
	scenario, err := scripted.Parse([]byte(paying))
	must(err)
	provider := &http.Client{Transport: scripted.New(scenario, nil)}
	client, err := model.New(openai.Responses{}, "scripted", &model.Options{BaseURL: "http://scripted", HTTPClient: provider})
	must(err)
	a, err := agent.New(client, g, book, nil)
	must(err)
	return a
}
