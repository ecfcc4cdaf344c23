package grammar

import (
	"strings"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// walker decides a vocabulary with the machine. Where a string is open in which
// anything may stand, it takes the tokens that stay inside as one, and of those
// that end it looks at what is behind the quote.
type walker struct {
	m      *machine
	v      *tokenizer.Vocabulary
	found  []uint64
	base   []uint64 // a shared mask of tokens that are allowed too
	most   int      // how many tokens base has
	bodies bool     // the trie is the whole vocabulary's
	// By depth in the trie that is walked.
	at     [256]*position
	spaces [256]byte
	text   [256]textState
	// Room that is used again.
	more []uint32
	runs [][2]int32
	but  []uint64
}

func (w *walker) start(m *machine, v *tokenizer.Vocabulary) {
	w.m, w.v, w.base, w.most, w.bodies = m, v, nil, 0, false
	if w.found == nil {
		w.found = make([]uint64, v.Words())
		return
	}
	clear(w.found)
}

func (w *walker) set(t uint32) { w.found[t>>6] |= 1 << (t & 63) }

func (w *walker) setAll(ids []tokenizer.ID) {
	for _, id := range ids {
		w.found[id>>6] |= 1 << (id & 63)
	}
}

// worthwhile is how many nodes a body must have to be kept.
const worthwhile = 48

// fewBelow is how many nodes of a string's text are walked like any others.
const fewBelow = 4

func (w *walker) walk(t *tokenizer.Trie, p *position, n byte) {
	w.at[0], w.spaces[0] = p, n
	w.walkNodes(t.Nodes())
	w.setTwins(t)
}

// walkNodes decides nodes below one whose position is known.
func (w *walker) walkNodes(nodes []tokenizer.Node) {
	for i := 0; i < len(nodes); {
		node := nodes[i]
		d := node.Depth() & 255
		from := w.at[d-1]
		b := node.Byte()
		if !from.first.has(b) && !isSpace(b) {
			i += node.Size()
			continue
		}
		if node.Size() == 1 {
			if w.alive(from, w.spaces[d-1], b) {
				w.set(node.Token())
			}
			i++
			continue
		}
		to, space := w.step(from, w.spaces[d-1], b)
		if to == dead {
			i += node.Size()
			continue
		}
		w.set(node.Token())
		if b == '"' && node.Size() >= fewBelow {
			if list := w.readings(to); list != nil {
				w.textsBelow(list, i, nodes[i+1:i+node.Size()], d)
				i += node.Size()
				continue
			}
			if w.bodies && node.Size() >= worthwhile && w.names(func() *tokenizer.Body { return w.v.BodyAt(i) }, to) {
				i += node.Size()
				continue
			}
		}
		w.at[d], w.spaces[d] = to, space
		i++
	}
}

func (w *walker) setTwins(t *tokenizer.Trie) {
	for _, t := range t.Twins() {
		if w.found[t[0]>>6]>>(t[0]&63)&1 != 0 {
			w.set(uint32(t[1]))
		}
	}
}

func (w *walker) step(p *position, n, b byte) (*position, byte) {
	if p.class == classInside || (!isSpace(b) && n != spaceReturn) {
		if to := p.known(b); to != nil {
			return to, 0
		}
	}
	return w.m.next(p, n, b)
}

func (w *walker) alive(p *position, n, b byte) bool {
	switch {
	case isSpace(b) && p.class == classSpace:
		return space(n, b) != spaceFull
	case isSpace(b) && p.class == classNumber:
		return w.m.alive(p, b)
	case n == spaceReturn:
		return false
	}
	return w.m.alive(p, b)
}

// names takes the tokens of a body at once, as they go on an open name. It does
// nothing, and says so, where p is not in one that may be of any characters.
func (w *walker) names(b func() *tokenizer.Body, p *position) bool {
	if !w.freeName(p) {
		return false
	}
	body := b()
	if body.Tokens == nil {
		w.allow(body.All)
	} else {
		w.inside(body, -1)
	}
	w.cross(body, p)
	return true
}

// inside sets the tokens of a node's body that stay in the string.
func (w *walker) inside(b *tokenizer.Body, hi int) {
	if hi < 0 && len(b.Tokens) > w.most {
		w.base, w.most = b.All, len(b.Tokens)
	}
	for _, t := range b.Tokens {
		if hi >= 0 && t.Chars > hi {
			break
		}
		w.found[t.ID>>6] |= 1 << (t.ID & 63)
	}
}

// freeName reports whether p is within a name in which every character may stand;
// where it may end, [walker.cross] says.
func (w *walker) freeName(p *position) bool {
	w.m.mu.Lock() // automata of texts grow as they are asked
	defer w.m.mu.Unlock()
	for i := range p.ways {
		x := &p.ways[i]
		switch {
		case x.char != 0 || x.at != inKey || x.state < 0:
			return false
		case x.in.object.others == textlang.Any:
		case len(p.ways) == 1 && x.in.object.others.Open(x.state):
		default:
			return false
		}
	}
	return true
}

// cross takes the tokens that end a name. What is behind one depends on it only if
// the schema mentions it.
func (w *walker) cross(b *tokenizer.Body, p *position) {
	if p.ways[0].in.object.others != textlang.Any {
		w.crossNames(b, p)
		return
	}
	now, off := w.m.step(p, '"'), w.offTrie(p)
	bare, other := w.suffixes(now), w.suffixes(off)
	for s := range bare.each() {
		w.setAll(b.Bare(s))
	}
	for s := range other.each() {
		w.setAll(b.Other(s))
	}
	if off == now && !mentions(p) {
		return
	}
	groups := b.Groups()
	for i := range groups {
		if g := &groups[i]; onTrie(p, g.First) {
			w.crossGroup(g, p)
		}
	}
}

func mentions(p *position) bool {
	for i := range p.ways {
		if p.ways[i].word >= 0 {
			return true
		}
	}
	return false
}

// onTrie reports whether a character leads to names that the schema mentions.
func onTrie(p *position, r rune) bool {
	for i := range p.ways {
		if w := &p.ways[i]; w.word >= 0 && w.in.object.trie.Step(w.word, r) >= 0 {
			return true
		}
	}
	return false
}

// crossGroup decides tokens whose prefix goes on with a name that the schema
// mentions.
func (w *walker) crossGroup(g *tokenizer.Group, p *position) {
	at := p
	for i := range len(g.Prefix) {
		if at = w.m.step(at, g.Prefix[i]); at == dead {
			break
		}
	}
	valid := w.suffixes(w.m.step(at, '"'))
	for _, c := range g.Items {
		if valid.has(c.Suffix) {
			w.set(uint32(c.ID))
		} else {
			w.found[c.ID>>6] &^= 1 << (c.ID & 63)
		}
	}
}

// crossNames takes the tokens that end a name in which every character may stand,
// where what is behind it depends on its text.
func (w *walker) crossNames(b *tokenizer.Body, p *position) {
	for s := range w.suffixes(w.m.step(p, '"')).each() {
		w.setAll(b.Bare(s))
	}
	ends := map[[2]int32]*validity{} // by where the name ends
	groups := b.Groups()
	for i := range groups {
		g := &groups[i]
		if strings.Contains(g.Prefix, `\`) {
			w.crossGroup(g, p)
			continue
		}
		to := w.goOn(&p.ways[0], g.Prefix)
		end := [2]int32{to.word, to.state}
		valid, ok := ends[end]
		if !ok {
			valid = w.suffixes(w.nameEnd(to))
			ends[end] = valid
		}
		for _, c := range g.Items {
			if valid.has(c.Suffix) {
				w.set(uint32(c.ID))
			}
		}
	}
}

// goOn is an open name with some more text.
func (w *walker) goOn(key *way, more string) way {
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	to := *key
	for _, r := range more {
		if to.word >= 0 {
			to.word = key.in.object.trie.Step(to.word, r)
		}
		to.state = key.in.object.others.Step(to.state, r)
	}
	return to
}

// nameEnd is where an open name ends.
func (w *walker) nameEnd(key way) *position {
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	return w.m.work(w.m.position([]way{key}), '"')
}

// offTrie is where a name ends that the schema does not mention.
func (w *walker) offTrie(p *position) *position {
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	var out []way
	for _, x := range p.ways {
		x.word = textlang.Dead
		out = append(out, x)
	}
	return w.m.work(w.m.position(out), '"')
}

// validity is the suffixes of a vocabulary that go on from a position.
type validity struct {
	v    *tokenizer.Vocabulary
	bits []uint64
}

func (s *validity) has(i int) bool { return s.bits[i>>6]>>(i&63)&1 != 0 }

// each gives the numbers of the suffixes.
func (s *validity) each() func(func(int) bool) {
	return func(yield func(int) bool) {
		for i, word := range s.bits {
			for ; word != 0; word &= word - 1 {
				if !yield(i<<6 + trailing(word)) {
					return
				}
			}
		}
	}
}

// suffixes finds or works out what goes on from a position.
func (w *walker) suffixes(p *position) *validity {
	if s := p.valid.Load(); s != nil && s.v == w.v {
		return s
	}
	t := w.v.Suffixes()
	inner := walker{m: w.m, v: w.v, found: make([]uint64, t.Count()/64+1)}
	s := &validity{w.v, inner.found}
	if p == dead {
		return s
	}
	inner.walk(t, p, 0)
	clearFrom(inner.found, t.Count())
	inner.set(0)
	p.valid.Store(s)
	return s
}
