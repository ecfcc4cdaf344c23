// Command coach is the gym coach in a terminal, built from the library alone: it
// shows on one screen how the parts go together. `holdfast run coach` is the
// comfortable form of it.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/examples/coach"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
	"github.com/holdfast-go/holdfast/model"
	"github.com/holdfast-go/holdfast/model/scripted"
	"github.com/holdfast-go/holdfast/wire/anthropic"
)

func main() {
	if err := run(context.Background(), ".", os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "coach:", err)
		os.Exit(1)
	}
}

// run wires everything, from the files in dir up to the conversation.
func run(ctx context.Context, dir string, in io.Reader, out io.Writer) (err error) {
	tools, err := coach.Open(ctx, dir+"/coach.db", nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tools.Close()) }()

	store, err := sqlite.Open(ctx, dir+"/holdfast.db", nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	record, err := ledger.New(ctx, store, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, record.Close()) }()

	g, err := gate.New(tools.Catalog(), record, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close(context.WithoutCancel(ctx))) }()
	if _, err := g.Reconfirm(ctx); err != nil { // about writes that a process before this one left
		return err
	}

	play, err := scripted.Parse(coach.Scenario())
	if err != nil {
		return err
	}
	provider := &http.Client{Transport: scripted.New(play, nil)} // leave it out, and a key in, for a real model
	m, err := model.New(anthropic.Messages{}, "scripted", &model.Options{BaseURL: "http://scripted", HTTPClient: provider})
	if err != nil {
		return err
	}
	a, err := agent.New(m, g, record, &agent.Options{
		System: func() string { return tools.System(time.Now()) },
		Watch:  func(e agent.Event) { show(out, e) },
	})
	if err != nil {
		return err
	}
	return converse(ctx, a, record, in, out)
}

// converse takes the messages in, one a line, and asks where a call waits.
func converse(ctx context.Context, a *agent.Agent, record *ledger.Ledger, in io.Reader, out io.Writer) error {
	talk, err := record.CreateRun(ctx, ledger.Run{
		ID: "coach", Catalog: "coach", Model: "scripted", Principal: holdfast.Principal{ID: "local"},
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "The coach's model is scripted: it plays a script. Say hola.")
	lines := bufio.NewScanner(in)
	r, err := a.Resume(ctx, talk.ID) // what a process before this one left open
	if errors.Is(err, agent.ErrNoOpenTurn) {
		r, err = agent.Result{}, nil
	}
	for err == nil {
		for err == nil && r.End == agent.Pending && r.ApprovalID != "" {
			if err = ask(ctx, record, r.ApprovalID, lines, out); err == nil {
				r, err = a.Resume(ctx, talk.ID)
			}
		}
		if fmt.Fprint(out, "\n> "); err != nil || !lines.Scan() {
			break
		}
		if message := strings.TrimSpace(lines.Text()); message != "" {
			r, err = interruptible(ctx, a, talk.ID, message)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil // an approval still waits; the next start asks again
	}
	return errors.Join(err, lines.Err())
}

// interruptible is a turn that Ctrl-C cancels: every call of it still gets its
// outcome, and the conversation goes on.
func interruptible(ctx context.Context, a *agent.Agent, run, message string) (agent.Result, error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	return a.Turn(ctx, run, message)
}

// ask shows a person what would run, and decides as they say.
func ask(ctx context.Context, record *ledger.Ledger, id string, lines *bufio.Scanner, out io.Writer) error {
	p, err := record.Approval(ctx, id)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%s wants to run %q. %s Agree? [y/n] ", p.Tool, p.Arguments, p.Why)
	if !lines.Scan() {
		return io.EOF // nothing is decided
	}
	if strings.HasPrefix(strings.ToLower(lines.Text()), "y") {
		_, err = record.Approve(ctx, id, "local", "")
	} else {
		_, err = record.Deny(ctx, id, "local", "")
	}
	return err
}

// show prints text as it streams and each outcome on a line.
func show(out io.Writer, e agent.Event) {
	switch e.Kind {
	case agent.TextEvent:
		fmt.Fprint(out, e.Text)
	case agent.OutcomeEvent:
		o := e.Verdict.Outcome
		fmt.Fprintf(out, "\n  [%s: %s %s, at %s]\n", e.Verdict.Tool, o.Status, o.Code, e.Verdict.Stage)
	case agent.EndEvent:
		fmt.Fprintln(out, e.Result.Message)
	}
}
