package schema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// translator reads an ECMAScript pattern (its Unicode form, with the lenience
// of Annex B for punctuation) and writes it for another engine. It refuses what
// ECMAScript refuses.
type translator struct {
	src        string
	pos        int
	out        strings.Builder
	net        bool // write for the backtracking engine
	plain      bool // leave assertions about the surroundings out
	backtracks bool // something RE2 cannot take came by
	depth      int
	groups     int // capturing groups opened so far
	total      int // capturing groups in all
	names      map[string]int
}

const maxGroupDepth = 200

func (t *translator) translate() (string, error) {
	if !utf8.ValidString(t.src) {
		return "", errors.New("it is not UTF-8")
	}
	if err := t.countGroups(); err != nil {
		return "", err
	}
	if err := t.alternatives(); err != nil {
		return "", err
	}
	if t.pos < len(t.src) {
		return "", errors.New("unmatched )")
	}
	return t.out.String(), nil
}

// countGroups numbers the capturing groups ahead, for references to later ones.
func (t *translator) countGroups() error {
	t.names = map[string]int{}
	inClass := false
	for i := 0; i < len(t.src); i++ {
		switch c := t.src[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
		case c == '(' && !strings.HasPrefix(t.src[i:], "(?"):
			t.total++
		case c == '(' && strings.HasPrefix(t.src[i:], "(?<") && !strings.HasPrefix(t.src[i:], "(?<=") && !strings.HasPrefix(t.src[i:], "(?<!"):
			t.total++
			name, _, ok := strings.Cut(t.src[i+3:], ">")
			if !ok || !groupName(name) {
				return errors.New("a group has no proper name")
			}
			if _, twice := t.names[name]; twice {
				return errors.New("a group's name comes twice")
			}
			t.names[name] = t.total
		}
	}
	return nil
}

func groupName(s string) bool {
	for i, c := range s {
		if c != '_' && c != '$' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return s != ""
}

func (t *translator) more() bool { return t.pos < len(t.src) }

func (t *translator) peek() byte {
	if t.more() {
		return t.src[t.pos]
	}
	return 0
}

func (t *translator) accept(s string) bool {
	if strings.HasPrefix(t.src[t.pos:], s) {
		t.pos += len(s)
		return true
	}
	return false
}

func (t *translator) alternatives() error {
	for {
		for t.more() && t.peek() != '|' && t.peek() != ')' {
			if err := t.term(); err != nil {
				return err
			}
		}
		if !t.accept("|") {
			return nil
		}
		t.out.WriteByte('|')
	}
}

// term reads one assertion or one atom with its quantifier.
func (t *translator) term() error {
	switch c := t.peek(); c {
	case '^':
		t.pos++
		t.out.WriteString(`\A`)
		return t.noQuantifier()
	case '$':
		t.pos++
		t.out.WriteString(`\z`)
		return t.noQuantifier()
	case '(':
		return t.group()
	case '*', '+', '?':
		return errors.New("nothing to repeat before " + string(c))
	case '[':
		if err := t.class(); err != nil {
			return err
		}
	case '.':
		t.pos++
		t.set(anyButLines)
	case '\\':
		quantifiable, err := t.escape()
		if err != nil || !quantifiable {
			return err
		}
	case '{':
		if _, ok := t.repetition(); ok {
			return errors.New("nothing to repeat before {")
		}
		fallthrough
	default:
		r, n := utf8.DecodeRuneInString(t.src[t.pos:])
		t.pos += n
		t.literal(r)
	}
	return t.quantifier()
}

func (t *translator) noQuantifier() error {
	if c := t.peek(); c == '*' || c == '+' || c == '?' {
		return errors.New("nothing to repeat before " + string(c))
	}
	return nil
}

func (t *translator) group() error {
	if t.depth++; t.depth > maxGroupDepth {
		return errors.New("groups are nested too deep")
	}
	defer func() { t.depth-- }()
	t.pos++
	quantifiable, around, start := true, false, t.out.Len()
	switch {
	case t.accept("?:"):
		t.out.WriteString("(?:")
	case t.accept("?="), t.accept("?!"):
		t.out.WriteString("(?" + t.src[t.pos-1:t.pos])
		t.backtracks, around = true, true
	case t.accept("?<="), t.accept("?<!"):
		t.out.WriteString("(?<" + t.src[t.pos-1:t.pos])
		t.backtracks, around, quantifiable = true, true, false
	case t.accept("?<"):
		t.pos += strings.IndexByte(t.src[t.pos:], '>') + 1
		t.capture()
	case t.accept("?"):
		flags, rest, ok := strings.Cut(t.src[t.pos:], ":")
		if !ok || flags != "i" {
			return errors.New("(?" + cut(t.src[t.pos:], 8) + " is not ECMAScript")
		}
		t.out.WriteString("(?" + flags + ":")
		t.pos = len(t.src) - len(rest)
	default:
		t.capture()
	}
	if err := t.alternatives(); err != nil {
		return err
	}
	if !t.accept(")") {
		return errors.New("a group is not closed")
	}
	t.out.WriteByte(')')
	if t.plain && around {
		kept := t.out.String()[:start]
		t.out.Reset()
		t.out.WriteString(kept)
	}
	if !quantifiable {
		return t.noQuantifier()
	}
	return t.quantifier()
}

func (t *translator) capture() {
	t.groups++
	if t.net {
		fmt.Fprintf(&t.out, "(?<g%d>", t.groups)
		return
	}
	t.out.WriteString("(?:")
}

// repetition reads {n}, {n,} or {n,m} without moving on.
func (t *translator) repetition() (string, bool) {
	end := strings.IndexByte(t.src[t.pos:], '}')
	if end < 0 {
		return "", false
	}
	text := t.src[t.pos+1 : t.pos+end]
	low, high, ranged := strings.Cut(text, ",")
	if low == "" || strings.Trim(low+high, "0123456789") != "" || len(low) > 9 || len(high) > 9 {
		return "", false
	}
	_ = ranged
	return t.src[t.pos : t.pos+end+1], true
}

func (t *translator) quantifier() error {
	switch c := t.peek(); c {
	case '*', '+', '?':
		t.pos++
		t.out.WriteByte(c)
	case '{':
		text, ok := t.repetition()
		if !ok {
			return nil // a literal brace follows
		}
		low, high, _ := strings.Cut(strings.Trim(text, "{}"), ",")
		a, _ := strconv.Atoi(low)
		b, _ := strconv.Atoi(high)
		if high != "" && b < a {
			return errors.New("the repetition " + text + " is out of order")
		}
		t.pos += len(text)
		t.out.WriteString(text)
	default:
		return nil
	}
	if t.accept("?") {
		t.out.WriteByte('?')
	}
	return t.noQuantifier()
}

// escape reads an escape outside of a class; assertions take no quantifier.
func (t *translator) escape() (quantifiable bool, err error) {
	if t.pos+1 >= len(t.src) {
		return false, errors.New("it ends in a backslash")
	}
	switch c := t.src[t.pos+1]; {
	case c == 'b' || c == 'B':
		t.pos += 2
		t.boundary(c == 'B')
		return false, t.noQuantifier()
	case '1' <= c && c <= '9':
		return true, t.numberedReference()
	case c == 'k':
		return true, t.namedReference()
	}
	set, r, err := t.classEscape()
	switch {
	case err != nil:
		return false, err
	case set != "":
		t.set(set)
	default:
		t.literal(r)
	}
	return true, nil
}

func (t *translator) boundary(not bool) {
	switch {
	case t.net && not:
		t.out.WriteString(`(?:(?<=[A-Za-z0-9_])(?=[A-Za-z0-9_])|(?<![A-Za-z0-9_])(?![A-Za-z0-9_]))`)
	case t.net:
		t.out.WriteString(`(?:(?<=[A-Za-z0-9_])(?![A-Za-z0-9_])|(?<![A-Za-z0-9_])(?=[A-Za-z0-9_]))`)
	case not:
		t.out.WriteString(`\B`)
	default:
		t.out.WriteString(`\b`)
	}
}

func (t *translator) numberedReference() error {
	end := t.pos + 1
	for end < len(t.src) && '0' <= t.src[end] && t.src[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(t.src[t.pos+1 : end])
	if err != nil || n > t.total {
		return errors.New("a reference names a group that does not exist")
	}
	t.pos = end
	t.reference(n)
	return nil
}

func (t *translator) namedReference() error {
	name, _, ok := strings.Cut(strings.TrimPrefix(t.src[t.pos+2:], "<"), ">")
	n, known := t.names[name]
	if !ok || !known || t.src[t.pos+2] != '<' {
		return errors.New("a reference names a group that does not exist")
	}
	t.pos += len(`\k<>`) + len(name)
	t.reference(n)
	return nil
}

// reference matches what the group matched, or nothing where it did not take part.
func (t *translator) reference(n int) {
	t.backtracks = true
	if n > t.groups || t.plain {
		t.out.WriteString("(?:)")
		return
	}
	fmt.Fprintf(&t.out, `(?(g%d)\k<g%d>)`, n, n)
}

func (t *translator) literal(r rune) { t.out.WriteString(escapeRune(r)) }

// escapeRune writes a character so that no engine takes it for anything else,
// inside a class and outside.
func escapeRune(r rune) string {
	switch {
	case r < 0x20 || r == 0x7f:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x80 && r != ' ' && r != '_' && !('0' <= r && r <= '9') && !('a' <= r|0x20 && r|0x20 <= 'z'):
		return `\` + string(r)
	}
	return string(r)
}

// set writes the content of a class as a class.
func (t *translator) set(content string) { t.out.WriteString("[" + content + "]") }

// classEscape reads an escape that stands for a set, as the content of a class,
// or for one character.
func (t *translator) classEscape() (set string, r rune, err error) {
	if t.pos+1 >= len(t.src) {
		return "", 0, errors.New("it ends in a backslash")
	}
	c := t.src[t.pos+1]
	if set, ok := shorthand[c]; ok {
		t.pos += 2
		return set, 0, nil
	}
	if c == 'p' || c == 'P' {
		set, err = t.property(c == 'P')
		return set, 0, err
	}
	r, err = t.charEscape(c)
	return "", r, err
}

func (t *translator) charEscape(c byte) (rune, error) {
	rest := t.src[t.pos+2:]
	switch c {
	case 't', 'n', 'v', 'f', 'r':
		t.pos += 2
		return rune("\t\n\v\f\r"[strings.IndexByte("tnvfr", c)]), nil
	case '0':
		if rest != "" && '0' <= rest[0] && rest[0] <= '9' {
			return 0, errors.New("octal escapes are not ECMAScript")
		}
		t.pos += 2
		return 0, nil
	case 'c':
		if rest == "" || !('a' <= rest[0]|0x20 && rest[0]|0x20 <= 'z') {
			return 0, errors.New(`\c needs a letter`)
		}
		t.pos += 3
		return rune(rest[0] & 31), nil
	case 'x':
		return t.hex(rest, 2)
	case 'u':
		return t.unicodeEscape(rest)
	}
	r, n := utf8.DecodeRuneInString(t.src[t.pos+1:])
	if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
		return 0, fmt.Errorf(`\%c is not an escape of ECMAScript`, r)
	}
	t.pos += 1 + n
	return r, nil
}

func (t *translator) hex(rest string, n int) (rune, error) {
	if len(rest) < n {
		return 0, errors.New("a hexadecimal escape is too short")
	}
	v, err := strconv.ParseUint(rest[:n], 16, 32)
	if err != nil {
		return 0, errors.New("a hexadecimal escape has other digits")
	}
	t.pos += 2 + n
	return rune(v), nil
}

func (t *translator) unicodeEscape(rest string) (rune, error) {
	if strings.HasPrefix(rest, "{") {
		text, _, ok := strings.Cut(rest[1:], "}")
		v, err := strconv.ParseUint(text, 16, 32)
		if !ok || err != nil || v > unicode.MaxRune {
			return 0, errors.New(`\u{…} does not name a character`)
		}
		t.pos += len(`\u{}`) + len(text)
		return rune(v), nil
	}
	r, err := t.hex(rest, 4)
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	if tail := t.src[t.pos:]; strings.HasPrefix(tail, `\u`) && len(tail) >= 6 {
		if low, err := strconv.ParseUint(tail[2:6], 16, 32); err == nil {
			if full := utf16.DecodeRune(r, rune(low)); full != unicode.ReplacementChar {
				t.pos += 6
				return full, nil
			}
		}
	}
	return 0, errors.New("half of a surrogate pair matches nothing")
}

// class reads [...].
func (t *translator) class() error {
	t.pos++
	negated := t.accept("^")
	var items strings.Builder
	for {
		if !t.more() {
			return errors.New("a class is not closed")
		}
		if t.accept("]") {
			break
		}
		if err := t.classItem(&items); err != nil {
			return err
		}
	}
	switch {
	case items.Len() == 0 && negated:
		t.set(everything)
	case items.Len() == 0:
		t.out.WriteString("[^" + everything + "]")
	case negated:
		t.out.WriteString("[^" + items.String() + "]")
	default:
		t.set(items.String())
	}
	return nil
}

// classItem reads one character, range or set of a class.
func (t *translator) classItem(items *strings.Builder) error {
	set, from, err := t.classAtom()
	if err != nil {
		return err
	}
	if set != "" {
		items.WriteString(set)
		return nil
	}
	rest := t.src[t.pos:]
	if len(rest) < 2 || rest[0] != '-' || rest[1] == ']' {
		items.WriteString(escapeRune(from))
		return nil
	}
	mark := t.pos
	t.pos++
	set, to, err := t.classAtom()
	if err != nil {
		return err
	}
	if set != "" { // Annex B: the dash stands for itself
		t.pos = mark
		items.WriteString(escapeRune(from))
		return nil
	}
	if to < from {
		return errors.New("a range in a class is out of order")
	}
	items.WriteString(escapeRune(from) + "-" + escapeRune(to))
	return nil
}

func (t *translator) classAtom() (set string, r rune, err error) {
	if t.peek() != '\\' {
		r, n := utf8.DecodeRuneInString(t.src[t.pos:])
		t.pos += n
		return "", r, nil
	}
	if strings.HasPrefix(t.src[t.pos:], `\b`) {
		t.pos += 2
		return "", '\b', nil
	}
	if strings.HasPrefix(t.src[t.pos:], `\-`) {
		t.pos += 2
		return "", '-', nil
	}
	return t.classEscape()
}
