package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/holdfast-go/holdfast/internal/visible"
)

// style of a note; only a terminal shows it.
type style string

const (
	plain  style = ""
	dim    style = "\x1b[2m"
	bold   style = "\x1b[1m"
	green  style = "\x1b[32m"
	yellow style = "\x1b[33m"
	red    style = "\x1b[31m"
)

// screen is what a person sees of a conversation: the model's text on out, and
// notes on what happens on notes. One passing line may stand under the notes; it
// shows what is under way and is taken away again. Safe for concurrent use.
type screen struct {
	out, notes io.Writer
	coloured   bool
	live       bool       // notes can take a line back
	width      func() int // of the terminal

	mu      sync.Mutex
	text    visible.Stream
	midLine bool   // the text's last line is open
	passing string // the passing line that is shown
}

func (a *app) newScreen() *screen {
	s := &screen{out: a.stdout, notes: a.stderr, coloured: a.colours(a.stderr), width: func() int { return 80 }}
	if f, ok := a.stderr.(*os.File); ok && isTerminal(f) && a.understandsSequences(runtime.GOOS) {
		s.live = true
		s.width = func() int {
			w, _, err := term.GetSize(int(f.Fd()))
			if err != nil || w < 20 {
				return 80
			}
			return w
		}
	}
	return s
}

// say adds to the model's text.
func (s *screen) say(text string) {
	if text == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	shown := s.text.Text(text)
	fmt.Fprint(s.out, shown)
	s.midLine = !strings.HasSuffix(shown, "\n")
}

// note writes one line that stays. The text must be escaped already.
func (s *screen) note(look style, format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	s.endLine()
	fmt.Fprintln(s.notes, s.paint(look, fmt.Sprintf(format, args...)))
}

// pass shows what is under way, in place of what was shown before.
func (s *screen) pass(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.live || s.passing == text {
		return
	}
	s.clear()
	if text == "" {
		return
	}
	s.endLine()
	fmt.Fprint(s.notes, s.paint(dim, clip(text, s.width()-1)))
	s.passing = text
}

// ask writes a question and leaves the cursor behind it.
func (s *screen) ask(question string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	s.endLine()
	fmt.Fprint(s.notes, s.paint(bold, question))
}

// end closes an open line of text.
func (s *screen) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	s.endLine()
	s.text = visible.Stream{}
}

// clear takes the passing line away.
func (s *screen) clear() {
	if s.passing != "" {
		fmt.Fprint(s.notes, "\r\x1b[K")
		s.passing = ""
	}
}

func (s *screen) endLine() {
	if s.midLine {
		fmt.Fprintln(s.out)
		s.midLine = false
	}
}

func (s *screen) paint(look style, text string) string {
	if !s.coloured || look == plain {
		return text
	}
	return string(look) + text + "\x1b[0m"
}

// clip keeps a passing line on one row.
func clip(text string, columns int) string {
	if utf8.RuneCountInString(text) <= columns {
		return text
	}
	return string([]rune(text)[:columns-1]) + "…"
}
