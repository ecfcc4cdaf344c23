package schema

import (
	"slices"
	"strconv"
	"unicode/utf8"
)

// document is one JSON text and the tape of its nodes. The tape is in document
// order: a container stands before its content, a member's name before its value.
type document struct {
	src   string
	nodes []node
	strs  []string // decoded text of strings that hold escapes
}

// newDocument is a document with room for a tape of that size; most arguments
// are so short that it lies beside it.
func newDocument(size int) *document {
	type brief struct {
		document
		room [briefTape]node
	}
	if size > briefTape {
		return &document{nodes: make([]node, 0, size)}
	}
	b := new(brief)
	b.nodes = b.room[:0]
	return &b.document
}

const briefTape = 11

// node is one value or one member's name.
type node struct {
	off, end uint32 // its text in src; a string's without the quotes
	next     uint32 // container: the node after it; escaped string: its place in strs
	aux      uint32 // container: how many elements or members; name: hash
	kind     uint8
	flags    uint8
}

const (
	flagEscaped  = 1 << iota // a string with escapes
	flagNonASCII             // a string with bytes beyond ASCII
	flagPlainInt             // a number without fraction and exponent
)

// after is the index of the node that follows i and all that i holds.
func (d *document) after(i uint32) uint32 {
	n := &d.nodes[i]
	if n.kind >= uint8(Array) {
		return n.next
	}
	return i + 1
}

// text is a string's decoded value or another scalar's literal.
func (d *document) text(i uint32) string {
	n := &d.nodes[i]
	if n.flags&flagEscaped != 0 {
		return d.strs[n.next]
	}
	return d.src[n.off:n.end]
}

// raw is the JSON text of node i.
func (d *document) raw(i uint32) string {
	n := &d.nodes[i]
	if n.kind == uint8(String) {
		return d.src[n.off-1 : n.end+1]
	}
	return d.src[n.off:n.end]
}

// runes counts the code points of string node i.
func (d *document) runes(i uint32) int {
	n := &d.nodes[i]
	if n.flags == 0 {
		return int(n.end - n.off)
	}
	return utf8.RuneCountInString(d.text(i))
}

// member finds the value of a name in object i.
func (d *document) member(i uint32, name string) (uint32, bool) {
	return d.hashed(i, name, hashText(name))
}

func (d *document) hashed(i uint32, name string, h uint32) (uint32, bool) {
	n := &d.nodes[i]
	for k, left := i+1, n.aux; left > 0; left-- {
		if d.nodes[k].aux == h && d.text(k) == name {
			return k + 1, true
		}
		k = d.after(k + 1)
	}
	return 0, false
}

// spots says where each node stands.
type spots struct {
	up    []uint32 // the container
	index []uint32 // in an array the element's number; in an object 0 for a name, 1 for its value
}

// spots finds the containers of all nodes, so that a path costs its depth only.
// It may use the room given.
func (d *document) spots(room []uint32) spots {
	size := len(d.nodes)
	both := slices.Grow(room[:0], 2*size)
	s := spots{both[:size], both[size : 2*size]}
	s.up[0], s.index[0] = 0, 0
	for i := range uint32(len(d.nodes)) {
		n := &d.nodes[i]
		if Kind(n.kind) < Array {
			continue
		}
		k := i + 1
		for j := range n.aux {
			if Kind(n.kind) == Object {
				s.up[k], s.index[k] = i, 0
				k++
				j = 1
			}
			s.up[k], s.index[k] = i, j
			k = d.after(k)
		}
	}
	return s
}

// pointer is the JSON Pointer of a node, behind a prefix, written to w.
func (d *document) pointer(w *prose, s spots, i uint32, prefix string) string {
	if i == 0 {
		return prefix
	}
	var room [24]uint32
	way := room[:0]
	size := len(prefix)
	for ; i != 0; i = s.up[i] {
		way = append(way, i)
		size += 11
		if Kind(d.nodes[s.up[i]].kind) == Object {
			size += 2 * len(d.text(i-s.index[i]))
		}
	}
	start := w.start(size)
	w.b.WriteString(prefix)
	for _, i := range slices.Backward(way) {
		w.b.WriteByte('/')
		if Kind(d.nodes[s.up[i]].kind) == Object {
			w.b.WriteString(escapeToken(d.text(i - s.index[i])))
			continue
		}
		var digits [10]byte
		w.b.Write(strconv.AppendUint(digits[:0], uint64(s.index[i]), 10))
	}
	return w.b.String()[start:]
}

// hashText spreads names over the tables of declared properties. It is not
// meant to withstand an adversary: whoever fills a table from outside bytes
// bounds the length of its chains.
func hashText(s string) uint32 {
	const k = 0x9E3779B97F4A7C15
	h := uint64(len(s)) * k
	for len(s) >= 8 {
		h = (h ^ load64(s)) * k
		h ^= h >> 32
		s = s[8:]
	}
	if n := len(s); n >= 4 {
		h = (h ^ load32(s) ^ load32(s[n-4:])<<32) * k
	} else if n > 0 {
		h = (h ^ uint64(s[0]) ^ uint64(s[n/2])<<8 ^ uint64(s[n-1])<<16) * k
	}
	return uint32(h >> 32)
}

func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func load32(s string) uint64 {
	_ = s[3]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}
