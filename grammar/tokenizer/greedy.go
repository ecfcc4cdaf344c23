package tokenizer

// greedy takes the longest token at each place. It is what a vocabulary without
// merges can do.
type greedy struct{ trie *Trie }

func (g greedy) encode(dst []ID, text string, _ bool) []ID {
	for len(text) > 0 {
		id, n := g.trie.longest(text)
		if n == 0 { // a byte that the vocabulary cannot write
			text = text[1:]
			continue
		}
		dst = append(dst, id)
		text = text[n:]
	}
	return dst
}

// longest is the longest token that text begins with, and its bytes; 0: there is
// none.
func (t *Trie) longest(text string) (ID, int) {
	var id ID
	length := 0
	for p, end, depth := 0, len(t.nodes), 0; p < end && depth < len(text); {
		n := t.nodes[p]
		if n.Byte() != text[depth] {
			p += n.Size()
			continue
		}
		depth++
		if n.Token() != t.none {
			id, length = ID(n.Token()), depth
		}
		end = p + n.Size()
		p++
	}
	return id, length
}
