package local

import "bytes"

// marker is a text that changes how what follows is read.
type marker struct {
	text []byte
	kind markerKind
	span int // of a reasoning marker
}

type markerKind int

const (
	trigger markerKind = iota
	reasoning
	silent
)

func (f *Format) markers() []marker {
	var all []marker
	for _, t := range f.Triggers {
		all = append(all, marker{text: []byte(t), kind: trigger})
	}
	for i, s := range f.Reasoning {
		all = append(all, marker{text: []byte(s.Begin), kind: reasoning, span: i})
	}
	for _, t := range f.Silent {
		all = append(all, marker{text: []byte(t), kind: silent})
	}
	return all
}

// earliest finds the first marker in text, the longest where several begin. wait
// is where one may begin that is not whole yet, len(text) if none may.
func earliest(all []marker, text []byte, last bool) (at int, m *marker, wait int) {
	at = len(text)
	for i := range all {
		if n := bytes.Index(text[:min(len(text), at+len(all[i].text))], all[i].text); n >= 0 && (n < at || n == at && (m == nil || len(all[i].text) > len(m.text))) {
			at, m = n, &all[i]
		}
	}
	wait = len(text)
	if last {
		return at, m, wait
	}
	for i := range all {
		wait = min(wait, partial(text, all[i].text))
	}
	return at, m, wait
}

// partial is where text ends in a beginning of marker, len(text) where it does not.
func partial(text, marker []byte) int {
	for n := min(len(marker)-1, len(text)); n > 0; n-- {
		if bytes.HasSuffix(text, marker[:n]) {
			return len(text) - n
		}
	}
	return len(text)
}

const space = " \t\r\n"

// match is the result of looking for one of several texts at a place.
type match int

const (
	no    match = iota
	yes         // found
	maybe       // the text ends before it is told
)

// startsWith looks for one of the texts at the start of s, white space around it
// aside, and returns what follows the longest.
func startsWith(s []byte, texts []string, last bool) (rest []byte, m match) {
	s = bytes.TrimLeft(s, space)
	rest, best := s, -1
	for _, text := range texts {
		t := bytes.TrimSpace([]byte(text))
		switch {
		case bytes.HasPrefix(s, t) && len(t) > best:
			rest, best = s[len(t):], len(t)
		case !last && len(s) < len(t) && bytes.HasPrefix(t, s):
			m = maybe
		}
	}
	if best >= 0 && m == no {
		m = yes
	}
	return rest, m
}

// object tells where a JSON object ends, by brackets and strings. It goes on
// where it stood when more text comes.
type object struct {
	at       int
	depth    int
	inString bool
	escaped  bool
	broken   bool
}

// end is the offset behind the object that s starts with, -1 where it is not
// there yet. A byte that no JSON has outside a string makes it broken.
func (o *object) end(s []byte) int {
	for ; o.at < len(s); o.at++ {
		c := s[o.at]
		switch {
		case o.escaped:
			o.escaped = false
		case o.inString:
			o.escaped = c == '\\'
			o.inString = c != '"'
		case c == '"':
			o.inString = true
		case c == '{' || c == '[':
			o.depth++
		case c == '}' || c == ']':
			o.depth--
			if o.depth == 0 {
				o.at++
				return o.at
			}
		case c == '<' || c == '>' || c == '|' || c == '`' || c >= 0x80:
			o.broken = true
			return -1
		}
	}
	return -1
}
