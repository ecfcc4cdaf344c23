package openai

import (
	"strings"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// preview collects the events of one Feed. Their texts are cut from blocks, so
// that a stream of small fragments does not allocate for each.
type preview struct {
	events []wire.Event
	block  *strings.Builder
}

const textBlock = 2 << 10

func (p *preview) reset() { p.events = p.events[:0] }

// text adds an event with text, unless there is none.
func (p *preview) text(kind wire.EventKind, call int, text []byte) {
	if len(text) == 0 {
		return
	}
	p.events = append(p.events, wire.Event{Kind: kind, Call: call, Text: p.keep(text)})
}

func (p *preview) keep(text []byte) string {
	if len(text) > textBlock/4 || !utf8.Valid(text) {
		return rawjson.Text(text)
	}
	if p.block == nil || p.block.Len()+len(text) > p.block.Cap() {
		p.block = new(strings.Builder)
		p.block.Grow(textBlock)
	}
	from := p.block.Len()
	p.block.Write(text)
	return p.block.String()[from:]
}

func (p *preview) add(e wire.Event) { p.events = append(p.events, e) }
