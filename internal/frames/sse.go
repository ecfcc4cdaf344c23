package frames

import "bytes"

// sse is what is known of the unfinished event; offsets count from its start.
type sse struct {
	event    []byte
	from, to int    // the data, while it is one line
	lines    int    // of data
	joined   []byte // the data, once it is several lines
	afterCR  bool   // the last line ended in a CR whose LF may follow
}

// events reads lines from r.scan on, and returns how many bytes are done with.
func (r *Reader) events(work []byte, frame func(Frame)) int {
	start := 0 // of the unfinished event
	at, line := r.scan, r.lineStart
	if r.sse.afterCR {
		r.sse.afterCR = false
		if work[at] == '\n' {
			at++
			line = at
		}
	}
	ends := lineEnds{b: work}
	for r.err == nil {
		end := ends.next(at)
		if end < 0 {
			break
		}
		at = end + 1
		if work[end] == '\r' {
			if at == len(work) {
				r.sse.afterCR = true
			} else if work[at] == '\n' {
				at++
			}
		}
		if end == line {
			r.dispatch(work[start:], frame, false)
		} else {
			r.line(work, start, line, end, frame)
		}
		if r.sse.lines == 0 {
			start = at // nothing of what was read is needed any more
		}
		line = at
	}
	r.lineStart = line - start
	r.scan = len(work) - start
	return start
}

// lineEnds finds CR and LF, looking at each byte once for each of them.
type lineEnds struct {
	b      []byte
	lf, cr int // the next of them, once looked for; len(b) without one
}

func (l *lineEnds) next(at int) int {
	if l.lf < at || l.lf == 0 {
		l.lf = l.find(at, '\n')
	}
	if l.cr < at || l.cr == 0 {
		l.cr = l.find(at, '\r')
	}
	if end := min(l.lf, l.cr); end < len(l.b) {
		return end
	}
	return -1
}

func (l *lineEnds) find(at int, x byte) int {
	if n := bytes.IndexByte(l.b[at:], x); n >= 0 {
		return at + n
	}
	return len(l.b)
}

// line takes work[from:to], a line of the event that begins at start.
func (r *Reader) line(work []byte, start, from, to int, frame func(Frame)) {
	text := work[from:to]
	if len(text) > MaxFrame {
		r.err = ErrTooLarge
		return
	}
	switch {
	case bytes.HasPrefix(text, dataField):
		value := from + len(dataField)
		if value < to && work[value] == ' ' {
			value++
		}
		r.data(work, start, value, to)
	case bytes.HasPrefix(text, eventField):
		r.sse.event = append(r.sse.event[:0], bytes.TrimPrefix(text[len(eventField):], space)...)
	case text[0] == ':' || bytes.HasPrefix(text, idField) || bytes.HasPrefix(text, retryField):
	case text[0] == '{':
		// Some gateways write an error between the events without its field name.
		frame(Frame{Format: Events, Event: r.sse.event, Data: text})
	case string(text) == "data":
		r.data(work, start, to, to)
	default:
		r.unframed(text)
		r.unframed(space)
	}
}

var (
	dataField  = []byte("data:")
	eventField = []byte("event:")
	idField    = []byte("id:")
	retryField = []byte("retry:")
	space      = []byte(" ")
)

func (r *Reader) data(work []byte, start, from, to int) {
	s := &r.sse
	s.lines++
	switch s.lines {
	case 1:
		s.from, s.to = from-start, to-start
		return
	case 2:
		s.joined = append(s.joined[:0], work[start+s.from:start+s.to]...)
	}
	if len(s.joined)+to-from > MaxFrame {
		r.err = ErrTooLarge
		return
	}
	s.joined = append(append(s.joined, '\n'), work[from:to]...)
}

// dispatch hands over the event that begins at event[0], if it holds data.
func (r *Reader) dispatch(event []byte, frame func(Frame), tail bool) {
	s := &r.sse
	if s.lines > 0 && r.err == nil {
		data := s.joined
		if s.lines == 1 {
			data = event[s.from:s.to]
		}
		frame(Frame{Format: Events, Event: s.event, Data: data, Tail: tail})
	}
	s.event, s.lines = s.event[:0], 0
}

// lastEvent takes what stands after the last empty line: servers leave it out.
func (r *Reader) lastEvent(rest []byte, frame func(Frame)) {
	if r.lineStart < len(rest) && !r.sse.afterCR {
		tail := func(f Frame) {
			f.Tail = true
			frame(f)
		}
		r.line(rest, 0, r.lineStart, len(rest), tail)
	}
	r.dispatch(rest, frame, true)
}
