package schema

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

func isEmail(s string) bool    { return isMailbox(s, false) }
func isIDNEmail(s string) bool { return isMailbox(s, true) }

// isMailbox is the mailbox of RFC 5321, and of RFC 6531 where it is international.
func isMailbox(s string, international bool) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || len(s) > 320 {
		return false
	}
	local, domain := s[:at], s[at+1:]
	if !isLocalPart(local, international) {
		return false
	}
	if inside, ok := strings.CutPrefix(domain, "["); ok {
		inside, ok = strings.CutSuffix(inside, "]")
		if v6, is6 := strings.CutPrefix(inside, "IPv6:"); is6 {
			return ok && isIPv6(v6)
		}
		return ok && isIPv4(inside)
	}
	if international {
		ascii, err := idna.Lookup.ToASCII(domain) // mail software maps what was typed
		return err == nil && isHostname(ascii)
	}
	return isHostname(domain)
}

func isLocalPart(s string, international bool) bool {
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		inside := s[1 : len(s)-1]
		for i := 0; i < len(inside); i++ {
			switch c := inside[i]; {
			case c == '\\':
				if i++; i == len(inside) || inside[i] < ' ' || inside[i] > '~' {
					return false
				}
			case c == '"' || c < ' ' || c == 0x7f || (c > '~' && !international):
				return false
			}
		}
		return true
	}
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" {
			return false
		}
		for i := range len(atom) {
			c := atom[i]
			if c >= utf8.RuneSelf && international {
				continue
			}
			if !alpha(c) && !digit(c) && strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) < 0 {
				return false
			}
		}
	}
	return true
}

// isHostname is the host name of RFC 1123; labels in Punycode must decode to
// what RFC 5891 allows.
func isHostname(s string) bool {
	if !isPlainHostname(s) {
		return false
	}
	punycode := false
	for label := range strings.SplitSeq(s, ".") {
		if len(label) >= 4 && label[2:4] == "--" {
			if !isALabel(label) {
				return false
			}
			punycode = true
		}
	}
	return !punycode || bidiHolds(s)
}

// isPlainHostname is RFC 1123 alone.
func isPlainHostname(s string) bool {
	if len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if !isLabel(label) {
			return false
		}
	}
	return true
}

// wholeName checks labels against each other: one label written from right to
// left holds all others to the rule of RFC 5893.
var wholeName = idna.New(idna.ValidateLabels(true), idna.BidiRule())

func bidiHolds(s string) bool {
	_, err := wholeName.ToUnicode(strings.ToLower(s))
	return err == nil
}

func isLabel(s string) bool {
	if s == "" || len(s) > 63 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !alpha(c) && !digit(c) && c != '-' {
			return false
		}
	}
	return true
}

// isALabel reports whether an xn-- label stands for a label of Unicode.
func isALabel(s string) bool {
	if !strings.HasPrefix(strings.ToLower(s), "xn--") || len(s) == 4 {
		return false
	}
	u, err := idna.Registration.ToUnicode(strings.ToLower(s))
	if err != nil || !isULabel(u) {
		return false
	}
	back, err := idna.Registration.ToASCII(u)
	return err == nil && back == strings.ToLower(s)
}

// isIDNHostname is the host name of RFC 5890 and its companions.
func isIDNHostname(s string) bool {
	if s == "" {
		return false
	}
	s = dots.Replace(s)
	total := 0
	for label := range strings.SplitSeq(s, ".") {
		ascii, ok := idnLabel(label)
		if !ok {
			return false
		}
		total += len(ascii) + 1
	}
	return total-1 <= 253 && (isASCII(s) || bidiHolds(s))
}

// dots are the characters that IDNA takes for a full stop.
var dots = strings.NewReplacer("\u3002", ".", "\uff0e", ".", "\uff61", ".")

func idnLabel(s string) (string, bool) {
	if isASCII(s) {
		if len(s) >= 4 && s[2:4] == "--" {
			return s, isLabel(s) && isALabel(s)
		}
		return s, isLabel(s)
	}
	if !isULabel(s) {
		return "", false
	}
	ascii, err := idna.Registration.ToASCII(s)
	return ascii, err == nil && len(ascii) <= 63
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isULabel applies the rules of RFC 5891 and RFC 5892 that the tables of
// golang.org/x/net/idna leave out: hyphens, leading marks, exceptions and the
// contextual rules.
func isULabel(s string) bool {
	if s == "" || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	runes := []rune(s)
	if len(runes) >= 4 && runes[2] == '-' && runes[3] == '-' {
		return false
	}
	if unicode.Is(unicode.M, runes[0]) {
		return false
	}
	for i, r := range runes {
		if !isLetterDigit(r) || strings.ContainsRune(disallowedRunes, r) || !contextHolds(runes, i) {
			return false
		}
	}
	// What mapping changes is no letter of its own.
	mapped, err := mapping.ToUnicode(s)
	return err == nil && mapped == s && digitsAgree(runes)
}

var mapping = idna.New(idna.MapForLookup())

// isLetterDigit is the set of that name in RFC 5892, with its exceptions and
// with what the contextual rules decide.
func isLetterDigit(r rune) bool {
	return r == '-' || unicode.In(r, unicode.L, unicode.Nd, unicode.Mn, unicode.Mc) ||
		strings.ContainsRune("\u06fd\u06fe\u0f0b\u3007\u00b7\u0375\u05f3\u05f4\u30fb\u200c\u200d", r)
}

// disallowedRunes are the exceptions of RFC 5892 section 2.6.
const disallowedRunes = "\u0640\u07fa\u302e\u302f\u3031\u3032\u3033\u3034\u3035\u303b"

// contextHolds is RFC 5892 appendix A for one character.
func contextHolds(runes []rune, i int) bool {
	at := func(j int) rune {
		if j < 0 || j >= len(runes) {
			return 0
		}
		return runes[j]
	}
	switch runes[i] {
	case '\u00b7': // middle dot: between two l
		return at(i-1) == 'l' && at(i+1) == 'l'
	case '\u0375': // keraia: before Greek
		return unicode.Is(unicode.Greek, at(i+1))
	case '\u05f3', '\u05f4': // geresh, gershayim: after Hebrew
		return unicode.Is(unicode.Hebrew, at(i-1))
	case '\u30fb': // katakana middle dot: some Japanese letter
		for _, r := range runes {
			if unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) && r != '\u30fb' {
				return true
			}
		}
		return false
	case '\u200d': // zero width joiner: after a virama
		return isVirama(at(i - 1))
	case '\u200c': // zero width non-joiner: after a virama, or between joining letters
		return isVirama(at(i-1)) || joins(runes, i)
	}
	return true
}

func isVirama(r rune) bool {
	const viramas = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u0e3a\u0f84\u1039\u103a\u1714\u1734\u17d2\u1a60\u1b44\u1baa\u1bab\u1bf2\u1bf3\u2d7f\ua806\ua8c4\ua953\ua9c0\uaaf6\uabed"
	return r != 0 && strings.ContainsRune(viramas, r)
}

// joins approximates the joining types by script: letters of the cursive
// scripts on both sides.
func joins(runes []rune, i int) bool {
	cursive := func(r rune) bool {
		return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Phags_Pa, unicode.Mandaic) && unicode.IsLetter(r)
	}
	return i > 0 && i+1 < len(runes) && cursive(runes[i-1]) && cursive(runes[i+1])
}

// digitsAgree refuses Arabic-Indic digits beside the extended ones.
func digitsAgree(runes []rune) bool {
	plain, extended := false, false
	for _, r := range runes {
		plain = plain || ('\u0660' <= r && r <= '\u0669')
		extended = extended || ('\u06f0' <= r && r <= '\u06f9')
	}
	return !plain || !extended
}
