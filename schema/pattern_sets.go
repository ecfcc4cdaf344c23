package schema

import (
	"errors"
	"slices"
	"strings"
	"unicode"
)

// The sets of ECMAScript as the content of a class.
const (
	everything  = "\\x00-\U0010FFFF"
	anyButLines = "\\x00-\\x09\\x0b\\x0c\\x0e-\u2027\u202a-\U0010FFFF"
	spaces      = "\\x09-\\x0d \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
	notSpaces   = "\\x00-\\x08\\x0e-\\x1f!-\u009f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\U0010FFFF"
	notDigits   = "\\x00-\\x2f\\x3a-\U0010FFFF"
	notWord     = "\\x00-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\U0010FFFF"
)

var shorthand = map[byte]string{
	'd': "0-9", 'D': notDigits, 'w': "A-Za-z0-9_", 'W': notWord, 's': spaces, 'S': notSpaces,
}

// longCategories are the long names of general categories.
var longCategories = map[string]string{
	"Letter": "L", "Cased_Letter": "LC", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt",
	"Modifier_Letter": "Lm", "Other_Letter": "Lo", "Mark": "M", "Combining_Mark": "M", "Nonspacing_Mark": "Mn",
	"Spacing_Mark": "Mc", "Enclosing_Mark": "Me", "Number": "N", "Decimal_Number": "Nd", "digit": "Nd",
	"Letter_Number": "Nl", "Other_Number": "No", "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc",
	"Modifier_Symbol": "Sk", "Other_Symbol": "So", "Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc",
	"Dash_Punctuation": "Pd", "Open_Punctuation": "Ps", "Close_Punctuation": "Pe", "Initial_Punctuation": "Pi",
	"Final_Punctuation": "Pf", "Other_Punctuation": "Po", "Separator": "Z", "Space_Separator": "Zs",
	"Line_Separator": "Zl", "Paragraph_Separator": "Zp", "Other": "C", "Control": "Cc", "cntrl": "Cc", "Format": "Cf",
	"Surrogate": "Cs", "Private_Use": "Co",
}

// derived are the binary properties that Go has no table for.
var derived = map[string][]string{
	"Alphabetic": {"L", "Nl", "Other_Alphabetic"}, "Alpha": {"L", "Nl", "Other_Alphabetic"},
	"Uppercase": {"Lu", "Other_Uppercase"}, "Upper": {"Lu", "Other_Uppercase"},
	"Lowercase": {"Ll", "Other_Lowercase"}, "Lower": {"Ll", "Other_Lowercase"},
	"ID_Start": {"L", "Nl", "Other_ID_Start"}, "ID_Continue": {"L", "Nl", "Mn", "Mc", "Nd", "Pc", "Other_ID_Start", "Other_ID_Continue"},
	"LC": {"Lu", "Ll", "Lt"},
}

// property reads \p{…} or \P{…} into the content of a class.
func (t *translator) property(negated bool) (string, error) {
	name, _, ok := strings.Cut(strings.TrimPrefix(t.src[t.pos+2:], "{"), "}")
	if !ok || t.src[t.pos+2] != '{' {
		return "", errors.New(`\p needs a property in braces`)
	}
	t.pos += len(`\p{}`) + len(name)
	var tables []*unicode.RangeTable
	switch name {
	case "Any":
		return negate(nil, !negated), nil
	case "ASCII":
		return negate([]rune{0, 0x7f}, negated), nil
	}
	key, value, paired := strings.Cut(name, "=")
	switch {
	case !paired:
		tables = propertyTables(name)
	case key == "General_Category" || key == "gc":
		tables = propertyTables(value)
	case key == "Script" || key == "sc" || key == "Script_Extensions" || key == "scx":
		if s, ok := unicode.Scripts[value]; ok {
			tables = append(tables, s)
		}
	}
	if short := shortProperty(name); short != "" && !t.net {
		if negated {
			return `\P{` + short + "}", nil
		}
		return `\p{` + short + "}", nil
	}
	if len(tables) == 0 {
		return "", errors.New("the property " + cut(name, 30) + " is not known")
	}
	return negate(ranges(tables), negated), nil
}

// shortProperty is the name by which RE2 knows a property, or "".
func shortProperty(name string) string {
	key, value, paired := strings.Cut(name, "=")
	if !paired {
		value = key
	}
	if short, ok := longCategories[value]; ok {
		value = short
	}
	if _, ok := derived[value]; ok {
		return ""
	}
	_, category := unicode.Categories[value]
	_, script := unicode.Scripts[value]
	if (category && (!paired || key[0] == 'G' || key[0] == 'g')) || (script && paired && (key[0] == 'S' || key[0] == 's')) {
		return value
	}
	return ""
}

func propertyTables(name string) []*unicode.RangeTable {
	if short, ok := longCategories[name]; ok {
		name = short
	}
	parts, ok := derived[name]
	if !ok {
		parts = []string{name}
	}
	var out []*unicode.RangeTable
	for _, p := range parts {
		if t, ok := unicode.Categories[p]; ok {
			out = append(out, t)
		} else if t, ok := unicode.Properties[p]; ok {
			out = append(out, t)
		}
	}
	return out
}

// ranges merges tables into ordered pairs of first and last character.
func ranges(tables []*unicode.RangeTable) []rune {
	var pairs [][2]rune
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			pairs = append(pairs, [2]rune{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			pairs = append(pairs, [2]rune{r, r})
		}
	}
	for _, t := range tables {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	slices.SortFunc(pairs, func(a, b [2]rune) int { return int(a[0] - b[0]) })
	var out []rune
	for _, p := range pairs {
		if 0xd800 <= p[0] && p[0] <= 0xdfff {
			continue // never stands in text
		}
		if n := len(out); n > 0 && p[0] <= out[n-1]+1 {
			out[n-1] = max(out[n-1], p[1])
			continue
		}
		out = append(out, p[0], p[1])
	}
	return out
}

// negate writes pairs, or what lies between them, as the content of a class.
func negate(pairs []rune, negated bool) string {
	var b strings.Builder
	add := func(from, to rune) {
		if from <= to {
			b.WriteString(escapeRune(from) + "-" + escapeRune(to))
		}
	}
	if !negated {
		for n := 0; n < len(pairs); n += 2 {
			add(pairs[n], pairs[n+1])
		}
		return b.String()
	}
	next := rune(0)
	between := func(from, to rune) { // surrogates cannot be written, and never stand in text
		if from < 0xd800 && to > 0xdfff {
			add(from, 0xd7ff)
			add(0xe000, to)
			return
		}
		if 0xd800 <= from && from <= 0xdfff {
			from = 0xe000
		}
		if 0xd800 <= to && to <= 0xdfff {
			to = 0xd7ff
		}
		add(from, to)
	}
	for n := 0; n < len(pairs); n += 2 {
		between(next, pairs[n]-1)
		next = pairs[n+1] + 1
	}
	between(next, unicode.MaxRune)
	return b.String()
}
