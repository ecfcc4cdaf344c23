package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
)

// answer is what a person did about a question.
type answer int

const (
	decided   answer = iota
	cancelled        // the turn is to end
	left             // the question stays open
)

// askApproval shows a person what would run and takes a yes or no.
func (c *conversation) askApproval(ctx context.Context, id string) (answer, error) {
	p, err := c.house.ledger.Approval(context.WithoutCancel(ctx), id)
	if err != nil {
		return left, about("approval", id, err)
	}
	if p.State != ledger.Waiting {
		return decided, nil
	}
	c.showQuestion(p)
	if f, ok := c.app.stdin.(*os.File); ok && c.prompts {
		c.lines.forget(int(f.Fd()))
	}
	for {
		text, err := c.ask(ctx, "Run it? [y / n / n and why] ")
		switch {
		case errors.Is(err, io.EOF), c.interrupts.ended.Err() != nil:
			return left, nil
		case errors.Is(err, errInterrupted):
			return cancelled, nil
		case err != nil && !errors.Is(err, errLineTooLong):
			return left, err
		}
		approve, reason, ok := readDecision(text)
		if !ok {
			c.screen.note(plain, "Please answer y or n; after n you may say why, and the model will read it.")
			continue
		}
		return decided, c.decide(context.WithoutCancel(ctx), p, approve, reason)
	}
}

func (c *conversation) decide(ctx context.Context, p ledger.Approval, approve bool, reason string) error {
	decide := c.house.ledger.Deny
	if approve {
		decide = c.house.ledger.Approve
	}
	_, err := decide(ctx, p.ID, c.app.localUser(), reason)
	if other := (*ledger.DecidedError)(nil); errors.As(err, &other) {
		c.screen.note(yellow, "Somebody was faster: it is already %s.", other.Approval.State)
		return nil
	}
	return err
}

// showQuestion shows exactly what would run, whole and escaped.
func (c *conversation) showQuestion(p ledger.Approval) {
	s := c.screen
	s.note(yellow, "%s waits for you. It would run with exactly these arguments:", shownTool(p))
	s.note(bold, "    %s", visible.JSON(p.Arguments))
	if why := whyAsked(p); why != "" {
		s.note(plain, "  Why you are asked: %s", visible.Line(why))
	}
	if p.Finding.Shown != nil {
		s.note(plain, "  Found there now:   %s", visible.JSON(p.Finding.Shown))
	}
	if p.Unresolved != "" {
		s.note(red, "  Call %s of the same tool may or may not have happened.", visible.Line(p.Unresolved))
	}
	if len(p.Changed) > 0 {
		s.note(red, "  Changed since you were asked: %s", visible.Line(strings.Join(p.Changed, ", ")))
	}
	s.note(dim, "  Approval %s, until %s.", p.ID, shownTime(p.Expires))
}

// readDecision reads y, or n and perhaps a reason, in English or Spanish.
func readDecision(text string) (approve bool, reason string, ok bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch strings.ToLower(strings.TrimRight(word, ",:;.")) {
	case "y", "yes", "s", "si", "sí":
		return true, strings.TrimSpace(rest), true
	case "n", "no":
		return false, strings.TrimSpace(rest), true
	}
	return false, "", false
}
