package grammar

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/internal/jsonchar"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// someNames decides the vocabulary from within a name: the safe tokens way by way,
// as those of a text where it may be another name than the schema mentions and as
// what members lead to, and the rest by positions. It does nothing, and says so,
// where p is not in a name.
func (w *walker) someNames(p *position) bool {
	if w.ask(p.openName) {
		w.allow(w.v.Safe(w.v.SafeLength()))
	} else if !w.namesOf(p) {
		return false
	}
	w.walk(w.v.Leftover(), p, 0)
	return true
}

// openName reports whether a name may go on with whatever character.
func (p *position) openName() bool {
	return slices.ContainsFunc(p.ways, func(x way) bool {
		return x.at == inKey && x.char == 0 && x.state >= 0 && x.in.object.others.Open(x.state)
	})
}

func (w *walker) namesOf(p *position) bool {
	if slices.ContainsFunc(p.ways, func(x way) bool { return x.at != inKey || x.char != 0 }) {
		return false
	}
	for i := range p.ways {
		key := &p.ways[i]
		if key.state >= 0 {
			x := textWalk{w, &reading{text: key.in.object.another, at: textState{q: key.state, hi: -1}, ends: dead}}
			if !x.safe() {
				x.walk(w.v.Trie().Nodes(), 0)
				w.setTwins(w.v.Trie())
			}
		}
		w.members(key)
	}
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
	trie := key.in.object.trie
	nodes := w.v.Trie().Nodes()
	for i := 0; i < len(nodes); {
		node := nodes[i]
		d, b := node.Depth()&255, node.Byte()
		ok := b != '"' && b != '\\'
		switch {
		case !ok:
		case b >= ' ' && b < utf8.RuneSelf && chars[d-1] == 0:
			words[d], chars[d] = trie.Step(words[d-1], rune(b)), 0
			ok = words[d] != textlang.Dead
		case chars[d-1] == 0 && !trie.SomeIn(words[d-1], utf8.RuneSelf, unicode.MaxRune):
			ok = false
		default:
			s := chars[d-1].Step(b)
			words[d], chars[d] = words[d-1], s.Next
			if ok = s.OK; ok && s.Next == 0 {
				words[d] = trie.Step(words[d-1], s.Rune)
				ok = words[d] != textlang.Dead
			}
		}
		if !ok {
			i += node.Size()
			continue
		}
		if chars[d] == 0 && w.m.memberBelow(key.in, words[d]) {
			w.set(node.Token())
		}
		i++
	}
	w.setTwins(w.v.Trie())
}
