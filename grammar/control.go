package grammar

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
)

// control is a control token that the call format counts as its text.
type control struct {
	id   tokenizer.ID
	text string
}

// controlsOf finds the format's control tokens in a vocabulary. One that it does
// not have is written as other text is.
func (m *machine) controlsOf(v *tokenizer.Vocabulary) []control {
	var list []control
	for _, text := range m.controls {
		if id, ok := v.Control(text); ok {
			list = append(list, control{id, text})
		}
	}
	return list
}

// takes reports whether a control token may come at p: its text is of the script
// from its first byte to its last, never of a value.
func (m *machine) takes(p *position, space byte, text string) bool {
	for i := range len(text) {
		if !slices.ContainsFunc(p.ways, func(w way) bool { return w.at == inScript }) {
			return false
		}
		if p, space = m.next(p, space, text[i]); p == dead {
			return false
		}
	}
	return true
}

// asText reports whether a token is a control token that may come as its text.
func (m *Matcher) asText(id tokenizer.ID) bool {
	for _, c := range m.controls {
		if c.id == id {
			return m.g.takes(m.settled(), m.space, c.text)
		}
	}
	return false
}

// Encode gives the tokens of a text that comes next: those of the vocabulary's
// encoder, and the control tokens of the call format where it has them. Nothing is
// accepted by it.
func (m *Matcher) Encode(text string) []tokenizer.ID {
	if m.v == nil {
		return nil
	}
	if len(m.controls) == 0 || m.ended {
		return m.v.Encode(text)
	}
	before := m.place
	var ids []tokenizer.ID
	plain := 0 // where the text begins that is not encoded yet
	for i, ok := 0, true; ok && i < len(text); {
		end := i + 1
		for _, c := range m.controls {
			if strings.HasPrefix(text[i:], c.text) && m.asText(c.id) {
				ids = append(append(ids, m.v.Encode(text[plain:i])...), c.id)
				end = i + len(c.text)
				plain = end
				break
			}
		}
		for ; ok && i < end; i++ {
			ok = m.feed(text[i])
		}
	}
	m.restore(before)
	return append(ids, m.v.Encode(text[plain:])...)
}

// spells reports whether tokens are just that text.
func (m *Matcher) spells(ids []tokenizer.ID, text string) bool {
	for _, id := range ids {
		var ok bool
		if text, ok = strings.CutPrefix(text, m.v.Token(id).Bytes); !ok {
			return false
		}
	}
	return text == ""
}
