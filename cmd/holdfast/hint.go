package main

import (
	"strings"

	"github.com/holdfast-go/holdfast/internal/visible"
)

// hint is a command for a person to type next, over the same ledger.
func (a *app) hint(words ...string) string {
	if a.where != "" {
		words = append(words[:len(words):len(words)], "--ledger", a.where)
	}
	var b strings.Builder
	b.WriteString("holdfast")
	for _, word := range words {
		b.WriteByte(' ')
		b.WriteString(quoted(word))
	}
	return b.String()
}

// quoted is a word as a shell takes it.
func quoted(word string) string {
	special := strings.ContainsFunc(word, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_./:@%+=", r)
	})
	if word != "" && !special {
		return word
	}
	return "'" + strings.ReplaceAll(visible.Line(word), "'", `'\''`) + "'"
}
