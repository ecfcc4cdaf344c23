package schema

import (
	"bytes"
	"fmt"
	"strconv"
)

// ReadError says why bytes are not one JSON value within the limits.
type ReadError struct {
	Keyword string // "json" or "limit"
	Path    string // JSON Pointer to where it happened, as far as known
	Offset  int    // byte offset
	Message string
}

// Error is the message and where it applies.
func (e *ReadError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("reading JSON: %s at byte %d", e.Message, e.Offset)
	}
	return fmt.Sprintf("reading JSON: %s at byte %d (%s)", e.Message, e.Offset, e.Path)
}

// Read reads exactly one JSON value (RFC 8259, valid UTF-8, no duplicate names,
// no lone surrogates). It copies src. The error is a *ReadError.
func Read(src []byte, l *Limits) (Value, error) {
	r := reader{src: src, lim: l.resolved()}
	if len(src) > r.lim.Bytes {
		return Value{}, &ReadError{
			Keyword: "limit", Offset: r.lim.Bytes,
			Message: fmt.Sprintf("the text has %d bytes, more than the %d allowed", len(src), r.lim.Bytes),
		}
	}
	d := newDocument(tapeSize(src))
	r.nodes = d.nodes
	r.space()
	if !r.value(0) {
		return Value{}, r.err
	}
	r.space()
	if r.pos != len(src) {
		r.fail("json", r.pos, "more text follows the value")
		return Value{}, r.err
	}
	d.src, d.nodes, d.strs = string(src), r.nodes, r.strs
	return Value{d: d}, nil
}

// tapeSize is the most nodes that src can hold, found without parsing: every
// node but the first follows one of these four bytes. Text made of commas must
// not buy twenty times its size, so beyond a quarter the tape grows as it fills.
func tapeSize(src []byte) int {
	n := 1 + bytes.Count(src, []byte{','}) + bytes.Count(src, []byte{':'}) +
		bytes.Count(src, []byte{'['}) + bytes.Count(src, []byte{'{'})
	return min(n, len(src)/4+16)
}

type reader struct {
	src   []byte
	pos   int
	nodes []node
	strs  []string
	lim   Limits
	err   *ReadError

	table []uint64 // names of the wide object being closed: generation, node
	gen   uint32
}

// fail notes the first error; it returns false so that callers can hand it on.
func (r *reader) fail(keyword string, at int, message string) bool {
	r.err = &ReadError{Keyword: keyword, Offset: at, Message: message}
	return false
}

func (r *reader) space() {
	for r.pos < len(r.src) {
		switch r.src[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return
		}
	}
}

func (r *reader) value(depth int) bool {
	if r.pos >= len(r.src) {
		return r.fail("json", r.pos, "the text ends where a value must stand")
	}
	switch c := r.src[r.pos]; c {
	case '"':
		return r.str(false)
	case '{':
		return r.object(depth + 1)
	case '[':
		return r.array(depth + 1)
	case 't':
		return r.word("true", Bool)
	case 'f':
		return r.word("false", Bool)
	case 'n':
		return r.word("null", Null)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return r.number()
	default:
		return r.unexpected("where a value must stand")
	}
}

func (r *reader) unexpected(where string) bool {
	if r.pos >= len(r.src) {
		return r.fail("json", r.pos, "the text ends "+where)
	}
	c := r.src[r.pos]
	shown := strconv.QuoteRune(rune(c))
	if c >= 0x80 {
		shown = fmt.Sprintf("byte 0x%02x", c)
	}
	return r.fail("json", r.pos, "unexpected "+shown+" "+where)
}

func (r *reader) word(w string, k Kind) bool {
	end := r.pos + len(w)
	if end > len(r.src) || string(r.src[r.pos:end]) != w {
		return r.unexpected("where a value must stand")
	}
	r.nodes = append(r.nodes, node{off: uint32(r.pos), end: uint32(end), kind: uint8(k)})
	r.pos = end
	return true
}

// open begins a container.
func (r *reader) open(k Kind, depth int) (self int, ok bool) {
	if depth > r.lim.Depth {
		return 0, r.fail("limit", r.pos, fmt.Sprintf("nested deeper than the %d levels allowed", r.lim.Depth))
	}
	self = len(r.nodes)
	r.nodes = append(r.nodes, node{off: uint32(r.pos), kind: uint8(k)})
	r.pos++
	r.space()
	return self, true
}

// close ends the container self at the current byte.
func (r *reader) close(self, count int) {
	r.pos++
	n := &r.nodes[self]
	n.end, n.next, n.aux = uint32(r.pos), uint32(len(r.nodes)), uint32(count)
}

func (r *reader) array(depth int) bool {
	self, ok := r.open(Array, depth)
	if !ok {
		return false
	}
	count := 0
	if r.pos < len(r.src) && r.src[r.pos] == ']' {
		r.close(self, 0)
		return true
	}
	for {
		if !r.value(depth) {
			r.err.Path = "/" + strconv.Itoa(count) + r.err.Path
			return false
		}
		count++
		r.space()
		if r.pos < len(r.src) && r.src[r.pos] == ',' {
			r.pos++
			r.space()
			continue
		}
		if r.pos < len(r.src) && r.src[r.pos] == ']' {
			r.close(self, count)
			return true
		}
		return r.unexpected("where ',' or ']' must stand")
	}
}

func (r *reader) object(depth int) bool {
	self, ok := r.open(Object, depth)
	if !ok {
		return false
	}
	if r.pos < len(r.src) && r.src[r.pos] == '}' {
		r.close(self, 0)
		return true
	}
	var bloom uint64
	count, suspect := 0, false
	for {
		if r.pos >= len(r.src) || r.src[r.pos] != '"' {
			return r.unexpected("where a name in double quotes must stand")
		}
		name := len(r.nodes)
		if !r.str(true) {
			return false
		}
		bit := uint64(1) << (r.nodes[name].aux & 63)
		suspect = suspect || bloom&bit != 0
		bloom |= bit
		if !r.member(name, depth) {
			return false
		}
		count++
		if r.pos < len(r.src) && r.src[r.pos] == ',' {
			r.pos++
			r.space()
			continue
		}
		if r.pos < len(r.src) && r.src[r.pos] == '}' {
			r.close(self, count)
			return !suspect || r.distinct(self)
		}
		return r.unexpected("where ',' or '}' must stand")
	}
}

// member reads the colon and the value that belong to a name, and the space behind.
func (r *reader) member(name, depth int) bool {
	r.space()
	if r.pos >= len(r.src) || r.src[r.pos] != ':' {
		return r.unexpected("where ':' must stand")
	}
	r.pos++
	r.space()
	if !r.value(depth) {
		r.err.Path = "/" + escapeToken(r.text(name)) + r.err.Path
		return false
	}
	r.space()
	return true
}

// text is the decoded text of a string node while reading.
func (r *reader) text(i int) string {
	n := &r.nodes[i]
	if n.flags&flagEscaped != 0 {
		return r.strs[n.next]
	}
	return string(r.src[n.off:n.end])
}

func (r *reader) sameText(i, j uint32) bool {
	a, b := &r.nodes[i], &r.nodes[j]
	if a.aux != b.aux {
		return false
	}
	if (a.flags|b.flags)&flagEscaped == 0 {
		return bytes.Equal(r.src[a.off:a.end], r.src[b.off:b.end])
	}
	return r.text(int(i)) == r.text(int(j))
}

func (r *reader) after(i uint32) uint32 {
	n := &r.nodes[i]
	if n.kind >= uint8(Array) {
		return n.next
	}
	return i + 1
}

// distinct checks that no name of object self comes twice.
func (r *reader) distinct(self int) bool {
	count := int(r.nodes[self].aux)
	if count <= 16 {
		k := uint32(self) + 1
		for n := range count {
			for j, left := uint32(self)+1, n; left > 0; left-- {
				if r.sameText(j, k) {
					return r.duplicate(k)
				}
				j = r.after(j + 1)
			}
			k = r.after(k + 1)
		}
		return true
	}
	return r.distinctWide(self, count)
}

// distinctWide uses a table; names made to collide fall back to a Go map, whose
// hash they cannot know.
func (r *reader) distinctWide(self, count int) bool {
	size := 64
	for size < 2*count {
		size *= 2
	}
	if len(r.table) < size {
		r.table = make([]uint64, size)
		r.gen = 0
	}
	r.gen++
	mask := uint32(len(r.table) - 1)
	probes := 0
	k := uint32(self) + 1
	for range count {
		slot := r.nodes[k].aux & mask
		for uint32(r.table[slot]>>32) == r.gen {
			if r.sameText(uint32(r.table[slot]), k) {
				return r.duplicate(k)
			}
			slot = (slot + 1) & mask
			if probes++; probes > 16*count {
				return r.distinctMap(self, count)
			}
		}
		r.table[slot] = uint64(r.gen)<<32 | uint64(k)
		k = r.after(k + 1)
	}
	return true
}

func (r *reader) distinctMap(self, count int) bool {
	seen := make(map[string]struct{}, count)
	k := uint32(self) + 1
	for range count {
		name := r.text(int(k))
		if _, twice := seen[name]; twice {
			return r.duplicate(k)
		}
		seen[name] = struct{}{}
		k = r.after(k + 1)
	}
	return true
}

func (r *reader) duplicate(k uint32) bool {
	name := r.text(int(k))
	return r.fail("json", int(r.nodes[k].off)-1, "the name "+quoteShort(name)+" comes twice in one object")
}
