package grammar

import (
	"fmt"
	"strings"

	"github.com/holdfast-go/holdfast/internal/textlang"
)

// format is the texts of a format, nil where no automaton holds them: "regex"
// nests, and international host names need tables.
//
// Two formats are held more narrowly than they are checked: no label of a host
// name has "--" in its third and fourth place (only Punycode may), and an e-mail
// address has at most 254 characters.
func format(name string) *textlang.Formula {
	switch name {
	case "date":
		return text(datePattern)
	case "time":
		return timeOfDay("", 0)
	case "date-time":
		return timeOfDay(datePattern+"[Tt]", len("2006-01-02T"))
	case "duration":
		return text(durationPattern())
	case "email":
		return emailText()
	case "hostname":
		return textlang.And(text(hostPattern), textlang.Not(found(`(?:\A|\.)[A-Za-z0-9-]{2}--`)), textlang.Length(0, 253))
	case "plain-hostname":
		return textlang.And(text(hostPattern), textlang.Length(0, 253))
	case "uri", "uri-reference", "iri", "iri-reference":
		return text(resourcePattern(strings.HasPrefix(name, "iri"), strings.HasSuffix(name, "reference")))
	case "uri-template":
		return text(templatePattern())
	case "uuid":
		return text(`[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}`)
	case "ipv4":
		return text(ipv4Pattern)
	case "ipv6":
		return text(ipv6Pattern())
	case "json-pointer":
		return text(pointerPattern)
	case "relative-json-pointer":
		return text(`(?:0|[1-9][0-9]*)(?:#|` + pointerPattern + `)`)
	}
	return nil
}

// text is the texts that a pattern matches from end to end.
func text(re string) *textlang.Formula { return found(`\A(?:` + re + `)\z`) }

// found is the texts that hold a match of a pattern.
func found(re string) *textlang.Formula {
	f, err := textlang.Pattern(re, false)
	if err != nil {
		panic(fmt.Sprintf("the pattern %q of a format does not compile: %v", re, err))
	}
	return f
}

const (
	leapDay     = `(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29`
	plainDay    = `[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))`
	datePattern = `(?:` + leapDay + `|` + plainDay + `)`

	hour  = `(?:[01][0-9]|2[0-3])`
	sixty = `[0-5][0-9]`

	ipv4Pattern    = `(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])`
	pointerPattern = `(?s:(?:/(?:[^~]|~[01])*)?)`
	hostPattern    = label + `(?:\.` + label + `)*`
	label          = `[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`
)

// timeOfDay is RFC 3339's time behind a prefix of so many characters.
func timeOfDay(prefix string, length int) *textlang.Formula {
	return textlang.And(
		text(prefix+hour+`:`+sixty+`:(?:`+sixty+`|60)(?:\.[0-9]+)?(?:[Zz]|[+-]`+hour+`:`+sixty+`)`),
		textlang.LeapSeconds(length))
}

// durationPattern: units follow each other without a gap.
func durationPattern() string {
	units := func(x, y, z string) string {
		return `(?:[0-9]+` + x + `(?:[0-9]+` + y + `(?:[0-9]+` + z + `)?)?|[0-9]+` + y + `(?:[0-9]+` + z + `)?|[0-9]+` + z + `)`
	}
	date, clock := units("Y", "M", "D"), units("H", "M", "S")
	return `P(?:[0-9]+W|` + date + `(?:T` + clock + `)?|T` + clock + `)`
}

func emailText() *textlang.Formula {
	const atom = "[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~]+"
	local := `(?:` + atom + `(?:\.` + atom + `)*|"(?:\\[ -~]|[ !#-\[\]-~])*")`
	literal := `\[(?:` + ipv4Pattern + `|IPv6:` + ipv6Pattern() + `)\]`
	return textlang.And(
		text(local+`@(?:`+hostPattern+`|`+literal+`)`),
		textlang.Not(found(`[@.][A-Za-z0-9-]{2}--[A-Za-z0-9.-]*\z`)),
		textlang.Length(0, 254))
}

// ipv6Pattern is RFC 3986's: "::" stands for one group or more.
func ipv6Pattern() string {
	const h = `[0-9A-Fa-f]{1,4}`
	last := `(?:` + h + `:` + h + `|` + ipv4Pattern + `)`
	parts := []string{`(?:` + h + `:){6}` + last}
	for i := range 6 { // so many groups before "::"
		before := ``
		switch {
		case i == 1:
			before = `(?:` + h + `)?`
		case i > 1:
			before = fmt.Sprintf(`(?:(?:%s:){0,%d}%s)?`, h, i-1, h)
		}
		parts = append(parts, fmt.Sprintf(`%s::(?:%s:){%d}%s`, before, h, 5-i, last))
	}
	parts = append(parts, `(?:(?:`+h+`:){0,5}`+h+`)?::`+h, `(?:(?:`+h+`:){0,6}`+h+`)?::`)
	return `(?:` + strings.Join(parts, `|`) + `)`
}

const (
	ucschar  = `\x{a0}-\x{d7ff}\x{f900}-\x{fdcf}\x{fdf0}-\x{ffef}`
	private  = `\x{e000}-\x{f8ff}\x{f0000}-\x{ffffd}\x{100000}-\x{10fffd}`
	uriPlain = `A-Za-z0-9\-._~!$&'()*+,;=`
)

// beyond are the characters of RFC 3987 above the first plane.
func beyond() string {
	var b strings.Builder
	b.WriteString(ucschar)
	for plane := 1; plane <= 13; plane++ {
		fmt.Fprintf(&b, `\x{%x0000}-\x{%xfffd}`, plane, plane)
	}
	b.WriteString(`\x{e1000}-\x{efffd}`)
	return b.String()
}

// resourcePattern is RFC 3986, or with international RFC 3987.
func resourcePattern(international, relative bool) string {
	plain := uriPlain
	if international {
		plain += beyond()
	}
	chars := func(extra string) string { return `(?:[` + plain + extra + `]|%[0-9A-Fa-f]{2})` }
	query := chars(`:@/?`)
	if international {
		query = chars(`:@/?` + private)
	}
	literal := `\[(?:[vV][0-9A-Fa-f]+\.[` + uriPlain + `:]+|` + ipv6Pattern() + `)\]`
	authority := `(?:` + chars(`:`) + `*@)?(?:` + literal + `|` + chars(``) + `*)(?::[0-9]*)?`
	path := chars(`:@/`)
	behind := `(?:\?` + query + `*)?(?:#` + chars(`:@/?`) + `*)?`
	// A path that begins with // would be an authority.
	hier := `(?://` + authority + `(?:/` + path + `*)?|/(?:` + chars(`:@`) + path + `*)?|` + chars(`:@`) + path + `*|)`
	absolute := `[A-Za-z][A-Za-z0-9+.\-]*:` + hier
	if !relative {
		return absolute + behind
	}
	noColon := `(?://` + authority + `(?:/` + path + `*)?|/(?:` + chars(`:@`) + path + `*)?|` + chars(`@`) + `+(?:/` + path + `*)?|)`
	return `(?:` + absolute + `|` + noColon + `)` + behind
}

// templatePattern is RFC 6570.
func templatePattern() string {
	const hex = `%[0-9A-Fa-f]{2}`
	part := `(?:[A-Za-z0-9_]|` + hex + `)+`
	spec := part + `(?:\.` + part + `)*(?::[1-9][0-9]{0,3})?\*?`
	expression := `\{[+#./;?&=,!@|]?` + spec + `(?:,` + spec + `)*\}`
	literal := `[!#-$&-;=?-\[\]_a-z~` + beyond() + private + `]`
	return `(?:` + literal + `|` + hex + `|` + expression + `)*`
}
