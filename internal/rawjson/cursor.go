package rawjson

import "bytes"

// maxDepth bounds recursion.
const maxDepth = 10_000

// Cursor walks one value. After a fault every method answers with nothing.
type Cursor struct {
	b       []byte
	i       int
	depth   int
	failed  bool
	scratch []byte
}

// NewCursor is a cursor at the start of b, which is not changed and not kept longer
// than the cursor. Slices that the cursor returns may lie in b.
func NewCursor(b []byte) *Cursor { return &Cursor{b: b} }

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

// Kind tells the next value as [Kind] does.
func (c *Cursor) Kind() byte {
	if c.failed {
		return 0
	}
	return Kind(c.b[c.i:])
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

// Text is Bytes as a string of its own, made valid UTF-8.
func (c *Cursor) Text() string { return Text(c.Bytes()) }

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
func (c *Cursor) Int() (int64, bool) { return Int(c.Raw()) }

// Bool reads true or false; anything else is skipped and gives false.
func (c *Cursor) Bool() bool {
	yes := c.Kind() == 't'
	c.Skip()
	return yes && !c.failed
}

// Skip passes over the next value and checks its grammar.
func (c *Cursor) Skip() {
	c.space()
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
	c.space()
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

func (c *Cursor) space() { c.i = space(c.b, c.i) }

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
	for c.i < len(c.b) && isDigit(c.b[c.i]) {
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

// str reads a string at the cursor. Without escapes it is a slice of the source.
func (c *Cursor) str() ([]byte, bool) {
	c.space()
	start := c.i + 1
	c.skipString()
	if c.failed {
		return nil, false
	}
	body := c.b[start : c.i-1 : c.i-1]
	if bytes.IndexByte(body, '\\') < 0 {
		return body, true
	}
	from := len(c.scratch)
	text := unescape(c.scratch[from:], body)
	if from+len(text) <= cap(c.scratch) {
		c.scratch = c.scratch[:from+len(text)]
	} else {
		c.scratch = text // it had to move; what was returned before stays where it is
	}
	return text[:len(text):len(text)], true
}

// skipString passes over a string and checks its escapes.
func (c *Cursor) skipString() {
	if c.failed || c.i >= len(c.b) || c.b[c.i] != '"' {
		c.failed = true
		return
	}
	b := c.b
	for i := c.i + 1; i < len(b); i++ {
		switch x := b[i]; {
		case x == '"':
			c.i = i + 1
			return
		case x < ' ':
			c.failed = true
			return
		case x == '\\':
			n := escapeLen(b[i:])
			if n == 0 {
				c.failed = true
				return
			}
			i += n - 1
		}
	}
	c.failed = true
}
