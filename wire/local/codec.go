package local

import (
	"encoding/json"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/wire"
)

// Codec is another codec whose replies hold calls in their text: for a server
// that renders a model's template but does not parse what the model writes.
type Codec struct {
	Inner  wire.Codec
	Format *Format
}

// API implements [wire.Codec]: it is the inner codec's.
func (c Codec) API() string { return c.Inner.API() }

// Tools implements [wire.Codec].
func (c Codec) Tools(catalog *holdfast.Catalog, o *wire.ToolOptions) (wire.ToolSet, error) {
	return c.Inner.Tools(catalog, o)
}

// History implements [wire.Codec]. Calls that stood in text are written as the
// inner codec writes calls; the server's template makes text of them.
func (c Codec) History(items []wire.Item, names wire.Names) ([]json.RawMessage, error) {
	return c.Inner.History(items, names)
}

// Request implements [wire.Codec].
func (c Codec) Request(r *wire.Request) (wire.Encoded, error) { return c.Inner.Request(r) }

// NewDecoder implements [wire.Codec].
func (c Codec) NewDecoder() wire.Decoder {
	return &decoder{inner: c.Inner.NewDecoder(), format: c.Format, parser: c.Format.NewParser()}
}

type decoder struct {
	inner   wire.Decoder
	format  *Format
	parser  *Parser
	served  bool // the server found calls itself
	flushed bool
	calls   []wire.Event
	events  []wire.Event
}

// Feed implements [wire.Decoder]. Calls found in the text are told once the reply
// has ended without any that the server found itself.
func (d *decoder) Feed(p []byte) []wire.Event {
	d.events = d.events[:0]
	for _, e := range d.inner.Feed(p) {
		switch e.Kind {
		case wire.TextDelta:
			d.found(d.parser.Feed(e.Text))
			continue
		case wire.CallStart:
			d.served = true
		case wire.Restart:
			d.parser, d.calls, d.served = d.format.NewParser(), nil, false
		}
		d.events = append(d.events, e)
	}
	if d.inner.Done() && !d.flushed {
		d.flushed = true
		d.found(d.parser.flush())
		if !d.served {
			d.events = append(d.events, d.calls...)
		}
	}
	return d.events
}

// found shows what the parser told, and keeps its calls.
func (d *decoder) found(events []wire.Event) {
	for _, e := range events {
		switch e.Kind {
		case wire.TextDelta, wire.ReasoningDelta:
			d.events = append(d.events, e)
		default:
			d.calls = append(d.calls, e)
		}
	}
}

// Done implements [wire.Decoder].
func (d *decoder) Done() bool { return d.inner.Done() }

// Whole implements [wire.Decoder].
func (d *decoder) Whole() bool { return d.inner.Whole() }

// Close implements [wire.Decoder].
func (d *decoder) Close() *wire.Reply {
	r := d.inner.Close()
	p := d.format.NewParser()
	p.Feed(r.Text)
	found := p.Close(r.Ending)
	r.Text = found.Text
	r.Reasoning += found.Reasoning
	if len(r.Calls) == 0 && len(found.Calls) > 0 {
		r.Calls = found.Calls
		r.Message = nil // it holds the calls as text, to which no result belongs
	}
	return r
}
