package agent

import (
	"context"
	"errors"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/wire"
)

// ArgumentWatch knows what the arguments of tools may be. It is safe for
// concurrent use. A *grammar.Guard is one.
type ArgumentWatch interface {
	// Watch begins with the arguments of a call of the tool, by its qualified name.
	// What it returns takes the argument text piece by piece and tells how many of
	// the piece's bytes valid arguments can begin with, counted with the pieces
	// before: all of them, or less, and then nothing more is asked. nil: the
	// arguments of this tool are not watched.
	Watch(tool string) func(piece string) int
}

// errStopped ends a request whose reply is not wanted any more.
var errStopped = errors.New("the arguments of a call could not become valid")

// listen asks the model, and stops its reply where the watch says so.
func (t *turn) listen(ctx context.Context, r *wire.Request, round int) (*wire.Reply, error) {
	a := t.agent
	if a.options.Arguments == nil || a.options.Whole {
		return a.model.Reply(ctx, r, func(e wire.Event) { t.preview(round, e) })
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l := listener{agent: a}
	reply, err := a.model.Reply(ctx, r, func(e wire.Event) {
		if l.stopped {
			return
		}
		t.preview(round, e)
		if l.hear(e); l.stopped {
			cancel(errStopped)
		}
	})
	if !l.stopped {
		return reply, err
	}
	return l.reply(reply), nil
}

// listener keeps what streams of one reply.
type listener struct {
	agent   *Agent
	text    string
	calls   []heard
	stopped bool
	at      int // the call that was stopped
}

type heard struct {
	name, arguments string
	watch           func(string) int
}

func (l *listener) hear(e wire.Event) {
	switch e.Kind {
	case wire.Restart:
		*l = listener{agent: l.agent}
	case wire.TextDelta:
		l.text += e.Text
	case wire.CallStart:
		for len(l.calls) <= e.Call {
			l.calls = append(l.calls, heard{})
		}
		l.calls[e.Call] = heard{name: e.Name, watch: l.agent.watch(e.Name)}
	case wire.ArgumentsDelta:
		if e.Call >= len(l.calls) {
			return
		}
		c := &l.calls[e.Call]
		if c.watch != nil {
			if n := c.watch(e.Text); n < len(e.Text) {
				e.Text = e.Text[:n+1]
				l.stopped, l.at = true, e.Call
			}
		}
		c.arguments += e.Text
	}
}

// watch begins with a call of the name that the provider was sent. Arguments that
// the gate may change before it judges them are not watched.
func (a *Agent) watch(sent string) func(string) int {
	name, ok := a.tools.Names[sent]
	if !ok {
		name = sent
	}
	tool, ok := a.gate.Catalog().Lookup(name)
	if !ok || tool.Options().Coerce {
		return nil
	}
	return a.options.Arguments.Watch(a.gate.Catalog().Qualify(tool))
}

// reply is what came until it was stopped. came is what the model made of that, or
// nil: ids stand there alone, but what it holds behind the last byte does not count.
func (l *listener) reply(came *wire.Reply) *wire.Reply {
	r := &wire.Reply{API: l.agent.model.Codec().API()}
	if came != nil {
		r.API, r.ID, r.Model, r.Usage = came.API, came.ID, came.Model, came.Usage
	}
	r.Stop, r.Ending, r.Text = string(wire.Stopped), wire.Stopped, l.text
	for i, c := range l.calls {
		call := holdfast.Call{Kind: holdfast.FunctionCall}
		if came != nil && i < len(came.Calls) {
			call = came.Calls[i]
		}
		call.Name, call.Arguments, call.Complete, call.Problem = c.name, c.arguments, false, ""
		if i == l.at {
			call.Problem = holdfast.InvalidArguments
		}
		r.Calls = append(r.Calls, call)
	}
	return r
}
