// Package glob matches names against patterns that a person can read at a glance:
// * stands for any characters, also none, and ? for exactly one. Everything else
// stands for itself; there is no escape and no class.
package glob

// Match reports whether s as a whole fits the pattern. It needs no more time than
// their lengths' product.
func Match(pattern, s string) bool {
	p, text := []rune(pattern), []rune(s)
	star, from := -1, 0 // the last * and where what it stands for ends
	i, j := 0, 0
	for j < len(text) {
		switch {
		case i < len(p) && p[i] == '*':
			star, from = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == text[j]):
			i++
			j++
		case star >= 0:
			from++
			i, j = star+1, from
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
