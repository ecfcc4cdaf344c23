package rawjson

// Builder joins the fragments of one text. The zero value is empty.
type Builder struct {
	b     []byte
	shown int
}

// Add appends a fragment and returns what is certain of the text since the last
// call: a surrogate half at the seam waits for its other half. The result is
// valid until the next call.
func (t *Builder) Add(fragment []byte) []byte {
	t.b = join(t.b, fragment)
	return t.fresh()
}

// AddString is Add of a JSON string's value; of anything else, of nothing.
func (t *Builder) AddString(raw []byte) []byte {
	t.b = AppendString(t.b, raw)
	return t.fresh()
}

func (t *Builder) fresh() []byte {
	end := len(t.b)
	if endsInHigh(t.b) {
		end -= 3
	}
	fresh := t.b[t.shown:end]
	t.shown = end
	return fresh
}

// Len is how many bytes were joined.
func (t *Builder) Len() int { return len(t.b) }

// String is the text as it was sent: a lone surrogate stands in it as three
// bytes that are not valid UTF-8.
func (t *Builder) String() string { return string(t.b) }

// Bytes is the text as it was sent, valid until the next Add.
func (t *Builder) Bytes() []byte { return t.b }

// Text is the text with U+FFFD where it is not valid UTF-8.
func (t *Builder) Text() string { return Text(t.b) }
