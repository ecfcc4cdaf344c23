package tokenizer

import (
	"cmp"
	"slices"
)

// maxDepth is the longest token that tries hold, in bytes. A longer one is never
// allowed by a mask; its text can be written in shorter ones.
const maxDepth = 255

// Trie holds tokens by their bytes, in the order of their text, as one flat array
// in depth-first order. A byte automaton walks it in one loop, with a stack of its
// states that is indexed by depth:
//
//	for p := 0; p < len(nodes); {
//		n := nodes[p]
//		s := step(stack[n.Depth()-1], n.Byte())
//		if s == dead {
//			p += n.Size() // and all that begins so
//			continue
//		}
//		stack[n.Depth()] = s
//		mask[n.Token()>>6] |= 1 << (n.Token() & 63)
//		p++
//	}
//
// A node where no token ends has the vocabulary's Size as its token, so that the
// loop has only one branch that cannot be foreseen. Tokens with the same bytes are
// one node: see Twins.
type Trie struct {
	nodes []Node
	twins [][2]ID
	count int
	none  uint32 // the token of a node where none ends
}

// Node is one byte on the way to tokens: byte 8 bits, depth 8, token 24, size 24.
type Node uint64

// Byte leads from the parent to the node.
func (n Node) Byte() byte { return byte(n) }

// Depth is 1 for a token's first byte.
func (n Node) Depth() int { return int(n >> 8 & 0xff) }

// Token ends at the node; the vocabulary's Size where none does.
func (n Node) Token() uint32 { return uint32(n >> 16 & 0xffffff) }

// Size counts the node and all below it.
func (n Node) Size() int { return int(n >> 40) }

// Nodes is the trie itself. The caller must not change it.
func (t *Trie) Nodes() []Node { return t.nodes }

// Between is the part of the trie that begins with bytes from first to last.
func (t *Trie) Between(first, last byte) []Node {
	from := 0
	for from < len(t.nodes) && t.nodes[from].Byte() < first {
		from += t.nodes[from].Size()
	}
	to := from
	for to < len(t.nodes) && t.nodes[to].Byte() <= last {
		to += t.nodes[to].Size()
	}
	return t.nodes[from:to]
}

// Twins are pairs of a token that stands in the trie and another with the same
// bytes: what allows the first allows the second. The caller must not change it.
func (t *Trie) Twins() [][2]ID { return t.twins }

// Len is how many tokens the trie holds, twins included.
func (t *Trie) Len() int { return t.count }

// newTrie makes a trie of the text tokens that keep wants.
func newTrie(v *Vocabulary, keep func(string) bool) *Trie {
	var ids []ID
	for id, token := range v.tokens {
		if token.Kind == Text && len(token.Bytes) > 0 && len(token.Bytes) <= maxDepth && keep(token.Bytes) {
			ids = append(ids, ID(id))
		}
	}
	slices.SortFunc(ids, func(a, b ID) int {
		if c := cmp.Compare(v.tokens[a].Bytes, v.tokens[b].Bytes); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	t := &Trie{count: len(ids), none: uint32(v.size)}
	open := make([]int, 0, maxDepth) // the nodes on the way to the last token
	last := ""
	for i, id := range ids {
		text := v.tokens[id].Bytes
		if i > 0 && text == last {
			t.twins = append(t.twins, [2]ID{ID(t.nodes[open[len(open)-1]].Token()), id})
			continue
		}
		common := commonPrefix(last, text)
		t.close(open[common:])
		open = open[:common]
		for d := common; d < len(text); d++ {
			open = append(open, len(t.nodes))
			token := Node(v.size)
			if d == len(text)-1 {
				token = Node(id)
			}
			t.nodes = append(t.nodes, Node(text[d])|Node(d+1)<<8|token<<16)
		}
		last = text
	}
	t.close(open)
	t.nodes = slices.Clip(t.nodes)
	return t
}

// close writes the sizes of nodes that are complete.
func (t *Trie) close(open []int) {
	for _, at := range open {
		t.nodes[at] |= Node(len(t.nodes)-at) << 40
	}
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// Count is how many tokens the vocabulary of the trie has.
func (t *Trie) Count() int { return int(t.none) }
