package tokenizer

import "unicode/utf8"

// bpe joins neighbouring tokens, the pair that was learned first before all
// others, until no pair of the piece is one that was learned.
type bpe struct {
	chars map[string]ID // tokens of one character; of one byte where byByte
	joins joins
	whole map[string]ID // pieces that are taken as they are, or nil
	// byByte begins with single bytes, else with characters. A character without a
	// token may still be joined; at the end it is written by its bytes, or as
	// unknown; -1: not at all.
	byByte  bool
	bytes   [256]ID // or -1
	unknown ID
	fuse    bool // neighbouring unknown characters are one token
}

func newBPE(byByte bool) *bpe {
	return &bpe{chars: map[string]ID{}, byByte: byByte, bytes: noBytes(), unknown: -1}
}

func noBytes() (none [256]ID) {
	for i := range none {
		none[i] = -1
	}
	return none
}

// learn notes a token that is one character or one byte. name is how a file writes
// it: SentencePiece has bytes beside characters with the same text.
func (b *bpe) learn(name, text string, id ID) {
	if _, isByte := pieceText(name); isByte && !b.byByte {
		b.bytes[text[0]] = id
		return
	}
	if _, n := utf8.DecodeRuneInString(text); text != "" && n == len(text) {
		b.chars[text] = id
	}
}

// joins says what two neighbours become, and how early: the lowest rank first.
// span is the text of both.
type joins interface {
	join(left, right ID, span string) (joined ID, rank uint32, ok bool)
}

// byPair is learned from pairs of tokens.
type byPair map[[2]ID]pairJoin

type pairJoin struct {
	joined ID
	rank   uint32
}

func (m byPair) join(left, right ID, _ string) (ID, uint32, bool) {
	j, ok := m[[2]ID{left, right}]
	return j.joined, j.rank, ok
}

// byText joins what makes a token; each token has its rank.
type byText struct {
	ids   map[string]ID
	ranks []uint32 // nil: the token's ID
}

func (m byText) join(_, _ ID, span string) (ID, uint32, bool) {
	id, ok := m.ids[span]
	if !ok || m.ranks == nil {
		return id, uint32(id), ok
	}
	return id, m.ranks[id], true
}

// symbol is a token of the piece on its way. The symbols are a list by place.
type symbol struct {
	id         ID // -1: a character that no token stands for
	at, end    int32
	prev, next int32 // -1: none; next is gone where the symbol was joined to its left one
}

const gone = -2

// joining is the state of one piece. A pair waits as its rank and its left
// symbol; whether it still stands so is asked when its turn comes.
type joining struct {
	*bpe
	text    string
	symbols []symbol
	waiting minHeap
}

func (b *bpe) encode(dst []ID, text string) []ID {
	if id, ok := b.whole[text]; ok {
		return append(dst, id)
	}
	j := joining{bpe: b, text: text}
	j.begin()
	for left := range int32(len(j.symbols)) {
		j.propose(left)
	}
	for len(j.waiting) > 0 {
		j.take(j.waiting.pop())
	}
	for i := int32(0); i >= 0; i = j.symbols[i].next {
		if s := j.symbols[i]; s.id >= 0 {
			dst = append(dst, s.id)
		} else {
			dst = b.spell(dst, text[s.at:s.end])
		}
	}
	return dst
}

func (j *joining) begin() {
	j.symbols = make([]symbol, 0, len(j.text))
	for at := 0; at < len(j.text); {
		n := 1
		if !j.byByte {
			_, n = utf8.DecodeRuneInString(j.text[at:])
		}
		id, ok := j.chars[j.text[at:at+n]]
		if !ok {
			id = -1
		}
		place := int32(len(j.symbols))
		j.symbols = append(j.symbols, symbol{id: id, at: int32(at), end: int32(at + n), prev: place - 1, next: place + 1})
		at += n
	}
	j.symbols[len(j.symbols)-1].next = -1
}

// pair is what the symbol and its right neighbour become.
func (j *joining) pair(left int32) (ID, uint32, bool) {
	l := &j.symbols[left]
	if l.next < 0 {
		return 0, 0, false
	}
	r := &j.symbols[l.next]
	return j.joins.join(l.id, r.id, j.text[l.at:r.end])
}

func (j *joining) propose(left int32) {
	if _, rank, ok := j.pair(left); ok {
		j.waiting.push(uint64(rank)<<32 | uint64(left))
	}
}

func (j *joining) take(waited uint64) {
	left := int32(uint32(waited))
	id, rank, ok := j.pair(left)
	if !ok || rank != uint32(waited>>32) {
		return
	}
	l := &j.symbols[left]
	r := &j.symbols[l.next]
	l.id, l.end, l.next, r.next = id, r.end, r.next, gone
	if l.next >= 0 {
		j.symbols[l.next].prev = left
	}
	j.propose(left)
	if l.prev >= 0 {
		j.propose(l.prev)
	}
}

// spell writes a character that no token stands for.
func (b *bpe) spell(dst []ID, char string) []ID {
	before := len(dst)
	for i := range len(char) {
		if b.bytes[char[i]] < 0 {
			dst = dst[:before]
			break
		}
		dst = append(dst, b.bytes[char[i]])
	}
	if len(dst) == before && b.unknown >= 0 && !(b.fuse && before > 0 && dst[before-1] == b.unknown) {
		dst = append(dst, b.unknown)
	}
	return dst
}

// minHeap gives its smallest element first.
type minHeap []uint64

func (h *minHeap) push(x uint64) {
	s := append(*h, x)
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if s[up] <= s[i] {
			break
		}
		s[up], s[i] = s[i], s[up]
		i = up
	}
	*h = s
}

func (h *minHeap) pop() uint64 {
	s := *h
	least, last := s[0], len(s)-1
	s[0], s = s[last], s[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && s[down+1] < s[down] {
			down++
		}
		if s[i] <= s[down] {
			break
		}
		s[i], s[down] = s[down], s[i]
		i = down
	}
	*h = s
	return least
}
