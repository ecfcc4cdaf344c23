package tokenizer

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// splitter cuts a text into the pieces that tokens never cross.
type splitter interface {
	split(text string, piece func(string))
}

// sequence cuts the pieces of each splitter with the next.
type sequence []splitter

func (q sequence) split(text string, piece func(string)) {
	if len(q) == 0 {
		piece(text)
		return
	}
	q[0].split(text, func(part string) { q[1:].split(part, piece) })
}

// pattern makes a piece of each match, and of each text between matches.
type pattern struct {
	re   *regexp.Regexp
	tail int // the group that stands for \s+(?!\S), or -1
}

// The one lookahead that the patterns of vocabularies have: spaces, but for the
// last where something follows. RE2 has none, so the group takes all spaces and
// the last is given back.
const (
	spacesAhead = `\s+(?!\S)`
	spacesGroup = `(?P<tail>` + spaces + `+)`
	spaces      = `[\t-\r \x{85}\p{Z}]`
)

// newPattern reads a pattern in the way of the libraries that made it, where \s
// and \d are all of Unicode's.
func newPattern(source string) (*pattern, error) {
	if len(source) > maxPattern {
		return nil, fmt.Errorf("pattern is over the limit of %d bytes", maxPattern)
	}
	re, err := regexp.Compile(unicodeClasses(strings.ReplaceAll(source, spacesAhead, "\x00")))
	if err != nil {
		return nil, fmt.Errorf("pattern %q is not one that can be run: %w", bounded(source), err)
	}
	if re.MatchString("") {
		return nil, fmt.Errorf("pattern %q matches the empty text", bounded(source))
	}
	return &pattern{re, re.SubexpIndex("tail")}, nil
}

const maxPattern = 4096

// unicodeClasses spells \s, \S and \d out, within classes and without.
func unicodeClasses(source string) string {
	var b strings.Builder
	inClass := false
	for i := 0; i < len(source); i++ {
		c := source[i]
		switch {
		case c == 0:
			b.WriteString(spacesGroup)
		case c == '\\' && i+1 < len(source):
			i++
			b.WriteString(unicodeClass(source[i], inClass))
		case c == '[' && inClass && !strings.HasPrefix(source[i:], "[:"):
			b.WriteString(`\[`)
		default:
			if c == '[' {
				inClass = true
			} else if c == ']' {
				inClass = false
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

func unicodeClass(c byte, inClass bool) string {
	switch {
	case c == 'd':
		return `\p{Nd}`
	case c == 's' && inClass:
		return spaces[1 : len(spaces)-1]
	case c == 's':
		return spaces
	case c == 'S' && !inClass:
		return `[^` + spaces[1:]
	}
	return `\` + string(rune(c))
}

func (p *pattern) split(text string, piece func(string)) {
	for text != "" {
		m := p.re.FindStringSubmatchIndex(text)
		if m == nil || m[0] == m[1] {
			piece(text)
			return
		}
		from, to := m[0], m[1]
		if p.tail >= 0 && m[2*p.tail] >= 0 && to < len(text) {
			if _, n := utf8.DecodeLastRuneInString(text[from:to]); n < to-from {
				to -= n
			}
		}
		if from > 0 {
			piece(text[:from])
		}
		piece(text[from:to])
		text = text[to:]
	}
}

// afterEach cuts behind each place where a text stands.
type afterEach string

func (a afterEach) split(text string, piece func(string)) {
	for text != "" {
		i := strings.Index(text, string(a))
		if i < 0 {
			break
		}
		piece(text[:i+len(a)])
		text = text[i+len(a):]
	}
	if text != "" {
		piece(text)
	}
}

// beforeEach cuts before each place where a text stands.
type beforeEach string

func (b beforeEach) split(text string, piece func(string)) {
	for text != "" {
		i := strings.Index(text[1:], string(b)) + 1
		if i == 0 {
			i = len(text)
		}
		piece(text[:i])
		text = text[i:]
	}
}

// The patterns that vocabularies are learned with, by the names that GGUF files
// and tiktoken have for them.
const (
	wordsGPT2 = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	wordsGPT4 = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	wordsQwen = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

	upperWord = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`
	lowerWord = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*`
	clitic    = `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`
	wordsTail = `| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`

	wordsGPT4o  = upperWord + clitic + `|` + lowerWord + clitic + `|\p{N}{1,3}` + wordsTail
	wordsTekken = upperWord + `|` + lowerWord + `|\p{N}` + wordsTail
	digits      = `\p{N}`
)

// namedSplits are the splits that a name stands for.
func namedSplits(name string) []string {
	switch name {
	case "gpt-2", "r50k_base", "p50k_base":
		return []string{wordsGPT2}
	case "cl100k_base", "llama-bpe", "llama3", "llama-v3":
		return []string{wordsGPT4}
	case "o200k_base", "o200k_harmony", "gpt-4o":
		return []string{wordsGPT4o}
	case "qwen2", "deepseek-r1-qwen":
		return []string{wordsQwen}
	case "tekken":
		return []string{wordsTekken}
	case "smollm", "starcoder", "refact", "command-r", "codeshell":
		return []string{digits, wordsGPT2}
	}
	return nil
}

func splitByName(name string) (splitter, error) {
	var q sequence
	for _, source := range namedSplits(name) {
		p, err := newPattern(source)
		if err != nil {
			return nil, err
		}
		q = append(q, p)
	}
	if q == nil {
		return nil, fmt.Errorf("the split %q is not known", bounded(name))
	}
	return q, nil
}
