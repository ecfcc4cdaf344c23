package textlang

import (
	"slices"
	"unicode"
)

// Any is the language of every text.
var Any Machine = anyText{}

type anyText struct{}

func (anyText) Start() int32                  { return 0 }
func (anyText) Step(int32, rune) int32        { return 0 }
func (anyText) Accept(int32) bool             { return true }
func (anyText) Open(int32) bool               { return true }
func (anyText) Total(int32) bool              { return true }
func (anyText) SomeIn(int32, rune, rune) bool { return true }
func (anyText) bounds() []rune                { return []rune{0} }

// Trie is a finite set of words.
type Trie struct {
	nodes []trieNode
	words []string
}

type trieNode struct {
	edges []trieEdge // by code point
	word  int32      // the word that ends here, or -1
	low   int32      // the words below: from low, before high, in the order of the words
	high  int32
}

type trieEdge struct {
	r  rune
	to int32
}

// NewTrie makes a trie of words; they are sorted, and doubles are dropped.
func NewTrie(words []string) *Trie {
	words = slices.Clone(words)
	slices.Sort(words)
	words = slices.Compact(words)
	size := 1
	for i, w := range words {
		size += len(w)
		if i > 0 {
			size -= shared(words[i-1], w)
		}
	}
	t := &Trie{words: words, nodes: make([]trieNode, 1, size)}
	t.nodes[0] = trieNode{word: -1, high: int32(len(words))}
	first := make([]trieEdge, size) // room for the first edges
	for i, w := range words {
		at := int32(0)
		for _, r := range w {
			n := &t.nodes[at]
			if k := len(n.edges); k > 0 && n.edges[k-1].r == r {
				at = n.edges[k-1].to
			} else {
				to := int32(len(t.nodes))
				if k == 0 && len(first) > 0 {
					n.edges, first = first[:0:1], first[1:]
				}
				n.edges = append(n.edges, trieEdge{r, to})
				t.nodes = append(t.nodes, trieNode{word: -1, low: int32(i)})
				at = to
			}
			t.nodes[at].high = int32(i + 1)
		}
		t.nodes[at].word = int32(i)
	}
	return t
}

// shared is how many bytes two words have in common at their beginning.
func shared(x, y string) int {
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// Words of the trie in order; the caller must not change them.
func (t *Trie) Words() []string { return t.words }

// Word is the place among Words of the one that ends at q, or -1.
func (t *Trie) Word(q int32) int { return int(t.nodes[q].word) }

// Below are the places of the words that begin with what leads to q.
func (t *Trie) Below(q int32) (low, high int) { return int(t.nodes[q].low), int(t.nodes[q].high) }

// Start is the first state.
func (t *Trie) Start() int32 {
	if len(t.words) == 0 {
		return Dead
	}
	return 0
}

// Step leads on by one code point.
func (t *Trie) Step(q int32, r rune) int32 {
	edges := t.nodes[q].edges
	if len(edges) == 1 && edges[0].r == r {
		return edges[0].to
	}
	i, ok := slices.BinarySearchFunc(edges, r, func(e trieEdge, r rune) int { return int(e.r - r) })
	if !ok {
		return Dead
	}
	return edges[i].to
}

// Accept reports whether a word ends at q.
func (t *Trie) Accept(q int32) bool { return t.nodes[q].word >= 0 }

// Open is never so in a finite set.
func (t *Trie) Open(int32) bool { return false }

// Total is never so in a finite set.
func (t *Trie) Total(int32) bool { return false }

// SomeIn reports whether a code point from lo to hi leads on.
func (t *Trie) SomeIn(q int32, lo, hi rune) bool {
	edges := t.nodes[q].edges
	i, _ := slices.BinarySearchFunc(edges, lo, func(e trieEdge, r rune) int { return int(e.r - r) })
	return i < len(edges) && edges[i].r <= hi
}

func (t *Trie) bounds() []rune {
	out := []rune{0}
	for i := range t.nodes {
		for _, e := range t.nodes[i].edges {
			out = append(out, e.r)
			if e.r < unicode.MaxRune {
				out = append(out, e.r+1)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// count is the language of texts of min to max code points; max is negative where
// there is none. Its state is how many there were.
type count struct{ min, max int32 }

func (c count) Start() int32 {
	if c.max >= 0 && c.max < c.min {
		return Dead
	}
	return 0
}

func (c count) Step(q int32, _ rune) int32 {
	switch {
	case c.max < 0:
		return min(q+1, c.min)
	case q >= c.max:
		return Dead
	}
	return q + 1
}

func (c count) Accept(q int32) bool              { return q >= c.min }
func (c count) Open(int32) bool                  { return c.max < 0 }
func (c count) Total(q int32) bool               { return c.max < 0 && q >= c.min }
func (c count) SomeIn(q int32, lo, hi rune) bool { return c.Step(q, lo) != Dead }
func (c count) bounds() []rune                   { return []rune{0} }

// Next calls f for what the code points from lo to hi lead to, until f says true,
// which it hands on.
func (t *Trie) Next(q int32, lo, hi rune, f func(to int32) bool) bool {
	edges := t.nodes[q].edges
	i, _ := slices.BinarySearchFunc(edges, lo, func(e trieEdge, r rune) int { return int(e.r - r) })
	for ; i < len(edges) && edges[i].r <= hi; i++ {
		if f(edges[i].to) {
			return true
		}
	}
	return false
}
