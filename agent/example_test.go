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
	"github.com/holdfast-go/holdfast/wire/openai"
)

const greeting = `
scenario: weather
rules:
  - when: {message: '(?i)weather in (?P<city>\w+)'}
    calls: [{name: weather, arguments: {city: "{{.Group.city}}"}}]
  - when: {after: weather, outcome: ok}
    say: "It is {{.Result}}."
`

// A whole conversation, from a Go function to the model's answer, with a
// scripted provider in the model's place.
func Example() {
	ctx := context.Background()
	weather, err := holdfast.Func("weather", "Tells today's weather in a city.", holdfast.Read, time.Second,
		func(_ context.Context, in struct {
			City string `json:"city"`
		},
		) (string, error) {
			return "sunny in " + in.City, nil
		}, nil)
	must(err)
	catalog, err := holdfast.NewCatalog("", weather)
	must(err)
	book, err := ledger.New(ctx, memory.New(nil), nil)
	must(err)
	defer func() { must(book.Close()) }()
	g, err := gate.New(catalog, book, nil)
	must(err)

	scenario, err := scripted.Parse([]byte(greeting))
	must(err)
	provider := &http.Client{Transport: scripted.New(scenario, nil)}
	client, err := model.New(openai.Responses{}, "scripted", &model.Options{BaseURL: "http://scripted", HTTPClient: provider})
	must(err)

	a, err := agent.New(client, g, book, nil)
	must(err)
	run, err := book.CreateRun(ctx, gate.Run{Principal: holdfast.Principal{ID: "ana"}})
	must(err)
	result, err := a.Turn(ctx, run.ID, "What is the weather in Cadiz?")
	must(err)
	fmt.Println(result.End, result.Rounds, result.Answer)
	// Output: answer 2 It is sunny in Cadiz.
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
