package schema

import (
	"strings"
	"unicode/utf8"
)

// The characters of RFC 3986 beside letters, digits and percent-escapes.
const (
	unreserved = "-._~"
	subDelims  = "!$&'()*+,;="
)

func isURI(s string) bool          { return isResource(s, false, true) }
func isURIReference(s string) bool { return isResource(s, false, false) }
func isIRI(s string) bool          { return isResource(s, true, true) }
func isIRIReference(s string) bool { return isResource(s, true, false) }

// isResource checks a URI or an IRI by the grammars of RFC 3986 and RFC 3987.
func isResource(s string, international, absolute bool) bool {
	rest, fragment, hasFragment := strings.Cut(s, "#")
	if hasFragment && !uriChars(fragment, ":@/?", international, false) {
		return false
	}
	rest, query, hasQuery := strings.Cut(rest, "?")
	if hasQuery && !uriChars(query, ":@/?", international, true) {
		return false
	}
	scheme, after, hasScheme := strings.Cut(rest, ":")
	if hasScheme && isScheme(scheme) {
		rest = after
	} else {
		if absolute {
			return false
		}
		// A first segment with a colon would be a scheme.
		if first, _, _ := strings.Cut(rest, "/"); strings.Contains(first, ":") {
			return false
		}
	}
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		authority, path := after, ""
		if i := strings.IndexByte(after, '/'); i >= 0 {
			authority, path = after[:i], after[i:]
		}
		if !isAuthority(authority, international) {
			return false
		}
		rest = path
	}
	return uriChars(rest, ":@/", international, false)
}

func isScheme(s string) bool {
	if s == "" || !alpha(s[0]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !alpha(c) && !digit(c) && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

func isAuthority(s string, international bool) bool {
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		if !uriChars(s[:i], ":", international, false) {
			return false
		}
		s = s[i+1:]
	}
	if inside, ok := strings.CutPrefix(s, "["); ok {
		host, port, closed := strings.Cut(inside, "]")
		return closed && isIPLiteral(host) && (port == "" || (port[0] == ':' && (port == ":" || allDigits(port[1:]))))
	}
	host, port, hasPort := strings.Cut(s, ":")
	if hasPort && port != "" && !allDigits(port) {
		return false
	}
	return uriChars(host, "", international, false)
}

func isIPLiteral(s string) bool {
	if len(s) > 1 && s[0]|0x20 == 'v' {
		version, rest, ok := strings.Cut(s[1:], ".")
		for i := range len(version) {
			ok = ok && hexDigit(version[i])
		}
		return ok && version != "" && rest != "" && uriChars(rest, ":", false, false) && !strings.Contains(rest, "%")
	}
	return isIPv6(s)
}

// uriChars reports whether s holds only what may stand in a part of a URI.
func uriChars(s, extra string, international, private bool) bool {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '%':
			if i+2 >= len(s) || !hexDigit(s[i+1]) || !hexDigit(s[i+2]) {
				return false
			}
			i += 3
			continue
		case alpha(c), digit(c):
		case c < utf8.RuneSelf:
			if strings.IndexByte(unreserved, c) < 0 && strings.IndexByte(subDelims, c) < 0 && strings.IndexByte(extra, c) < 0 {
				return false
			}
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if !international || !(isUcschar(r) || (private && isPrivate(r))) {
				return false
			}
			i += n
			continue
		}
		i++
	}
	return true
}

// isUcschar is the set of that name in RFC 3987.
func isUcschar(r rune) bool {
	switch {
	case 0xa0 <= r && r <= 0xd7ff, 0xf900 <= r && r <= 0xfdcf, 0xfdf0 <= r && r <= 0xffef:
		return true
	case 0x10000 <= r && r <= 0xdffff:
		return r&0xffff <= 0xfffd
	case 0xe1000 <= r && r <= 0xefffd:
		return true
	}
	return false
}

func isPrivate(r rune) bool {
	return (0xe000 <= r && r <= 0xf8ff) || (0xf0000 <= r && r <= 0xffffd) || (0x100000 <= r && r <= 0x10fffd)
}

// isURITemplate follows RFC 6570.
func isURITemplate(s string) bool {
	for s != "" {
		c := s[0]
		switch {
		case c == '{':
			inside, rest, ok := strings.Cut(s[1:], "}")
			if !ok || !isExpression(inside) {
				return false
			}
			s = rest
			continue
		case c <= ' ' || strings.IndexByte("\"<>\\^`|}", c) >= 0 || c == 0x7f:
			return false
		case c == '%':
			if len(s) < 3 || !hexDigit(s[1]) || !hexDigit(s[2]) {
				return false
			}
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s)
			if !isUcschar(r) && !isPrivate(r) {
				return false
			}
			s = s[n:]
			continue
		}
		s = s[1:]
	}
	return true
}

func isExpression(s string) bool {
	if s != "" && strings.IndexByte("+#./;?&=,!@|", s[0]) >= 0 {
		s = s[1:]
	}
	for spec := range strings.SplitSeq(s, ",") {
		spec = strings.TrimSuffix(spec, "*")
		name, prefix, hasPrefix := strings.Cut(spec, ":")
		if hasPrefix && (!allDigits(prefix) || len(prefix) > 4 || prefix[0] == '0') {
			return false
		}
		if !isVariable(name) {
			return false
		}
	}
	return true
}

func isVariable(s string) bool {
	dot := true // a dot may not stand first, last or after another
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '.':
			if dot {
				return false
			}
			dot = true
			continue
		case c == '%':
			if i+2 >= len(s) || !hexDigit(s[i+1]) || !hexDigit(s[i+2]) {
				return false
			}
			i += 2
		case !alpha(c) && !digit(c) && c != '_':
			return false
		}
		dot = false
	}
	return !dot
}
