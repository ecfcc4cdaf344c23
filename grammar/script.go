package grammar

// script is a text around values: fixed parts, values of schemas, and free text up
// to a trigger, in sequences with choices. Node 0 is the first.
type script []scriptNode

// scriptNode is one part of a script. A node without any of text, goal and free
// only leads on.
type scriptNode struct {
	text string // must come; of a free node the trigger that ends it
	free bool   // any text without the trigger may come first
	goal *goal  // a value
	next []int  // what may follow
	ends bool   // the text may end before this node, or within a free one
}

// newScript makes a grammar of a script. Its goals are roots of the builder, which
// was built.
func newScript(b *builder, s script, o *Options) *Grammar {
	if o == nil {
		o = &Options{}
	}
	m := newMachine(b, nil, o)
	m.script = s
	m.start = m.position(m.enter(nil, 0))
	return &Grammar{m}
}

// enter begins a node.
func (m *machine) enter(out []way, i int) []way {
	n := &m.script[i]
	if n.ends && !n.free {
		out = append(out, way{at: atEnd})
	}
	switch {
	case n.goal != nil:
		return append(out, way{at: atStart, in: m.frame(frameKey{node: i + 1}), goal: n.goal, of: m.id(n.goal)})
	case n.text != "" || n.free:
		return append(out, way{at: inScript, state: int32(i)})
	}
	return m.follow(out, i)
}

// follow is what comes behind a node; a node that nothing follows is the last.
func (m *machine) follow(out []way, i int) []way {
	next := m.script[i].next
	if len(next) == 0 {
		return append(out, way{at: atEnd})
	}
	for _, k := range next {
		out = m.enter(out, k)
	}
	return out
}

// inScript reads a byte of a fixed or a free text.
func (m *machine) inScript(out []way, w *way, b byte) []way {
	n := &m.script[w.state]
	next := *w
	if !n.free {
		if n.text[w.word] != b {
			return out
		}
		if next.word++; int(next.word) == len(n.text) {
			return m.follow(out, int(w.state))
		}
		return append(out, next)
	}
	if w.char == 0 && b < 0x80 {
		next.char = 0
	} else {
		s := w.char.Step(b)
		if !s.OK {
			return out
		}
		next.char = s.Next
	}
	if next.word = triggered(n.text, w.word, b); n.text != "" && int(next.word) == len(n.text) {
		return m.follow(out, int(w.state))
	}
	return append(out, next)
}

// triggered is how much of the trigger the text ends in, one byte later.
func triggered(trigger string, had int32, b byte) int32 {
	text := trigger[:had] + string([]byte{b})
	for n := min(len(text), len(trigger)); n > 0; n-- {
		if text[len(text)-n:] == trigger[:n] {
			return int32(n)
		}
	}
	return 0
}
