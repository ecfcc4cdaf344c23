package schema

import (
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
)

// shownChars is how much of a value a message shows.
const shownChars = 60

// cut shortens text to n characters with a visible mark.
func cut(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	count := 0
	for i := range s {
		if count == n {
			return s[:i] + "…"
		}
		count++
	}
	return s
}

// shorten makes a name or a literal fit for a message: one line, no control,
// bidi or zero-width characters, bounded.
func shorten(s string) string {
	if len(s) <= shownChars && isPlain(s) {
		return s
	}
	q := strconv.Quote(cut(s, shownChars))
	return strings.ReplaceAll(strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`), `\\`, `\`)
}

// isPlain reports whether s has nothing to escape.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// quoteShort is shorten in double quotes.
func quoteShort(s string) string {
	if len(s) <= shownChars && isPlain(s) {
		return `"` + s + `"`
	}
	return strconv.Quote(cut(s, shownChars))
}

// quoted is quoteShort.
func (w *prose) quoted(s string) string {
	if len(s) <= shownChars && isPlain(s) {
		return w.join("\"", s, "\"")
	}
	return quoteShort(s)
}

// counted is a number of something, whose words begin with the noun.
func (w *prose) counted(n, what string) string {
	if n == "1" {
		return w.join("1 ", what)
	}
	if first, rest, ok := strings.Cut(what, " "); ok {
		return w.join(n, " ", first, "s ", strings.Replace(rest, "that is ", "that are ", 1))
	}
	return w.join(n, " ", what, "s")
}

// got names a value: tersely for data, and for a sentence. Containers are named
// by their size only, so no message shows what they hold.
func (w *prose) got(d *document, i uint32, secret bool) (got, spoken string) {
	before, text, after := named(d, i, secret)
	spoken = before
	if text != "" {
		spoken = w.join(before, text, after)
		return spoken[len("the "):], spoken
	}
	return w.terse(d, i, secret), spoken
}

// named is how a sentence names a value. A text stands where data names the
// value by the same words but for the article.
func named(d *document, i uint32, secret bool) (before, text, after string) {
	kind := Kind(d.nodes[i].kind)
	if secret && kind != Null {
		return "the " + kind.String() + " given", "", ""
	}
	switch kind {
	case Null:
		return "null", "", ""
	case Bool:
		return "the boolean ", d.raw(i), ""
	case Number:
		return "the number ", cut(d.raw(i), shownChars), ""
	case String:
		if text = d.text(i); text != "" && len(text) <= shownChars && isPlain(text) {
			return "the string \"", text, "\""
		}
		return "the string ", quoteShort(text), ""
	case Array:
		return "an array", "", ""
	}
	return "an object", "", ""
}

// terse names, for data, what a sentence names by other words.
func (w *prose) terse(d *document, i uint32, secret bool) string {
	n := &d.nodes[i]
	kind := Kind(n.kind)
	if secret && kind != Null {
		return kind.String() + " (hidden)"
	}
	switch kind {
	case Null:
		return "null"
	case Array:
		return w.join("array of ", w.counted(strconv.Itoa(int(n.aux)), "element"))
	}
	return w.join("object with ", w.counted(strconv.Itoa(int(n.aux)), "member"))
}

// about is a message that names the value at i between other words, and the
// value's name for data.
func (e *explainer) about(i uint32, end string, begin ...string) said {
	secret := e.secret(i)
	before, text, after := named(e.d, i, secret)
	w := &e.text
	size := len(before) + len(text) + len(after) + len(end)
	for _, p := range begin {
		size += len(p)
	}
	start := w.start(size)
	for _, p := range begin {
		w.b.WriteString(p)
	}
	from := w.b.Len() + len("the ")
	w.b.WriteString(before)
	w.b.WriteString(text)
	w.b.WriteString(after)
	to := w.b.Len()
	w.b.WriteString(end)
	all := w.b.String()
	x := said{message: all[start:]}
	if text != "" {
		x.got = all[from:to]
	} else {
		x.got = w.terse(e.d, i, secret)
	}
	return x
}

// describe names a schema's value in a fault.
func describe(v Value) string {
	var w prose
	_, spoken := w.got(v.d, v.i, false)
	return spoken
}

// names of a set of types, in their order; null comes last in a sentence.
func (t typeSet) names() []string {
	var out []string
	for _, n := range typeNames {
		if t&n.bit != 0 && (n.bit != typeInteger || t&typeNumber == 0) {
			out = append(out, n.name)
		}
	}
	if len(out) > 1 && out[0] == "null" {
		out = append(out[1:], "null")
	}
	return out
}

// list names the types for data, words for a sentence.
func (t typeSet) list() string {
	if bits.OnesCount8(uint8(t)) == 1 {
		return typeNames[bits.TrailingZeros8(uint8(t))].name
	}
	return strings.Join(t.names(), " or ")
}

func (t typeSet) words() string {
	if bits.OnesCount8(uint8(t)) == 1 {
		return typeNames[bits.TrailingZeros8(uint8(t))].article
	}
	names := t.names()
	for n := range names {
		names[n] = typeNames[bits.TrailingZeros8(uint8(typeBit(names[n])))].article
	}
	return strings.Join(names, " or ")
}

// typeFinding is the finding where the value's type is wrong.
func (e *explainer) typeFinding(types typeSet, i uint32) finding {
	return finding{keyword: "type", node: i, rank: rankType, say: types}
}

func (t typeSet) tell(e *explainer, f *finding) said {
	x := e.about(f.node, e.typeHint(t, f.node), "must be ", t.words(), ", not ")
	x.expected = t.list()
	return x
}

// typeHint says what was probably meant, where that can be told.
func (e *explainer) typeHint(types typeSet, i uint32) string {
	switch Kind(e.d.nodes[i].kind) {
	case Null:
		if i != 0 && Kind(e.d.nodes[e.at.up[i]].kind) == Object && e.notes[i]&noteNeeded == 0 {
			return "; leave it out instead"
		}
	case String:
		text := e.d.text(i)
		if !maySpell(text) || e.secret(i) {
			return ""
		}
		v, err := Read([]byte(text), nil)
		if err != nil {
			return ""
		}
		inner := machine{d: v.d, s: e.s}
		if v.Kind() == String || !inner.admits(types, v.i) {
			return ""
		}
		switch v.Kind() {
		case Array, Object:
			return "; the string holds a JSON " + v.Kind().String() + ": send it without quotes"
		case Number, Bool:
			return "; send " + cut(text, shownChars) + " without quotes"
		}
	case Number:
		if types&typeInteger != 0 {
			return "; it must have no fraction"
		}
	}
	return ""
}

// maySpell reports whether a text begins as JSON of another kind than a string
// or null does.
func maySpell(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	if text == "" {
		return false
	}
	switch c := text[0]; c {
	case '{', '[':
		return true
	case 't':
		return strings.HasPrefix(text, "true")
	case 'f':
		return strings.HasPrefix(text, "false")
	default:
		return (c == '-' || ('0' <= c && c <= '9')) && strings.Trim(text, "0123456789+-.eE \t\r\n") == ""
	}
}

// shown is a schema's value as JSON, cut.
func shown(v Value) string {
	if v.Kind() == String {
		return quoteShort(v.Text())
	}
	return cut(string(v.Raw()), shownChars)
}

// manyValues is how many are listed at most.
const manyValues = 10

// prepare makes ready, once, what is said of the values.
func (m *members) prepare() {
	m.once.Do(func() {
		m.roster = newRoster(m.short)
		if len(m.values) > manyValues {
			m.listed, m.many = listed(m.values[:3]), strconv.Itoa(len(m.values))+" values"
			return
		}
		m.listed = listed(m.values)
	})
}

// words lists up to ten values, else a few and how many there are.
func (m *members) words() string {
	m.prepare()
	switch {
	case len(m.values) == 1:
		return m.listed
	case m.many != "":
		return "one of " + m.listed + " … (" + m.many + ")"
	}
	return "one of " + m.listed
}

func listed(values []Value) string {
	var out []string
	for _, v := range values {
		out = append(out, shown(v))
	}
	return strings.Join(out, ", ")
}

// tell of a value that is none of those allowed. Of a long list it always names
// the three nearest.
func (m *members) tell(e *explainer, f *finding) said {
	if len(m.values) == 0 {
		return said{expected: "no value", message: "nothing is allowed here; leave it out"}
	}
	m.prepare()
	isText := Kind(e.d.nodes[f.node].kind) == String
	if m.many != "" {
		return m.tellMany(e, f, isText)
	}
	oneOf, mean := "one of ", ""
	if len(m.values) == 1 {
		oneOf = ""
	} else if isText {
		if list := e.measure().closest(e.d.text(f.node), m.roster, 1, likely, nil); len(list) > 0 {
			mean = e.text.join("; did you mean ", e.text.quoted(m.short[list[0].place]), "?")
		}
	}
	x := e.about(f.node, mean, "must be ", oneOf, m.listed, ", not ")
	x.expected = m.listed
	return x
}

func (m *members) tellMany(e *explainer, f *finding, isText bool) said {
	few := m.listed
	if isText {
		few = e.nearValues(m, f.node)
	}
	if few == "" {
		x := e.about(f.node, "", "must be one of ", m.many, ", not ")
		x.expected = e.text.join("one of ", m.many)
		return x
	}
	x := e.about(f.node, e.text.join("; the nearest are ", few), "must be one of ", m.many, ", not ")
	x.expected = e.text.join(few, " … (", m.many, ")")
	return x
}

// nearValues lists the allowed strings that are most like the one given.
func (e *explainer) nearValues(m *members, i uint32) string {
	few := ""
	for _, x := range e.measure().closest(e.d.text(i), m.roster, 3, nil, nil) {
		if few != "" {
			few = e.text.join(few, ", ", e.text.quoted(m.short[x.place]))
		} else {
			few = e.text.quoted(m.short[x.place])
		}
	}
	return few
}

// brief says what a missing property is.
func (r *rule) brief() string {
	if s := r.told.Load(); s != nil {
		return *s
	}
	s := briefly(r)
	r.told.Store(&s)
	return s
}

func briefly(r *rule) string {
	s := shapeOf(r)
	about := ""
	if d, ok := r.src.Get("description"); ok && d.Kind() == String {
		about = firstSentence(d.Text())
	}
	switch {
	case s == "" && about == "":
		return ""
	case about == "":
		return "; it must be " + s
	case s == "":
		return " (" + shorten(about) + ")"
	}
	return "; it must be " + s + " (" + shorten(about) + ")"
}

func firstSentence(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, "\n"); i >= 0 {
		s = s[:i]
	}
	if i := strings.Index(s, ". "); i >= 0 {
		s = s[:i]
	}
	return strings.TrimSuffix(s, ".")
}

// shapeOf names a schema in a few words: its values, its type or its title.
func shapeOf(r *rule) string {
	if r.always != 0 {
		return ""
	}
	if m := allowed(r, 0); m != nil && len(m.values) > 0 {
		return m.words()
	}
	if t, ok := r.src.Get("title"); ok && t.Kind() == String && t.Text() != "" {
		return "`" + shorten(t.Text()) + "`"
	}
	types := typesOf(r, 0)
	if types == 0 {
		return ""
	}
	s := types.words()
	if r.str != nil && r.str.format != nil {
		s += " with " + r.str.format.words
	}
	if names := requiredNames(r); len(names) > 0 && types == typeObject {
		s += " with `" + strings.Join(names[:min(len(names), 4)], "`, `") + "`"
	}
	return s
}

func requiredNames(r *rule) []string {
	for depth := 0; r.obj == nil && r.place != nil && r.place.ref != nil && depth < 16; depth++ {
		r = r.place.ref
	}
	var out []string
	if r.obj != nil {
		for n := range r.obj.props {
			if r.obj.props[n].required {
				out = append(out, shorten(r.obj.props[n].name))
			}
		}
	}
	return out
}
