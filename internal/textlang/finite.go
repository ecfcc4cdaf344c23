package textlang

import (
	"regexp/syntax"
	"slices"
)

// listed gives the texts that a pattern from end to end matches, where they are few.
func listed(re *syntax.Regexp) ([]string, bool) {
	if re.Op != syntax.OpConcat || len(re.Sub) < 2 ||
		re.Sub[0].Op != syntax.OpBeginText || re.Sub[len(re.Sub)-1].Op != syntax.OpEndText {
		return nil, false
	}
	return listAll(re.Sub[1 : len(re.Sub)-1])
}

// listAll gives the texts of parts one behind the other.
func listAll(parts []*syntax.Regexp) ([]string, bool) {
	out := []string{""}
	for _, p := range parts {
		words, ok := listOne(p)
		if !ok || len(out)*len(words) > maxFew {
			return nil, false
		}
		var longer []string
		for _, stem := range out {
			for _, w := range words {
				longer = append(longer, stem+w)
			}
		}
		out = longer
	}
	return out, true
}

func listOne(re *syntax.Regexp) ([]string, bool) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []string{""}, true
	case syntax.OpLiteral:
		return []string{string(re.Rune)}, re.Flags&syntax.FoldCase == 0
	case syntax.OpCharClass:
		var out []string
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i+1]-re.Rune[i] >= maxFew || re.Rune[i] <= 0xdfff && re.Rune[i+1] >= 0xd800 {
				return nil, false
			}
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				out = append(out, string(r))
			}
		}
		return out, true
	case syntax.OpCapture, syntax.OpConcat:
		return listAll(re.Sub)
	case syntax.OpQuest:
		words, ok := listOne(re.Sub[0])
		return append(slices.Clip(words), ""), ok
	case syntax.OpAlternate:
		var out []string
		for _, s := range re.Sub {
			words, ok := listOne(s)
			if out = append(out, words...); !ok || len(out) > maxFew {
				return nil, false
			}
		}
		return out, true
	}
	return nil, false
}
