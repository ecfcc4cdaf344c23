// First is the smallest whole program: two tools, a ledger in a file, the gate,
// and one turn of a conversation with a scripted model.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
	"github.com/holdfast-go/holdfast/model"
	"github.com/holdfast-go/holdfast/model/scripted"
	"github.com/holdfast-go/holdfast/wire/openai"
)

func main() {
	if err := run(context.Background(), "first.db", os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run wires everything by hand, top to bottom, and plays one turn.
func run(ctx context.Context, file string, out io.Writer) (err error) {
	catalog, err := pantryTools(&pantry{})
	if err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, file, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	book, err := ledger.New(ctx, store, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	g, err := gate.New(catalog, book, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close(ctx)) }()

	client, err := scriptedModel() // or: model.New(anthropic.Messages{}, "claude-sonnet-4-5", nil)
	if err != nil {
		return err
	}
	a, err := agent.New(client, g, book, &agent.Options{Watch: func(e agent.Event) {
		if e.Kind == agent.OutcomeEvent {
			fmt.Fprintln(out, e.Verdict.Tool, e.Call.Arguments, e.Verdict.Outcome.Status, e.Verdict.Outcome.Code)
		}
	}})
	if err != nil {
		return err
	}
	conversation, err := book.CreateRun(ctx, ledger.Run{Catalog: "pantry", Principal: holdfast.Principal{ID: "ana"}})
	if err != nil {
		return err
	}
	result, err := a.Turn(ctx, conversation.ID, "Put 6 eggs in the fridge")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s%s\n", result.End, result.Answer, result.Message)
	return nil
}

// pantryTools are the two tools, and all that a model can do.
func pantryTools(p *pantry) (*holdfast.Catalog, error) {
	list, err := holdfast.Func("list_items", "List what is in one place. Nothing there is an empty list.",
		holdfast.Read, time.Second,
		func(_ context.Context, in struct {
			Place string `json:"place" desc:"Where to look" enum:"fridge|shelf"`
		},
		) ([]Item, error) {
			return p.list(in.Place), nil
		}, nil)
	if err != nil {
		return nil, err
	}
	put, err := holdfast.Func("put_item", "Put some of one thing in a place. It adds to what is there.",
		holdfast.Write, time.Second,
		func(_ context.Context, in Item) (string, error) {
			p.put(in)
			return "stored", nil
		}, nil)
	if err != nil {
		return nil, err
	}
	return holdfast.NewCatalog("pantry", list, put)
}

// scriptedModel plays a scenario within this process: no key, no network. Its
// first call is wrong on purpose.
func scriptedModel() (*model.Client, error) {
	scenario, err := scripted.Parse([]byte(script))
	if err != nil {
		return nil, err
	}
	provider := &http.Client{Transport: scripted.New(scenario, nil)}
	return model.New(openai.Chat{}, "scripted", &model.Options{BaseURL: "http://scripted", HTTPClient: provider})
}

const script = `
scenario: pantry
rules:
  - when: {message: 'Put (?P<count>\d+) (?P<name>\w+) in the (?P<place>fridge|shelf)'}
    calls: [{name: put_item, arguments: '{"place":"{{.Group.place}}","name":"{{.Group.name}}","count":"{{.Group.count}}"}'}]
  - when: {message: 'Put (?P<count>\d+) (?P<name>\w+) in the (?P<place>fridge|shelf)', after: put_item, code: invalid_arguments}
    calls: [{name: put_item, arguments: '{"place":"{{.Group.place}}","name":"{{.Group.name}}","count":{{.Group.count}}}'}]
  - when: {message: 'in the (?P<place>fridge|shelf)', after: put_item, outcome: ok}
    calls: [{name: list_items, arguments: {place: "{{.Group.place}}"}}]
  - when: {after: list_items, outcome: ok}
    say: "Now there: {{range .Result}}{{.count}} {{.name}}{{end}}."
`
