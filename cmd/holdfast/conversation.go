package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
)

// conversation is a person at a terminal, or at a pipe, talking to a model
// within one run.
type conversation struct {
	app        *app
	house      *house
	agent      *agent.Agent
	runID      string
	screen     *screen
	lines      *lines
	interrupts *interrupts
	person     *personWatcher // or
	events     *jsonWatcher   // of --json
	catalog    string         // as it was named
	quiet      bool           // one turn, or events: nobody is greeted or asked
	spoke      bool           // a message was taken
	prompts    bool           // somebody reads along: write prompts
}

// step is one way of going on with the run's turn.
type step func(context.Context) (agent.Result, error)

// says begins a turn with a person's message.
func (c *conversation) says(message string) step {
	c.spoke = true
	return func(ctx context.Context) (agent.Result, error) { return c.agent.Turn(ctx, c.runID, message) }
}

func (c *conversation) resumes(ctx context.Context) (agent.Result, error) {
	if c.person != nil {
		if err := c.recall(ctx); err != nil {
			return agent.Result{}, err
		}
	}
	return c.agent.Resume(ctx, c.runID)
}

func (c *conversation) cancels(ctx context.Context) (agent.Result, error) {
	return c.agent.Cancel(ctx, c.runID)
}

// recall tells the watcher of the calls that the open turn made before: another
// process may have shown them.
func (c *conversation) recall(ctx context.Context) error {
	turns, err := c.house.ledger.Turns(ctx, c.runID)
	if err != nil || len(turns) == 0 {
		return err
	}
	entries, err := c.house.ledger.Entries(ctx, ledger.Filter{Run: c.runID, Turn: turns[len(turns)-1].Number, InOrder: true, Limit: maxRecalled})
	for _, e := range entries {
		c.person.recall(e)
	}
	return err
}

// maxRecalled is more than the calls of one turn.
const maxRecalled = 16 * 64

// converse takes messages until there are no more. It tells how the last turn
// ended; end is how the one before did.
func (c *conversation) converse(end agent.End) (agent.End, error) {
	for {
		message, err := c.nextMessage()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, errInterrupted):
			if c.spoke {
				c.screen.note(dim, "The conversation goes on with: %s", c.hint(c.runID))
			}
			return end, nil
		case errors.Is(err, errLineTooLong):
			c.screen.note(red, "That line is longer than %d bytes; nothing was sent.", maxLineBytes)
			continue
		case err != nil:
			return end, err
		}
		if end, err = c.turn(c.says(message)); err != nil {
			return end, err
		}
		if end == agent.Pending {
			return end, nil
		}
	}
}

const prompt = "> "

// nextMessage is the person's next line that says anything.
func (c *conversation) nextMessage() (string, error) {
	for {
		text, err := c.ask(c.interrupts.ended, prompt)
		if err != nil || strings.TrimSpace(text) != "" {
			return text, err
		}
	}
}

// ask reads one line; the end of ctx is errInterrupted.
func (c *conversation) ask(ctx context.Context, question string) (string, error) {
	if c.prompts {
		if question == prompt {
			c.screen.note(plain, "")
		}
		c.screen.ask(question)
	}
	text, err := c.lines.next(ctx)
	if ctx.Err() != nil {
		err = errInterrupted
	}
	if c.prompts && err != nil {
		c.screen.note(plain, "")
	}
	return text, err
}

// turn runs one turn to its end: where it waits for a person, the person is
// asked, and the turn goes on with the answer.
func (c *conversation) turn(next step) (agent.End, error) {
	for {
		r, did, err := c.advance(next)
		if err != nil {
			return r.End, err
		}
		if r.End != agent.Pending {
			c.tellEnd(r)
			return r.End, nil
		}
		switch did {
		case decided:
			next = c.resumes
		case cancelled:
			next = c.cancels
		case left:
			c.tellParked(r)
			return r.End, nil
		}
	}
}

// advance takes a step of the turn and, if it waits for a person then, asks.
// Ctrl-C ends either.
func (c *conversation) advance(next step) (agent.Result, answer, error) {
	ctx, leave := c.interrupts.during(context.Background())
	defer leave()
	r, err := next(ctx)
	c.screen.end()
	if err != nil || r.End != agent.Pending || r.ApprovalID == "" || c.quiet {
		return r, left, err
	}
	did, err := c.askApproval(ctx, r.ApprovalID)
	return r, did, err
}

// tellEnd says how a turn ended where its text does not.
func (c *conversation) tellEnd(r agent.Result) {
	if c.events != nil || r.End == agent.Answer {
		return
	}
	look := yellow
	if r.End == agent.Failed {
		look = red
	}
	c.screen.note(look, "%s", visible.Line(endMessage(r)))
}

// tellParked says how a turn that waits is gone on with.
func (c *conversation) tellParked(r agent.Result) {
	if c.events != nil {
		return
	}
	c.screen.note(yellow, "%s", visible.Line(endMessage(r)))
	if r.ApprovalID != "" {
		c.screen.note(plain, "Decide: %s (or deny)", c.app.hint("approvals", "approve", r.ApprovalID))
	}
	c.screen.note(plain, "Go on:  %s", c.hint(r.Run))
}

// tellRefused says how a run is gone on with that takes no message, as its last
// turn has not ended.
func (c *conversation) tellRefused(err error) {
	open, refused := errors.AsType[*ledger.OpenTurnError](err)
	switch {
	case !refused:
	case c.events == nil:
		c.tellParked(agent.Result{
			Run: c.runID, ApprovalID: open.Approval, Message: "The message was not taken: the last turn of this conversation has not ended.",
		})
	case open.Approval != "":
		message := "The message was not taken: " + err.Error()
		c.events.write("end", endEvent{agent.Pending, c.runID, open.Turn.Number, &open.Approval, &message})
	}
}

// pickUp finds a conversation that was left open and asks whether to go on. Of
// one that was not it says how to.
func (c *conversation) pickUp(ctx context.Context, principal holdfast.Principal) (run string, err error) {
	last, turn, err := c.house.lastRun(ctx, principal)
	if err != nil || last == "" {
		return "", err
	}
	if turn.End != "" {
		c.screen.note(dim, "The last conversation goes on with: %s", c.hint(last))
		return "", nil
	}
	c.screen.note(yellow, "A conversation of %s was left open: “%s”", shownTime(turn.Started), visible.Line(shorten(turn.Message, 200)))
	for {
		text, err := c.ask(c.interrupts.ended, "Go on with it? [y/n] ")
		if err != nil {
			return "", err
		}
		if yes, _, ok := readDecision(text); ok {
			if yes {
				return last, nil
			}
			c.screen.note(dim, "Left open. Later: %s", c.hint(last))
			return "", nil
		}
	}
}

// hint is how a conversation is gone on with.
func (c *conversation) hint(run string) string { return c.app.hint("run", c.catalog, "--run", run) }

// lookBack is how many runs are looked through for a conversation; single calls
// are runs too.
const lookBack = 5000

// lastRun is the principal's newest conversation over the catalog, one whose
// last turn is open before all others, and that turn.
func (h *house) lastRun(ctx context.Context, principal holdfast.Principal) (run string, last ledger.Turn, err error) {
	runs, err := h.ledger.Runs(ctx, ledger.Filter{Limit: lookBack})
	if err != nil {
		return "", last, err
	}
	for _, r := range runs {
		if r.Catalog != h.label || r.Principal != principal || r.Model == "" || r.Model == recordedName {
			continue // another's, or no conversation
		}
		turns, err := h.ledger.Turns(ctx, r.ID)
		if err != nil {
			return "", last, about("run", r.ID, err)
		}
		n := len(turns)
		if n > 0 && turns[n-1].End == "" {
			return r.ID, turns[n-1], nil
		}
		if n > 0 && run == "" {
			run, last = r.ID, turns[n-1]
		}
	}
	return run, last, nil
}

// openTurn reports whether the run's last turn is open.
func (h *house) openTurn(ctx context.Context, run string) (bool, error) {
	turns, err := h.ledger.Turns(ctx, run)
	if err != nil {
		return false, about("run", run, err)
	}
	return len(turns) > 0 && turns[len(turns)-1].End == "", nil
}

func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return fmt.Sprintf("%s…", string(r[:most]))
}
