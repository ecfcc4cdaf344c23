package grammar

import (
	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// Where a pattern counts, every place within it has another mask, but the
// characters fall into few kinds that it tells apart. Tokens of the same kinds of
// characters are then decided as one.

// costlyText is a text by whose automaton a walk of a vocabulary went far.
type costlyText struct {
	text *textlang.Lang
	v    *tokenizer.Vocabulary
}

// byKinds takes the safe tokens by the kinds of characters that the automaton tells
// apart, where these are few, and a walk is costly or the vocabulary knows them
// already. The lock is held.
func (x *textWalk) byKinds() bool {
	k := x.w.v.Kinds(x.text.Firsts(), x.w.m.costly[costlyText{x.text, x.w.v}])
	if k == nil || len(k.Nodes) == 0 {
		return false
	}
	x.w.text[0] = x.at
	x.byKind(k, 0, 0)
	return true
}

// byKind decides the tokens below a node of a depth.
func (x *textWalk) byKind(k *tokenizer.Kinds, node int32, depth int) {
	from := &x.w.text[depth]
	for c := k.Nodes[node].First; c != 0; c = k.Nodes[c].Next {
		to, ok := from.whole(x.text, x.text.Step(from.q, k.Firsts[k.Nodes[c].Kind]))
		if ok {
			k.Set(x.w.found, c)
			x.w.text[depth+1] = to
			x.byKind(k, c, depth+1)
		}
	}
}
