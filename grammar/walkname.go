package grammar

import (
	"github.com/holdfast-go/holdfast/internal/jsonchar"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// oneName decides the vocabulary from within a name that may be another than the
// schema mentions, by one reading: the tokens that stay inside as those of a text,
// what members lead to beside it, and the rest by positions. It does nothing, and
// says so, where p is not in such a name.
func (w *walker) oneName(p *position) bool {
	key := &p.ways[0]
	if len(p.ways) != 1 || key.at != inKey || key.char != 0 || key.state < 0 {
		return false
	}
	x := textWalk{w, &reading{text: key.in.object.another, at: textState{q: key.state, hi: -1}, ends: dead}}
	if !x.safe() {
		x.walk(w.v.Trie().Nodes(), 0)
		w.setTwins(w.v.Trie())
	}
	w.walk(w.v.Leftover(), p, 0)
	w.members(key)
	return true
}

// members takes the safe tokens on the way to names that the schema mentions.
func (w *walker) members(key *way) {
	if key.word < 0 {
		return
	}
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	var words [256]int32
	var chars [256]jsonchar.Part
	words[0] = key.word
	nodes := w.v.Trie().Nodes()
	for i := 0; i < len(nodes); {
		node := nodes[i]
		d, b := node.Depth()&255, node.Byte()
		s := chars[d-1].Step(b)
		words[d], chars[d] = words[d-1], s.Next
		ok := s.OK && b != '"' && b != '\\'
		if ok && s.Next == 0 {
			words[d] = key.in.object.trie.Step(words[d-1], s.Rune)
			ok = words[d] != textlang.Dead
		}
		if !ok {
			i += node.Size()
			continue
		}
		if s.Next == 0 && w.m.memberBelow(key.in, words[d]) {
			w.set(node.Token())
		}
		i++
	}
	w.setTwins(w.v.Trie())
}
