package coach

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxFound is how many rows a search shows; it says how many more there are.
const maxFound = 20

// search finds the rows whose names hold every word of the query, in Spanish or
// English, without regard to case and accents, also in part. Better matches
// come first; equal ones keep their order.
func search[T any](query string, all []T, names func(T) []string) []T {
	wanted := queryWords(query)
	if len(wanted) == 0 {
		return nil
	}
	type hit struct {
		row  T
		rank rank
	}
	var hits []hit
	for _, row := range all {
		if r, ok := rankOf(wanted, names(row)); ok {
			hits = append(hits, hit{row, r})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.rank.compare(b.rank) })
	var found []T
	for _, h := range hits {
		// What lies within a word counts only where nothing begins with it: "te"
		// is tea, and not every tomato.
		if h.rank.match == within && hits[0].rank.match != within {
			break
		}
		found = append(found, h.row)
	}
	return found
}

// match is how a word of the query meets a word of a name.
type match int

const (
	whole match = iota
	begins
	within
	none
)

// rank orders hits: the worst match of any word first, then how far into the
// name the first word stands.
type rank struct {
	match match
	place int
}

func (r rank) compare(s rank) int {
	return cmp.Or(cmp.Compare(r.match, s.match), cmp.Compare(r.place, s.place))
}

func rankOf(wanted []string, names []string) (rank, bool) {
	best := rank{match: none}
	for _, name := range names {
		r := rankIn(wanted, words(name))
		if r.compare(best) < 0 {
			best = r
		}
	}
	return best, best.match != none
}

func rankIn(wanted, name []string) rank {
	r := rank{}
	for i, w := range wanted {
		best, place := none, 0
		for j, n := range name {
			if m := matchOf(w, n); m < best {
				best, place = m, j
			}
		}
		r.match = max(r.match, best)
		if i == 0 {
			r.place = min(place, 1) // the name's own word, or a later one
		}
	}
	return r
}

func matchOf(wanted, word string) match {
	best := none
	for _, w := range singulars(wanted) {
		switch {
		case w == word:
			return whole
		case strings.HasPrefix(word, w):
			best = min(best, begins)
		case len(w) >= 3 && strings.Contains(word, w):
			best = min(best, within)
		}
	}
	return best
}

// singulars are the forms of a word to look for: huevos finds huevo, nuez
// nueces.
func singulars(w string) []string {
	forms := []string{w}
	if len(w) > 3 && strings.HasSuffix(w, "s") {
		forms = append(forms, strings.TrimSuffix(w, "s"))
	}
	if len(w) > 4 && strings.HasSuffix(w, "es") {
		forms = append(forms, strings.TrimSuffix(w, "es"))
	}
	if len(w) > 3 && strings.HasSuffix(w, "z") {
		forms = append(forms, strings.TrimSuffix(w, "z")+"c")
	}
	return forms
}

// queryWords are a query's words without the little ones, unless it has no
// others.
func queryWords(query string) []string {
	all := words(query)
	var kept []string
	for _, w := range all {
		if !little(w) {
			kept = append(kept, w)
		}
	}
	if len(kept) == 0 {
		return all
	}
	return kept
}

// little reports whether w says nothing about what is looked for.
func little(w string) bool {
	switch w {
	case "a", "al", "con", "de", "del", "el", "en", "la", "las", "lo", "los", "para", "un", "una", "unas", "unos", "y",
		"an", "and", "for", "in", "of", "the", "with":
		return true
	}
	return false
}

// words are a text's words, folded.
func words(s string) []string {
	return strings.FieldsFunc(fold(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// fold drops case and accents.
func fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(s))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
