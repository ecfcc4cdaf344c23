package schema

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// words are what free text is made of.
var words = strings.Fields("amber basin cedar delta ember fjord grove harbor island jade kelp lagoon meadow north opal pine quartz ridge stone tide")

// text makes a string by format, pattern or length.
func (g *generator) text(w *wish, r *rule) string {
	low, high := 0, -1
	var p *pattern
	var f *format
	var content *contentRule
	for _, s := range w.strs {
		low = max(low, s.minLen)
		if s.maxLen >= 0 && (high < 0 || s.maxLen < high) {
			high = s.maxLen
		}
		if s.pattern != nil {
			p = s.pattern
		}
		if s.format != nil {
			f = s.format
		}
		if s.content != nil {
			content = s.content
		}
	}
	switch {
	case f != nil:
		return g.formatted(f)
	case p != nil:
		return g.fitted(p, low, high)
	case content != nil && content.json && !content.base64:
		if content.schema != nil {
			return g.value(content.schema, 1)
		}
		return "{}"
	case content != nil:
		return "aGVsbG8="
	}
	text := words[g.rand.IntN(len(words))]
	if !g.lean && g.rand.IntN(3) == 0 {
		text += " " + words[g.rand.IntN(len(words))]
	}
	for utf8.RuneCountInString(text) < low && len(text) < 300_000 {
		text += " " + words[g.rand.IntN(len(words))]
	}
	if high >= 0 && len(text) > high {
		text = text[:high]
	}
	return text
}

// formatted makes a string of a format.
func (g *generator) formatted(f *format) string {
	a, b := g.rand.IntN(28)+1, g.rand.IntN(12)+1
	switch f.name {
	case "date":
		return fmt.Sprintf("20%02d-%02d-%02d", a, b, a)
	case "time":
		return fmt.Sprintf("%02d:%02d:%02dZ", b, a, a)
	case "date-time":
		return fmt.Sprintf("20%02d-%02d-%02dT%02d:%02d:00Z", a, b, a, b, a)
	case "duration":
		return fmt.Sprintf("P%dD", a)
	case "email", "idn-email":
		return fmt.Sprintf("%s%d@example.com", words[b], a)
	case "hostname", "idn-hostname":
		return fmt.Sprintf("%s%d.example.com", words[b], a)
	case "uri", "iri", "uri-reference", "iri-reference", "uri-template":
		return fmt.Sprintf("https://example.com/%s/%d", words[b], a)
	case "uuid":
		return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", g.rand.Uint32(), g.rand.IntN(1<<16), a, b, g.rand.Int64N(1<<48))
	case "ipv4":
		return fmt.Sprintf("192.0.2.%d", a)
	case "ipv6":
		return fmt.Sprintf("2001:db8::%x", a)
	case "json-pointer":
		return fmt.Sprintf("/%s/%d", words[b], a)
	}
	return f.example
}

// fitted makes a match of a length within the bounds, by trying.
func (g *generator) fitted(p *pattern, low, high int) string {
	best := ""
	for n := range 40 {
		best = g.matchingAbout(p, 1+n/4)
		ok, _ := p.match(best, isASCII(best))
		if size := utf8.RuneCountInString(best); ok && size >= low && (high < 0 || size <= high) {
			return best
		}
	}
	return best
}

func (g *generator) matching(p *pattern) string { return g.fitted(p, 1, 64) }

// matchingAbout walks a pattern's syntax tree and writes what it would match.
func (g *generator) matchingAbout(p *pattern, repeats int) string {
	src := ""
	if p.re != nil {
		src = p.re.String()
	} else {
		// Without the lookaround something near remains.
		t := translator{src: p.src, plain: true}
		var err error
		if src, err = t.translate(); err != nil {
			return ""
		}
	}
	tree, err := syntax.Parse(src, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	g.walk(&b, tree, repeats)
	return b.String()
}

func (g *generator) walk(b *strings.Builder, re *syntax.Regexp, repeats int) {
	many := func(low, high int) {
		if high < 0 || high > low+repeats {
			high = low + repeats
		}
		for range low + g.rand.IntN(high-low+1) {
			if b.Len() > 1<<16 {
				return
			}
			g.walk(b, re.Sub[0], repeats)
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(g.member(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte("abcdefghijklmnopqrstuvwxyz0123456789"[g.rand.IntN(36)])
	case syntax.OpStar:
		many(0, -1)
	case syntax.OpPlus:
		many(1, -1)
	case syntax.OpQuest:
		many(0, 1)
	case syntax.OpRepeat:
		many(re.Min, re.Max)
	case syntax.OpAlternate:
		g.walk(b, re.Sub[g.rand.IntN(len(re.Sub))], repeats)
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			g.walk(b, sub, repeats)
		}
	}
}

// member picks a character of a class, a plain one where there is any.
func (g *generator) member(class []rune) rune {
	var plain []rune
	for c := rune('0'); c <= 'z'; c++ {
		if (c <= '9' || ('A' <= c && c <= 'Z') || c >= 'a') && inClass(class, c) {
			plain = append(plain, c)
		}
	}
	if len(plain) > 0 {
		return plain[g.rand.IntN(len(plain))]
	}
	for c := rune(' '); c <= '~'; c++ {
		if inClass(class, c) {
			return c
		}
	}
	if len(class) == 0 {
		return 'x'
	}
	return class[0]
}

func inClass(class []rune, c rune) bool {
	for n := 0; n+1 < len(class); n += 2 {
		if class[n] <= c && c <= class[n+1] {
			return true
		}
	}
	return false
}
