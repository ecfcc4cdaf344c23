package tokenizer

import (
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/internal/jsonchar"
)

// Kinds is the safe tokens by the kinds of their characters: an automaton that
// tells characters apart by kind alone takes all tokens of a node, or none.
type Kinds struct {
	// Firsts are the first code points of the kinds.
	Firsts []rune
	// Nodes are a tree: the first is its root, where no token ends. There are none
	// where they would be too many.
	Nodes []KindNode

	tokens []ID // by node
	many   map[int32][]uint64
}

// KindNode is one more character of a kind. First and Next, its first child and
// its next sibling, are 0 where there is none.
type KindNode struct {
	Kind        int32
	First, Next int32
	low, high   int32 // of the tokens that end here
}

// manyTokens is how many tokens of a node are kept as a mask.
const manyTokens = 4096

// Set puts the tokens that end at a node into a mask.
func (k *Kinds) Set(mask []uint64, node int32) {
	if set, ok := k.many[node]; ok {
		for i, word := range set {
			mask[i] |= word
		}
		return
	}
	n := &k.Nodes[node]
	for _, id := range k.tokens[n.low:n.high] {
		mask[id>>6] |= 1 << (id & 63)
	}
}

// kindTrees are the trees that were asked for last.
type kindTrees struct {
	mu    sync.Mutex
	trees []*Kinds
	at    []int32 // room for newKinds
}

// maxFirsts is how many kinds are worth a tree, and maxNodes how many nodes.
const (
	maxFirsts = 48
	maxNodes  = 1 << 13
)

// maxKinds is how many trees a vocabulary keeps; each holds about 1 MB for 150,000
// tokens.
const maxKinds = 32

// Kinds divides the safe tokens by kinds of characters: each begins at one of
// firsts, which are in order, and ends before the next. It is shared. What is not
// known yet is worked out, which takes milliseconds, or nil where it is not wanted.
func (v *Vocabulary) Kinds(firsts []rune, wanted bool) *Kinds {
	t := &v.kinds
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, k := range t.trees {
		if slices.Equal(k.Firsts, firsts) {
			copy(t.trees[1:i+1], t.trees[:i])
			t.trees[0] = k
			return k
		}
	}
	if !wanted {
		return nil
	}
	if t.at == nil {
		t.at = make([]int32, v.size)
	}
	k := newKinds(v, firsts, t.at)
	t.trees = slices.Insert(t.trees, 0, k)
	if len(t.trees) > maxKinds {
		t.trees = slices.Delete(t.trees, maxKinds, len(t.trees))
	}
	return k
}

// newKinds makes a tree. The node of each token is at, which is room to be used again.
func newKinds(v *Vocabulary, firsts []rune, at []int32) *Kinds {
	k := &Kinds{Firsts: slices.Clone(firsts), many: map[int32][]uint64{}}
	if len(firsts) > maxFirsts {
		return k
	}
	clear(at)
	k.Nodes = make([]KindNode, 1, 1<<10)
	var ascii [utf8.RuneSelf]int32
	for c := range ascii {
		ascii[c] = k.kind(rune(c))
	}
	for _, c := range "\"\\" {
		ascii[c] = -1
	}
	safe := v.Safe(v.SafeLength())
	var nodes [maxDepth + 1]int32
	var parts [maxDepth + 1]jsonchar.Part
	trie := v.trie.nodes
	for i := 0; i < len(trie); {
		n := trie[i]
		d, c := n.Depth()&maxDepth, n.Byte()
		node := nodes[d-1]
		if c < utf8.RuneSelf {
			kind := ascii[c]
			if kind < 0 || c < ' ' || parts[d-1] != 0 {
				i += n.Size()
				continue
			}
			node = k.child(node, kind)
			parts[d] = 0
		} else {
			s := parts[d-1].Step(c)
			if !s.OK {
				i += n.Size()
				continue
			}
			if parts[d] = s.Next; s.Next == 0 {
				node = k.child(node, k.kind(s.Rune))
			}
		}
		nodes[d] = node
		if id := n.Token(); safe[id>>6]>>(id&63)&1 != 0 {
			at[id] = node
			k.Nodes[node].high++
		}
		if len(k.Nodes) > maxNodes {
			k.Nodes = nil
			return k
		}
		i++
	}
	for _, t := range v.trie.twins {
		if node := at[t[0]]; node != 0 {
			at[t[1]] = node
			k.Nodes[node].high++
		}
	}
	k.fill(at)
	return k
}

// child finds or makes the child of a kind.
func (k *Kinds) child(node, kind int32) int32 {
	for c := k.Nodes[node].First; c != 0; c = k.Nodes[c].Next {
		if k.Nodes[c].Kind == kind {
			return c
		}
	}
	c := int32(len(k.Nodes))
	k.Nodes = append(k.Nodes, KindNode{Kind: kind, Next: k.Nodes[node].First})
	k.Nodes[node].First = c
	return c
}

func (k *Kinds) kind(r rune) int32 {
	i, found := slices.BinarySearch(k.Firsts, r)
	if !found {
		i--
	}
	return int32(i)
}

// fill sorts the tokens by node; high of each is how many there are.
func (k *Kinds) fill(at []int32) {
	total := int32(0)
	for i := range k.Nodes {
		n := &k.Nodes[i]
		count := n.high
		n.low, n.high = total, total
		total += count
	}
	k.tokens = make([]ID, total)
	for id, node := range at {
		if node != 0 {
			n := &k.Nodes[node]
			k.tokens[n.high] = ID(id)
			n.high++
		}
	}
	for i := range k.Nodes {
		if n := &k.Nodes[i]; n.high-n.low >= manyTokens {
			mask := make([]uint64, (len(at)+63)/64)
			for _, id := range k.tokens[n.low:n.high] {
				mask[id>>6] |= 1 << (id & 63)
			}
			k.many[int32(i)] = mask
		}
	}
}
