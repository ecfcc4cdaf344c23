package tokenizer

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/holdfast-go/holdfast/internal/jsonchar"
)

// Body divides tokens, or what is left of them behind the quote that opens a JSON
// string, by what they do to that string: stay inside, or end it.
type Body struct {
	inside  [][]uint64 // by characters; nil in the body of a node
	Tokens  []Inside   // of a node's body: those that stay inside, by characters
	All     []uint64   // all of these as a mask; the caller must not change it
	Crosses []Cross    // by prefix
	groups  []Group
	bySuffix
}

// Inside is a token that stays inside of the string.
type Inside struct {
	ID    ID
	Chars int // it has so many characters, a last one that is cut included
}

// Cross is a token that ends the string and goes on with a suffix.
type Cross struct {
	ID     ID
	Chars  int    // before the end
	Prefix string // their text
	Suffix int    // its place among Vocabulary.Suffixes
}

// Group is the crosses with the same prefix.
type Group struct {
	Prefix string
	First  rune // the prefix's first character
	Items  []Cross
}

// bySuffix lists the crosses by suffix, those without a prefix apart.
type bySuffix struct {
	bare  [][]ID
	other [][]ID
}

// Groups are the crosses by prefix, that without a prefix left out.
func (b *Body) Groups() []Group { return b.groups }

// Bare are the tokens that end the string at once, and go on with a suffix.
func (b *Body) Bare(suffix int) []ID { return b.bare[suffix] }

// Other are the tokens that end the string later, and go on with a suffix.
func (b *Body) Other(suffix int) []ID { return b.other[suffix] }

// Within is the mask of the tokens that stay inside with at most so many
// characters, from within a string. It is shared.
func (b *Body) Within(chars int) []uint64 {
	return b.inside[max(0, min(chars, len(b.inside)-1))]
}

// Longest is how many characters a token has at most that stays inside, from
// within a string.
func (b *Body) Longest() int { return len(b.inside) - 1 }

// divisions holds what is worked out when it is first asked for.
type divisions struct {
	once     sync.Once
	suffixes *Trie
	number   map[string]int
	twins    map[ID][]ID
	root     *Body
	quotes   [4][]uint64
	anywhere []ID // see Repeats
	inArray  []ID

	mu     sync.Mutex
	bodies map[int]*Body
}

// Suffixes is a trie of what tokens go on with behind a quote. Its tokens are
// numbers of suffixes; number 0 is the empty one, which is not in it.
func (v *Vocabulary) Suffixes() *Trie {
	v.div.once.Do(v.crossings)
	return v.div.suffixes
}

// Body divides the whole vocabulary as seen from within a string, between two
// characters.
func (v *Vocabulary) Body() *Body {
	v.div.once.Do(v.crossings)
	return v.div.root
}

// BodyAt divides what is below node at of Trie, whose byte opened the string.
func (v *Vocabulary) BodyAt(at int) *Body {
	v.div.once.Do(v.crossings)
	v.div.mu.Lock()
	defer v.div.mu.Unlock()
	b, ok := v.div.bodies[at]
	if !ok {
		n := v.trie.nodes[at]
		b = v.body(v.trie.nodes[at+1:at+n.Size()], n.Depth(), v.trie)
		v.div.bodies[at] = b
	}
	return b
}

// Quotes are masks of the text tokens that hold a quote, that hold two or more, that
// hold a quote and a backslash, and that hold a backslash.
func (v *Vocabulary) Quotes() (one, two, both, escapes []uint64) {
	v.div.once.Do(v.crossings)
	q := &v.div.quotes
	return q[0], q[1], q[2], q[3]
}

// Repeats are the text tokens in which two names of an object may end, or two elements
// of an array: anywhere, and where an array is open already. They are few.
func (v *Vocabulary) Repeats() (anywhere, inArray []ID) {
	v.div.once.Do(v.crossings)
	return v.div.anywhere, v.div.inArray
}

// What a token holds that has two names, or two elements; a word or a string that is
// an element is told by its first character.
var (
	twoNames    = regexp.MustCompile(`(?s)"[ \t\r\n]*:.*,[ \t\r\n]*"[^"]*"`)
	twoElements = regexp.MustCompile(`(?s),[ \t\r\n]*([tfn]|"[^"]*"|[-0-9\[{].*[,\]} \t\r\n])`)
)

func (v *Vocabulary) findRepeats(id int, text string) {
	if strings.IndexByte(text, ',') < 0 {
		return
	}
	_, array, _ := strings.Cut(text, "[")
	switch {
	case twoNames.MatchString(text), twoElements.MatchString(array):
		v.div.anywhere = append(v.div.anywhere, ID(id))
	case twoElements.MatchString(text):
		v.div.inArray = append(v.div.inArray, ID(id))
	}
}

func (v *Vocabulary) countQuotes(id int, text string) {
	quotes, escape := strings.Count(text, `"`), strings.Contains(text, `\`)
	for i, holds := range []bool{quotes > 0, quotes > 1, quotes > 0 && escape, escape} {
		if holds {
			v.div.quotes[i][id>>6] |= 1 << (id & 63)
		}
	}
}

// crossings finds all suffixes and the body of the whole vocabulary.
func (v *Vocabulary) crossings() {
	d := &v.div
	d.number, d.bodies, d.twins = map[string]int{"": 0}, map[int]*Body{}, map[ID][]ID{}
	for _, t := range v.trie.twins {
		d.twins[t[0]] = append(d.twins[t[0]], t[1])
	}
	for i := range d.quotes {
		d.quotes[i] = make([]uint64, v.Words())
	}
	list := []Token{{}}
	for id, t := range v.tokens {
		if t.Kind != Text || len(t.Bytes) > maxDepth {
			continue
		}
		v.countQuotes(id, t.Bytes)
		v.findRepeats(id, t.Bytes)
		rest := t.Bytes
		for {
			i := strings.IndexByte(rest, '"')
			if i < 0 {
				break
			}
			rest = rest[i+1:]
			if _, ok := d.number[rest]; !ok {
				d.number[rest] = len(list)
				list = append(list, Token{Bytes: rest})
			}
		}
	}
	all := &Vocabulary{tokens: list, size: len(list)}
	d.suffixes = newTrie(all, func(string) bool { return true })
	d.root = v.body(v.leftover.nodes, 0, v.leftover)
	v.rootMasks(d.root)
}

// rootMasks joins the safe tokens with the others that stay inside.
func (v *Vocabulary) rootMasks(b *Body) {
	longest := v.SafeLength()
	for _, t := range b.Tokens {
		longest = max(longest, t.Chars)
	}
	b.inside = make([][]uint64, longest+1)
	b.inside[0] = make([]uint64, v.Words())
	k := 0
	for n := 1; n <= longest; n++ {
		next := k
		for next < len(b.Tokens) && b.Tokens[next].Chars <= n {
			next++
		}
		if next == k && n > 1 && sameMask(v.Safe(n), v.Safe(n-1)) {
			b.inside[n] = b.inside[n-1]
			continue
		}
		mask := slices.Clone(v.Safe(n))
		for _, t := range b.Tokens[:next] {
			mask[t.ID>>6] |= 1 << (t.ID & 63)
		}
		b.inside[n], k = mask, next
	}
	b.Tokens, b.All = nil, b.inside[longest]
}

func sameMask(x, y []uint64) bool { return &x[0] == &y[0] }

// body divides the tokens of some nodes, which stand below depth.
func (v *Vocabulary) body(nodes []Node, depth int, t *Trie) *Body {
	b := &Body{Tokens: []Inside{}, All: make([]uint64, v.Words())}
	b.bare, b.other = make([][]ID, len(v.div.number)), make([][]ID, len(v.div.number))
	var parts [maxDepth + 1]jsonchar.Part
	var chars [maxDepth + 1]int
	for i := 0; i < len(nodes); {
		n := nodes[i]
		d := n.Depth()
		if n.Byte() == '"' && parts[d-1] == 0 {
			for _, below := range nodes[i : i+n.Size()] {
				v.cross(b, below.Token(), depth, d, chars[d-1])
			}
			i += n.Size()
			continue
		}
		s := parts[d-1].Step(n.Byte())
		if !s.OK {
			i += n.Size()
			continue
		}
		parts[d], chars[d] = s.Next, chars[d-1]
		if parts[d-1] == 0 {
			chars[d]++
		}
		if id := n.Token(); id != t.none {
			for _, id := range v.withTwins(ID(id)) {
				b.Tokens = append(b.Tokens, Inside{id, chars[d]})
				b.All[id>>6] |= 1 << (id & 63)
			}
		}
		i++
	}
	slices.SortStableFunc(b.Tokens, func(x, y Inside) int { return cmp.Compare(x.Chars, y.Chars) })
	b.group()
	return b
}

func (v *Vocabulary) withTwins(id ID) []ID { return append([]ID{id}, v.div.twins[id]...) }

func (v *Vocabulary) cross(b *Body, token uint32, from, quote, chars int) {
	if int(token) == v.size {
		return
	}
	text := v.tokens[token].Bytes
	c := Cross{Chars: chars, Prefix: text[from : quote-1], Suffix: v.div.number[text[quote:]]}
	for _, id := range v.withTwins(ID(token)) {
		c.ID = id
		b.Crosses = append(b.Crosses, c)
		if c.Prefix == "" {
			b.bare[c.Suffix] = append(b.bare[c.Suffix], id)
		} else {
			b.other[c.Suffix] = append(b.other[c.Suffix], id)
		}
	}
}

func (b *Body) group() {
	slices.SortStableFunc(b.Crosses, func(x, y Cross) int { return cmp.Compare(x.Prefix, y.Prefix) })
	for i := 0; i < len(b.Crosses); {
		n := i
		for n < len(b.Crosses) && b.Crosses[n].Prefix == b.Crosses[i].Prefix {
			n++
		}
		if p := b.Crosses[i].Prefix; p != "" {
			g := Group{Prefix: p, Items: b.Crosses[i:n]}
			for _, r := range string(jsonchar.AppendDecoded(nil, []byte(p))) {
				g.First = r
				break
			}
			b.groups = append(b.groups, g)
		}
		i = n
	}
}
