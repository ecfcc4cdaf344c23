package frames

// values is where the reading of JSON stands within the unfinished value.
type values struct {
	array    bool // the values are elements of one array
	opened   bool // its bracket was read
	closed   bool
	depth    int
	inString bool
	escaped  bool
}

// values finds where values end by brackets and strings alone: whether one is
// well-formed is for its reader to say.
func (r *Reader) values(work []byte, frame func(Frame)) int {
	v := &r.json
	start := 0
	i := r.scan
	for i < len(work) {
		if v.depth == 0 && !v.inString {
			n := r.between(work[i:])
			i += n
			start = i
			if i == len(work) {
				break
			}
		}
		n, whole := v.value(work[i:])
		i += n
		if whole {
			if i-start > MaxFrame {
				r.err = ErrTooLarge
				return 0
			}
			frame(Frame{Format: r.format, Data: work[start:i]})
			start = i
		}
	}
	r.scan = i - start
	return start
}

// between passes over what stands between two values, to the start of the next.
func (r *Reader) between(b []byte) int {
	v := &r.json
	for i, x := range b {
		switch {
		case x == '{' && !v.closed:
			return i
		case x == '[' && v.array && !v.opened:
			v.opened = true
		case x == ']' && v.array && v.opened:
			v.closed = true
		case x == ' ' || x == '\n' || x == '\r' || x == '\t' || x == ',' || x == 0x1E:
		default:
			r.unframed(b[i : i+1])
		}
	}
	return len(b)
}

// value reads on within one object; whole says that it ended.
func (v *values) value(b []byte) (n int, whole bool) {
	for i := range b {
		x := b[i]
		if v.inString {
			switch {
			case v.escaped:
				v.escaped = false
			case x == '\\':
				v.escaped = true
			case x == '"':
				v.inString = false
			}
			continue
		}
		switch x {
		case '"':
			v.inString = true
		case '{', '[':
			v.depth++
		case '}', ']':
			v.depth--
			if v.depth == 0 {
				return i + 1, true
			}
		}
	}
	return len(b), false
}

func (r *Reader) lastValue(rest []byte, frame func(Frame)) {
	if r.json.depth > 0 && len(rest) > 0 {
		frame(Frame{Format: r.format, Data: rest, Tail: true})
	}
}
