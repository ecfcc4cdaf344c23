package rawjson

import (
	"bytes"
	"strconv"
	"strings"
)

// Finish closes a JSON text that was cut off: open strings, objects and arrays end
// where the text does, and what is begun gets the shortest end. path is a JSON
// Pointer to the value that the last byte is of, or to the object where that is
// between values or of a name. What was no JSON before is none after.
func Finish(cut []byte) (whole []byte, path string) {
	f := finisher{out: append([]byte(nil), cut...)}
	for i := 0; i < len(cut); i++ {
		i = f.read(cut, i)
	}
	return f.close()
}

// finisher knows what is open. Names and places are those of the open values.
type finisher struct {
	out    []byte
	open   []level
	begun  int  // where a string or a scalar began that has not ended
	inText bool // a string has not ended
	inWord bool // a number or a literal may go on
	end    bool // the last byte ended a value
}

type level struct {
	brace byte // { or [
	index int
	name  []byte // of the current member, quoted; nil: none yet
	state levelState
}

type levelState int

const (
	atName levelState = iota // or an array's element
	atColon
	atValue // of a member
	behind  // a value
)

// read takes the byte at i, or the whole string or word that begins there.
func (f *finisher) read(cut []byte, i int) int {
	f.end = false
	switch c := cut[i]; c {
	case ' ', '\t', '\r', '\n':
	case '{', '[':
		f.set(behind)
		f.open = append(f.open, level{brace: c})
	case '}', ']':
		if len(f.open) > 0 {
			f.open = f.open[:len(f.open)-1]
		}
		f.ended(nil)
	case ':':
		f.set(atValue)
	case ',':
		f.set(atName)
		if l := f.last(); l != nil {
			l.index++
			l.name = nil
		}
	case '"':
		f.begun, f.inText = i, true
		for i++; i < len(cut) && cut[i] != '"'; i++ {
			if cut[i] == '\\' {
				i++
			}
		}
		if i < len(cut) {
			f.inText = false
			f.ended(cut[f.begun : i+1])
		}
	default:
		f.begun = i
		for i < len(cut) && !strings.ContainsRune(" \t\r\n,:]}{[\"", rune(cut[i])) {
			i++
		}
		f.inWord = i == len(cut)
		i--
		f.ended(nil)
	}
	return i
}

func (f *finisher) last() *level {
	if len(f.open) == 0 {
		return nil
	}
	return &f.open[len(f.open)-1]
}

func (f *finisher) set(s levelState) {
	if l := f.last(); l != nil {
		l.state = s
	}
}

// ended notes that a value, or the name text, is whole.
func (f *finisher) ended(text []byte) {
	l := f.last()
	switch {
	case l == nil:
	case l.brace == '{' && l.state == atName && text != nil:
		l.name, l.state = text, atColon
	default:
		l.state, f.end = behind, true
	}
}

func (f *finisher) close() ([]byte, string) {
	inName := f.inText && f.last() != nil && f.last().brace == '{' && f.last().state == atName
	path := f.path(inName)
	switch {
	case f.inText:
		f.out = append(trimEscape(f.out, f.begun), '"')
		if inName {
			f.out = append(f.out, ":null"...)
		} else {
			f.ended(nil)
		}
	case f.inWord:
		f.out = append(f.out, wordEnd(string(f.out[f.begun:]))...)
	}
	for i := len(f.open) - 1; i >= 0; i-- {
		f.out = f.open[i].close(f.out, inName && i == len(f.open)-1)
	}
	return f.out, path
}

func (l *level) close(out []byte, named bool) []byte {
	comma := bytes.HasSuffix(bytes.TrimRight(out, " \t\r\n"), []byte(","))
	switch {
	case named:
	case l.state == atColon:
		out = append(out, ":null"...)
	case l.state == atValue, l.brace == '[' && comma:
		out = append(out, "null"...)
	case comma:
		out = bytes.TrimSuffix(bytes.TrimRight(out, " \t\r\n"), []byte(","))
	}
	if l.brace == '{' {
		return append(out, '}')
	}
	return append(out, ']')
}

// path names the value that is open, by the members and elements around it.
func (f *finisher) path(inName bool) string {
	var b strings.Builder
	for i := range f.open {
		l := &f.open[i]
		inner := i == len(f.open)-1
		if inner && (inName || l.state == atName && l.brace == '{' || l.state == atColon || l.state == behind && !f.end) {
			break
		}
		b.WriteByte('/')
		if l.brace == '[' {
			b.WriteString(strconv.Itoa(l.index))
			continue
		}
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(String(l.name)))
	}
	return b.String()
}

// trimEscape drops an escape, or a character, that was cut within.
func trimEscape(out []byte, from int) []byte {
	for i := from + 1; i < len(out); i++ {
		if out[i] != '\\' {
			continue
		}
		n := 2
		if i+1 < len(out) && out[i+1] == 'u' {
			n = 6
		}
		if i+n > len(out) {
			return out[:i]
		}
		i += n - 1
	}
	text := Text(out[from:])
	if whole := strings.TrimRight(text, "\ufffd"); len(whole) < len(text) && len(whole) > 0 {
		return append(out[:from:from], whole...)
	}
	return out
}

// wordEnd is the rest of a literal, or a digit where a number needs one.
func wordEnd(word string) string {
	for _, whole := range []string{"true", "false", "null"} {
		if strings.HasPrefix(whole, word) {
			return whole[len(word):]
		}
	}
	if strings.HasSuffix(word, "-") || strings.HasSuffix(word, "+") || strings.HasSuffix(word, ".") || strings.HasSuffix(strings.ToLower(word), "e") {
		return "0"
	}
	return ""
}
