// Package visible prepares text that came from outside for a person's eyes: what
// would act on a terminal or a page instead of showing itself (control
// characters, bidirectional overrides, zero-width and look-alike blank
// characters, broken UTF-8) is made visible. Every renderer uses it.
//
// It refuses to shorten: what a person decides on is shown whole.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line is s on one line: line breaks and tabs are made visible too.
func Line(s string) string {
	var e Stream
	return e.escape(s, false)
}

// Text is s with its line breaks and tabs kept.
func Text(s string) string {
	var e Stream
	return e.Text(s)
}

// Stream escapes text that comes in pieces. The zero value is ready.
type Stream struct {
	before rune // the rune before the next piece, if it was shown as it is
}

// Text is the next piece, escaped as by the function of that name.
func (e *Stream) Text(s string) string { return e.escape(s, true) }

func (e *Stream) escape(s string, lines bool) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "<0x%02X>", s[i])
			r = 0
		case lines && (r == '\n' || r == '\t'), !hidden(r), e.joinsEmoji(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "<U+%04X>", r)
			r = 0
		}
		e.before = r
		i += n
	}
	return b.String()
}

// joinsEmoji admits what makes one picture of several characters: it shows
// itself in the picture.
func (e *Stream) joinsEmoji(r rune) bool {
	const variation, joiner = '\uFE0F', '\u200D'
	picture := unicode.Is(unicode.So, e.before) || unicode.Is(unicode.Sk, e.before) && e.before > 0xFFFF
	return r == variation && picture || r == joiner && (picture || e.before == variation)
}

// JSON is the JSON text j with the same characters as escapes of its strings: the
// same value, safe to show. It must be valid JSON.
func JSON(j []byte) string {
	var b strings.Builder
	b.Grow(len(j))
	for i := 0; i < len(j); {
		r, n := utf8.DecodeRune(j[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(`\ufffd`)
		case r == '\n' || r == '\t' || r == '\r' || !hidden(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xD800+(r-0x10000)>>10, 0xDC00+(r-0x10000)&0x3FF)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.String()
}

// hidden reports whether r acts, or shows nothing of itself.
func hidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7F
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Zs, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point)
}
