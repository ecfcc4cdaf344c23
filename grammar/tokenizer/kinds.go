package tokenizer

import (
	"maps"
	"slices"
)

// Kinds is the safe tokens by the kinds of their characters, as a tree in depth-first
// order. An automaton that tells no two characters of a kind apart takes all tokens
// that end at a node, or none.
type Kinds struct {
	nodes  []KindNode
	tokens []ID // by node
}

// KindNode is one more character of a kind. The first node is the root, without any;
// behind the last stands one of depth 0 again.
type KindNode struct {
	Kinds   uint64 // a bit for each kind at the node and below
	Size    int32  // the node and all below it
	Low     int32  // how many tokens end before it
	Kind    uint8
	Depth   uint8 // in characters: 1 for the first
	Deepest uint8 // of the depths below it, and its own
}

// Nodes are the tree. The caller must not change it.
func (k *Kinds) Nodes() []KindNode { return k.nodes }

// Tokens are those that end at the nodes from one to before another. The caller must
// not change them.
func (k *Kinds) Tokens(from, to int) []ID { return k.tokens[k.nodes[from].Low:k.nodes[to].Low] }

// All are the tokens of all nodes, in the order of Low. The caller must not change them.
func (k *Kinds) All() []ID { return k.tokens }

// Kinds divides the safe tokens by the kinds of their characters.
func (v *Vocabulary) Kinds() *Kinds { return v.kinds }

// KindFirsts are the first code points of the kinds, at most 64, in order: a kind ends
// before the next begins. They are those of every vocabulary. The caller must not
// change them.
func KindFirsts() []rune { return kindFirsts }

// kindFirsts begin what patterns tell apart most: the signs of ASCII, the lower
// digits (dates and addresses count), capital and small letters, and the spaces
// beyond ASCII.
var kindFirsts = func() []rune {
	firsts := []rune{
		0, 'A', 'a', 0x7f, 0x80, 0xa0, 0xa1, 0x1680, 0x1681, 0x2000, 0x200b, 0x2028, 0x202a, 0x202f, 0x2030, 0x205f, 0x2060,
		0x3000, 0x3001, 0xd800, 0xe000, 0xfeff, 0xff00,
	}
	firsts = append(firsts, []rune(" !\"#$%&'()*+,-./0123456:;<=>?@[\\]^_`{|}~")...)
	slices.Sort(firsts)
	return firsts
}()

func newKinds(v *Vocabulary) *Kinds {
	byKinds := map[string][]ID{}
	var room []byte
	for id, t := range v.tokens {
		if safeLength(t) == 0 {
			continue
		}
		room = room[:0]
		for _, r := range t.Bytes {
			room = append(room, kindOf(r))
		}
		byKinds[string(room)] = append(byKinds[string(room)], ID(id))
	}
	texts := slices.Sorted(maps.Keys(byKinds))
	all := &Vocabulary{size: len(texts)}
	for _, text := range texts {
		all.tokens = append(all.tokens, Token{Bytes: text})
	}
	trie := newTrie(all, func(string) bool { return true }).nodes
	k := &Kinds{nodes: []KindNode{{Size: int32(len(trie) + 1)}}}
	for _, n := range trie {
		k.nodes = append(k.nodes, KindNode{
			Kinds: 1 << n.Byte(), Size: int32(n.Size()), Low: int32(len(k.tokens)),
			Kind: n.Byte(), Depth: uint8(n.Depth()), Deepest: uint8(n.Depth()),
		})
		if group := int(n.Token()); group < len(texts) {
			k.tokens = append(k.tokens, byKinds[texts[group]]...)
		}
	}
	for i := len(k.nodes) - 1; i >= 0; i-- { // what is below a node is complete before it
		n := &k.nodes[i]
		for below := i + 1; below < i+int(n.Size); below += int(k.nodes[below].Size) {
			n.Kinds |= k.nodes[below].Kinds
			n.Deepest = max(n.Deepest, k.nodes[below].Deepest)
		}
	}
	k.nodes = append(k.nodes, KindNode{Low: int32(len(k.tokens))})
	return k
}

// kindOf is the number of a character's kind.
func kindOf(r rune) byte {
	i, found := slices.BinarySearch(kindFirsts, r)
	if !found {
		i--
	}
	return byte(i)
}
