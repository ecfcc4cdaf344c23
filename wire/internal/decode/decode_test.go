package decode_test

import (
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/internal/frames"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/decode"
)

// words is a format whose every frame is text, and "end" its end.
type words struct {
	decode.Draft
	text string
	done bool
}

func (w *words) Done() bool { return w.done }

func (w *words) Frame(f frames.Frame) {
	w.Seen = true
	switch word := string(f.Data); word {
	case "again":
		w.Restart()
		*w = words{Draft: w.Draft}
	case "end":
		w.done = true
	default:
		w.text += word
		w.Show(wire.TextDelta, 0, f.Data)
	}
}

func (w *words) Finish() *wire.Reply {
	w.Reply.Text = w.text
	return &w.Reply
}

func texts(events []wire.Event) string {
	var all strings.Builder
	for _, e := range events {
		if e.Kind == wire.Restart {
			all.WriteString("|")
		}
		all.WriteString(e.Text)
	}
	return all.String()
}

func TestCloseSaysTheSameTwiceAndNothingIsReadAfterIt(t *testing.T) {
	d := decode.New(&words{})
	shown := texts(d.Feed([]byte("data: a\n\ndata: b\n\n")))
	first := d.Close()
	if events := d.Feed([]byte("data: c\n\n")); len(events) > 0 {
		t.Errorf("Feed after Close showed %q", texts(events))
	}
	if second := d.Close(); second != first || second.Text != "ab" || shown != "ab" {
		t.Errorf("shown %q, reply %q, closed again %q, want ab", shown, first.Text, second.Text)
	}
}

func TestARestartVoidsWhatWasShownInTheSameFeed(t *testing.T) {
	d := decode.New(&words{})
	if got := texts(d.Feed([]byte("data: a\n\ndata: again\n\ndata: b\n\n"))); got != "|b" {
		t.Errorf("shown = %q, want |b", got)
	}
}

func TestWhatIsNoReplyIsAnError(t *testing.T) {
	for _, row := range []struct{ name, in, code string }{
		{"a page", "<html>bad gateway</html>\n", "unreadable_reply"},
		{"noise behind a reply's events", "data: a\n\nnoise\n", ""},
		{"a broken message", "\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "unreadable_reply"},
		{"more than a reply may be", "data: " + strings.Repeat("a", frames.MaxReply), "reply_too_large"},
		{"noise behind the end", "data: end\n\nnoise\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := decode.New(&words{})
			d.Feed([]byte(row.in))
			code := ""
			if err := d.Close().Err; err != nil {
				code = err.Code
			}
			if code != row.code {
				t.Errorf("error = %q, want %q", code, row.code)
			}
		})
	}
}
