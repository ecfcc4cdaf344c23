package tokenizer

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// reader turns text into tokens in the steps of the libraries that taught the
// model: the form of characters, pieces, and within a piece the joins.
type reader struct {
	compose bool // characters, by NFC
	prefix  prefix
	pieces  splitter
	joins   *bpe
}

// prefix says whether a text between markers gets a space before it.
type prefix struct {
	on       bool
	first    bool // only the very first
	doubling bool // also where it has one
}

func (r *reader) encode(dst []ID, text string, first bool) []ID {
	if r.compose {
		text = norm.NFC.String(text)
	}
	if r.prefix.on && (first || !r.prefix.first) && (r.prefix.doubling || text[0] != ' ') {
		text = " " + text
	}
	r.pieces.split(text, func(piece string) { dst = r.joins.encode(dst, piece) })
	return dst
}

// marker is a token that is known by its name, before anything else is looked at.
type marker struct {
	name        string
	id          ID
	left, right bool // takes the spaces beside it along
}

// markers are by their first byte.
type markers map[byte][]marker

func newMarkers(list []marker) markers {
	ms := markers{}
	for _, m := range list {
		if m.name != "" {
			ms[m.name[0]] = append(ms[m.name[0]], m)
		}
	}
	return ms
}

// next finds the first marker of a text, the longest where several begin. Where
// there is none, both ends are the text's.
func (ms markers) next(text string) (found marker, from, to int) {
	for i := range len(text) {
		for _, m := range ms[text[i]] {
			if len(m.name) > len(found.name) && strings.HasPrefix(text[i:], m.name) {
				found = m
			}
		}
		if found.name == "" {
			continue
		}
		from, to = i, i+len(found.name)
		if found.left {
			from = len(strings.TrimRight(text[:from], blanks))
		}
		if found.right {
			to = len(text) - len(strings.TrimLeft(text[to:], blanks))
		}
		return found, from, to
	}
	return found, len(text), len(text)
}

const blanks = " \t\n\r"
