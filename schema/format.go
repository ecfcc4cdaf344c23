package schema

import (
	"net/netip"
	"strings"
)

// format is a named set of strings with a parser of its own.
type format struct {
	name    string
	words   string // as in "must be …"
	example string
	valid   func(string) bool
}

// formats by name.
var formats = formatTable()

func formatTable() map[string]*format {
	t := map[string]*format{}
	add := func(name, words, example string, valid func(string) bool) {
		t[name] = &format{name, words, example, valid}
	}
	add("date", "a date of the calendar", "2026-02-28", isDate)
	add("time", "a time with its offset", "14:30:00Z", isTime)
	add("date-time", "a date and time with its offset", "2026-02-28T14:30:00Z", isDateTime)
	add("duration", "an ISO 8601 duration", "P3DT12H", isDuration)
	add("email", "an email address", "user@example.com", isEmail)
	add("idn-email", "an email address", "user@example.com", isIDNEmail)
	add("hostname", "a host name", "www.example.com", isHostname)
	add("idn-hostname", "a host name", "www.example.com", isIDNHostname)
	add("uri", "an absolute URI", "https://example.com/path", isURI)
	add("uri-reference", "a URI reference", "/path?query", isURIReference)
	add("iri", "an absolute IRI", "https://example.com/path", isIRI)
	add("iri-reference", "an IRI reference", "/path?query", isIRIReference)
	add("uri-template", "a URI template", "https://example.com/{id}", isURITemplate)
	add("uuid", "a UUID", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", isUUID)
	add("ipv4", "an IPv4 address", "192.0.2.1", isIPv4)
	add("ipv6", "an IPv6 address", "2001:db8::1", isIPv6)
	add("json-pointer", "a JSON Pointer", "/items/0", isJSONPointer)
	add("relative-json-pointer", "a relative JSON Pointer", "1/name", isRelativeJSONPointer)
	add("regex", "a regular expression of ECMAScript", "^[a-z]+$", isRegex)
	return t
}

// annotationFormats are well known and say nothing that could be checked.
var annotationFormats = map[string]bool{
	"int32": true, "int64": true, "float": true, "double": true, "byte": true, "binary": true,
	"password": true, "json": true, "textarea": true, "markdown": true,
}

// formatOf is nil where the format is not known in that draft.
func formatOf(name string, d draftNumber) *format {
	if d == draft4 && (name == "date" || name == "time" || name == "regex") {
		return nil // left to the application in that draft
	}
	if d <= draft6 && name == "hostname" {
		return oldHostname
	}
	return formats[name]
}

// oldHostname knows nothing of Punycode, which draft 7 brought.
var oldHostname = &format{"hostname", "a host name", "www.example.com", isPlainHostname}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func alpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func hexDigit(c byte) bool { return digit(c) || ('a' <= c|0x20 && c|0x20 <= 'f') }

// digits2 is the value of two digits at i, or -1.
func digits2(s string, i int) int {
	if i+2 > len(s) || !digit(s[i]) || !digit(s[i+1]) {
		return -1
	}
	return int(s[i]-'0')*10 + int(s[i+1]-'0')
}

func isDate(s string) bool {
	if len(s) != len("2006-01-02") || s[4] != '-' || s[7] != '-' {
		return false
	}
	century, year, month, day := digits2(s, 0), digits2(s, 2), digits2(s, 5), digits2(s, 8)
	if century < 0 || year < 0 || month < 1 || month > 12 || day < 1 {
		return false
	}
	y := century*100 + year
	last := [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
	if month == 2 && y%4 == 0 && (y%100 != 0 || y%400 == 0) {
		last = 29
	}
	return day <= last
}

// isTime follows RFC 3339, leap seconds included: they end a day in UTC.
func isTime(s string) bool {
	if len(s) < len("15:04:05Z") || s[2] != ':' || s[5] != ':' {
		return false
	}
	hour, minute, second := digits2(s, 0), digits2(s, 3), digits2(s, 6)
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60 {
		return false
	}
	rest := s[8:]
	if rest[0] == '.' {
		n := 1
		for n < len(rest) && digit(rest[n]) {
			n++
		}
		if n == 1 {
			return false
		}
		rest = rest[n:]
	}
	offset, ok := zoneOffset(rest)
	if !ok {
		return false
	}
	return second < 60 || (hour*60+minute-offset+2*1440)%1440 == 1439
}

// zoneOffset reads Z or ±hh:mm into minutes.
func zoneOffset(s string) (int, bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != len("+00:00") || (s[0] != '+' && s[0] != '-') || s[3] != ':' {
		return 0, false
	}
	h, m := digits2(s, 1), digits2(s, 4)
	if h < 0 || h > 23 || m < 0 || m > 59 {
		return 0, false
	}
	if s[0] == '-' {
		return -h*60 - m, true
	}
	return h*60 + m, true
}

func isDateTime(s string) bool {
	return len(s) > 11 && (s[10] == 'T' || s[10] == 't') && isDate(s[:10]) && isTime(s[11:])
}

// isDuration follows the grammar of RFC 3339, appendix A.
func isDuration(s string) bool {
	rest, ok := strings.CutPrefix(s, "P")
	if !ok || rest == "" {
		return false
	}
	if n := len(rest); rest[n-1] == 'W' {
		return allDigits(rest[:n-1])
	}
	date, clock, timed := strings.Cut(rest, "T")
	if timed && !durationUnits(clock, "HMS") {
		return false
	}
	return (date == "" && timed) || durationUnits(date, "YMD")
}

// durationUnits reads one or more numbers with units in their order; the grammar
// lets none be left out between the first and the last.
func durationUnits(s, units string) bool {
	if s == "" {
		return false
	}
	for first := true; s != ""; first = false {
		n := 0
		for n < len(s) && digit(s[n]) {
			n++
		}
		if n == 0 || n == len(s) {
			return false
		}
		at := strings.IndexByte(units, s[n])
		if at < 0 || (at > 0 && !first) {
			return false
		}
		units, s = units[at+1:], s[n+1:]
	}
	return true
}

func allDigits(s string) bool {
	for i := range len(s) {
		if !digit(s[i]) {
			return false
		}
	}
	return s != ""
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return false
			}
		} else if !hexDigit(s[i]) {
			return false
		}
	}
	return true
}

func isIPv4(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is4()
}

func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == "" && !strings.Contains(s, "%")
}

func isJSONPointer(s string) bool {
	if s == "" {
		return true
	}
	if s[0] != '/' {
		return false
	}
	for i := range len(s) {
		if s[i] == '~' && (i+1 == len(s) || (s[i+1] != '0' && s[i+1] != '1')) {
			return false
		}
	}
	return true
}

func isRelativeJSONPointer(s string) bool {
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	if n == 0 || (n > 1 && s[0] == '0') {
		return false
	}
	return s[n:] == "#" || isJSONPointer(s[n:])
}

func isRegex(s string) bool {
	t := translator{src: s}
	_, err := t.translate()
	return err == nil
}
