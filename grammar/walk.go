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
	at     [256]*position
	spaces [256]byte
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
		if w.bodies && b == '"' && node.Size() >= worthwhile && w.bodyOf(to, i) != nil {
			i += node.Size()
			continue
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

// bodyOf takes the tokens of a body at once: of the node that opened the string
// that p is in, or (negative) of the whole vocabulary. It gives nil, and does
// nothing, where p is not such a string.
func (w *walker) bodyOf(p *position, node int) *tokenizer.Body {
	if !w.freeText(p) {
		return nil
	}
	lo, hi := 0, -1
	if one := &p.ways[0]; one.at == inText {
		lo, hi = int(one.lo), int(one.hi)
	}
	var b *tokenizer.Body
	if node < 0 {
		b = w.v.Body()
		if hi < 0 {
			w.base = b.All
		} else {
			w.base = b.Within(hi)
		}
	} else {
		b = w.v.BodyAt(node)
		w.inside(b, hi)
	}
	if lo > 0 || hi >= 0 {
		w.crossBounded(b, p, lo, hi)
		return b
	}
	w.cross(b, p)
	return b
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

// freeText reports whether p is within a string in which every character may
// stand, and which may end wherever its length allows; of names, where
// [walker.cross] says.
func (w *walker) freeText(p *position) bool {
	w.m.mu.Lock() // automata of texts grow as they are asked
	defer w.m.mu.Unlock()
	for i := range p.ways {
		x := &p.ways[i]
		switch {
		case x.char != 0:
			return false
		case x.at == inText && x.text.Total(x.state) && x.lo <= 0 && x.hi < 0:
		case x.at == inText && x.text.Machine == textlang.Any && sameLength(p):
		case x.at == inKey && x.state >= 0 && x.in.object.others == textlang.Any:
		case x.at == inKey && x.state >= 0 && len(p.ways) == 1 && x.in.object.others.Open(x.state):
		default:
			return false
		}
	}
	return true
}

// sameLength reports whether all readings are texts of the same length.
func sameLength(p *position) bool {
	for i := range p.ways {
		if w := &p.ways[i]; w.at != inText || w.lo != p.ways[0].lo || w.hi != p.ways[0].hi {
			return false
		}
	}
	return true
}

// crossBounded takes the tokens that end a string at an allowed length.
func (w *walker) crossBounded(b *tokenizer.Body, p *position, lo, hi int) {
	valid := w.suffixes(w.ended(p))
	for i := range b.Crosses {
		c := &b.Crosses[i]
		if c.Chars >= lo && (hi < 0 || c.Chars <= hi) && valid.has(c.Suffix) {
			w.set(uint32(c.ID))
		}
	}
}

// cross takes the tokens that end a string or a name. What is behind a name
// depends on it only if the schema mentions it.
func (w *walker) cross(b *tokenizer.Body, p *position) {
	if key := &p.ways[0]; key.at == inKey && key.in.object.others != textlang.Any {
		w.crossNames(b, p)
		return
	}
	now := w.m.step(p, '"')
	off := now
	if p.ways[len(p.ways)-1].at == inKey || p.ways[0].at == inKey {
		off = w.offTrie(p)
	}
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
		if p.ways[i].at == inKey && p.ways[i].word >= 0 {
			return true
		}
	}
	return false
}

// onTrie reports whether a character leads to names that the schema mentions.
func onTrie(p *position, r rune) bool {
	for i := range p.ways {
		if w := &p.ways[i]; w.at == inKey && w.word >= 0 && w.in.object.trie.Step(w.word, r) >= 0 {
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
		if x.at == inKey {
			x.word = textlang.Dead
		}
		out = append(out, x)
	}
	return w.m.work(w.m.position(out), '"')
}

// ended is where the string of p ends, whatever its length.
func (w *walker) ended(p *position) *position {
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	var out []way
	for i := range p.ways {
		out = w.m.whole(out, p.ways[i].in)
	}
	return w.m.position(out)
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
