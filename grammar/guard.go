package grammar

import "github.com/holdfast-go/holdfast/schema"

// Guard watches the arguments of calls while they stream: it is what
// agent.Options.Arguments takes. It goes by bytes, and is as lenient with white
// space between tokens of JSON as package schema is.
type Guard struct {
	grammars map[string]*Grammar
	refused  map[string]error
}

// NewGuard makes a guard of the tools' schemas, by their qualified names. A schema
// that no grammar can hold is left out: its tool's arguments are judged when they
// are whole. See Refused.
func NewGuard(tools map[string]*schema.Schema) *Guard {
	g := &Guard{grammars: map[string]*Grammar{}, refused: map[string]error{}}
	for name, s := range tools {
		if made, err := Compile(s, nil); err != nil {
			g.refused[name] = err
		} else {
			g.grammars[name] = made
		}
	}
	return g
}

// Refused gives the reason for each tool that is not watched. The caller must not
// change it.
func (g *Guard) Refused() map[string]error { return g.refused }

// Watch begins with the arguments of a call. What it returns takes the text piece
// by piece, and tells how many of a piece's bytes some valid text goes on with. It
// is nil for a tool that is not watched.
func (g *Guard) Watch(tool string) func(piece string) int {
	made, ok := g.grammars[tool]
	if !ok {
		return nil
	}
	w := watch{m: made.Matcher(nil)}
	return func(piece string) int {
		for i := range len(piece) {
			if !w.take(piece[i]) {
				return i
			}
		}
		return len(piece)
	}
}

// watch drops the white space that means nothing, which a grammar bounds and the
// gate does not.
type watch struct {
	m       *Matcher
	inText  bool
	escaped bool
	spaced  bool // white space came behind last
	last    byte
}

func (w *watch) take(b byte) bool {
	if w.inText {
		w.inText = w.escaped || b != '"'
		w.escaped = !w.escaped && b == '\\'
		w.last = b
		return w.feed(b)
	}
	if isSpace(b) {
		w.spaced = true
		return true
	}
	if w.spaced && inScalar(w.last) && inScalar(b) {
		return false // two values, or a word in two parts
	}
	w.inText = b == '"'
	w.spaced, w.last = false, b
	return w.feed(b)
}

// inScalar reports whether a byte can be part of a number or a literal.
func inScalar(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b == '-' || b == '+' || b == '.' || b == 'E'
}

func (w *watch) feed(b byte) bool {
	_, ok := w.m.AcceptBytes([]byte{b})
	return ok
}
