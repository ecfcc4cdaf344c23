// Package jscan walks one JSON value in place, for providers' envelopes: no
// reflection, no maps, no copy of what is not looked at.
//
//	c := jscan.New(frame)
//	c.Object(func(key []byte) {
//		switch string(key) {
//		case "id":
//			id = c.Text()
//		case "choices":
//			c.Array(func(int) { … })
//		}
//	})
//	if !c.Done() { … not one JSON value … }
//
// It accepts exactly the JSON grammar, with two leniencies that providers need:
// names may repeat, and a lone surrogate or a byte that is not UTF-8 inside a
// string does not make the value unreadable. A lone surrogate comes out as its
// three-byte form, so that [Join] can put a pair together whose halves came in
// two fragments, and what stays alone is never valid UTF-8.
package jscan

// maxDepth bounds recursion; no provider nests envelopes that deep.
const maxDepth = 512

// Cursor walks one value. After a fault every method answers with nothing.
type Cursor struct {
	b       []byte
	i       int
	depth   int
	failed  bool
	scratch []byte
}

// New is a cursor at the start of b, which is not changed and not kept longer
// than the cursor. Slices that the cursor returns may lie in b.
func New(b []byte) *Cursor { return &Cursor{b: b} }

// Reset starts over on b and keeps the cursor's scratch space: texts that were
// returned before are void.
func (c *Cursor) Reset(b []byte) {
	*c = Cursor{b: b, scratch: c.scratch[:0]}
}

// Failed reports that the bytes are not JSON where the cursor has been.
func (c *Cursor) Failed() bool { return c.failed }

// Done reports that exactly one value was there and that it was well-formed.
func (c *Cursor) Done() bool {
	c.space()
	return !c.failed && c.i == len(c.b)
}

// Offset is the cursor's place in the bytes, after white space.
func (c *Cursor) Offset() int {
	c.space()
	return c.i
}

// Kind tells the next value: one of { [ " t f n, 0 for a number, and 'x' where
// there is none.
func (c *Cursor) Kind() byte {
	c.space()
	if c.failed || c.i >= len(c.b) {
		return 'x'
	}
	switch b := c.b[c.i]; b {
	case '{', '[', '"', 't', 'f', 'n':
		return b
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return '0'
	}
	return 'x'
}

// Object calls member for each member, which may read the value; what it leaves
// is skipped. Anything but an object is skipped, and false is returned.
func (c *Cursor) Object(member func(key []byte)) bool {
	if c.Kind() != '{' {
		c.Skip()
		return false
	}
	if !c.enter() {
		return false
	}
	for first := true; c.more('}', first); first = false {
		key, ok := c.str()
		if !ok || !c.expect(':') {
			c.failed = true
			return false
		}
		at := c.Offset()
		member(key)
		if c.i == at {
			c.Skip()
		}
		if c.failed {
			return false
		}
	}
	c.depth--
	return !c.failed
}

// Array calls element for each element, as Object does.
func (c *Cursor) Array(element func(i int)) bool {
	if c.Kind() != '[' {
		c.Skip()
		return false
	}
	if !c.enter() {
		return false
	}
	for n := 0; c.more(']', n == 0); n++ {
		at := c.Offset()
		element(n)
		if c.i == at {
			c.Skip()
		}
		if c.failed {
			return false
		}
	}
	c.depth--
	return !c.failed
}

// Bytes reads a string; anything else, null too, is skipped and gives nil. The
// result is valid until Reset and must not be changed.
func (c *Cursor) Bytes() []byte {
	if c.Kind() != '"' {
		c.Skip()
		return nil
	}
	s, _ := c.str()
	return s
}

// Text is Bytes as a string of its own.
func (c *Cursor) Text() string { return string(c.Bytes()) }

// Raw is the next value's slice of the source, nil after a fault.
func (c *Cursor) Raw() []byte {
	start := c.Offset()
	c.Skip()
	if c.failed {
		return nil
	}
	return c.b[start:c.i:c.i]
}

// Int reads a whole number; anything else is skipped and gives false.
func (c *Cursor) Int() (int64, bool) {
	if c.Kind() != '0' {
		c.Skip()
		return 0, false
	}
	raw := c.Raw()
	neg := len(raw) > 0 && raw[0] == '-'
	if neg {
		raw = raw[1:]
	}
	var n int64
	for _, d := range raw {
		if d < '0' || d > '9' || n > (1<<63-1-9)/10 {
			return 0, false
		}
		n = n*10 + int64(d-'0')
	}
	if neg {
		n = -n
	}
	return n, len(raw) > 0
}

// Bool reads true or false; anything else is skipped and gives false.
func (c *Cursor) Bool() bool {
	yes := c.Kind() == 't'
	c.Skip()
	return yes && !c.failed
}

// Skip passes over the next value and checks its grammar.
func (c *Cursor) Skip() {
	switch c.Kind() {
	case '{':
		c.skipObject()
	case '[':
		c.skipArray()
	case '"':
		c.skipString()
	case 't':
		c.literal("true")
	case 'f':
		c.literal("false")
	case 'n':
		c.literal("null")
	case '0':
		c.number()
	default:
		c.failed = true
	}
}

func (c *Cursor) skipObject() {
	if !c.enter() {
		return
	}
	for first := true; c.more('}', first); first = false {
		if c.skipString(); !c.expect(':') {
			c.failed = true
			return
		}
		if c.Skip(); c.failed {
			return
		}
	}
	c.depth--
}

func (c *Cursor) skipArray() {
	if !c.enter() {
		return
	}
	for first := true; c.more(']', first); first = false {
		if c.Skip(); c.failed {
			return
		}
	}
	c.depth--
}

func (c *Cursor) enter() bool {
	c.i++
	c.depth++
	if c.depth > maxDepth {
		c.failed = true
	}
	return !c.failed
}

// more passes over a separator, or over the closing byte and says no.
func (c *Cursor) more(closing byte, first bool) bool {
	c.space()
	if c.failed || c.i >= len(c.b) {
		c.failed = true
		return false
	}
	switch b := c.b[c.i]; {
	case b == closing:
		c.i++
		return false
	case first:
		return true
	case b == ',':
		c.i++
		c.space()
		if c.i < len(c.b) && c.b[c.i] != closing {
			return true
		}
	}
	c.failed = true
	return false
}

func (c *Cursor) expect(b byte) bool {
	c.space()
	if c.i < len(c.b) && c.b[c.i] == b {
		c.i++
		return true
	}
	return false
}

func (c *Cursor) space() {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\n', '\t', '\r':
			c.i++
		default:
			return
		}
	}
}

func (c *Cursor) literal(word string) {
	if len(c.b)-c.i < len(word) || string(c.b[c.i:c.i+len(word)]) != word {
		c.failed = true
		return
	}
	c.i += len(word)
}

func (c *Cursor) number() {
	if c.b[c.i] == '-' {
		c.i++
	}
	switch {
	case c.i < len(c.b) && c.b[c.i] == '0':
		c.i++
	case c.digits() == 0:
		c.failed = true
		return
	}
	if c.i < len(c.b) && c.b[c.i] == '.' {
		c.i++
		if c.digits() == 0 {
			c.failed = true
		}
	}
	if c.i < len(c.b) && (c.b[c.i] == 'e' || c.b[c.i] == 'E') {
		c.i++
		if c.i < len(c.b) && (c.b[c.i] == '+' || c.b[c.i] == '-') {
			c.i++
		}
		if c.digits() == 0 {
			c.failed = true
		}
	}
}

func (c *Cursor) digits() int {
	start := c.i
	for c.i < len(c.b) && c.b[c.i] >= '0' && c.b[c.i] <= '9' {
		c.i++
	}
	return c.i - start
}

// Fork is a cursor at the same place with texts of its own: for looking ahead.
func (c *Cursor) Fork() *Cursor {
	f := *c
	f.scratch = nil
	return &f
}
