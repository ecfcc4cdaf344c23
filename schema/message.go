package schema

import (
	"fmt"
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

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if first, rest, ok := strings.Cut(what, " "); ok {
		return fmt.Sprintf("%d %ss %s", n, first, strings.Replace(rest, "that is ", "that are ", 1))
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// gotOf names a value: tersely for data, and for a sentence. Containers are
// named by their size only, so no message shows what they hold.
func gotOf(d *document, i uint32, secret bool) (got, spoken string) {
	n := &d.nodes[i]
	kind := Kind(n.kind)
	if secret && kind != Null {
		return kind.String() + " (hidden)", "the " + kind.String() + " given"
	}
	switch kind {
	case Null:
		return "null", "null"
	case Bool:
		return "boolean " + d.raw(i), "the boolean " + d.raw(i)
	case Number:
		text := cut(d.raw(i), shownChars)
		return "number " + text, "the number " + text
	case String:
		text := quoteShort(d.text(i))
		return "string " + text, "the string " + text
	case Array:
		return "array of " + plural(int(n.aux), "element"), "an array"
	}
	return "object with " + plural(int(n.aux), "member"), "an object"
}

// describe names a schema's value in a fault.
func describe(v Value) string {
	_, spoken := gotOf(v.d, v.i, false)
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
	return finding{keyword: "type", node: i, rank: rankType, say: func(e *explainer) said {
		got, spoken := e.got(i)
		return said{
			expected: types.list(), got: got,
			message: "must be " + types.words() + ", not " + spoken + e.typeHint(types, i),
		}
	}}
}

// typeHint says what was probably meant, where that can be told.
func (e *explainer) typeHint(types typeSet, i uint32) string {
	switch Kind(e.d.nodes[i].kind) {
	case Null:
		if i != 0 && Kind(e.d.nodes[e.at.up[i]].kind) == Object && !e.needed[i] {
			return "; leave it out instead"
		}
	case String:
		text := e.d.text(i)
		v, err := Read([]byte(text), nil)
		if err != nil || e.secret(i) {
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

// shown is a schema's value as JSON, cut.
func shown(v Value) string {
	if v.Kind() == String {
		return quoteShort(v.Text())
	}
	return cut(string(v.Raw()), shownChars)
}

// oneOfWords lists up to ten values, else a few and how many there are.
func oneOfWords(values []Value) string {
	if len(values) == 1 {
		return shown(values[0])
	}
	if len(values) > 10 {
		return "one of " + listed(values[:3]) + fmt.Sprintf(" … (%d values)", len(values))
	}
	return "one of " + listed(values)
}

func listed(values []Value) string {
	var out []string
	for _, v := range values {
		out = append(out, shown(v))
	}
	return strings.Join(out, ", ")
}

// notListed is the finding where a value is none of those allowed.
func (e *explainer) notListed(i uint32, keyword string, values []Value) finding {
	return e.find(i, keyword, func(e *explainer) said {
		if len(values) == 0 {
			return said{expected: "no value", message: "nothing is allowed here; leave it out"}
		}
		got, spoken := e.got(i)
		near := e.nearValues(i, values)
		if len(values) > 10 {
			many := strconv.Itoa(len(values)) + " values"
			x := said{expected: "one of " + many, got: got, message: "must be one of " + many + ", not " + spoken}
			if len(near) > 0 {
				few := listed(near)
				x.expected, x.message = few+" … ("+many+")", x.message+"; the nearest are "+few
			}
			return x
		}
		x := said{expected: listed(values), got: got, message: "must be " + oneOfWords(values) + ", not " + spoken}
		if len(near) > 0 && len(values) > 1 {
			x.message += "; did you mean " + shown(near[0]) + "?"
		}
		return x
	})
}

// nearValues are the allowed strings that are most like the one given; of a
// long list always three.
func (e *explainer) nearValues(i uint32, values []Value) []Value {
	if Kind(e.d.nodes[i].kind) != String {
		if len(values) > 10 {
			return values[:3]
		}
		return nil
	}
	names := make([]string, 0, len(values))
	for _, v := range values {
		if v.Kind() == String {
			names = append(names, v.Text())
		}
	}
	given := e.d.text(i)
	var out []Value
	var near []string
	if len(values) > 10 {
		near = closest(given, names, 3, nil)
	} else {
		near = nearest(given, names, 1)
	}
	for _, name := range near {
		for _, v := range values {
			if v.Kind() == String && v.Text() == name {
				out = append(out, v)
				break
			}
		}
	}
	return out
}

// briefly says what a missing property is.
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
		return oneOfWords(m.values)
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
