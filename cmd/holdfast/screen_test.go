package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestScreenKeepsTextAndNotesApart(t *testing.T) {
	var out, notes bytes.Buffer
	s := &screen{out: &out, notes: &notes, live: true, width: func() int { return 12 }}
	s.say("Hola,\x1b[2J ")
	s.say("Ana")
	s.pass("search_foods is under way")
	s.note(green, "search_foods: ok")
	s.say("28 g")
	s.end()
	if got, want := out.String(), "Hola,<U+001B>[2J Ana\n28 g\n"; got != want {
		t.Errorf("out = %q, want %q", got, want)
	}
	if got, want := notes.String(), "search_foo…\r\x1b[Ksearch_foods: ok\n"; got != want {
		t.Errorf("notes = %q, want %q", got, want)
	}
}

func TestScreenThatIsNoTerminalGetsNoSequences(t *testing.T) {
	var out, notes bytes.Buffer
	a := &app{stdout: &out, stderr: &notes, env: func(string) (string, bool) { return "", false }}
	s := a.newScreen()
	s.pass("under way")
	s.note(red, "rejected")
	s.ask("Run it? ")
	if got, want := notes.String(), "rejected\nRun it? "; got != want {
		t.Errorf("notes = %q, want %q", got, want)
	}
}

func TestNoLineIsLostToAnInterruption(t *testing.T) {
	r, w := io.Pipe()
	l := newLines(r)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.next(cancelled); !errors.Is(err, context.Canceled) {
		t.Fatalf("next under a cancelled context = %v, want its error", err)
	}
	go func() {
		io.WriteString(w, "hola\r\nsin fin")
		w.Close()
	}()
	for _, want := range []string{"hola", "sin fin"} {
		if got, err := l.next(t.Context()); got != want || err != nil {
			t.Errorf("next = %q, %v, want %q", got, err, want)
		}
	}
	if _, err := l.next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("next after the last line = %v, want io.EOF", err)
	}
}

func TestALineIsBounded(t *testing.T) {
	l := newLines(strings.NewReader(strings.Repeat("a", maxLineBytes+1)))
	if _, err := l.next(t.Context()); !errors.Is(err, errLineTooLong) {
		t.Errorf("next = %v, want %v", err, errLineTooLong)
	}
}
