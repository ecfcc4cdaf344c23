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
	room  growing
}

// maxFirsts is how many kinds are worth a tree, and maxNodes how many nodes.
const (
	maxFirsts = 32
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
	k := t.room.make(v, firsts)
	t.trees = slices.Insert(t.trees, 0, k)
	if len(t.trees) > maxKinds {
		t.trees = slices.Delete(t.trees, maxKinds, len(t.trees))
	}
	return k
}

// growing is a tree that is being made, in room that is used again.
type growing struct {
	*Kinds
	next []uint16 // by node and kind: the child, 0 where there is none
	at   []uint16 // by token: its node, 0 where it is not safe
}

func (g *growing) make(v *Vocabulary, firsts []rune) *Kinds {
	k := &Kinds{Firsts: slices.Clone(firsts), many: map[int32][]uint64{}}
	if len(firsts) > maxFirsts {
		return k
	}
	if g.at == nil {
		g.at = make([]uint16, v.size+1)
	}
	clear(g.at)
	g.Kinds, g.next = k, g.next[:0]
	g.add(0)
	var ascii [utf8.RuneSelf]int32
	for c := range ascii {
		if ascii[c] = k.kind(rune(c)); c < ' ' || c == '"' || c == '\\' {
			ascii[c] = -1
		}
	}
	safe := v.Safe(v.SafeLength())
	var nodes [maxDepth + 1]int32
	var parts [maxDepth + 1]jsonchar.Part
	trie := v.trie.nodes
	for i := 0; i < len(trie); i++ {
		n := trie[i]
		d, c := n.Depth()&maxDepth, n.Byte()
		node := nodes[d-1]
		if c < utf8.RuneSelf {
			kind := ascii[c]
			if kind < 0 || parts[d-1] != 0 {
				i += n.Size() - 1
				continue
			}
			node = g.child(node, kind)
			parts[d] = 0
		} else {
			s := parts[d-1].Step(c)
			if !s.OK {
				i += n.Size() - 1
				continue
			}
			if parts[d] = s.Next; s.Next == 0 {
				node = g.child(node, k.kind(s.Rune))
			}
		}
		if node > maxNodes {
			k.Nodes = nil
			return k
		}
		nodes[d] = node
		id := n.Token() // without a branch, which nothing could foresee
		is := int32(safe[id>>6] >> (id & 63) & 1)
		g.at[id] |= uint16(node & -is)
		k.Nodes[node].high += is
	}
	for _, t := range v.trie.twins {
		node := g.at[t[0]]
		if g.at[t[1]] = node; node != 0 {
			k.Nodes[node].high++
		}
	}
	k.fill(g.at[:v.size])
	return k
}

// child finds or makes the child of a kind.
func (g *growing) child(node, kind int32) int32 {
	at := int(node)*len(g.Firsts) + int(kind)
	if c := g.next[at]; c != 0 {
		return int32(c)
	}
	c := g.add(kind)
	g.next[at] = uint16(c)
	g.Nodes[c].Next = g.Nodes[node].First
	g.Nodes[node].First = c
	return c
}

func (g *growing) add(kind int32) int32 {
	g.Nodes = append(g.Nodes, KindNode{Kind: kind})
	for range g.Firsts {
		g.next = append(g.next, 0)
	}
	return int32(len(g.Nodes) - 1)
}

func (k *Kinds) kind(r rune) int32 {
	i, found := slices.BinarySearch(k.Firsts, r)
	if !found {
		i--
	}
	return int32(i)
}

// fill sorts the tokens by node; high of each is how many there are.
func (k *Kinds) fill(at []uint16) {
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
